import html
import re
import shlex
from dataclasses import replace
from pathlib import Path

import click
import pytest

from analyzer.game_file import FixInfo, file_name, read_folder
from analyzer.rules import number_text
from site_builder import methods as methods_module
from site_builder import plan_report, plan_site
from site_builder.cli import main
from site_builder.errors import SiteError
from site_builder.methods import methods
from site_builder.over_all import over_all
from site_builder.scenario_games import group
from tests.command_line import run
from tests.known_game_files import all_files, graded_files, hostile_files, refund_files, sampled_files
from tests.made_game_files import case_game, fix, game_file, scenario, step

ROOT = Path(__file__).resolve().parents[2]


def methods_of(files):
    return methods([over_all(one) for one in group(files)])


def facts(files):
    (one,) = methods_of(files).scenarios
    return dict(one.facts)


def assert_known(command):
    """Check a command line against the commands there are: its name, its options and their values."""
    program, name, *words = shlex.split(command)
    assert program == "agentblame"
    main.commands[name].make_context(name, words)


def test_source_of_every_number_is_where_its_rule_is_defined():
    found = methods_of(refund_files("a", {"replayed": 1})).numbers
    for number, (_, _, _, name, _) in zip(found, methods_module._NUMBERS, strict=True):
        path, first = re.fullmatch(r"(\S+), lines (\d+) to \d+", number.source).groups()
        assert (ROOT / path).read_text("utf-8").splitlines()[int(first) - 1].startswith(f"def {name}(")


def test_rule_that_is_no_longer_there_fails_the_build(monkeypatch):
    monkeypatch.setattr(methods_module, "_NUMBERS", (("N", "r", "analyzer/game.py", "gone", "c"),))
    with pytest.raises(SiteError, match=r"analyzer/game\.py: defines no 'gone'"):
        methods_of(refund_files("a", {"replayed": 1}))


def test_every_command_that_is_named_exists():
    found = methods_of(all_files())
    commands = {number.command for number in found.numbers} | {command for _, command in found.commands}
    for one in found.scenarios:
        commands.update(one.again)
        for _, validate, show in one.files:
            commands.update((validate, show))
    assert len(commands) > 20
    for command in commands:
        assert_known(command)


def test_check_of_commands_notices_an_option_that_is_not_there():
    with pytest.raises(click.NoSuchOption):
        assert_known("agentblame show games/ --gone")


def test_command_that_runs_a_scenario_again_gives_the_same_game_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("analyze", "quickstart", "--worlds", 3, "--seed", "a seed", "--delta", 0.1, "--out", "games/")
    before = {path.name: path.read_bytes() for path in Path("games").iterdir()}
    (one,) = methods_of(read_folder(Path("games"))).scenarios
    (command,) = one.again
    for path in Path("games").iterdir():
        path.unlink()
    run(*("quickstart" if word == "TARGET" else word for word in shlex.split(command)[1:]))
    assert {path.name: path.read_bytes() for path in Path("games").iterdir()} == before


def test_modes_with_other_options_have_a_command_each():
    one, two = refund_files("a", {"replayed": 1, "fresh": 8})
    other = replace(two, header=replace(two.header, seed="another"))
    (found,) = methods_of([one, other]).scenarios
    assert found.again == (
        "agentblame analyze TARGET --mode replayed --worlds 8 --seed 0 --delta 0.05 --out games/",
        "agentblame analyze TARGET --mode fresh --worlds 8 --seed another --delta 0.05 --out games/",
    )


def test_estimator_of_sampled_games_is_part_of_the_command():
    estimators = {game.sampled.estimator for file in sampled_files() for game in file.cases if game.sampled}
    commands = " ".join(command for one in methods_of(sampled_files()).scenarios for command in one.again)
    assert estimators
    for name in estimators:
        assert f"--estimator {name}" in commands


def test_fix_that_is_not_the_first_of_its_step_is_part_of_the_command():
    first, second = fix("plain"), fix("it's better")
    steps = (replace(step("write", fix=second), alternatives=(FixInfo("plain", "variant", "", ""),)),)
    about = scenario("bot + write=it's better", "Bot", "", pipeline="bot")
    case = case_game(steps, "one", [0, 1], 1, lambda name, mask: f"{name} {mask}")
    (found,) = methods_of([game_file(about, steps, "replayed", 1, [case])]).scenarios
    assert first != second
    assert shlex.split(found.again[0])[-4:] == ["--fix", "write=it's better", "--out", "games/"]


def test_commands_name_the_game_files_as_they_are_written():
    (one,) = methods_of(refund_files("a", {"replayed": 1, "fresh": 8})).scenarios
    names = [file_name("refund-policy-a", mode) for mode in ("replayed", "fresh")]
    assert [validate for _, validate, _ in one.files] == [f"agentblame validate games/{name}" for name in names]


def test_facts_are_those_of_the_header_mode_by_mode():
    files = refund_files("a", {"replayed": 1, "abducted": 8})
    found = facts(files)
    assert found["Mode"] == (("replayed",), ("abducted",))
    assert found["Worlds per combination"] == (("1",), ("8",))
    for name, field in (("Cases seen", "seen"), ("Failed", "failed"), ("Errored", "errored"), ("Analysed", "analysed")):
        assert found[name] == tuple((str(getattr(file.header.counts, field)),) for file in files)
    assert found["Stopped because"] == tuple((file.header.stopped,) for file in files)
    assert found["Fingerprint of code and settings"] == tuple((file.header.fingerprint,) for file in files)


def test_what_was_redacted_is_listed_and_how_often():
    (file,) = refund_files("a", {"replayed": 1})
    some = replace(file, header=replace(file.header, redacted=("bearer token: 3", "OpenAI key: 1")))
    assert facts([some])["Redacted"] == (("bearer token: 3", "OpenAI key: 1"),)
    page = plan_site([some])["methods.html"].decode()
    assert "<li><bdi>bearer token: 3</bdi></li>" in page
    assert facts([file])["Redacted"] == (("nothing",),)


def test_scale_of_graded_scores_says_from_where_they_pass():
    score = graded_files()[0].header.scenario.score
    (one, *_) = methods_of(graded_files()).scenarios
    assert one.scale.startswith("Graded, from ")
    assert f"passes from {number_text(score.threshold)} on" in one.scale


def test_level_of_a_repair_is_told_where_there_are_several_worlds():
    (one,) = methods_of(refund_files("a", {"replayed": 1})).scenarios
    (several,) = methods_of(refund_files("a", {"replayed": 1, "fresh": 8})).scenarios
    assert "at least half" not in one.scale
    assert "at least half" in several.scale


def test_scenario_without_a_failing_case_is_told_too():
    (file,) = refund_files("a", {"replayed": 1})
    plan = plan_site([replace(file, cases=())])
    page = plan["methods.html"].decode()
    assert "refund-policy-a" in page
    assert "scenarios/refund-policy-a.html" not in page


def test_page_of_a_scenario_leads_to_its_part_of_the_methods():
    files = refund_files("a", {"replayed": 1})
    plan = plan_site(files)
    assert 'href="../methods.html#p=methods.refund-policy-a"' in plan["scenarios/refund-policy-a.html"].decode()
    assert 'id="p=methods.refund-policy-a"' in plan["methods.html"].decode()
    report = plan_report(files).decode()
    assert 'href="#p=methods.refund-policy-a"' in report
    assert report.count('id="p=methods.refund-policy-a"') == 1


def test_hostile_text_is_shown_as_text():
    header = hostile_files()[0].header
    page = plan_site(hostile_files())["methods.html"].decode()
    assert "<img" not in page
    assert header.stopped.split("\u2028")[0] in html.unescape(page)
