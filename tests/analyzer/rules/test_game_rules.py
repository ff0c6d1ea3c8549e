"""What the rules of one game and of many have in common: how they take a table, and how they refuse one."""

import numpy as np
import pytest

from analyzer.rules import BadTable, MissingWorth, NotFinite, TableTooLarge, banzhaf, harsanyi_dividends
from analyzer.rules import shapley_interaction as interaction

each_rule = pytest.mark.parametrize("rule", [banzhaf, harsanyi_dividends, interaction], ids=lambda rule: rule.__name__)


@each_rule
def test_missing_worth_names_the_masks(rule):
    with pytest.raises(MissingWorth, match="no outcome for coalitions 1, 2") as caught:
        rule([0, None, None, 1], 1)
    assert caught.value.masks == (1, 2)


@each_rule
def test_missing_worth_in_a_batch_names_the_game(rule):
    with pytest.raises(MissingWorth, match="game 1: no outcome for coalition 3"):
        rule([[0, 1, 1, 1], [0, 1, 1, None]], 1)


@each_rule
def test_nan_is_an_error_with_a_name(rule):
    with pytest.raises(NotFinite, match="coalition 1 of game 1"):
        rule([[0.0, 1.0], [0.0, float("nan")]], None)


@each_rule
@pytest.mark.parametrize("worth", [[0, 1, 1], [], ["0", "1"]], ids=str)
def test_what_is_no_table_is_refused(rule, worth):
    with pytest.raises(BadTable):
        rule(worth, 1)


@each_rule
@pytest.mark.parametrize("huge", [2**52, -(2**52), 2**63, 2**200], ids=["2**52", "-2**52", "2**63", "2**200"])
def test_integers_without_exact_sums_are_refused(rule, huge):
    with pytest.raises(TableTooLarge):
        rule([0, 0, 0, huge], 1)


@each_rule
@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8, np.int32, np.uint64, np.float32, np.float64])
def test_width_of_the_array_makes_no_difference(rule, dtype):
    worth = [1, 0, 1, 1, 0, 0, 0, 1]
    assert rule(np.array(worth, dtype=dtype), 1).tolist() == rule(worth, 1).tolist()


@each_rule
def test_wide_difference_of_narrow_integers_does_not_wrap(rule):
    worth = [120, -120, -120, 120]
    assert rule(np.array(worth, dtype=np.int8), 1).tolist() == rule(worth, 1).tolist()


@each_rule
def test_rule_leaves_its_input_alone(rule):
    worth = np.arange(16.0) ** 2
    worth.setflags(write=False)
    rule(worth, None)
    assert worth.tolist() == [float(mask**2) for mask in range(16)]


@each_rule
@pytest.mark.parametrize("denominator", [None, 7])
def test_batch_gives_the_bits_of_single_games(rule, denominator):
    games = np.random.default_rng(5).normal(size=(70, 32))
    if denominator is not None:
        games = np.rint(100 * games).astype(np.int64)
    assert rule(games, denominator).tolist() == [rule(game, denominator).tolist() for game in games]


@each_rule
@pytest.mark.parametrize("denominator", [1, None])
def test_batch_of_no_games_has_no_values(rule, denominator):
    values = rule(np.zeros((0, 8), dtype=np.float64 if denominator is None else np.int64), denominator)
    assert values.shape == (0, *rule(np.zeros(8), None).shape)


@each_rule
@pytest.mark.parametrize("denominator", [1, None])
def test_game_without_players_is_a_game(rule, denominator):
    alone = rule([1], denominator)
    assert alone.shape == {banzhaf: (0,), harsanyi_dividends: (1,), interaction: (0, 0)}[rule]
    assert rule([[1], [1]], denominator).tolist() == [alone.tolist()] * 2


@each_rule
def test_rational_table_gives_no_negative_zero(rule):
    values = rule(np.array([-0.0, 0.0, -0.0, -0.0]), 8)
    assert not np.signbit(values).any()
