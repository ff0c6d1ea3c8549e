import math
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.bounds import (
    checkpoints,
    disjoint_leader,
    disjoint_ranking,
    empirical_bernstein,
    hoeffding,
    look_share,
    normal,
)


def close(value):
    return pytest.approx(value, rel=1e-12)  # logarithms and roots are those of the platform


def test_hoeffding_radius_is_the_one_computed_by_hand():
    # ln(2 / delta) = 2, so 3 * sqrt(2 / (2 * 100)) = 0.3
    assert float(hoeffding(100, 3.0, 2 * math.exp(-2))) == close(0.3)


def test_empirical_bernstein_radius_is_the_one_computed_by_hand():
    # ln(4 / delta) = 1, so sqrt(2 * 0.5 / 4) + 7 * 3 / (3 * 3) = 1/2 + 7/3
    assert float(empirical_bernstein(4, 0.5, 3.0, 4 * math.exp(-1))) == close(1 / 2 + 7 / 3)


def test_normal_radius_has_the_textbook_quantile():
    assert float(normal(100, 4.0, 0.05)) == pytest.approx(1.959964 * 0.2, abs=1e-7)


def test_single_observation_tells_nothing_of_its_variance():
    assert empirical_bernstein(1, 0.0, 1.0, 0.05) == math.inf
    assert normal(1, 0.0, 0.05) == math.inf


@given(
    st.lists(st.tuples(st.integers(2, 10**6), st.floats(0, 10)), min_size=1, max_size=5),
    st.floats(0.001, 0.999),
)
def test_radii_of_arrays_are_those_of_their_elements(given_pairs, delta):
    counts, variances = map(np.array, zip(*given_pairs, strict=True))
    for array, single in (
        (hoeffding(counts, 2.0, delta), lambda count, _: hoeffding(count, 2.0, delta)),
        (empirical_bernstein(counts, variances, 2.0, delta), lambda *pair: empirical_bernstein(*pair, 2.0, delta)),
        (normal(counts, variances, delta), lambda *pair: normal(*pair, delta)),
    ):
        assert array == close([float(single(*pair)) for pair in given_pairs])


@given(st.integers(1, 100), st.floats(1.0, 3.0))
def test_checkpoints_grow_by_the_ratio_or_by_one(first, ratio):
    counts = list(islice(checkpoints(first, ratio), 12))
    assert counts[0] == first
    for before, after in pairwise(counts):
        assert after == max(before + 1, math.ceil(before * ratio))


@given(st.integers(1, 60), st.integers(1, 200))
def test_error_shares_of_all_looks_stay_within_delta(sequences, looks):
    shares = [look_share(0.05, sequences, look) for look in range(1, looks + 1)]
    assert sequences * sum(shares) == pytest.approx(0.05 * looks / (looks + 1))


@pytest.mark.parametrize("mean", [0.02, 0.5])
def test_radii_hold_at_all_checkpoints_together(mean):
    delta, streams, sequences = 0.2, 300, 2
    values = (np.random.default_rng(1).random((streams, sequences, 400)) < mean).astype(float)
    missed = {"hoeffding": np.zeros(streams, bool), "empirical-bernstein": np.zeros(streams, bool)}
    for look, count in enumerate(islice(checkpoints(8, 1.25), 18), 1):
        error = look_share(delta, sequences, look)
        means, variances = values[..., :count].mean(axis=-1), values[..., :count].var(axis=-1, ddof=1)
        radii = {
            "hoeffding": hoeffding(count, 1.0, error),
            "empirical-bernstein": empirical_bernstein(count, variances, 1.0, error),
        }
        for kind, radius in radii.items():
            missed[kind] |= (np.abs(means - mean) > radius).any(axis=1)
    allowed = delta + 3 * math.sqrt(delta * (1 - delta) / streams)
    assert all(rate.mean() <= allowed for rate in missed.values())


def test_leader_lies_above_all_others_not_only_above_the_next():
    lows, highs = np.array([0.1, 0.5, 0.3]), np.array([0.6, 0.9, 0.4])
    assert disjoint_leader(lows, highs) is None
    assert disjoint_leader(lows, np.array([0.45, 0.9, 0.4])) == 1


def test_intervals_that_touch_are_not_apart():
    assert disjoint_leader(np.array([0.5, 0.0]), np.array([1.0, 0.5])) is None
    assert disjoint_ranking(np.array([0.5, 0.0]), np.array([1.0, 0.5])) is None


def test_ranking_needs_every_neighbour_apart():
    lows = np.array([0.0, 0.4, 0.2])
    assert disjoint_ranking(lows, lows + 0.1) == (1, 2, 0)
    assert disjoint_ranking(lows, lows + 0.3) is None
