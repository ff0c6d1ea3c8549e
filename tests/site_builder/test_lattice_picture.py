from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.drawing import Drawing
from site_builder.lattice_grid import MOST_IN_GRID
from site_builder.lattice_layers import MOST_IN_LAYERS
from site_builder.lattice_outcomes import SHADES, Outcomes, shades_text
from site_builder.lattice_picture import box_of, lattice_drawing, lattice_view, too_many
from tests.known_game_files import (
    HOSTILE,
    graded_files,
    holes_files,
    odd_files,
    refund_a_repairs,
    refund_files,
    wide_files,
)
from tests.known_sampled_files import sampled_files

TITLES = ("Planner", "Retriever", "Writer", "Reviewer")
REFUND = Outcomes(TITLES, tuple(float(refund_a_repairs(mask)) for mask in range(16)), 0.5, 1, False)


def outcomes(shares, *, level=0.5, worlds=1, graded=False):
    players = len(shares).bit_length() - 1
    return Outcomes(tuple(f"step {k}" for k in range(players)), tuple(shares), level, worlds, graded)


def every(drawn: Drawing, kind: str):
    """Return all marks, at any depth, that have a class."""
    found, waiting = [], list(drawn.marks)
    while waiting:
        one = waiting.pop(0)
        if kind in str(one.attributes.get("class", "")).split():
            found.append(one)
        if not isinstance(one.content, str):
            waiting = [*one.content, *waiting]
    return found


def said(drawn: Drawing):
    return [one.content for one in every(drawn, "said")]


players = st.integers(1, MOST_IN_GRID)


@given(players)
def test_no_two_combinations_share_a_place(players):
    boxes = [box_of(players, mask) for mask in range(2**players)]
    assert len({(box.x, box.y) for box in boxes}) == 2**players


@pytest.mark.parametrize("players", range(1, MOST_IN_LAYERS + 1))
def test_boxes_in_layers_do_not_overlap_and_stay_within_the_picture(players):
    drawn = lattice_drawing(outcomes([0.0] * 2**players))
    boxes = [box_of(players, mask) for mask in range(2**players)]
    for one, other in combinations(boxes, 2):
        assert abs(one.x - other.x) >= one.width or abs(one.y - other.y) >= one.height
    assert all(box.x >= 0 and box.x + box.width <= drawn.width for box in boxes)
    assert all(box.y >= 0 and box.y + box.height <= drawn.height for box in boxes)


@pytest.mark.parametrize("players", range(1, MOST_IN_LAYERS + 1))
def test_layer_is_the_number_of_fixes(players):
    tops = {mask.bit_count(): box_of(players, mask).y for mask in range(2**players)}
    assert all(box_of(players, mask).y == tops[mask.bit_count()] for mask in range(2**players))
    assert sorted(tops.values()) == [tops[size] for size in range(players + 1)]


@pytest.mark.parametrize("players", range(MOST_IN_LAYERS + 1, MOST_IN_GRID + 1))
def test_cells_that_touch_differ_in_one_fix(players):
    at = {(box.x, box.y): mask for mask in range(2**players) for box in [box_of(players, mask)]}
    cell = box_of(players, 0).width
    for (x, y), mask in at.items():
        for beside in ((x + cell, y), (x, y + cell)):
            if beside in at:
                assert (mask ^ at[beside]).bit_count() == 1


@pytest.mark.parametrize("players", range(MOST_IN_LAYERS + 1, MOST_IN_GRID + 1))
def test_grid_is_as_wide_as_half_the_fixes_need(players):
    columns = {box_of(players, mask).x for mask in range(2**players)}
    rows = {box_of(players, mask).y for mask in range(2**players)}
    assert (len(columns), len(rows)) == (2 ** ((players + 1) // 2), 2 ** (players // 2))


def test_grid_stays_light():
    drawn = lattice_drawing(outcomes([float(mask % 3 == 0) for mask in range(2**12)]), edited=range(50))
    assert len(every(drawn, "cells")) == 2
    assert len(drawn.marks) < 30


@pytest.mark.parametrize("players", [6, 9, 12])
def test_strip_of_a_fix_spans_the_cells_in_which_it_is_on(players):
    drawn = lattice_drawing(outcomes([0.0] * 2**players))
    cell = box_of(players, 0).width
    strips = [one.content[1].attributes["d"] for one in every(drawn, "strip-axis")]
    assert len(strips) == players
    for player, path in enumerate(strips):
        along = player < (players + 1) // 2
        spans = set()
        for run in path.split("M")[1:]:
            x, rest = run.split(" ")
            start = int(x) - 1 if along else int(rest.split("h")[0]) - 1
            length = int(rest.split("h")[1].split("v")[0]) if along else int(rest.split("v")[1].split("h")[0])
            spans.update(range(start, start + length, cell))
        boxes = [box_of(players, mask) for mask in range(2**players) if mask >> player & 1]
        assert spans == {box.x if along else box.y for box in boxes}


def test_box_shows_the_outcome_in_a_word_where_it_is_pass_or_fail():
    assert said(lattice_drawing(REFUND)) == [
        "Fail",
        *["Pass"] * 2,
        "Pass",
        "Fail",
        *["Pass"] * 3,
        "Fail",
        *["Pass"] * 7,
    ]


def test_box_shows_how_many_worlds_pass():
    assert said(lattice_drawing(outcomes([0.0, 3 / 8, 5 / 8, 1.0], worlds=8))) == ["0/8", "3/8", "5/8", "8/8"]


def test_box_shows_a_score():
    found = outcomes([0.0, 0.25, 0.5, 1.0], level=0.75, graded=True)
    assert said(lattice_drawing(found)) == ["0", "0.250", "0.500", "1"]


def test_number_too_long_for_a_box_gives_way_to_the_word():
    found = outcomes([-1e100, 1e100], level=10.0, graded=True)
    assert said(lattice_drawing(found)) == ["Fail", "Pass"]


def test_box_without_an_outcome_says_so():
    drawn = lattice_drawing(outcomes([0.0, None, 1.0, 1.0]))
    assert said(drawn)[1] == "Missing"
    assert len(every(drawn, "sign")) == 4
    assert [one.attributes["class"] for one in every(drawn, "box")][1] == "box is-missing"


def test_states_differ_in_the_shape_of_their_sign():
    signs = every(lattice_drawing(outcomes([0.0, None, 1.0, 1.0])), "sign")
    assert [sign.tag for sign in signs] == ["rect", "circle", "circle", "circle"]
    ticks = every(lattice_drawing(outcomes([1.0, None])), "sign-line")
    assert len(ticks) == 1


def test_line_says_where_one_fix_more_repairs_or_breaks():
    drawn = lattice_drawing(outcomes([0.0, 1.0, 0.0, 0.0]))
    assert len(every(drawn, "edge")) == 4
    assert len(every(drawn, "turns-pass")) == 1
    assert len(every(drawn, "turns-fail")) == 1


def test_combination_that_is_on_has_a_ring():
    (ring,) = every(lattice_drawing(REFUND, 5), "ring")
    box = box_of(4, 5)
    assert (ring.attributes["x"], ring.attributes["y"]) == (box.x - 4, box.y - 4)


def test_edited_combinations_say_so():
    assert [one.content for one in every(lattice_drawing(REFUND, 0, {3, 9}), "edited-text")] == ["edited", "edited"]
    (corners,) = every(lattice_drawing(outcomes([0.0] * 64), 0, {3, 9}), "edited-corner")
    assert corners.attributes["d"].count("M") == 2


def test_grid_draws_each_state_in_a_size_or_shape_of_its_own():
    drawn = lattice_drawing(outcomes([0.0, 1.0, None, *[0.0] * 61]))
    paths = {one.attributes["class"]: one.attributes["d"] for one in every(drawn, "cells")}
    assert {kind: path.count("M") for kind, path in paths.items()} == {
        "cells is-fail shade-0": 62,
        "cells is-missing": 1,
        "cells is-pass shade-4": 1,
    }
    sizes = [paths[kind].split("h")[1].split("v")[0] for kind in ("cells is-fail shade-0", "cells is-pass shade-4")]
    assert int(sizes[0]) * 2 < int(sizes[1])


def test_every_mask_is_drawn_once():
    drawn = lattice_drawing(outcomes([mask % 9 / 8 for mask in range(2**7)], worlds=8))
    assert sum(one.attributes["d"].count("M") for one in every(drawn, "cells")) == 2**7


@given(st.lists(st.floats(-1.7e308, 1.7e308), min_size=8, max_size=8))
def test_shades_of_any_scores_follow_their_order(scores):
    drawn = lattice_drawing(outcomes(scores, level=0.0, graded=True))
    shades = [int(str(one.attributes["class"])[-1]) for one in every(drawn, "box")]
    assert all(0 <= shade < SHADES for shade in shades)
    for (one, shade), (other, another) in combinations(zip(scores, shades, strict=True), 2):
        assert (shade - another) * (one > other) >= 0
        assert (another - shade) * (other > one) >= 0


def test_outermost_scores_have_the_outermost_shades():
    drawn = lattice_drawing(outcomes([0.2, 0.9, 0.4, 0.6], level=0.5, graded=True))
    assert [str(one.attributes["class"])[-1] for one in every(drawn, "box")] == ["0", "4", "1", "2"]


def test_shades_are_explained_only_where_there_are_some():
    assert shades_text(REFUND) == ""
    assert "8 worlds" in shades_text(outcomes([0.0, 1.0], worlds=8))
    assert shades_text(outcomes([0.25, 0.5], graded=True)).startswith("Shades run from 0.250 to 0.500")


def test_too_many_fixes_have_no_picture_and_it_is_said_why():
    assert too_many(MOST_IN_GRID) == ""
    assert too_many(MOST_IN_GRID + 1).startswith("There are 8192 combinations")


def test_sampled_game_has_no_picture_and_it_is_said_why():
    file = sampled_files()[0]
    found = lattice_view(file.cases[0], file.header)
    assert found.reason == "This needs the outcome of every combination of fixes; 1486 of 2⁴⁰ were run."
    assert "<g" not in found.svg


def test_scenario_without_a_fix_has_no_picture():
    file = next(one for one in odd_files() if one.header.scenario.id == "no-fix")
    assert lattice_view(file.cases[0], file.header) is None


def test_picture_of_a_file_is_that_of_its_table():
    file = refund_files("a", {"replayed": 1})[0]
    assert lattice_view(file.cases[0], file.header).svg.count('class="node"') == 16
    hole = holes_files()[0]
    assert "is-missing" in lattice_view(hole.cases[0], hole.header).svg
    assert "0.520" in lattice_view(graded_files()[0].cases[0], graded_files()[0].header).svg
    wide = wide_files()[1]
    assert "strip-axis" in lattice_view(wide.cases[0], wide.header).svg


@pytest.mark.parametrize("players", [2, 6])
def test_titles_of_any_length_and_kind_fit(players):
    titles = HOSTILE[:players]
    found = Outcomes(titles, (0.0,) * 2**players, 0.5, 1, False)
    shown = [one.content for one in every(lattice_drawing(found), "name")]
    assert all(len(text) <= 25 for text in shown)
