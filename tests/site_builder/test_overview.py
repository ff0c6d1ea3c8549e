import re

import pytest

from site_builder import plan_site
from site_builder.over_all import over_all
from site_builder.overview import overview
from site_builder.scenario_games import group
from site_builder.views import scenario_view
from tests.known_game_files import letters, plain_text
from tests.known_sampled_files import sampled_files
from tests.made_game_files import case_game, game_file, scenario

STEPS = letters(2)


def games(mode, worlds, *worths):
    cases = [case_game(STEPS, f"case {number}", worth, worlds, plain_text) for number, worth in enumerate(worths)]
    return game_file(scenario("many", "Many", ""), STEPS, mode, worlds, cases)


def again(*files):
    (found,) = group(files)
    over = over_all(found)
    return overview(scenario_view(found), over, [over]).again


def test_control_under_new_luck_is_an_exact_part_of_all_runs():
    recorded = games("replayed", 1, [0, 1, 0, 1], [0, 0, 0, 1])
    assert again(recorded, games("fresh", 8, [1, 8, 1, 8], [1, 2, 1, 8])) == (
        "Pass again with new luck and no fix", "13 %, 2 of 16 runs of 2 cases, as run",
    )  # fmt: skip


def test_without_games_under_new_luck_there_is_no_control():
    assert again(games("replayed", 1, [0, 1, 0, 1], [0, 0, 0, 1])) is None


@pytest.mark.parametrize(("files", "said"), [((games("replayed", 1, [0, 1, 0, 1]),), False), (sampled_files(), True)])
def test_overview_speaks_of_samples_where_there_are_some(files, said):
    text = re.sub(r"\s+", " ", plan_site(list(files))["index.html"].decode("utf-8"))
    assert ("every combination of fixes, or a sample of them" in text) is said
