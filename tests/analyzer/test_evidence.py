import math

import numpy as np
import pytest

from analyzer.bounds import empirical_bernstein, hoeffding, look_share, normal
from analyzer.confidence_sequence import Betting
from analyzer.estimators import Observations
from analyzer.evidence import Bets, Radii

VALUES = np.random.default_rng(0).random((40, 3)) - np.array([0.0, 0.5, 0.25])


def observations(values):
    reaches = np.ones(len(values))
    return Observations(values, np.zeros_like(values), reaches, 2 * reaches)


def looked_at(kind, *looks):
    evidence, seen = Radii(3, 2.0, kind), 0
    for count, at_checkpoint in looks:
        evidence.add(observations(VALUES[seen:count]), at_checkpoint=at_checkpoint)
        seen = count
    return evidence


@pytest.mark.parametrize("kind", ["hoeffding", "empirical-bernstein", "normal"])
def test_radii_are_those_of_the_count_the_variances_and_the_look(kind):
    lows, highs = looked_at(kind, (8, True), (30, True)).intervals(0.1)
    error = look_share(0.1, 3, 2)
    variances = VALUES[:30].var(axis=0, ddof=1)
    radii = {
        "hoeffding": hoeffding(30, 2.0, error),
        "empirical-bernstein": empirical_bernstein(30, variances, 2.0, error),
        "normal": normal(30, variances, error),
    }[kind]
    assert lows == pytest.approx(VALUES[:30].mean(axis=0) - radii)
    assert highs == pytest.approx(VALUES[:30].mean(axis=0) + radii)


def test_observations_after_the_last_checkpoint_wait_for_the_next():
    waiting, done = looked_at("normal", (8, True), (30, False)), looked_at("normal", (8, True))
    assert np.array_equal(waiting.intervals(0.1), done.intervals(0.1))


def test_before_the_first_checkpoint_nothing_is_known():
    lows, highs = looked_at("hoeffding", (8, False)).intervals(0.1)
    assert set(lows) == {-math.inf}
    assert set(highs) == {math.inf}


def test_radii_claim_what_lies_apart():
    evidence = Radii(2, 2.0, "hoeffding")
    evidence.add(observations(np.array([[1.0, -1.0]] * 60)), at_checkpoint=True)
    assert evidence.claims(0.05) == (0, (0, 1))
    assert evidence.claims(1e-30) == (None, None)


def test_intervals_by_betting_share_delta_among_the_players():
    evidence, alone = Bets(3), Betting(3)
    evidence.add(observations(VALUES), at_checkpoint=False)
    alone.add(VALUES, -np.ones_like(VALUES), np.ones_like(VALUES))
    assert np.array_equal(evidence.intervals(0.3), alone.bounds(0.3 / 3))
