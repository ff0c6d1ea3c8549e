import functools
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.estimators import Coalitions, Orderings
from analyzer.rules import shapley

MANY = 10**6


@st.composite
def games(draw, least=4, most=6):
    players = draw(st.integers(least, most))
    return players, [worth / 8 for worth in draw(st.lists(st.integers(0, 8), min_size=2**players, max_size=2**players))]


def made(kind, players, seed="0"):
    if kind == "coalitions":
        return Coalitions(players, 1.0, seed)
    return Orderings(players, 1.0, seed, reverse=kind == "reversed")


kinds = pytest.mark.parametrize("kind", ["orderings", "reversed", "coalitions"])


def near(values):
    return pytest.approx(values, abs=1e-9)


def observed(estimator, worths, count, room=MANY):
    estimator.begin()
    estimator.observe(worths)
    estimator.draw(count, room)
    return estimator.observe(worths)


@kinds
@given(games(), st.integers(0, 99), st.integers(1, 9))
def test_every_observation_is_efficient(kind, game, seed, count):
    players, worths = game
    observations = observed(made(kind, players, str(seed)), worths, count)
    assert observations.values.sum(axis=1) == near(np.full(len(observations.values), worths[-1] - worths[0]))


@kinds
@given(games(), st.integers(0, 99), st.integers(1, 9))
def test_observations_lie_where_they_were_known_to(kind, game, seed, count):
    players, worths = game
    estimator = made(kind, players, str(seed))
    observed(estimator, worths, count)
    estimator.draw(2 * count, MANY)
    new = estimator.observe(worths)
    off = new.values - new.centres
    assert (np.abs(off) <= new.reaches[:, None] + 1e-12).all()
    assert (np.abs(off[:, :, None] - off[:, None, :]) <= new.gaps[:, None, None] + 1e-12).all()


@functools.cache
def seeds_of_first_draws():
    """Return a seed under which each pair of a game of six is the first to be drawn: 15 of sizes 2 and 4, 10 of 3."""
    seeds = {}
    numbers = itertools.count()
    while len(seeds) < 15 + 10:
        seed = str(next(numbers))
        mask = made("coalitions", 6, seed).draw(1, MANY)[0]
        seeds.setdefault(min(mask, 63 - mask), seed)
    return seeds


@pytest.mark.parametrize("game", range(4))
def test_first_coalition_drawn_has_the_shapley_value_as_its_mean(game):
    worths = np.random.default_rng(game).random(2**6)
    mean, total = np.zeros(6), 0.0
    for mask, seed in seeds_of_first_draws().items():
        size = mask.bit_count()
        odds = 1 / (math.comb(6, size) * size * (6 - size))
        mean += odds * observed(made("coalitions", 6, seed), worths, 1).values[0]
        total += odds
    assert mean / total == near(shapley(worths, None))


def test_later_observations_keep_that_mean_though_guesses_were_learnt_meanwhile():
    rng = np.random.default_rng(8)
    worths = (rng.random(2**6) + (np.arange(2**6) & 3 == 3)) / 2
    found = []
    for seed in range(250):
        estimator = made("coalitions", 6, str(seed))
        observed(estimator, worths, 6)
        estimator.draw(12, MANY)
        found.append(estimator.observe(worths).values[-1])
    errors = np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - shapley(worths, None)) <= 4 * errors).all()


def test_sizes_are_drawn_with_the_odds_of_the_shapley_kernel():
    trials = 2000
    sizes = [made("coalitions", 7, str(seed)).draw(1, MANY)[0].bit_count() for seed in range(trials)]
    expected = (1 / 10) / (1 / 10 + 1 / 12)  # of size 2, not 3
    error = math.sqrt(expected * (1 - expected) / trials)
    assert abs(sizes.count(2) / trials - expected) <= 4 * error


def test_orderings_are_drawn_uniformly():
    trials = 2000
    firsts = []
    for seed in range(trials):
        estimator = made("orderings", 5, str(seed))
        firsts.append(min(estimator.draw(1, MANY)).bit_length() - 1)
    for player in range(5):
        assert abs(firsts.count(player) / trials - 1 / 5) <= 4 * math.sqrt(0.16 / trials)


@given(games(), st.integers(0, 99))
def test_ordering_and_its_reverse_see_a_game_and_its_dual_alike(game, seed):
    players, worths = game
    dual = [worths[-1] - worth for worth in reversed(worths)]
    own, others = (observed(made("reversed", players, str(seed)), each, 3).values for each in (worths, dual))
    assert own == near(others)


@kinds
def test_no_coalition_is_asked_for_twice(kind):
    estimator = made(kind, 6)
    asked = estimator.begin()
    for count in range(1, 20):
        asked += estimator.draw(count, MANY)
    assert len(asked) == len(set(asked))


@kinds
def test_portions_make_no_difference_to_what_is_drawn(kind):
    whole, portions = made(kind, 8), made(kind, 8)
    assert whole.draw(12, MANY) == [mask for count in (1, 2, 7, 12) for mask in portions.draw(count, MANY)]


@kinds
def test_no_more_is_asked_for_than_there_is_room(kind):
    estimator = made(kind, 9)
    for room in (0, 1, 7, 20, 33):
        assert len(estimator.draw(MANY, room)) <= room


@kinds
def test_games_are_asked_for_the_same_coalitions_under_one_seed(kind):
    one, other = np.zeros(2**7), np.random.default_rng(0).random(2**7)
    asked = []
    for worths in (one, other):
        estimator = made(kind, 7)
        sequence = estimator.begin()
        estimator.observe(worths)
        for count in (5, 12):
            sequence = sequence + estimator.draw(count, MANY)
            estimator.observe(worths)
        asked.append(sequence)
    assert asked[0] == asked[1]


@kinds
def test_another_seed_draws_others(kind):
    assert made(kind, 9, "0").draw(5, MANY) != made(kind, 9, "1").draw(5, MANY)


def test_all_pairs_known_leave_nothing_uncertain():
    worths = np.random.default_rng(6).random(2**6)
    estimator = made("coalitions", 6)
    observed(estimator, worths, MANY)
    lows, highs = estimator.certain()
    assert lows == near(shapley(worths, None))
    assert highs == near(lows)
    assert estimator.draws == (2**6 - 2) // 2 - 6


@given(games(), st.integers(1, 6))
def test_values_lie_within_what_is_certain_of_them(game, count):
    players, worths = game
    estimator = made("coalitions", players)
    observed(estimator, worths, count)
    lows, highs = estimator.certain()
    exact = shapley(worths, None)
    assert (lows - 1e-12 <= exact).all()
    assert (exact <= highs + 1e-12).all()


@given(st.integers(0, 99), st.integers(1, 12))
def test_integer_scores_add_up_exactly_along_orderings(seed, count):
    worths = np.random.default_rng(seed).integers(0, 1000, 2**6)
    estimator = made("orderings", 6, str(seed))
    observed(estimator, worths, count)
    totals = [round(value * estimator.draws) for value in estimator.values()]
    assert [total / estimator.draws for total in totals] == estimator.values().tolist()
    assert sum(totals) == estimator.draws * (worths[-1] - worths[0])


def test_null_player_gets_zero_along_orderings():
    worths = np.random.default_rng(1).random(2**6)
    worths = worths[np.arange(2**6) & ~4]
    for kind in ("orderings", "reversed"):
        estimator = made(kind, 6)
        observed(estimator, worths, 9)
        assert estimator.values()[2] == 0.0
