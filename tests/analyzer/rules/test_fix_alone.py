import pytest

from analyzer.rules import TableTooLarge, fix_alone
from tests.known_games import KNOWN_GAMES


@pytest.mark.parametrize("game", KNOWN_GAMES, ids=lambda game: game.id)
def test_known_game_has_the_values_worked_out_by_hand(game):
    assert fix_alone(game.worth, game.denominator).tolist() == [float(value) for value in game.fix_alone]


def test_value_is_relative_to_the_score_without_any_fix():
    assert fix_alone([0.25, 0.75, 0.0, 1.0], None).tolist() == [0.5, -0.25]


def test_rational_difference_is_divided_once():
    assert fix_alone([3, 10], 49).tolist() == [7 / 49]


def test_overflow_of_finite_scores_is_an_error():
    with pytest.raises(TableTooLarge, match="scale the scores down"):
        fix_alone([-1.7e308, 1.7e308], None)
