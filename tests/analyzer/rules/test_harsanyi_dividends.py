from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import TableTooLarge, banzhaf, harsanyi_dividends, shapley
from tests.known_games import KNOWN_GAMES, SECURITY_COUNCIL
from tests.strategies import games_of_any_kind, players_of, rational_games, real_games


def parts(coalition):
    """Return all masks within a coalition, itself and the empty one included."""
    return [mask for mask in range(coalition + 1) if mask & ~coalition == 0]


def by_signs(worth, denominator):
    """Add up the worth of all parts with their signs, in exact fractions."""
    return [
        Fraction(sum(worth[part] * (-1) ** (mask ^ part).bit_count() for part in parts(mask)), denominator)
        for mask in range(len(worth))
    ]


def page_loop(worth):
    """Run the page's loop, line by line, in plain Python."""
    dividends = [float(outcome) for outcome in worth]
    bit = 1
    while bit < len(worth):
        for mask in range(len(worth)):
            if mask & bit:
                dividends[mask] -= dividends[mask - bit]
        bit *= 2
    return [dividend + 0.0 for dividend in dividends]


def bits(values):
    return [float(value).hex() for value in values]


@pytest.mark.parametrize("game", [*KNOWN_GAMES, SECURITY_COUNCIL], ids=lambda game: game.id)
def test_known_game_has_the_dividends_worked_out_by_hand(game):
    expected = [float(value) for value in game.harsanyi_dividends]
    assert harsanyi_dividends(game.worth, game.denominator).tolist() == expected


@given(rational_games())
def test_rational_dividends_are_correctly_rounded(game):
    assert harsanyi_dividends(*game).tolist() == [float(value) for value in by_signs(*game)]


@given(real_games())
def test_real_dividends_have_the_bits_of_the_page_loop(worth):
    assert bits(harsanyi_dividends(worth, None)) == bits(page_loop(worth))


@pytest.mark.parametrize("players", [8, 12])
def test_large_games_have_the_bits_of_the_page_loop(players):
    worth = np.random.default_rng(players).normal(size=2**players)
    assert bits(harsanyi_dividends(worth, None)) == bits(page_loop(worth.tolist()))


@given(rational_games())
def test_dividends_of_all_parts_sum_to_the_worth(game):
    worth, _ = game
    dividends = harsanyi_dividends(worth, 1).tolist()
    assert [sum(dividends[part] for part in parts(mask)) for mask in range(len(worth))] == worth


@given(rational_games())
def test_shapley_value_shares_every_dividend_equally(game):
    worth, denominator = game
    dividends = [Fraction(dividend) for dividend in harsanyi_dividends(worth, 1).tolist()]
    shares = [
        sum(dividends[mask] / mask.bit_count() for mask in range(len(worth)) if mask >> player & 1) / denominator
        for player in range(players_of(worth))
    ]
    assert shapley(worth, denominator).tolist() == [float(share) for share in shares]


@given(rational_games())
def test_banzhaf_value_halves_every_dividend_with_each_further_player(game):
    worth, denominator = game
    dividends = [Fraction(dividend) for dividend in harsanyi_dividends(worth, 1).tolist()]
    shares = [
        sum(dividends[mask] / 2 ** (mask.bit_count() - 1) for mask in range(len(worth)) if mask >> player & 1)
        / denominator
        for player in range(players_of(worth))
    ]
    assert banzhaf(worth, denominator).tolist() == [float(share) for share in shares]


@given(games_of_any_kind(min_players=1), st.data())
def test_coalitions_with_a_null_player_get_zero(game, data):
    worth, denominator = game
    player = data.draw(st.integers(0, players_of(worth) - 1))
    worth = [worth[mask & ~(1 << player)] for mask in range(len(worth))]
    dividends = harsanyi_dividends(worth, denominator)
    with_player = [dividends[mask] for mask in range(len(worth)) if mask >> player & 1]
    assert bits(with_player) == bits([0.0] * len(with_player))


@given(st.data())
def test_dividends_of_a_sum_of_games_are_the_sums_of_the_dividends(data):
    one, _ = data.draw(rational_games())
    other, _ = data.draw(rational_games(players=players_of(one)))
    both = [a + b for a, b in zip(one, other, strict=True)]
    expected = harsanyi_dividends(one, 1) + harsanyi_dividends(other, 1)
    assert harsanyi_dividends(both, 1).tolist() == expected.tolist()


@pytest.mark.parametrize("carrier", range(16))
def test_unanimity_game_has_one_dividend(carrier):
    worth = [int(mask & carrier == carrier) for mask in range(16)]
    assert harsanyi_dividends(worth, 1).tolist() == [float(mask == carrier) for mask in range(16)]


@pytest.mark.parametrize("players", [3, 12])
def test_largest_exact_scores_are_correctly_rounded(players):
    largest = 2 ** (53 - players) - 1
    worth = [largest if mask.bit_count() % 2 else -largest for mask in range(2**players)]
    assert int(harsanyi_dividends(worth, 1)[-1]) == -((-1) ** players) * largest * 2**players
    with pytest.raises(TableTooLarge):
        harsanyi_dividends([*worth[:-1], largest + 1], 1)


def test_denominator_may_be_as_large_as_float64_holds():
    assert harsanyi_dividends([0, 0, 0, 1], 2**53 - 1)[3] == 1 / (2**53 - 1)


def test_dividend_of_a_real_game_that_overflows_is_an_error():
    with pytest.raises(TableTooLarge, match="scale the scores down"):
        harsanyi_dividends([-1.7e308, 1.7e308], None)


def test_signed_zeros_come_out_positive():
    assert bits(harsanyi_dividends([-0.0, 0.0, -0.0, -0.0], None)) == bits([0.0] * 4)
