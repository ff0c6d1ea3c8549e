import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import TableTooLarge, banzhaf, shapley
from tests.known_games import KNOWN_GAMES, SECURITY_COUNCIL
from tests.strategies import players_of, rational_games, real_games


def by_coalitions(worth, denominator):
    """Average the marginal contributions over all coalitions of the others, in exact fractions."""
    values = []
    for player in range(players_of(worth)):
        without = [mask for mask in range(len(worth)) if not mask >> player & 1]
        gains = [Fraction(worth[mask | 1 << player]) - Fraction(worth[mask]) for mask in without]
        values.append(sum(gains) / len(gains) / denominator)
    return values


def page_loop(worth, denominator):
    """Run the page's loop, line by line, in plain Python."""
    values = []
    for player in range(players_of(worth)):
        total = 0.0
        for mask in range(len(worth)):
            if not mask >> player & 1:
                total += float(worth[mask | 1 << player]) - float(worth[mask])
        values.append(total / (len(worth) // 2 * (denominator or 1)))
    return values


def bits(values):
    return [float(value).hex() for value in values]


def whole_values(worth):
    """Return exact values: those of the game multiplied so that every one of them is an integer."""
    half = max(1, len(worth) // 2)
    return banzhaf([outcome * half for outcome in worth], 1)


@pytest.mark.parametrize("game", [*KNOWN_GAMES, SECURITY_COUNCIL], ids=lambda game: game.id)
def test_known_game_has_the_values_worked_out_by_hand(game):
    assert banzhaf(game.worth, game.denominator).tolist() == [float(value) for value in game.banzhaf]


@given(rational_games())
def test_rational_values_are_correctly_rounded(game):
    assert banzhaf(*game).tolist() == [float(value) for value in by_coalitions(*game)]


@given(real_games())
def test_real_values_have_the_bits_of_the_page_loop(worth):
    assert bits(banzhaf(worth, None)) == bits(page_loop(worth, None))


@pytest.mark.parametrize("players", [8, 11, 14])
def test_large_games_have_the_bits_of_the_page_loop(players):
    rng = np.random.default_rng(players)
    real = rng.normal(size=2**players)
    rational = rng.integers(-8, 9, size=2**players)
    assert bits(banzhaf(real, None)) == bits(page_loop(real.tolist(), None))
    assert bits(banzhaf(rational, 7)) == bits(page_loop(rational.tolist(), 7))


@given(rational_games(min_players=2))
def test_first_two_players_are_worth_as_much_as_the_two_as_one(game):
    worth, _ = game
    merged = [worth[mask >> 1 << 2 | (mask & 1) * 3] for mask in range(len(worth) // 2)]
    assert whole_values(worth)[:2].sum() == 2 * whole_values(merged)[0]


@given(st.integers(1, 2).flatmap(lambda players: rational_games(players=players)))
def test_up_to_two_players_get_their_shapley_value(game):
    assert banzhaf(*game).tolist() == shapley(*game).tolist()


@pytest.mark.parametrize("players", [3, 12])
def test_largest_exact_scores_are_correctly_rounded(players):
    largest = 2 ** (53 - players) - 1
    rng = random.Random(players)
    worth = [rng.choice([-largest, largest, largest - 1]) for _ in range(2**players)]
    assert banzhaf(worth, 1).tolist() == [float(value) for value in by_coalitions(worth, 1)]
    with pytest.raises(TableTooLarge):
        banzhaf([*worth[:-1], largest + 1], 1)


def test_large_denominator_leaves_the_exact_range():
    with pytest.raises(TableTooLarge):
        banzhaf([0, 0, 0, 1], 2**52)


def test_sum_of_a_real_game_that_overflows_is_an_error():
    with pytest.raises(TableTooLarge, match="scale the scores down"):
        banzhaf([0.0, 1.7e308, 0.0, 1.7e308], None)
