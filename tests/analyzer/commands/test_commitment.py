"""`agentblame commitment`, as a user types it."""

import json
import sys

import pytest
from click.testing import CliRunner

from site_builder.cli import main

# Of its three coins the second alone decides.
BOT = """
from analyzer import Fix, Pipeline, Program, Step

def coin(draw):
    return draw.uniform("side") < 0.5

def agent(case, step):
    print("thinking")
    return [step(name) for name in ("before", "pivot", "after")][1]

program = Program("bot", agent, [Step(name, coin) for name in ("before", "pivot", "after")], lambda output: output)
fixed = Pipeline("fixed", [Step("a", lambda case: 1)], score=lambda a: a)
broken = Step("key", lambda key: 1 / 0)
breaks = Program("breaks", lambda case, step: step("key", case["key"]), [broken], lambda output: 1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setattr(sys, "modules", sys.modules.copy())
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "cases.jsonl").write_text('{"id": "one", "key": 1}\n{"id": "two", "key": 2}\n')
    return tmp_path


def run(*arguments, target="bot.py:program", code=0):
    result = CliRunner().invoke(main, ["commitment", target, "--cases", "cases.jsonl", *arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_the_table_names_the_call_that_decided(folder):
    first, head, *rows, legend, sentence = run().stdout.splitlines()
    assert first.startswith("case one: recorded score ")
    assert " ".join(head.split()) == "call replays mean score from here on drops once settled by"
    assert [row.split("  ")[1] for row in rows] == ["before[1]", "pivot[1] *", "after[1]"]
    assert legend == "  * it matters: the interval leaves 0 out"
    assert sentence.startswith("  pivot[1] commits the run: with new luck from it on the mean score is 0.")
    assert sentence.endswith("no later call is known to matter (δ = 0.05)")


def test_what_the_program_prints_is_not_mixed_with_the_table(folder):
    result = run()
    assert "thinking" not in result.stdout
    assert "thinking" in result.stderr


def test_what_it_takes_is_told_as_it_runs(folder):
    told = run("--replays", "10").stderr
    assert "  30/30 replays · 33 calls\n" in told
    assert told.endswith("  33 calls executed\n")


def test_the_second_time_nothing_is_executed(folder):
    first = run()
    again = run()
    assert again.stdout == first.stdout
    assert again.stderr.endswith("  0 calls executed\n")


def test_the_same_run_is_replayed_as_is_analysed(folder):
    arguments = ["analyze", "bot.py:program", "--cases", "cases.jsonl", "--out", "games", "--mode", "replayed"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    # The three calls of the recorded run are in the store.
    assert run("--replays", "10").stderr.endswith("  30 calls executed\n")


def test_as_json_every_number_is_there(folder):
    content = json.loads(run("--json", "--case", "two", "--replays", "16", "--seed", "7").stdout)
    assert content["case"] == "two"
    assert content["seed"] == "7"
    assert content["program"] == "bot"
    assert content["point"] in (None, "pivot[1]")
    assert [turn["call"] for turn in content["turns"]] == ["before[1]", "pivot[1]", "after[1]"]
    assert all(turn["replays"] == turn["compared"] == 16 for turn in content["turns"])


def test_workers_change_nothing(folder):
    assert run("--no-store", "--engine", "threads", "--workers", "4").stdout == run("--no-store").stdout


def test_a_cap_ends_it_and_the_same_command_goes_on(folder):
    capped = run("--max-calls", "20", code=3)
    assert capped.stdout == ""
    assert "the cap of 20 calls was reached before all replays were made; run the same command again" in capped.stderr
    assert "20 calls executed" in capped.stderr
    assert run().stderr.endswith(f"  {3 + 3 * 64 - 20} calls executed\n")


@pytest.mark.parametrize("cap", [("--max-cost", "5"), ("--max-time", "0s")])
def test_cost_and_time_are_caps_as_well(folder, cap):
    assert "was reached before all replays were made" in run(*cap, code=3).stderr


@pytest.mark.parametrize(
    ("arguments", "target", "message"),
    [
        (["--case", "three"], "bot.py:program", "cases.jsonl holds no case of that id"),
        ([], "bot.py:fixed", "is a Pipeline, whose steps are fixed; only a Program's run commits itself"),
        ([], "bot.py:breaks", "case 'one': the run has no score: key[1]: ZeroDivisionError: division by zero"),
        ([], "bot.py:nothing", "nothing"),
        (["--replays", "0"], "bot.py:program", "--replays"),
        (["--delta", "1"], "bot.py:program", "--delta"),
    ],
)
def test_what_cannot_be_replayed_is_an_input_error(folder, arguments, target, message):
    assert message in run(*arguments, target=target, code=2).stderr


def test_secrets_are_not_printed(folder):
    (folder / "leaky.py").write_text(BOT.replace("1 / 0", "[][f'sk-ant-api03-{\"a1B2\" * 12}']"))
    result = run(target="leaky.py:breaks", code=2)
    assert "sk-ant" not in result.output
