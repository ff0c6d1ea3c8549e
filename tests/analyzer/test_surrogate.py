import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analyzer.rules import shapley
from analyzer.surrogate import Bounded, _unlikelihood, fit, shapley_values, shares


def signs_of(masks, players):
    return np.where(np.asarray(masks)[:, None] >> np.arange(players) & 1, 1.0, -1.0)


def pairs(worths, count=None, seed=0):
    """Return the signs and odd worths of some pairs: the grand coalition's, single players', and others at random."""
    worths = np.asarray(worths, dtype=float)
    players = len(worths).bit_length() - 1
    grand = len(worths) - 1
    first = [grand, *(1 << player for player in range(players))]
    others = [mask for mask in range(1, len(worths) // 2) if not {mask, grand ^ mask} & set(first)]
    masks = np.array([*first, *np.random.default_rng(seed).permutation(others).tolist()][:count])
    return signs_of(masks, players), (worths[masks] - worths[grand ^ masks]) / 2


@st.composite
def games(draw, least=3, most=6):
    players = draw(st.integers(least, most))
    return np.array(draw(st.lists(st.integers(-16, 16), min_size=2**players, max_size=2**players))) / 16


def near(values):
    return pytest.approx(values, abs=1e-9)


@given(games())
def test_shares_weigh_the_odd_worths_into_shapley_values(worths):
    signs, odd = pairs(worths)
    assert shares(signs).T @ odd == near(shapley(worths, None))


@given(st.lists(st.integers(-8, 8), min_size=3, max_size=12), st.integers(-4, 4))
def test_additive_game_is_known_after_one_pair_more_than_players(parts, empty):
    players = len(parts)
    worths = empty + (signs_of(np.arange(2**players), players) > 0) @ np.array(parts)
    assert shapley_values(fit(*pairs(worths, players + 1))) == near(parts)


@given(games(least=4))
def test_game_all_of_whose_pairs_are_known_has_its_own_values(worths):
    assert shapley_values(fit(*pairs(worths))) == pytest.approx(shapley(worths, None), abs=1e-6)


@given(games(least=5), st.integers(0, 8), st.integers(0, 9))
def test_expected_values_are_efficient_whatever_is_known(worths, more, seed):
    players = len(worths).bit_length() - 1
    values = shapley_values(fit(*pairs(worths, players + 1 + more, seed)))
    assert values.sum() == near(worths[-1] - worths[0])


def test_few_pairs_are_shared_equally():
    signs = signs_of([0b111], 3)
    assert shapley_values(fit(signs, np.array([0.375]))).tolist() == [0.25, 0.25, 0.25]


def test_constant_game_has_no_values():
    assert shapley_values(fit(*pairs(np.full(32, 0.5)))).tolist() == [0.0] * 5


def test_interactions_of_few_players_are_found_among_many():
    masks = np.arange(2**12)
    worths = ((masks >> 2 & 1) & (masks >> 5 & 1) & (masks >> 7 & 1)).astype(float)
    learnt = fit(*pairs(worths, 90))
    assert set(np.argsort(-learnt.relevances)[:3].tolist()) == {2, 5, 7}
    assert shapley_values(learnt)[[2, 5, 7]] == pytest.approx([1 / 3] * 3, abs=0.01)


@pytest.mark.parametrize("players", [6, 13])
def test_bounded_game_has_the_values_of_its_own_table(players):
    rng = np.random.default_rng(4)
    worths = rng.random(2**players) + 0.5 * (np.arange(2**players) & 5 == 5)
    guess = Bounded(fit(*pairs(worths, 40 if players > 6 else 20)), 0.75)
    table = guess(signs_of(np.arange(2**players), players))
    assert guess.values == near(shapley(table, None))


@given(games(least=4), st.floats(0.01, 1.0))
def test_bounded_game_stays_within_its_reach(worths, most):
    players = len(worths).bit_length() - 1
    guess = Bounded(fit(*pairs(worths, players + 3)), most)
    table = guess(signs_of(np.arange(2**players), players))
    assert np.abs(table).max() <= guess.reach <= most


def test_bounded_game_foretells_coalitions_it_has_not_met():
    masks = np.arange(2**14)
    worths = ((masks >> 2 & 1) & (masks >> 5 & 1) | (masks >> 7 & 1) & (masks >> 9 & 1)).astype(float)
    guess = Bounded(fit(*pairs(worths, 120)), 0.5)
    odd = (worths - worths[::-1]) / 2
    additive = signs_of(masks, 14) @ (2 * odd @ signs_of(masks, 14) / 2**15)
    misses = np.mean((guess(signs_of(masks, 14)) - odd) ** 2)
    assert misses <= 0.05 * np.mean((additive - odd) ** 2)


def test_bounded_game_adds_what_the_less_relevant_players_do_alone():
    parts = np.linspace(0.1, 0.8, 15)
    worths = signs_of(np.arange(2**15), 15) @ parts / 2
    guess = Bounded(fit(*pairs(worths, 16)), 100.0)
    assert guess.values == near(parts)


@given(games(least=5), st.lists(st.floats(-1.5, 0.5), min_size=8, max_size=8))
def test_gradient_is_that_of_the_likelihood(worths, logs):
    signs, odd = pairs(worths, 14)
    logs = np.array(logs[: 2 + signs.shape[1]])
    found = _unlikelihood(logs, signs, odd)
    assume(found is not None)
    for place in range(len(logs)):
        step = np.zeros(len(logs))
        step[place] = 1e-5
        ahead, behind = _unlikelihood(logs + step, signs, odd), _unlikelihood(logs - step, signs, odd)
        assert found[1][place] == pytest.approx((ahead[0] - behind[0]) / 2e-5, rel=1e-3, abs=1e-4)
