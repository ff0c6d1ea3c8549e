import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import shapley
from site_builder.waterfall import ROW, WIDTH, rows, sentence, waterfall, waterfall_drawing, waterfall_view
from tests.known_game_files import graded_files, holes_files, odd_files, refund_a_repairs, refund_files
from tests.known_sampled_files import sampled_files

TITLES = ("Planner", "Retriever", "Writer", "Reviewer")
REFUND = [int(refund_a_repairs(mask)) for mask in range(16)]


def refund(*path):
    return waterfall(TITLES, REFUND, 1, path, 0.5)


def falls(drawn):
    """Return the bars of a picture, from above."""
    return [
        one
        for row in drawn.marks
        if row.tag == "g"
        for one in row.content
        if str(one.attributes.get("class", "")).startswith("fall")
    ]


def spans(drawn):
    return [(one.attributes["x"], one.attributes["x"] + one.attributes["width"]) for one in falls(drawn)]


tables = st.integers(1, 5).flatmap(
    lambda players: st.tuples(
        st.lists(st.integers(0, 8), min_size=2**players, max_size=2**players),
        st.permutations(range(players)),
    )
)


@given(tables)
def test_steps_add_up_to_the_whole_repair(table):
    worth, path = table
    found = waterfall([f"s{k}" for k in path], worth, 8, path, 0.5)
    assert found.start == worth[0] / 8
    assert found.steps[-1].after == worth[-1] / 8
    assert sum(step.change for step in found.steps) == (worth[-1] - worth[0]) / 8


@given(tables)
def test_each_step_begins_where_the_one_before_ended(table):
    worth, path = table
    found = waterfall([f"s{k}" for k in path], worth, 8, path, 0.5)
    ends = [found.start, *(step.after for step in found.steps)]
    assert [step.before for step in found.steps] == ends[:-1]


def test_mean_over_all_orders_is_the_shapley_value():
    luck = random.Random(1)
    worth = [luck.randint(0, 8) for _ in range(16)]
    totals = [0.0] * 4
    for path in permutations(range(4)):
        for step in waterfall(TITLES, worth, 8, path, 0.5).steps:
            totals[step.player] += step.change
    assert [total / 24 for total in totals] == pytest.approx(shapley(worth, 8).tolist())


def test_order_decides_who_gets_the_repair():
    assert [step.change for step in refund(0, 1, 2, 3).steps] == [1, 0, 0, 0]
    assert [(step.player, step.change) for step in refund(3, 2, 1, 0).steps] == [(3, 0), (2, 1), (1, 0), (0, 0)]


def test_sentence_names_what_adds_most_and_what_the_shapley_value_is():
    assert sentence(refund(0, 1, 2, 3)) == (
        "In this order Planner adds most (+1). In another order the same fix may add more or less; "
        "its Shapley value is the mean of what it adds over all 24 orders."
    )


def test_fixes_that_add_as_much_are_named_together():
    found = waterfall(("A", "B"), [0, 4, 4, 8], 8, (1, 0), 0.5)
    assert sentence(found).startswith("In this order B and A add most (+0.500 each)")


def test_order_in_which_nothing_helps_says_so():
    assert sentence(waterfall(("A", "B"), [1, 0, 0, 0], 1, (0, 1), 0.5)).startswith(
        "In this order no fix adds anything."
    )


def test_one_fix_has_one_order():
    assert sentence(waterfall(("A",), [0, 1], 1, (0,), 0.5)).endswith("what it adds is its Shapley value.")


def test_many_orders_are_not_counted():
    found = waterfall([f"s{k}" for k in range(9)], [0] * 512, 1, range(9), 0.5)
    assert sentence(found).endswith("over all orders.")


def test_missing_outcome_leaves_a_gap_and_no_number():
    found = waterfall(("A", "B", "C"), [0, None, 0, 0, 0, 0, 0, 1], 1, (0, 1, 2), 0.5)
    assert [step.change for step in found.steps] == [None, None, 1]
    assert [row.change for row in rows(found)] == ["–", "–", "+1"]
    drawn = waterfall_drawing(found)
    holes = [
        one for row in drawn.marks if row.tag == "g" for one in row.content if one.attributes.get("class") == "hole"
    ]
    assert len(holes) == 2
    assert sentence(found).startswith("Outcomes on the way are missing")


def test_bars_float_between_the_outcomes_before_and_after():
    found = waterfall(("A", "B"), [2, 6, 0, 8], 8, (0, 1), 0.5)
    assert spans(waterfall_drawing(found)) == [(8, 94), (94, 266), (266, 352), (8, 352)]


@given(tables)
def test_fix_that_changes_nothing_has_a_line_that_goes_on_and_no_bar(table):
    worth, path = table
    found = waterfall([f"s{k}" for k in path], worth, 8, path, 0.5)
    steps = [row for row in waterfall_drawing(found).marks if "is-movable" in str(row.attributes.get("class"))]
    for step, row in zip(found.steps, steps, strict=True):
        bars = [one for one in row.content if one.tag == "rect"]
        lines = [one.attributes for one in row.content if one.attributes.get("class") == "link"]
        assert len(bars) == (step.change != 0)
        if step.change == 0:
            through, onward = lines
            assert through["x1"] == through["x2"] == onward["x1"]
            assert (through["y2"], through["y1"] + ROW) == (onward["y1"], onward["y2"])


def test_change_too_small_to_see_has_a_bar():
    found = waterfall(("A",), [0.5, 0.5 + 2**-40], None, (0,), 1.0)
    assert spans(waterfall_drawing(found))[1] == (352, 354)


def test_fix_that_makes_things_worse_is_drawn_so_and_has_a_minus_sign():
    found = waterfall(("A", "B"), [0, 8, 0, 4], 8, (0, 1), 0.5)
    kinds = [one.attributes["class"] for one in falls(waterfall_drawing(found))]
    assert kinds[1:3] == ["fall", "fall is-lower"]
    assert rows(found)[1].change == "−0.500"


def test_outcomes_below_zero_are_left_of_the_axis():
    found = waterfall(("A",), [-1.0, 1.0], None, (0,), 0.0)
    drawn = waterfall_drawing(found)
    assert drawn.marks[0].attributes["x1"] == WIDTH // 2
    assert spans(drawn)[0] == (8, WIDTH // 2)


@given(st.lists(st.floats(-8e307, 8e307), min_size=4, max_size=4))
def test_bars_of_any_scores_stay_within_the_picture(scores):
    drawn = waterfall_drawing(waterfall(("A", "B"), scores, None, (1, 0), 0.0))
    assert all(0 <= low < high <= WIDTH + 2 for low, high in spans(drawn))


def test_line_from_which_outcomes_pass_is_drawn_only_within_the_scale():
    def kinds(level):
        drawn = waterfall_drawing(waterfall(("A",), [0.25, 0.5], None, (0,), level))
        return [one.attributes["class"] for one in drawn.marks if one.tag == "line"]

    assert kinds(0.4) == ["axis", "level"]
    assert kinds(0.75) == ["axis"]


def test_sampled_game_has_no_waterfall_and_it_is_said_why():
    file = sampled_files()[0]
    assert waterfall_view(file.cases[0], file.header).reason.endswith("1486 of 2⁴⁰ were run.")


def test_scenario_without_a_fix_has_no_waterfall():
    file = next(one for one in odd_files() if one.header.scenario.id == "no-fix")
    assert waterfall_view(file.cases[0], file.header) is None


def test_view_of_a_file_follows_the_order_of_the_steps():
    file = refund_files("a", {"replayed": 1})[0]
    assert [row.title for row in waterfall_view(file.cases[0], file.header).rows] == list(TITLES)
    assert "Pass 0.800" in waterfall_view(graded_files()[0].cases[1], graded_files()[0].header).svg
    assert "hole" not in waterfall_view(holes_files()[0].cases[1], holes_files()[0].header).svg
