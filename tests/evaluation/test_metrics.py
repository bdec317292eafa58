"""Figures against numbers worked by hand, and intervals against what they promise."""

import numpy as np
import pytest

from footnoted.evaluation.metrics import ratio, reliability, risk_coverage, weights


def test_a_ratio_is_sum_over_sum():
    """3 of 4 sentences in one case and 1 of 1 in another: 4/5, not the mean of 0.75 and 1."""
    found = ratio([(3, 4), (1, 1), (0, 0)])
    assert found.value == pytest.approx(0.8)
    assert found.n == 2
    assert found.low <= 0.8 <= found.high


def test_nothing_counted_is_no_figure():
    """Zero of zero is unknown, neither 0 nor 1."""
    assert ratio([(0, 0)]).value is None
    assert ratio([(1, 1)], [(0, 0)]).value is None


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """A share of 0.7 over 80 cases, 200 times: the 95 % interval holds it in 90 to 99 % of them."""
    random = np.random.default_rng(1)
    draws = weights(80, resamples=500)
    held = 0
    for _ in range(200):
        found = ratio([(float(hit), 1.0) for hit in random.random(80) < 0.7], draws=draws)
        held += found.low <= 0.7 <= found.high
    assert 180 <= held <= 198


def test_balanced_accuracy_is_the_mean_of_both_sides():
    """Right on 9 of 10 answerable and 1 of 2 unanswerable: (0.9 + 0.5) / 2."""
    first = [(1.0, 1.0)] * 9 + [(0.0, 1.0)] + [(0.0, 0.0)] * 2
    second = [(0.0, 0.0)] * 10 + [(1.0, 1.0), (0.0, 1.0)]
    assert ratio(first, second).value == pytest.approx(0.7)


def test_calibration_error_by_hand():
    """Two answers at 0.95 with one right, two at 0.15 with none: (|0.95-0.5|·2 + |0.15-0|·2) / 4 = 0.30."""
    bins, error = reliability([0.95, 0.95, 0.15, 0.15], [True, False, False, False])
    assert [(each.n, each.right) for each in bins] == [(2, 0.0), (2, 0.5)]
    assert error == pytest.approx(0.30)
    assert reliability([], []) == ([], None)


def test_certainty_falls_into_the_last_bin():
    """A confidence of exactly 1 has a place."""
    bins, error = reliability([1.0, 0.0], [True, False])
    assert [each.low for each in bins] == [0.0, 0.9]
    assert error == 0.0


def test_risk_at_each_coverage_by_hand():
    """Right, wrong, right from the surest down: risks 0, 1/2, 1/3; area (0 + 1/2 + 1/3) / 3."""
    points, area = risk_coverage([0.9, 0.5, 0.7], [True, True, False])
    assert [(round(each.coverage, 3), round(each.risk, 3)) for each in points] == [(0.333, 0), (0.667, 0.5), (1, 0.333)]
    assert area == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)


def test_equal_confidence_comes_in_together():
    """A threshold cannot tell them apart, so the order of the file does not matter."""
    one = risk_coverage([0.5, 0.5], [True, False])
    assert one == risk_coverage([0.5, 0.5], [False, True])
    assert len(one[0]) == 1
