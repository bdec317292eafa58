"""Draws rows of figures as SVG that is at home on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = """
svg { --page: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --ours: #1a5fb4; --peer: #8c959f; --floor: #c4ccd4;
      --good: #1a7f37; --goodbg: #dafbe1; --warn: #7d4e00; --warnbg: #fff1c2; --bad: #b42318; --badbg: #ffe1de;
      font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --page: #11161d; --ink: #e6edf3; --soft: #9da7b1; --line: #3d444d; --ours: #6cb0ff; --peer: #6e7781; --floor: #4a525b;
        --good: #6fdd8b; --goodbg: #12341f; --warn: #f2cc60; --warnbg: #3b2f0b; --bad: #ff9a91; --badbg: #45191a; }
}
text { fill: var(--ink); } .page { fill: var(--page); } .soft { fill: var(--soft); font-size: 11.5px; } .title { font-weight: 600; font-size: 15px; }
.ours { fill: var(--ours); } .oursname { fill: var(--ours); font-weight: 600; } .peer { fill: var(--peer); }
.floor { fill: var(--floor); } .line { stroke: var(--line); } .whisker { stroke: var(--ink); stroke-width: 1.3; }
.good { fill: var(--goodbg); } .goodword { fill: var(--good); font-weight: 600; } .warn { fill: var(--warnbg); }
.warnword { fill: var(--warn); font-weight: 600; } .bad { fill: var(--badbg); }
.badword { fill: var(--bad); font-weight: 600; } .ring { fill: none; stroke: var(--ink); stroke-width: 1.4; }
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: what it is called, its figure with its spread, and whose it is (``ours``, ``peer``, ``floor``)."""

    name: str
    middle: float
    least: float
    most: float
    whose: str
    words: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One field of a matrix: ``good``, ``warn`` or ``bad``, and a word."""

    kind: str
    word: str


def picture(width: float, height: float, title: str, drawn: Sequence[str]) -> str:
    """The whole file; the title is what a screen reader says.

    It has a ground of its own, because a page may be dark where the reader's system is light.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">\n<style>{_STYLE}</style>\n'
        f'<rect class="page" width="{width:.0f}" height="{height:.0f}" rx="8"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def bars(title: str, below: str, rows: Sequence[Bar], *, width: float = 760) -> str:
    """Horizontal bars from zero, each with its spread as a whisker and its figure in words."""
    left, right, top, step = 290.0, 150.0, 44.0, 26.0
    most = max(max(row.most, row.middle) for row in rows)
    scale = (width - left - right) / most
    drawn = [_text(16, 24, title, "title")]
    for number, row in enumerate(rows):
        y = top + number * step
        name = "oursname" if row.whose == "ours" else ""
        drawn.append(_text(left - 10, y + 15, row.name, name, "end"))
        drawn.append(
            f'<rect class="{row.whose}" x="{left}" y="{y + 4:.1f}" width="{max(1.0, row.middle * scale):.1f}" '
            'height="15" rx="2"/>'
        )
        middle = y + 11.5
        if row.most > row.least:
            start, end = left + row.least * scale, left + row.most * scale
            drawn.append(f'<line class="whisker" x1="{start:.1f}" x2="{end:.1f}" y1="{middle}" y2="{middle}"/>')
            drawn += [
                f'<line class="whisker" x1="{x:.1f}" x2="{x:.1f}" y1="{middle - 3}" y2="{middle + 3}"/>'
                for x in (start, end)
            ]
        drawn.append(_text(left + max(row.most, row.middle) * scale + 8, y + 15, row.words))
    floor = top + len(rows) * step
    drawn.append(f'<line class="line" x1="{left}" x2="{left}" y1="{top}" y2="{floor}"/>')
    lines = below.split("\n")
    drawn += [_text(16, floor + 22 + 16 * number, line, "soft") for number, line in enumerate(lines)]
    return picture(width, floor + 18 + 16 * len(lines), title, drawn)


def matrix(title: str, below: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> str:
    """What became of each row in each column; the first column is ours. Told by word and sign, not by colour alone."""
    left, wide, high, top = 330.0, 80.0, 25.0, 118.0
    width = left + wide * len(columns) + 64  # the last heading leans out to the right
    drawn = [_text(16, 24, title, "title")]
    for number, column in enumerate(columns):
        x = left + number * wide + wide / 2
        name = "oursname" if not number else ""
        drawn.append(
            f'<text class="{name}" transform="translate({x:.1f} {top - 10}) rotate(-30)">{escape(column)}</text>'
        )
    for number, (name, cells) in enumerate(rows):
        y = top + number * high
        drawn.append(_text(left - 10, y + 16.5, name, "", "end"))
        for place, cell in enumerate(cells):
            x = left + place * wide
            drawn.append(
                f'<rect class="{cell.kind}" x="{x + 1.5:.1f}" y="{y + 1.5:.1f}" width="{wide - 3}" height="{high - 3}" rx="4"/>'
            )
            drawn.append(_text(x + wide / 2, y + 16.5, cell.word, f"{cell.kind}word soft", "middle"))
    floor = top + len(rows) * high
    lines = below.split("\n")
    drawn += [_text(16, floor + 24 + 16 * number, line, "soft") for number, line in enumerate(lines)]
    return picture(width, floor + 22 + 16 * len(lines), title, drawn)


@dataclass(frozen=True, slots=True)
class Dot:
    """One row: our figure with its interval, and what it is held against, by name."""

    name: str
    ours: tuple[float, float, float]
    others: dict[str, float]


def dots(title: str, below: str, rows: Sequence[Dot], *, low: float, high: float, signs: dict[str, str]) -> str:
    """Our figure as a dot with its interval; others as hollow signs (``circle``, ``square``, ``diamond``)."""
    left, right, top, step, width = 220.0, 60.0, 76.0, 30.0, 720.0
    scale = (width - left - right) / (high - low)

    def at(value: float) -> float:
        return left + (min(max(value, low), high) - low) * scale

    drawn = [_text(16, 24, title, "title")]
    x = 16.0
    for name, sign in {"footnoted, 95 % interval": "ours", **signs}.items():
        drawn.append(_sign(sign, x + 6, 46))
        drawn.append(_text(x + 18, 50, name, "soft"))
        x += 40 + 6.3 * len(name)
    floor = top + len(rows) * step
    for tick in range(int(low), int(high) + 1, 10):
        drawn.append(f'<line class="line" x1="{at(tick):.1f}" x2="{at(tick):.1f}" y1="{top - 8}" y2="{floor}"/>')
        drawn.append(_text(at(tick), floor + 16, f"{tick}", "soft", "middle"))
    for number, row in enumerate(rows):
        y = top + number * step + 8
        drawn.append(_text(left - 12, y + 4.5, row.name, "", "end"))
        middle, least, most = row.ours
        drawn.append(f'<line class="whisker" x1="{at(least):.1f}" x2="{at(most):.1f}" y1="{y}" y2="{y}"/>')
        drawn.append(_sign("ours", at(middle), y))
        drawn += [_sign(signs[name], at(value), y) for name, value in row.others.items()]  # hollow: ours shows through
        drawn.append(_text(width - 16, y + 4.5, f"{middle:.1f}", "oursname", "end"))
    lines = below.split("\n")
    drawn += [_text(16, floor + 40 + 16 * number, line, "soft") for number, line in enumerate(lines)]
    return picture(width, floor + 36 + 16 * len(lines), title, drawn)


def _sign(kind: str, x: float, y: float) -> str:
    if kind == "ours":
        return f'<circle class="ours" cx="{x:.1f}" cy="{y}" r="5.5"/>'
    if kind == "circle":
        return f'<circle class="ring" cx="{x:.1f}" cy="{y}" r="4.5"/>'
    turned = f' transform="rotate(45 {x:.1f} {y})"' if kind == "diamond" else ""
    return f'<rect class="ring" x="{x - 4:.1f}" y="{y - 4}" width="8" height="8"{turned}/>'


def _text(x: float, y: float, words: str, name: str = "", anchor: str = "start") -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
