import math
import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import TableTooLarge, shapley
from tests.known_games import KNOWN_GAMES, SECURITY_COUNCIL
from tests.strategies import pass_fail_games, rational_games, real_games


def by_orderings(worth, denominator):
    """Average the marginal contributions over all orderings, in exact fractions."""
    players = len(worth).bit_length() - 1
    totals = [Fraction(0)] * players
    for ordering in permutations(range(players)):
        mask = 0
        for player in ordering:
            totals[player] += Fraction(worth[mask | 1 << player]) - Fraction(worth[mask])
            mask |= 1 << player
    return [total / math.factorial(players) / denominator for total in totals]


def page_loop(worth, denominator):
    """Run the page's loop, line by line, in plain Python."""
    players = len(worth).bit_length() - 1
    unit = math.lcm(*range(1, players + 1))
    values = []
    for player in range(players):
        bit = 1 << player
        sums = [0.0] * players
        for mask in range(len(worth)):
            if not mask & bit:
                sums[mask.bit_count()] += float(worth[mask + bit]) - float(worth[mask])
        total = 0.0
        for size in range(players):
            total += float(unit // (players * math.comb(players - 1, size))) * sums[size]
        values.append(total / (unit * (denominator or 1)))
    return values


def bits(values):
    return [float(value).hex() for value in values]


@pytest.mark.parametrize("game", [*KNOWN_GAMES, SECURITY_COUNCIL], ids=lambda game: game.id)
def test_known_game_has_the_values_of_the_literature(game):
    assert shapley(game.worth, game.denominator).tolist() == [float(value) for value in game.shapley]


@given(rational_games())
def test_rational_values_are_correctly_rounded(game):
    assert shapley(*game).tolist() == [float(value) for value in by_orderings(*game)]


@given(pass_fail_games())
def test_pass_fail_values_are_correctly_rounded(game):
    assert shapley(*game).tolist() == [float(value) for value in by_orderings(*game)]


@given(real_games())
def test_real_values_have_the_bits_of_the_page_loop(worth):
    assert bits(shapley(worth, None)) == bits(page_loop(worth, None))


@given(rational_games())
def test_rational_values_have_the_bits_of_the_page_loop(game):
    assert bits(shapley(*game)) == bits(page_loop(*game))


@given(real_games(), st.integers(16, 40))
def test_games_worked_on_together_have_the_bits_of_games_worked_on_alone(worth, games):
    batch = [worth[shift:] + worth[:shift] for shift in range(games)]
    assert [bits(values) for values in shapley(batch, None)] == [bits(shapley(game, None)) for game in batch]


@pytest.mark.parametrize("games", [1, 15, 16, 17, 255, 256, 257, 600])
def test_number_of_games_makes_no_difference_to_real_values(games):
    tables = np.random.default_rng(3).normal(size=(games, 256))
    values = shapley(tables, None)
    for game in {0, games // 2, games - 1}:
        assert bits(values[game]) == bits(page_loop(tables[game].tolist(), None))


@pytest.mark.parametrize("games", [1, 255, 256, 257, 600])
def test_number_of_games_makes_no_difference_to_rational_values(games):
    tables = np.random.default_rng(3).integers(-9, 9, size=(games, 256))
    values = shapley(tables, 7)
    for game in {0, games // 2, games - 1}:
        assert bits(values[game]) == bits(page_loop(tables[game].tolist(), 7))


@pytest.mark.parametrize("players", [10, 11, 12, 13])
@pytest.mark.parametrize("games", [1, 17])
def test_large_games_have_the_bits_of_the_page_loop(players, games):
    rng = np.random.default_rng(players)
    real = rng.normal(size=(games, 2**players))
    rational = rng.integers(-8, 9, size=(games, 2**players))
    assert bits(shapley(real, None)[-1]) == bits(page_loop(real[-1].tolist(), None))
    assert bits(shapley(rational, 8)[-1]) == bits(page_loop(rational[-1].tolist(), 8))


@pytest.mark.parametrize("players", [3, 12])
def test_largest_exact_scores_are_correctly_rounded(players):
    unit = math.lcm(*range(1, players + 1))
    largest = (2**52 - 1) // unit
    rng = random.Random(players)
    worth = [rng.choice([-largest, largest, largest - 1]) for _ in range(2**players)]
    expected = exact_values(worth)
    assert shapley(worth, 1).tolist() == [float(value) for value in expected]
    with pytest.raises(TableTooLarge):
        shapley([*worth[:-1], (2**52 + unit - 1) // unit], 1)


def exact_values(worth):
    """Weigh marginal contributions by coalition size, in exact fractions; for games too large for orderings."""
    players = len(worth).bit_length() - 1
    values = []
    for player in range(players):
        value = Fraction(0)
        for mask in range(len(worth)):
            if not mask >> player & 1:
                gain = worth[mask | 1 << player] - worth[mask]
                value += Fraction(gain, players * math.comb(players - 1, mask.bit_count()))
        values.append(value)
    return values


def test_twenty_players_are_within_the_exact_limit():
    unit = math.lcm(*range(1, 21))
    worth = np.zeros(2**20, dtype=np.int64)
    worth[-1] = (2**52 - 1) // unit
    assert worth[-1] > 19_000_000
    assert shapley(worth, 1).tolist() == [int(worth[-1]) / 20] * 20


def test_large_denominator_leaves_the_exact_range():
    with pytest.raises(TableTooLarge):
        shapley([0, 0, 0, 1], 2**52)


def test_overflow_of_finite_scores_is_an_error():
    with pytest.raises(TableTooLarge, match="scale the scores down"):
        shapley([-1.7e308, 1.7e308], None)


def test_null_player_of_signed_zeros_gets_a_positive_zero():
    assert bits(shapley([0.0, -0.0, 0.0, -0.0], None)) == bits([0.0, 0.0])
