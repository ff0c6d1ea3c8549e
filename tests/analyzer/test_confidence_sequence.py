import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.confidence_sequence import Betting, Contest
from analyzer.rules.separation import Separation

parts = st.integers(0, 8).map(lambda eighths: eighths / 8)


def streams(count, length, draw):
    """Bet on independent streams at once, each a sequence of its own."""
    rng = np.random.default_rng(5)
    return np.array([draw(rng, length) for _ in range(count)]).T


def share_ever_missed(values, lows, highs, mean, delta, step):
    betting = Betting(values.shape[1])
    missed = np.zeros(values.shape[1], bool)
    for first in range(0, len(values), step):
        rows = slice(first, first + step)
        betting.add(values[rows], lows[rows], highs[rows])
        lower, upper = betting.bounds(delta)
        missed |= (lower > mean) | (upper < mean)
    return missed.mean()


def allowed(delta, trials):
    return delta + 3 * math.sqrt(delta * (1 - delta) / trials)


def test_without_observations_nothing_is_bounded():
    lower, upper = Betting(2).bounds(0.05)
    assert lower.tolist() == [-math.inf, -math.inf]
    assert upper.tolist() == [math.inf, math.inf]


@pytest.mark.parametrize("mean", [0.03, 0.5])
def test_mean_is_rarely_ever_outside_though_one_looks_every_time(mean):
    values = streams(300, 120, lambda rng, length: (rng.random(length) < mean).astype(float))
    rate = share_ever_missed(values, np.zeros_like(values), np.ones_like(values), mean, 0.2, step=3)
    assert rate <= allowed(0.2, 300)


def test_mean_is_rarely_ever_outside_though_ranges_follow_the_past():
    def draw(rng, length):
        values, reach = [], 1.0
        for _ in range(length):
            values.append((0.5 + (reach if rng.random() < 0.5 else -reach), 0.5 - reach, 0.5 + reach))
            reach = 2.0 if values[-1][0] > 0.5 else 0.5  # larger after a gain
        return values

    rows = streams(300, 120, draw)  # (3, length, streams)
    rate = share_ever_missed(rows[0], rows[1], rows[2], 0.5, 0.2, step=3)
    assert rate <= allowed(0.2, 300)


@given(st.lists(parts, min_size=1, max_size=30))
def test_interval_lies_in_the_range_and_contains_the_mean_of_what_was_seen(values):
    betting = Betting(1)
    betting.add([[value] for value in values], [[0.0]] * len(values), [[1.0]] * len(values))
    lower, upper = betting.bounds(0.05)
    mean = sum(values) / len(values)
    assert 0 <= lower[0] <= mean <= upper[0] <= 1


@given(st.lists(parts, min_size=1, max_size=20))
def test_doubling_the_unit_doubles_the_bounds(values):
    column = np.array(values)[:, None]
    one, other = Betting(1), Betting(1)
    one.add(column, np.zeros_like(column), np.ones_like(column))
    other.add(2 * column, np.zeros_like(column), 2 * np.ones_like(column))
    assert [2 * bound[0] for bound in one.bounds(0.1)] == [bound[0] for bound in other.bounds(0.1)]


@given(st.lists(parts, min_size=1, max_size=20))
def test_mirrored_observations_mirror_the_bounds(values):
    column = np.array(values)[:, None]
    one, other = Betting(1), Betting(1)
    one.add(column, np.zeros_like(column), np.ones_like(column))
    other.add(-column, -np.ones_like(column), np.zeros_like(column))
    (lower,), (upper,) = one.bounds(0.1)
    assert [bound[0] for bound in other.bounds(0.1)] == [-upper, -lower]


@given(st.lists(parts, min_size=1, max_size=20))
def test_allowing_more_errors_never_widens_the_interval(values):
    betting = Betting(1)
    betting.add([[value] for value in values], [[0.0]] * len(values), [[1.0]] * len(values))
    (narrow_low, narrow_high), (wide_low, wide_high) = betting.bounds(0.3), betting.bounds(0.05)
    assert wide_low <= narrow_low
    assert narrow_high <= wide_high


@given(st.lists(parts, min_size=2, max_size=20), st.integers(1, 19))
def test_portions_make_no_difference_to_the_bounds(values, cut):
    column = np.array(values)[:, None]
    whole, portions = Betting(1), Betting(1)
    whole.add(column, np.zeros_like(column), np.ones_like(column))
    for rows in (column[:cut], column[cut:]):
        portions.add(rows, np.zeros_like(rows), np.ones_like(rows))
    assert whole.bounds(0.1) == portions.bounds(0.1)


def test_contest_and_the_separation_of_cases_stop_together():
    rng = np.random.default_rng(2)
    rows = rng.random((200, 3)) * 0.5 + np.array([0.0, 0.3, 0.1])
    stream, contest = Separation(3, 1.0, 3 / 0.05), Contest(3)
    for row in rows:
        stream.add(row)
        contest.add([row], np.zeros((1, 3)), [1.0])
        assert contest.leader(0.05) == stream.leader
        if stream.leader is not None:
            break
    assert contest.leader(0.05) == 1


@given(st.lists(st.lists(parts, min_size=3, max_size=3), min_size=1, max_size=30), st.integers(-3, 3))
def test_what_moves_all_players_alike_changes_nothing(rows, shift):
    plain, moved = Contest(3), Contest(3)
    values = np.array(rows)
    drift = shift * np.arange(len(values), dtype=float)[:, None]
    plain.add(values, np.zeros_like(values), np.ones(len(values)))
    moved.add(values + drift, np.zeros_like(values) + drift, np.ones(len(values)))
    assert (plain.leader(0.5), plain.ranking(0.5)) == (moved.leader(0.5), moved.ranking(0.5))


def test_difference_that_cannot_be_negative_is_decided_at_once():
    contest = Contest(2)
    contest.add([[0.5, 0.25]], centres=[[0.5, 0.25]], reaches=[0.125])
    assert contest.leader(1e-9) == 0


def test_what_was_once_won_stays_won():
    contest = Contest(2)
    contest.add([[1.0, 0.0]] * 20, np.zeros((20, 2)), np.ones(20))
    assert contest.leader(0.05) == 0
    contest.add([[0.0, 0.5]] * 40, np.zeros((40, 2)), np.ones(40))
    assert contest.leader(0.05) == 0


def test_ranking_waits_for_the_players_that_are_close():
    contest = Contest(3)
    contest.add([[0.75, 0.0, 0.0]] * 30, np.zeros((30, 3)), np.ones(30))
    assert contest.leader(0.05) == 0
    assert contest.ranking(0.05) is None
    contest.add([[0.75, 0.0, 0.5]] * 60, np.zeros((60, 3)), np.ones(60))
    assert contest.ranking(0.05) == (0, 2, 1)


def test_players_that_tie_are_rarely_ever_told_apart():
    delta, trials = 0.3, 200
    rng = np.random.default_rng(3)
    leaders = rankings = 0
    for _ in range(trials):
        contest = Contest(3)
        values = rng.integers(0, 2, (150, 3)) * np.array([1.0, 1.0, 0.5])  # the first two tie
        named, ranked = False, False
        for first in range(0, 150, 5):
            contest.add(values[first : first + 5], np.zeros((5, 3)), np.ones(5))
            named |= contest.leader(delta) is not None
            ranked |= contest.ranking(delta) is not None
        leaders, rankings = leaders + named, rankings + ranked
    assert leaders / trials <= allowed(delta, trials)
    assert rankings / trials <= allowed(delta, trials)
