import pytest

from analyzer.rules import leave_one_out
from tests.known_games import KNOWN_GAMES


@pytest.mark.parametrize("game", KNOWN_GAMES, ids=lambda game: game.id)
def test_known_game_has_the_values_worked_out_by_hand(game):
    assert leave_one_out(game.worth, game.denominator).tolist() == [float(value) for value in game.leave_one_out]


def test_value_is_relative_to_the_score_with_every_fix():
    assert leave_one_out([0.0, 0.75, 0.25, 1.0], None).tolist() == [0.75, 0.25]


def test_fixes_that_stand_in_for_each_other_get_nothing():
    assert leave_one_out([0, 1, 1, 1], 1).tolist() == [0.0, 0.0]
