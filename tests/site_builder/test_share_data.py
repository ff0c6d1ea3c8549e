"""What a copy or an export says of a scenario besides its numbers."""

from __future__ import annotations

from site_builder.scenario_games import group
from site_builder.share_data import share_data
from tests.known_game_files import REFUND_STEPS, refund_files
from tests.made_game_files import case_game, game_file, scenario, step


def test_every_fix_is_told_in_full():
    (found,) = group(refund_files("a", {"replayed": 1}))
    told = [one["fix"] for one in share_data(found)["steps"]]
    expected = [(one.fix.label, one.fix.description, one.fix.diff) for one in REFUND_STEPS if one.fix is not None]
    assert [(one["label"], one["description"], one["diff"]) for one in told] == expected


def test_parents_are_places_of_steps():
    (found,) = group(refund_files("a", {"replayed": 1}))
    assert [one["parents"] for one in share_data(found)["steps"]] == [[], [0], [0, 1], [2]]


def test_each_mode_says_what_made_its_games():
    files = refund_files("a", {"replayed": 1, "fresh": 8})
    (found,) = group(files)
    for file in files:
        made = share_data(found)["modes"][file.header.mode]
        assert (made["worlds"], made["seed"], made["version"], made["fingerprint"]) == (
            file.header.worlds,
            file.header.seed,
            file.header.version,
            file.header.fingerprint,
        )


def test_step_without_fix_or_title_goes_by_its_id():
    steps = (step("only"),)
    file = game_file(
        scenario("bare", "", ""), steps, "replayed", 1, [case_game(steps, "one", [0], 1, lambda name, mask: "")]
    )
    told = share_data(group([file])[0])
    assert (told["scenario"]["title"], told["steps"][0]["title"], told["steps"][0]["fix"]) == ("bare", "only", None)
