import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import run

BOT = """
from analyzer import Fix, Pipeline, Step

def shout(case):
    return case["q"].upper()

bot = Pipeline("bot", [Step("a", lambda case: case["q"], fix=Fix("shout", shout))], score=lambda a: a == "HI")
"""


@pytest.fixture
def folder(folder):
    (folder / "bot.py").write_text(BOT)
    (folder / "cases.jsonl").write_text('{"id": "one", "q": "hi"}\n{"id": "two", "q": "HI"}\n')
    return folder


def test_scenarios_lists_what_is_bundled():
    printed = run("scenarios").stdout
    for name in ("quickstart", "refund-policy-a", "refund-policy-b"):
        assert name in printed


def test_a_pipeline_of_ones_own_goes_all_the_way(folder):
    run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games")
    assert sorted(path.name for path in (folder / "games").iterdir()) == [
        "bot.abducted.jsonl",
        "bot.fresh.jsonl",
        "bot.replayed.jsonl",
    ]
    assert "1 game, every rule's values recomputed" in run("validate", "games").stdout
    assert "without a fix 0 of 1 runs pass; with all fixes 1 of 1 runs pass" in run("show", "games").stdout
    run("build", "games", "--out", "site")
    assert (folder / "site" / "index.html").is_file()


def test_one_mechanism_and_chosen_modes_can_be_analysed_alone(folder):
    run("analyze", "refund-policy-b", "--mode", "fresh", "--mode", "replayed", "--worlds", "3", "--out", "games")
    assert sorted(path.name for path in (folder / "games").iterdir()) == [
        "refund-policy-b.fresh.jsonl",
        "refund-policy-b.replayed.jsonl",
    ]


def test_another_fix_of_a_step_can_be_tried(folder):
    (folder / "two.py").write_text(
        BOT.replace('fix=Fix("shout", shout)', 'fix=[Fix("no", lambda case: 0), Fix("shout", shout)]')
    )
    arguments = ["analyze", "two.py:bot", "--cases", "cases.jsonl", "--mode", "replayed", "--out"]
    run(*arguments, "first")
    run(*arguments, "second", "--fix", "a=shout")
    worths = [json.loads(run("show", out, "--json").stdout)[0]["cases"][0]["worth"] for out in ("first", "second")]
    assert worths == [[0, 0], [0, 1]]
    (path,) = (folder / "second").iterdir()
    header = json.loads(path.read_text("utf-8").splitlines()[0])
    assert (header["scenario"]["id"], header["scenario"]["pipeline"]) == ("bot + a=shout", "bot")
    assert header["steps"][0]["fix"]["label"] == "shout"
    assert [fix["label"] for fix in header["steps"][0]["alternatives"]] == ["no"]


def test_every_alternative_is_tried_with_the_others_as_they_are(folder):
    (folder / "two.py").write_text(
        BOT.replace('fix=Fix("shout", shout)', 'fix=[Fix("no", lambda case: 0), Fix("shout", shout)]')
    )
    arguments = ["analyze", "two.py:bot", "--cases", "cases.jsonl", "--mode", "replayed", "--alternatives"]
    result = run(*arguments, "--out", "games")
    assert len(result.stdout.splitlines()) == 2
    # The factual calls are shared.
    assert "1 call executed" in result.stderr.split("bot + a=shout")[1]
    ids = [data["scenario"] for data in json.loads(run("show", "games", "--json").stdout)]
    assert sorted(ids) == ["bot", "bot + a=shout"]
    run("build", "games", "--out", "site")


def test_an_estimate_runs_nothing(folder):
    (folder / "loud.py").write_text(BOT.replace("return case", "print('thinking'); return case"))
    result = run("analyze", "loud.py:bot", "--cases", "cases.jsonl", "--out", "games", "--estimate")
    assert "at most 2 calls to run every case once" in result.stderr
    assert "2 calls more per failing case, for all 2 coalitions in 1 + 8 + 8 worlds" in result.stderr
    assert "thinking" not in result.output
    assert not (folder / "games").exists()


def test_a_cap_on_calls_is_partial_and_what_is_complete_is_written(folder):
    arguments = ["analyze", "quickstart", "--mode", "replayed", "--out", "games", "--max-calls", "100"]
    result = run(*arguments, code=3)
    assert "stopped: the cap of 100 calls was reached after" in result.stderr
    (data,) = json.loads(run("show", "games", "--json").stdout)
    assert 0 < data["counts"]["analysed"] < 30
    assert data["counts"]["seen"] < 48
    run("validate", "games")
    run("build", "games", "--out", "site")


def test_a_cap_before_the_first_case_is_told_as_it_is(folder):
    result = run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games", "--max-cost", "0", code=3)
    assert "no case was analysed yet, so no game file was written" in result.stderr
    assert "every case passed" not in result.stderr


def test_a_cap_holds_for_all_pipelines_of_a_scenario_together(folder):
    result = run("analyze", "refund-policy", "--out", "games", "--max-calls", "20", code=3)
    counts = [int(number) for number in re.findall(r"(\d+) (?:step )?calls? executed", result.stderr)]
    assert counts[0] == 18
    assert sum(counts) == 20


def test_a_coalition_that_was_drawn_and_raises_is_partial_and_told(folder):
    (folder / "wide.py").write_text(
        """
from analyzer import Fix, Pipeline, Step

def total(**bits):
    if sum(bits.values()) == 5:
        raise RuntimeError("five")
    return sum(bits.values())

bits = [Step(f"s{n}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(14)]
wide = Pipeline("wide", [*bits, Step("sum", total, parents=[bit.name for bit in bits])], score=lambda sum: sum > 9)
"""
    )
    arguments = ["analyze", "wide.py:wide", "--cases", "cases.jsonl", "--mode", "replayed", "--out", "games"]
    assert "sum: RuntimeError: five" in run(*arguments, code=3).stderr
    run("validate", "games")
    run("build", "games", "--out", "site")


def test_many_errors_of_one_kind_are_told_briefly(folder):
    (folder / "raises.py").write_text(BOT.replace('return case["q"].upper()', "raise RuntimeError('rate limit')"))
    (folder / "many.jsonl").write_text("".join(f'{{"id": "{n}", "q": "x"}}\n' for n in range(200)))
    result = run("analyze", "raises.py:bot", "--cases", "many.jsonl", "--out", "games", code=3)
    assert len(result.stderr.splitlines()) < 60
    assert "195 more cases with a coalition that has no score" in result.stderr


def test_show_tells_alternatives_apart_and_says_how_many_were_analysed(folder):
    run("analyze", "quickstart", "--mode", "replayed", "--out", "games", "--max-calls", "100", code=3)
    assert re.search(r"Help desk: replayed, \d+ analysed of \d+ failing cases of \d+", run("show", "games").stdout)


def test_a_scenario_of_many_cases_stops_at_the_failures_it_shows_unless_more_are_asked_for(folder):
    arguments = ["analyze", "eight-step", "--mode", "replayed", "--out"]
    run(*arguments, "few")
    run(*arguments, "more", "--max-failures", "20")
    counts = [json.loads(run("show", out, "--json").stdout)[0]["counts"]["failed"] for out in ("few", "more")]
    assert counts == [12, 20]


def test_show_sums_up_many_failures_with_intervals_and_the_control(folder):
    run("analyze", "quickstart", "--mode", "replayed", "--out", "games")
    printed = run("show", "games").stdout
    assert "without a fix 0 of 30 runs pass" in printed
    assert "95 % interval" in printed
    assert "no fix is separated from all others (δ = 0.05)" in printed
    assert "of 2 fixes, classify and answer repairs most: 18/30" in printed


def test_show_prints_everything_as_json_for_machines(folder):
    run("analyze", "refund-policy-a", "--mode", "replayed", "--out", "games")
    (data,) = json.loads(run("show", "games", "--json").stdout)
    assert data["cases"][0]["values"]["shapley"] == [5 / 12, 5 / 12, 1 / 12, 1 / 12]
    assert data["cases"][0]["verdict"][0].startswith("Fixing Planner or Retriever")


def test_paths_go_to_stdout_and_talk_to_stderr(folder):
    result = run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games")
    assert result.stdout.splitlines() == [f"games/bot.{mode}.jsonl" for mode in ("replayed", "abducted", "fresh")]
    assert "1 failed, 1 passed, 0 errored" in result.stderr


def test_progress_is_sparse_and_holds_no_carriage_return(folder):
    (folder / "many.jsonl").write_text("".join(f'{{"id": "{n}", "q": "x"}}\n' for n in range(200)))
    result = run("analyze", "bot.py:bot", "--cases", "many.jsonl", "--out", "games")
    assert "\r" not in result.stderr
    assert len(result.stderr.splitlines()) < 30


def test_failing_cases_alone_never_fail_the_command(folder):
    run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games", code=0)


def test_a_batch_without_failures_says_so(folder):
    (folder / "good.jsonl").write_text('{"q": "HI"}\n')
    result = run("analyze", "bot.py:bot", "--cases", "good.jsonl", "--out", "games")
    assert "every case passed" in result.stderr


def test_a_score_that_is_no_number_is_partial_and_names_the_case(folder):
    (folder / "nan.py").write_text(BOT.replace('a == "HI"', 'float("nan")'))
    result = run("analyze", "nan.py:bot", "--cases", "cases.jsonl", "--out", "games", code=3)
    assert "case 'one': not analysed: score: returned nan, which is no score" in result.stderr


def test_a_step_that_raises_under_a_fix_is_partial_and_the_rest_is_written(folder):
    (folder / "raises.py").write_text(BOT.replace('return case["q"].upper()', "raise RuntimeError('rate limit')"))
    result = run("analyze", "raises.py:bot", "--cases", "cases.jsonl", "--out", "games", code=3)
    assert "coalition 1: a: RuntimeError: rate limit" in result.stderr
    assert "are missing" in run("show", "games", "--json").stdout
    run("validate", "games")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["analyze", "none.py:bot", "--cases", "cases.jsonl", "--out", "g"], "none.py: there is no such file"),
        (["analyze", "bot.py:none", "--cases", "cases.jsonl", "--out", "g"], "has no attribute 'none'"),
        (["analyze", "bad.py:bot", "--cases", "cases.jsonl", "--out", "g"], "fails while it is imported"),
        (["analyze", "bot.py:bot", "--out", "g"], "needs cases"),
        (["analyze", "bot.py:bot", "--cases", "none.jsonl", "--out", "g"], "none.jsonl: cannot be read"),
        (["analyze", "bot.py:bot", "--cases", "bad.jsonl", "--out", "g"], "bad.jsonl: line 1: not JSON"),
        (["analyze", "bot.py:bot", "--cases", "twice.jsonl", "--out", "g"], "the id 'a' was used in line 1"),
        (["analyze", "quickstart", "--cases", "cases.jsonl", "--out", "g"], "leave --cases away"),
        (["analyze", "quickstart", "--out", "bot.py"], "bot.py: cannot be written"),
        (["analyze", "quickstart", "--mode", "guess", "--out", "g"], "'guess' is not one of"),
        (["analyze", "quickstart", "--worlds", "0", "--out", "g"], "--worlds"),
        (["analyze", "quickstart", "--delta", "1", "--out", "g"], "--delta"),
        (["analyze", "quickstart", "--delta", "1e-300", "--out", "g"], "no error probability"),
        (["analyze", "quickstart", "--max-cost", "nan", "--out", "g"], "a cost of nan is no cap"),
        (["analyze", "quickstart", "--exact-up-to", "2", "--until-separated", "--out", "g"], "--exact-up-to 3"),
        (["analyze", "quickstart", "--exact-up-to", "21", "--out", "g"], "--exact-up-to"),
        (["analyze", "quickstart", "--exact-up-to", "2", "--max-coalitions", "5", "--out", "g"], "at least 8"),
        (["analyze", "quickstart"], "--out"),
        (["validate", "none"], "none: does not exist"),
        (["show", "none"], "none: does not exist"),
        (["show", "cases.jsonl"], "Is it a game file?"),
        (["analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "g", "--fix", "a"], "write STEP=LABEL"),
        (["analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "g", "--fix", "a=b"], "has no fix 'b'"),
        (["nonsense"], "No such command"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_two(folder, arguments, message):
    (folder / "bad.py").write_text("import surely_not_installed")
    (folder / "bad.jsonl").write_text("{'single': 'quotes'}")
    (folder / "twice.jsonl").write_text('{"id": "a"}\n{"id": "a"}\n')
    assert message in run(*arguments, code=2).output


def test_validate_reports_every_damaged_file_and_exits_two(folder):
    run("analyze", "refund-policy", "--out", "games")
    games = folder / "games"
    (games / "refund-policy-a.fresh.jsonl").write_text("torn")
    changed = games / "refund-policy-b.replayed.jsonl"
    changed.write_text(changed.read_text("utf-8").replace('"fix_alone":[1.0,', '"fix_alone":[0.5,'), "utf-8")
    result = run("validate", "games", code=2)
    assert "refund-policy-a.fresh.jsonl: the last line is cut short" in result.stderr
    assert "field 'values.fix_alone' holds (0.5" in result.stderr
    assert "2 problems in games" in result.stderr
    assert "refund-policy-a.replayed.jsonl: 1 game" in result.stdout


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(folder):
    (folder / "games").mkdir()
    (folder / "games" / "bot.fresh.jsonl").write_text("my notes\n")
    result = run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games", code=2)
    assert "bot.fresh.jsonl: is in the way and is not a game file" in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in (folder / "games").iterdir()] == ["bot.fresh.jsonl"]


def test_games_are_not_replaced_when_no_case_can_be_run(folder):
    run("analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games")
    before = (folder / "games" / "bot.fresh.jsonl").read_bytes()
    (folder / "broken.jsonl").write_text('{"id": "no question"}\n')
    result = run("analyze", "bot.py:bot", "--cases", "broken.jsonl", "--out", "games", code=3)
    assert "no game file was written" in result.stderr
    assert (folder / "games" / "bot.fresh.jsonl").read_bytes() == before


def test_what_a_step_prints_is_not_mixed_with_the_paths(folder):
    (folder / "loud.py").write_text(BOT.replace("return case", "print('thinking'); return case"))
    result = run("analyze", "loud.py:bot", "--cases", "cases.jsonl", "--out", "games")
    assert "thinking" not in result.stdout
    assert "thinking" in result.stderr


def test_show_prints_no_control_characters_of_an_id(folder):
    (folder / "escape.jsonl").write_text('{"id": "\\u001b[31mred\\n", "q": "hi"}\n')
    run("analyze", "bot.py:bot", "--cases", "escape.jsonl", "--out", "games")
    printed = run("show", "games", "--cases").stdout
    assert "\x1b" not in printed
    assert r"case \x1b[31mred\n" in printed


def test_init_writes_a_starter_that_runs_all_the_way(folder):
    run("init", "mine")
    run("analyze", "mine/my_bot.py:pipeline", "--cases", "mine/cases.jsonl", "--out", "games")
    run("validate", "games")
    run("report", "games", "--out", "report.html")


def test_init_overwrites_nothing(folder):
    run("init", "mine")
    assert "is there already" in run("init", "mine", code=2).output


def test_the_example_to_copy_runs(folder):
    example = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "invoice_desk")
    run("analyze", f"{example}/invoice_desk.py:pipeline", "--cases", f"{example}/cases.jsonl", "--out", "games")
    run("validate", "games")


def test_a_console_that_cannot_show_a_character_degrades(folder):
    (folder / "emoji.jsonl").write_text('{"id": "\U0001f600", "q": "hi"}\n', "utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "LC_ALL": "C", "PYTHONUTF8": "0"}
    for arguments in (
        ["analyze", "bot.py:bot", "--cases", "emoji.jsonl", "--out", "games"],
        ["show", "games", "--cases"],
    ):
        command = [sys.executable, "-m", "site_builder", *arguments]
        result = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert result.returncode == 0, result.stderr
    assert "\U0001f600" in (folder / "games" / "bot.replayed.jsonl").read_text("utf-8")


def test_a_gate_on_errors_is_judged_also_where_no_case_could_be_run(folder):
    (folder / "breaks.py").write_text(
        "from analyzer import Pipeline, Step\n\ndef boom(case):\n    raise OSError('down')\n\n"
        "bot = Pipeline('bot', [Step('a', boom)], score=lambda a: 1)\n"
    )
    result = run(
        "analyze", "breaks.py:bot", "--cases", "cases.jsonl", "--out", "games", "--fail-on", "errored > 0", code=10
    )
    assert "gate not met: errored > 0 holds" in result.stderr


def test_what_a_program_started_by_a_step_prints_is_not_mixed_with_the_paths(folder):
    (folder / "starts.py").write_text(
        "import subprocess, sys\nfrom analyzer import Fix, Pipeline, Step\n\ndef ask(case):\n"
        "    subprocess.run([sys.executable, '-c', 'print(\"talk of another program\")'], check=True)\n    return 0\n\n"
        "bot = Pipeline('bot', [Step('a', ask, fix=Fix.constant('right', 1))], score=lambda a: a)\n"
    )
    command = [
        sys.executable,
        "-m",
        "site_builder",
        "analyze",
        "starts.py:bot",
        "--cases",
        "cases.jsonl",
        "--out",
        "games",
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder)
    assert result.stdout.splitlines() == [f"games/bot.{mode}.jsonl" for mode in ("replayed", "abducted", "fresh")]
    assert "talk of another program" in result.stderr
