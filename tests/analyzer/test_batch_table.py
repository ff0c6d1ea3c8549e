import math
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.batch import analyze
from analyzer.batch_table import batch_table, case_figures
from analyzer.commands.show import table_of
from analyzer.game import Game
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step
from analyzer.plan import Plan

TITLES = ("a", "b", "c")


def game(worth, denominator=1, players=2):
    size = 2**players
    outputs = tuple(tuple(range(size)) for _ in range(players))
    return Game(TITLES[:players], tuple(worth), denominator, outputs)


def table(games, *, level=1.0, players=2, delta=0.05, graded=False):
    return batch_table([case_figures(one, level, graded=graded) for one in games], players, 1.0, delta)


EITHER, BOTH, FIRST, NEVER = [0, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]


def test_counts_are_of_cases():
    found = table([game(EITHER), game(BOTH), game(FIRST), game(NEVER)])
    assert (found.cases, found.complete, found.exact) == (4, 4, 4)
    assert (found.passes, found.repaired) == (0, 3)
    assert [fix.alone for fix in found.fixes] == [2, 1]
    assert [fix.last_touch for fix in found.fixes] == [0, 4]


def test_last_touch_of_steps_without_an_order_is_not_counted_as_0():
    found = table([Game(TITLES[:2], tuple(EITHER), 1, None)])
    assert [fix.last_touch for fix in found.fixes] == [None, None]


def test_means_add_up_to_the_repair():
    found = table([game(EITHER), game(BOTH), game(FIRST), game(NEVER)])
    assert [fix.mean for fix in found.fixes] == [0.5, 0.25]
    assert found.grand - found.empty == 0.75
    assert [fix.share for fix in found.fixes] == [2 / 3, 1 / 3]


def test_deviation_is_that_of_a_sample():
    found = table([game(FIRST), game(NEVER)])
    assert found.fixes[0].deviation == math.sqrt(0.5)
    assert table([game(FIRST)]).fixes[0].deviation is None


def test_no_share_where_a_fix_makes_it_worse():
    assert [fix.share for fix in table([game([1, 0, 2, 1], 2)]).fixes] == [None, None]


def test_a_case_with_a_hole_is_counted_and_left_out():
    found = table([game(FIRST), game([0, None, 0, 1])])
    assert (found.cases, found.complete) == (2, 1)
    assert found.fixes[0].mean == 1.0


def test_no_complete_case_no_figures():
    found = table([game([0, None, 0, 1])])
    assert (found.cases, found.complete, found.fixes, found.leader) == (1, 0, (), None)
    assert table([]).cases == 0


def test_cases_without_fixes_have_a_table_without_rows():
    found = table([game([0], players=0), game([0], players=0)], players=0)
    assert (found.fixes, found.leader, found.sets) == ((), None, ((0, 0, 1),))


def test_the_leader_is_claimed_only_when_separated():
    assert table([game(FIRST)] * 3).leader is None
    assert table([game(FIRST)] * 60).leader == 0
    assert table([game(EITHER)] * 1000).leader is None


def test_an_interval_holds_its_mean_and_narrows_with_cases():
    few, many = (table([game(EITHER), game(FIRST)] * count).fixes[0] for count in (10, 100))
    for fix in (few, many):
        assert fix.low <= fix.mean <= fix.high
    assert many.high - many.low < few.high - few.low


def test_sets_name_the_best_of_each_size():
    found = table([game(EITHER), game(BOTH), game(FIRST), game(NEVER)])
    assert found.sets == ((0, 0, 1), (1, 2, 1), (3, 3, 1))


def test_minimal_repairs_are_counted_over_cases():
    found = table([game(EITHER), game(BOTH), game(FIRST), game(NEVER)])
    assert found.minimal == ((1, 2), (2, 1), (3, 1))


def test_interactions_are_means_over_cases():
    found = table([game(BOTH), game(BOTH), game(EITHER), game(FIRST)])
    assert found.interactions == (0.0, 0.25, 0.25, 0.0)


def test_necessity_and_sufficiency_are_shares_of_cases_in_one_world():
    found = table([game(EITHER), game(BOTH), game(FIRST), game(NEVER)])
    # All fixes repair three cases; the first is needed in two of them, the second in one.
    assert [fix.necessity for fix in found.fixes] == [(2 / 3, 2 / 3, 3), (1 / 3, 1 / 3, 3)]
    assert [fix.sufficiency for fix in found.fixes] == [(0.5, 0.5, 4), (0.25, 0.25, 4)]


def test_graded_scores_ask_whether_the_level_is_reached():
    found = table([game([0.1, 0.9, 0.2, 1.0], None)], level=0.8, graded=True)
    assert [fix.sufficiency for fix in found.fixes] == [(1.0, 1.0, 1), (0.0, 0.0, 1)]
    assert [fix.necessity for fix in found.fixes] == [(0.0, 0.0, 1) if i else (1.0, 1.0, 1) for i in range(2)]


def brute_shapley(worth, player, players=3):
    total = Fraction(0)
    for order in permutations(range(players)):
        before = sum(1 << each for each in order[: order.index(player)])
        total += worth[before | 1 << player] - worth[before]
    return total / math.factorial(players)


@given(st.lists(st.lists(st.integers(0, 4), min_size=8, max_size=8), min_size=1, max_size=6))
def test_means_are_those_of_the_definition(worths):
    found = table([game(worth, 4, 3) for worth in worths], level=0.5, players=3)
    for player, fix in enumerate(found.fixes):
        total = 0.0
        for worth in worths:
            total += float(brute_shapley([Fraction(each, 4) for each in worth], player))
        assert fix.mean == total / len(worths)


def sampled_file():
    steps = [Step(f"s{n}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(5)]
    pipeline = Pipeline("p", steps, score=Score(lambda s0, s1, s2, s3, s4, case: s0 or (case["n"] % 2 and s1)))
    plan = Plan(modes=("replayed",), exact_up_to=0, max_coalitions=40)
    return analyze(pipeline, [Case(f"c{n}", {"n": n}) for n in range(30)], plan).files[0]


def test_sampled_games_have_means_but_no_figures_that_need_every_coalition():
    found = table_of(sampled_file())
    assert (found.complete, found.exact, found.interactions, found.sets, found.minimal) == (30, 0, None, (), ())
    assert found.fixes[0].mean == pytest.approx(0.75, abs=0.05)
    assert [fix.alone for fix in found.fixes] == [30, 15, 0, 0, 0]
    assert found.fixes[0].necessity is None


def test_nothing_is_claimed_over_estimates():
    found = table_of(sampled_file())
    assert found.leader is None
    assert {(fix.low, fix.high) for fix in found.fixes} == {(None, None)}
