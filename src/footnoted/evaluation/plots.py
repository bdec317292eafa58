"""Draws figures as SVG text that a page carries in itself."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from footnoted.evaluation.metrics import Bin, RiskPoint

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 360, 260, 46, 40, 14, 14
_ACROSS, _UP = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM


def reliability_diagram(bins: Sequence[Bin]) -> str:
    """How often answers of each confidence were right; on the diagonal, confidence means what it says."""
    most = max((answers.n for answers in bins), default=1)
    drawn = [_line([(0, 0), (1, 1)], "ideal")]
    for answers in bins:
        left, floor = _at(answers.low, 0)
        right, top = _at(answers.high, answers.right)
        left, right = left + 2, right - 2
        shares = f"confidence {answers.low:.0%} to {answers.high:.0%}: {answers.right:.0%} of {answers.n} right"
        title = f"<title>{shares}</title>"
        drawn.append(
            f'<rect class="bar" x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{floor - top:.1f}" '
            f'opacity="{0.35 + 0.65 * answers.n / most:.2f}">{title}</rect>'
        )
        x, y = _at(answers.confidence, answers.right)
        drawn.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3">{title}</circle>')
    return _frame("Reliability", "confidence", "share right", drawn)


def risk_coverage_curve(points: Sequence[RiskPoint]) -> str:
    """What share of the answers would be wrong, were only the most confident given."""
    top = max([0.1, *(point.risk for point in points)])
    drawn = [_line([(point.coverage, point.risk / top) for point in points], "curve")] if points else []
    return _frame("Risk against coverage", "share answered", "share wrong", drawn, top=top)


def latency_plot(milliseconds: Sequence[float]) -> str:
    """The share of answers that were whole within a time."""
    took = sorted(milliseconds)
    if not took:
        return _frame("Latency", "milliseconds", "share whole", [])
    longest = took[-1] or 1.0
    line = [(0.0, 0.0), *((ms / longest, (place + 1) / len(took)) for place, ms in enumerate(took))]
    return _frame("Latency", "milliseconds", "share whole", [_line(line, "curve")], right=longest)


def _at(x: float, y: float) -> tuple[float, float]:
    return LEFT + x * _ACROSS, TOP + (1 - y) * _UP


def _line(points: Sequence[tuple[float, float]], name: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(*point) for point in points))
    return f'<polyline class="{name}" points="{path}"/>'


def _frame(title: str, across: str, up: str, drawn: Sequence[str], *, top: float = 1.0, right: float = 1.0) -> str:
    marks = []
    for step in range(6):
        share = step / 5
        x, floor = _at(share, 0)
        left, y = _at(0, share)
        marks.append(f'<line class="grid" x1="{left:.1f}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        marks.append(
            f'<text class="tick" x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{share * top:.0%}</text>'
        )
        below = f"{share * right:.0f}" if right != 1.0 else f"{share:.0%}"
        marks.append(f'<text class="tick" x="{x:.1f}" y="{floor + 16:.1f}" text-anchor="middle">{below}</text>')
    middle = TOP + _UP / 2
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">'
        + "".join(marks)
        + "".join(drawn)
        + f'<text class="axis" x="{LEFT + _ACROSS / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(across)}</text>'
        + f'<text class="axis" x="12" y="{middle}" text-anchor="middle" transform="rotate(-90 12 {middle})">'
        + f"{escape(up)}</text></svg>"
    )
