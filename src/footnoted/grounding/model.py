"""A claim's features in; the calibrated probability that its evidence carries it out. Plain arrays, no library.

The numbers in ``fitted/classifier.json`` come from ``training/fit_classifier.py``: a logistic regression and
gradient-boosted trees over the same features, averaged, then put on the scale of probabilities (Platt).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from footnoted.grounding.reading import FITTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Trees:
    """Binary trees side by side: at node n go to ``left[n]`` if ``x[feature[n]] <= threshold[n]`` else ``right[n]``.

    A leaf points at itself. ``roots`` (k,) are where the trees start, ``depth`` the steps to every leaf.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    roots: NDArray[np.int32]
    depth: int

    def total(self, row: NDArray[np.float64]) -> float:
        """The sum of the leaves a row of features falls into."""
        from footnoted.native import numpy as np

        node = self.roots
        for _ in range(self.depth):
            node = np.where(row[self.feature[node]] <= self.threshold[node], self.left[node], self.right[node])
        return float(self.value[node].sum())


@dataclass(frozen=True, slots=True)
class Classifier:
    """The frozen classifier. ``names`` are its features in order; ``threshold`` splits supported from not."""

    names: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float
    trees: Trees
    trees_bias: float
    slope: float
    shift: float
    threshold: float

    def probability(self, features: Sequence[float]) -> float:
        """The calibrated probability (0–1) that the claim is carried, from features in the order of ``names``."""
        from footnoted.native import numpy as np

        row = np.asarray(features, dtype=np.float64)
        linear = float(((row - self.mean) / self.scale) @ self.weights) + self.bias
        boosted = self.trees.total(row) + self.trees_bias
        return _sigmoid(self.slope * 0.5 * (linear + boosted) + self.shift)


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, x))))


@lru_cache(maxsize=2)
def classifier(name: str = "classifier") -> Classifier:
    """The shipped classifier, read once."""
    from footnoted.native import numpy as np

    fitted: dict[str, Any] = json.loads((FITTED / f"{name}.json").read_text(encoding="utf-8"))
    trees = fitted["trees"]
    return Classifier(
        names=tuple(fitted["names"]),
        mean=np.asarray(fitted["mean"]),
        scale=np.asarray(fitted["scale"]),
        weights=np.asarray(fitted["weights"]),
        bias=fitted["bias"],
        trees=Trees(
            feature=np.asarray(trees["feature"], dtype=np.int32),
            threshold=np.asarray(trees["threshold"], dtype=np.float64),
            left=np.asarray(trees["left"], dtype=np.int32),
            right=np.asarray(trees["right"], dtype=np.int32),
            value=np.asarray(trees["value"], dtype=np.float64),
            roots=np.asarray(trees["roots"], dtype=np.int32),
            depth=trees["depth"],
        ),
        trees_bias=trees["bias"],
        slope=fitted["slope"],
        shift=fitted["shift"],
        threshold=fitted["threshold"],
    )
