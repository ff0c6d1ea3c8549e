import re
from dataclasses import replace

from site_builder import plan_report, plan_site
from site_builder.alternatives import alternatives
from site_builder.over_all import over_all
from site_builder.scenario_games import group
from tests.made_game_files import case_game, fix, game_file, scenario, step

NOTHING, SECOND = [0, 0, 0, 0], [0, 0, 1, 1]


def tried(name, find, write, worths, mode="replayed", worlds=1):
    """Return a file of one pipeline in which these fixes were tried."""
    steps = (step("find", title="Find", fix=fix(find)), step("write", ("find",), title="Write", fix=fix(write)))
    cases = [
        case_game(steps, f"case {number}", worth, worlds, lambda step, mask: f"{step} {mask}")
        for number, worth in enumerate(worths)
    ]
    return game_file(scenario(name, "The bot", "", pipeline="bot"), steps, mode, worlds, cases)


FILES = (
    tried("bot", "hybrid search", "shorter", [SECOND, NOTHING]),
    tried("bot + find=reranker", "reranker", "shorter", [[0, 1, 0, 1], [0, 1, 1, 1]]),
)


def beside(files, number=0):
    everything = [over_all(one) for one in group(files)]
    return alternatives(everything[number], everything)


def test_scenarios_of_one_pipeline_stand_side_by_side_at_the_steps_that_differ():
    found = beside(FILES)
    assert found.steps == ("Find",)
    assert [row.tried[0].label for row in found.rows] == ["hybrid search", "reranker"]
    assert [row.together for row in found.rows] == ["1/2", "2/2"]
    assert [row.tried[0].mean for row in found.rows] == ["0", "0.750"]
    assert [row.tried[0].alone for row in found.rows] == ["0/2", "2/2"]


def test_row_of_the_page_itself_is_marked():
    assert [row.here for row in beside(FILES, 0).rows] == [True, False]
    assert [row.here for row in beside(FILES, 1).rows] == [False, True]


def test_rows_are_drawn_on_one_scale():
    found = beside(FILES)
    assert len({row.tried[0].bar.zero for row in found.rows}) == 1


def test_scenario_alone_in_its_pipeline_has_no_alternatives():
    assert beside(FILES[:1]) is None


def test_scenarios_of_other_pipelines_are_left_away():
    other = tried("else", "reranker", "shorter", [SECOND])
    other = replace(other, header=replace(other.header, scenario=replace(other.header.scenario, pipeline="else")))
    assert beside([FILES[0], other]) is None


def test_each_step_that_differs_has_its_columns():
    found = beside([*FILES, tried("bot + write=longer", "hybrid search", "longer", [SECOND])])
    assert found.steps == ("Find", "Write")
    assert [[one.label for one in row.tried] for row in found.rows] == [
        ["hybrid search", "shorter"], ["reranker", "shorter"], ["hybrid search", "longer"],
    ]  # fmt: skip


def test_scenario_without_the_mode_shown_has_dashes():
    found = beside([FILES[0], tried("bot + find=reranker", "reranker", "shorter", [[0, 8, 0, 8]], "fresh", 8)])
    assert (found.rows[1].together, found.rows[1].tried[0].mean) == ("–", "–")
    assert found.rows[1].tried[0].label == "reranker"


def test_page_links_its_alternatives():
    plan = plan_site(FILES)
    pages = {path: content.decode() for path, content in plan.items() if path.startswith("scenarios/")}
    assert len(pages) == 2
    for path, text in pages.items():
        (other,) = [name for name in pages if name != path]
        assert f'<a href="{other.removeprefix("scenarios/")}">' in text


def test_report_links_its_alternatives_within_itself():
    text = plan_report(FILES).decode()
    section = text[text.index("-rivals") :]
    link = re.search(r'<a href="#s=([a-z0-9-]+)"><bdi>Find: reranker', section)[1]
    assert f'id="s={link}"' in text


def test_index_tells_scenarios_of_one_pipeline_apart():
    index = plan_site(FILES)["index.html"].decode()
    assert "Find: hybrid search" in index
    assert "Find: reranker" in index
