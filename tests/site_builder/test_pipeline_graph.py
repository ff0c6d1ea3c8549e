from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.drawing import room
from site_builder.pipeline_graph import (
    HEIGHT,
    WIDTH,
    graph_drawing,
    lay_out,
    pipeline_graph,
    title_lines,
    told,
)
from tests.known_game_files import HOSTILE, REFUND_STEPS, holes_files, odd_files
from tests.made_game_files import fix, step


@st.composite
def pipelines(draw):
    count = draw(st.integers(1, 20))
    return [draw(st.lists(st.integers(0, k - 1), unique=True, max_size=4)) if k else [] for k in range(count)]


@given(pipelines())
def test_step_stands_right_of_every_step_it_reads(parents):
    layout = lay_out(parents)
    for child, read in enumerate(parents):
        assert all(layout.steps[parent].x + WIDTH < layout.steps[child].x for parent in read)


@given(pipelines())
def test_steps_never_overlap_and_stay_within_the_picture(parents):
    layout = lay_out(parents)
    for k, one in enumerate(layout.steps):
        assert 0 <= one.x <= layout.width - WIDTH
        assert 0 <= one.y <= layout.height - HEIGHT
        for other in layout.steps[:k]:
            assert one.x != other.x or abs(one.y - other.y) >= HEIGHT


@given(pipelines())
def test_lines_lead_from_a_step_to_exactly_those_that_read_it(parents):
    layout = lay_out(parents)
    at = {(place.x, place.y + HEIGHT // 2): number for number, place in enumerate(layout.steps)}
    for number, pieces in enumerate(layout.lines):
        onward = {}
        for one, other in pieces:
            onward.setdefault((one.x, one.y), []).append((other.x, other.y))
        reached, waiting = set(), [(layout.steps[number].x + WIDTH, layout.steps[number].y + HEIGHT // 2)]
        while waiting:
            point = waiting.pop()
            if point in at:
                reached.add(at[point])
            waiting.extend(onward.get(point, ()))
        assert reached == {child for child, read in enumerate(parents) if number in read}


@given(pipelines())
def test_lines_pass_no_step_they_do_not_lead_to(parents):
    layout = lay_out(parents)
    for pieces in layout.lines:
        for one, other in pieces:
            inside = [
                p for p in layout.steps if one.x == p.x and other.x == p.x + WIDTH and p.y <= one.y <= p.y + HEIGHT
            ]
            assert inside == []


def test_chain_runs_straight():
    layout = lay_out([[], [0], [1], [2]])
    assert len({place.y for place in layout.steps}) == 1
    assert all(one.x < other.x for one, other in pairwise(layout.steps))


def test_order_within_a_layer_keeps_lines_apart():
    # Two chains side by side, the second layer given crosswise.
    layout = lay_out([[], [], [1], [0]])
    assert (layout.steps[0].y < layout.steps[1].y) == (layout.steps[3].y < layout.steps[2].y)


def test_sixty_steps_that_read_all_before_them_stay_a_small_picture():
    steps = [step(f"s{k}", [f"s{j}" for j in range(k)], fix=fix("x")) for k in range(60)]
    drawn = graph_drawing(steps, ["same"] * 60, [False] * 60)
    assert sum(one.attributes["class"] == "step" for one in drawn.marks) == 60
    assert sum(len(str(one.attributes.get("d", ""))) for one in drawn.marks) < 300_000


def marks_of(drawn, kind):
    return [one for one in drawn.marks if one.attributes["class"] == kind]


def texts(one):
    return [inner.content for inner in one.content if inner.tag == "text"]


def test_box_says_number_role_title_and_state():
    drawn = graph_drawing(REFUND_STEPS, ["same", "changed", "missing", "unrun"], [False] * 4)
    boxes = marks_of(drawn, "step")
    assert texts(boxes[0]) == ["1", "producer", "Planner", "same"]
    assert [texts(box)[-1] for box in boxes] == ["same", "changed", "missing", "not run"]


def test_states_differ_in_the_sign():
    drawn = graph_drawing(REFUND_STEPS, ["same", "changed", "missing", "unrun"], [False] * 4)
    inner = [one for box in marks_of(drawn, "step") for one in box.content]
    assert len({one.attributes["d"] for one in inner if one.attributes.get("class") == "state-sign"}) == 4


def test_switch_that_is_on_has_its_knob_on_the_other_side():
    drawn = graph_drawing(REFUND_STEPS, ["same"] * 4, [True, False, True, False])
    knobs, words = [], []
    for box in marks_of(drawn, "step"):
        (switch,) = (one for one in box.content if one.tag == "g")
        track, knob, word = switch.content[1:]
        knobs.append(knob.attributes["cx"] - track.attributes["x"] > track.attributes["width"] // 2)
        words.append(word.content)
    assert knobs == [True, False, True, False]
    assert words == ["fix on", "fix off", "fix on", "fix off"]


def test_roles_differ_in_the_outline():
    steps = [step("a", role="producer"), step("b", role="checker"), step("c", role=None)]
    drawn = graph_drawing(steps, ["same"] * 3, [False] * 3)
    outlines = [box.content[1].attributes["d"] for box in marks_of(drawn, "step")]
    assert ["q" in outline for outline in outlines] == [True, False, False]
    assert ["l" in outline for outline in outlines] == [False, True, False]


def test_step_without_a_fix_has_no_switch():
    drawn = graph_drawing([step("only")], ["same"], [False])
    (box,) = marks_of(drawn, "step")
    assert "data-fix" not in box.attributes
    assert "no fix tried" in texts(box)


def test_line_from_a_changed_step_is_marked():
    drawn = graph_drawing(REFUND_STEPS, ["same", "changed", "same", "same"], [False] * 4)
    assert {one.attributes["data-from"]: one.attributes["data-state"] for one in marks_of(drawn, "flow")} == {
        0: "same",
        1: "changed",
        2: "same",
    }


def test_case_whose_unfixed_run_broke_off_has_no_outputs():
    file = holes_files()[0]
    drawn = pipeline_graph(file.cases[2], file.header)
    assert drawn.count('data-state="missing"') >= 3


def test_pipeline_without_a_fix_is_drawn():
    file = next(one for one in odd_files() if one.header.scenario.id == "no-fix")
    assert 'class="step"' in pipeline_graph(file.cases[0], file.header)


@pytest.mark.parametrize(
    "title", [*HOSTILE, "x" * 500, "a b " * 100, "\u65e5\u672c\u8a9e" * 9, "Look up all of the orders"]
)
def test_title_fits_its_box(title):
    lines = title_lines(title)
    assert 1 <= len(lines) <= 2
    assert all(room(line) <= 14 for line in lines)


def test_full_title_stays_at_hand():
    assert told(0, step("a", fix=fix("cites")), ["T" * 99]) == f"1 {'T' * 99} · producer · fix: cites"
