import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import TableTooLarge, harsanyi_dividends, shapley, shapley_interaction
from tests.known_games import KNOWN_GAMES, SECURITY_COUNCIL
from tests.strategies import games_of_any_kind, players_of, rational_games, real_games


def by_definition(worth, denominator):
    """Weigh the differences of differences by coalition size, in exact fractions."""
    players = players_of(worth)
    matrix = [[Fraction(0)] * players for _ in range(players)]
    for i in range(players):
        for j in range(players):
            for mask in range(len(worth)):
                if i != j and not mask >> i & 1 and not mask >> j & 1:
                    both, first, second = mask | 1 << i | 1 << j, mask | 1 << i, mask | 1 << j
                    size = mask.bit_count()
                    orders = math.factorial(size) * math.factorial(players - size - 2)
                    weight = Fraction(orders, math.factorial(players - 1) * denominator)
                    matrix[i][j] += weight * (worth[both] - worth[first] - worth[second] + worth[mask])
    return matrix


def page_loop(worth):
    """Run the page's loop, line by line, in plain Python."""
    players = players_of(worth)
    unit = math.lcm(*range(1, players))
    matrix = [[0.0] * players for _ in range(players)]
    for j in range(players):
        for i in range(j):
            sums = [0.0] * (players - 1)
            for mask in range(len(worth)):
                if not mask >> i & 1 and not mask >> j & 1:
                    with_i = worth[mask + 2**i + 2**j] - worth[mask + 2**i]
                    sums[mask.bit_count()] += with_i - (worth[mask + 2**j] - worth[mask])
            total = 0.0
            for size in range(players - 1):
                total += float(unit // ((players - 1) * math.comb(players - 2, size))) * sums[size]
            matrix[i][j] = matrix[j][i] = total / unit
    return matrix


def bits(matrix):
    return [[float(value).hex() for value in row] for row in matrix]


def rounded(matrix):
    return [[float(value) for value in row] for row in matrix]


def whole_values(worth):
    """Return exact indices: those of the game multiplied so that every one of them is an integer."""
    unit = math.lcm(*range(1, max(2, players_of(worth))))
    return shapley_interaction([outcome * unit for outcome in worth], 1)


def without(worth, player):
    """Return the game of the others."""
    return [outcome for mask, outcome in enumerate(worth) if not mask >> player & 1]


@pytest.mark.parametrize("game", [*KNOWN_GAMES, SECURITY_COUNCIL], ids=lambda game: game.id)
def test_known_game_has_the_indices_worked_out_by_hand(game):
    assert shapley_interaction(game.worth, game.denominator).tolist() == rounded(game.shapley_interaction)


@given(rational_games())
def test_rational_indices_are_correctly_rounded(game):
    assert shapley_interaction(*game).tolist() == rounded(by_definition(*game))


@given(real_games())
def test_real_indices_have_the_bits_of_the_page_loop(worth):
    assert bits(shapley_interaction(worth, None)) == bits(page_loop(worth))


@pytest.mark.parametrize("players", [8, 11])
def test_large_games_have_the_bits_of_the_page_loop(players):
    worth = np.random.default_rng(players).normal(size=2**players)
    assert bits(shapley_interaction(worth, None)) == bits(page_loop(worth.tolist()))


@given(games_of_any_kind())
def test_index_of_two_players_is_mutual_and_nobody_has_one_with_itself(game):
    matrix = shapley_interaction(*game)
    assert bits(matrix) == bits(matrix.T)
    assert bits([matrix.diagonal()]) == bits([[0.0] * len(matrix)])


@given(games_of_any_kind(min_players=2), st.data())
def test_null_player_interacts_with_nobody(game, data):
    worth, denominator = game
    player = data.draw(st.integers(0, players_of(worth) - 1))
    worth = [worth[mask & ~(1 << player)] for mask in range(len(worth))]
    row = shapley_interaction(worth, denominator)[player]
    assert bits([row]) == bits([[0.0] * len(row)])


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=5))
def test_contributions_that_only_add_up_do_not_interact(gains):
    worth = [sum(gain for player, gain in enumerate(gains) if mask >> player & 1) for mask in range(2 ** len(gains))]
    assert not shapley_interaction(worth, 1).any()


@pytest.mark.parametrize("carrier", range(1, 32))
def test_unanimity_game_is_shared_by_the_pairs_of_its_carrier(carrier):
    matrix = shapley_interaction([int(mask & carrier == carrier) for mask in range(32)], 1)
    for i in range(5):
        for j in range(5):
            carried = i != j and carrier >> i & 1 and carrier >> j & 1
            assert matrix[i, j] == (1 / (carrier.bit_count() - 1) if carried else 0)


@given(st.data())
def test_indices_of_a_sum_of_games_are_the_sums_of_the_indices(data):
    one, _ = data.draw(rational_games())
    other, _ = data.draw(rational_games(players=players_of(one)))
    both = [a + b for a, b in zip(one, other, strict=True)]
    assert whole_values(both).tolist() == (whole_values(one) + whole_values(other)).tolist()


@given(rational_games(min_players=2))
def test_index_is_the_value_of_the_pair_less_the_values_of_each_without_the_other(game):
    worth, _ = game
    players = players_of(worth)
    scaled = [outcome * math.lcm(*range(1, players + 1)) for outcome in worth]
    as_one = [scaled[mask >> 1 << 2 | (mask & 1) * 3] for mask in range(len(worth) // 2)]
    apart = shapley(without(scaled, 1), 1)[0] + shapley(without(scaled, 0), 1)[0]
    assert shapley_interaction(scaled, 1)[0, 1] == shapley(as_one, 1)[0] - apart


@given(rational_games(min_players=2))
def test_every_dividend_is_shared_by_the_pairs_within(game):
    worth, denominator = game
    dividends = [Fraction(dividend) for dividend in harsanyi_dividends(worth, 1).tolist()]
    holding = [mask for mask in range(len(worth)) if mask & 3 == 3]
    expected = sum(dividends[mask] / (mask.bit_count() - 1) for mask in holding) / denominator
    assert shapley_interaction(worth, denominator)[0, 1] == float(expected)


@pytest.mark.parametrize("games", [1, 33, 600])
def test_number_of_games_makes_no_difference(games):
    tables = np.random.default_rng(3).normal(size=(games, 2**11))
    matrices = shapley_interaction(tables, None)
    for game in {0, games // 2, games - 1}:
        assert bits(matrices[game]) == bits(shapley_interaction(tables[game], None))


def test_twenty_players_who_need_each_other_share_alike():
    worth = np.zeros(2**20, dtype=np.int64)
    worth[-1] = 1
    expected = np.where(np.eye(20, dtype=bool), 0.0, 1 / 19)
    assert shapley_interaction(worth, 1).tolist() == expected.tolist()


@pytest.mark.parametrize("players", [4, 9])
def test_largest_exact_scores_are_correctly_rounded(players):
    largest = (2**53 - 1) // (4 * math.lcm(*range(1, players)))
    worth = [largest if mask.bit_count() % 2 else -largest for mask in range(2**players)]
    worth[3] = largest - 1
    assert shapley_interaction(worth, 1).tolist() == rounded(by_definition(worth, 1))
    with pytest.raises(TableTooLarge):
        shapley_interaction([*worth[:-1], largest + 1], 1)


def test_large_denominator_leaves_the_exact_range():
    with pytest.raises(TableTooLarge):
        shapley_interaction([0, 0, 0, 1], 2**52)


def test_overflow_of_finite_scores_is_an_error():
    with pytest.raises(TableTooLarge, match="scale the scores down"):
        shapley_interaction([-1.7e308, -1.7e308, 1.7e308, 1.7e308], None)


@pytest.mark.parametrize("worth", [[1], [0, 1]], ids=["nobody", "one player"])
def test_fewer_than_two_players_have_nobody_to_interact_with(worth):
    matrix = shapley_interaction(worth, 1)
    assert matrix.shape == (players_of(worth),) * 2
    assert not matrix.any()
