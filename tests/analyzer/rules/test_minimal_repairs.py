import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import BadTable, MissingWorth, NotFinite, TableTooLarge, minimal_repairs, repair_level
from tests.known_games import KNOWN_GAMES, SECURITY_COUNCIL
from tests.strategies import games_of_any_kind, pass_fail_games


def by_definition(worth, denominator, level):
    """Look at every part of every coalition."""
    repairs = [mask for mask, outcome in enumerate(worth) if outcome / (denominator or 1) >= level]
    minimal = [mask for mask in repairs if not any(part != mask and part & ~mask == 0 for part in repairs)]
    return sorted(minimal, key=lambda mask: (mask.bit_count(), mask))


@pytest.mark.parametrize("game", [*KNOWN_GAMES, SECURITY_COUNCIL], ids=lambda game: game.id)
def test_known_game_has_the_minimal_coalitions_found_by_hand(game):
    assert minimal_repairs(game.worth, game.denominator, 1.0).tolist() == list(game.minimal_repairs)


@given(pass_fail_games())
def test_pass_fail_games_agree_with_the_definition(game):
    assert minimal_repairs(*game, 1.0).tolist() == by_definition(*game, 1.0)


@given(games_of_any_kind(), st.data())
def test_games_of_any_kind_agree_with_the_definition_at_any_level(game, data):
    worth, denominator = game
    levels = [outcome / (denominator or 1) for outcome in worth]
    level = data.draw(st.sampled_from(levels) | st.floats(-5, 5))
    assert minimal_repairs(worth, denominator, level).tolist() == by_definition(worth, denominator, level)


@given(pass_fail_games())
def test_where_no_fix_spoils_anything_they_say_what_repairs(game):
    worth, _ = game
    monotone = [max(worth[part] for part in range(mask + 1) if part & ~mask == 0) for mask in range(len(worth))]
    minimal = minimal_repairs(monotone, 1, 1.0).tolist()
    assert [int(any(part & ~mask == 0 for part in minimal)) for mask in range(len(worth))] == monotone


@given(games_of_any_kind(), st.data())
def test_adding_a_null_player_adds_no_repair(game, data):
    worth, denominator = game
    level = data.draw(st.sampled_from(worth)) / (denominator or 1)
    assert (
        minimal_repairs(worth * 2, denominator, level).tolist() == minimal_repairs(worth, denominator, level).tolist()
    )


def test_case_that_passes_has_nothing_to_repair():
    assert minimal_repairs([1, 1, 0, 1], 1, 1.0).tolist() == [0]


def test_hopeless_case_has_no_repair():
    assert minimal_repairs([0, 1, 2, 3], 8, 0.5).tolist() == []


def test_repair_that_another_fix_spoils_is_one():
    assert minimal_repairs([0, 1, 0, 0], 1, 1.0).tolist() == [1]


def test_smaller_coalitions_come_first():
    worth = [int(mask in (0b00111, 0b11000)) for mask in range(32)]
    assert minimal_repairs(worth, 1, 1.0).tolist() == [0b11000, 0b00111]


@pytest.mark.parametrize("worlds", range(2, 200))
def test_half_of_the_worlds_is_the_level_of_several_worlds(worlds):
    half = -(-worlds // 2)
    assert minimal_repairs([half - 1, half], worlds, repair_level(1.0, worlds)).tolist() == [1]


@pytest.mark.parametrize("worlds", range(2, 130))
def test_outcome_repairs_at_the_level_that_is_its_own_score(worlds):
    for passes in range(1, worlds):
        level = passes / worlds
        assert minimal_repairs([passes - 1, passes], worlds, level).tolist() == [1]
        assert minimal_repairs([0, passes], worlds, math.nextafter(level, 1)).tolist() == []


def test_twenty_players_of_whom_ten_are_needed_have_every_ten_once():
    sizes = np.array([mask.bit_count() for mask in range(2**20)])
    masks = minimal_repairs((sizes >= 10).astype(np.int8), 1, 1.0)
    assert masks.tolist() == np.flatnonzero(sizes == 10).tolist()


def test_hole_withholds_the_answer():
    with pytest.raises(MissingWorth) as caught:
        minimal_repairs([0, None, 1, None], 1, 1.0)
    assert caught.value.masks == (1, 3)


@pytest.mark.parametrize("level", [math.nan, math.inf, -math.inf])
def test_level_that_is_not_finite_is_refused(level):
    with pytest.raises(NotFinite, match="level"):
        minimal_repairs([0, 1], 1, level)


def test_integers_no_float64_holds_are_refused():
    with pytest.raises(TableTooLarge):
        minimal_repairs([0, 2**53 + 1], 1, 1.0)


def test_batch_is_refused():
    with pytest.raises(BadTable, match="not a batch"):
        minimal_repairs([[0, 1], [0, 1]], 1, 1.0)


def test_table_is_left_alone():
    worth = np.array([0.0, 1.0, 1.0, 1.0])
    worth.setflags(write=False)
    minimal_repairs(worth, None, 0.5)
    assert worth.tolist() == [0.0, 1.0, 1.0, 1.0]
