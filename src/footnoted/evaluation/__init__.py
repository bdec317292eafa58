"""Measures what an answerer gets right, with intervals, curves and every failure readable.

Beside the assistants on the map: it asks as any caller does, and counts.
"""

from footnoted.evaluation.cases import Case, Passage, read_cases
from footnoted.evaluation.compare import Comparison, compare
from footnoted.evaluation.grounded import Ungrounded, assert_grounded
from footnoted.evaluation.page import as_page
from footnoted.evaluation.recording import Recording
from footnoted.evaluation.report import Report, summarise
from footnoted.evaluation.run import Outcome, evaluate

__all__ = [
    "Case",
    "Comparison",
    "Outcome",
    "Passage",
    "Recording",
    "Report",
    "Ungrounded",
    "as_page",
    "assert_grounded",
    "compare",
    "evaluate",
    "read_cases",
    "summarise",
]
