"""`agentblame commitment`, as a user types it."""

import json

import pytest

from tests.command_line import run

# Of its three coins the second alone decides.
BOT = """
import asyncio

from analyzer import Fix, Pipeline, Program, Step

def coin(draw):
    return draw.uniform("side") < 0.5

def agent(case, step):
    print("thinking")
    return [step(name) for name in ("before", "pivot", "after")][1]

program = Program("bot", agent, [Step(name, coin) for name in ("before", "pivot", "after")], lambda output: output)
async def several(case, step):
    async def one(name):
        return await step(name)
    await asyncio.gather(one("before"), one("pivot"))
    return await step("after")

tasks = Program("tasks", several, [Step(name, coin) for name in ("before", "pivot", "after")], lambda output: output)

async def racing(case, step):
    async def one(name):
        return await step(name)
    return [await done for done in asyncio.as_completed([one("before"), one("pivot")])]

race = Program("race", racing, tasks.steps, lambda output: 1)
fixed = Pipeline("fixed", [Step("a", lambda case: 1)], score=lambda a: a)
broken = Step("key", lambda key: 1 / 0)
breaks = Program("breaks", lambda case, step: step("key", case["key"]), [broken], lambda output: 1)
"""


@pytest.fixture
def folder(folder):
    (folder / "bot.py").write_text(BOT)
    (folder / "cases.jsonl").write_text('{"id": "one", "key": 1}\n{"id": "two", "key": 2}\n')
    return folder


def commitment(*arguments, target="bot.py:program", code=0):
    return run("commitment", target, "--cases", "cases.jsonl", *arguments, code=code)


def test_the_table_names_the_call_that_decided(folder):
    first, head, *rows, legend, sentence = commitment().stdout.splitlines()
    assert first.startswith("case one: recorded score ")
    assert " ".join(head.split()) == "call replays mean score from here on drops once settled by"
    assert [row.split("  ")[1] for row in rows] == ["before[1]", "pivot[1] *", "after[1]"]
    assert legend == "  * it matters: the interval leaves 0 out"
    assert sentence.startswith("  pivot[1] commits the run: with new luck from it on the mean score is 0.")
    assert sentence.endswith("no later call is known to matter (δ = 0.05)")


def test_calls_at_the_same_time_are_marked_and_the_mark_is_explained(folder):
    lines = commitment(target="bot.py:tasks").stdout.splitlines()
    assert [line.split("  ")[1] for line in lines[2:5]] == ["1/before[1] ~", "2/pivot[1] ~", "after[1] *"]
    assert "  ~ it may run at the same time as others here: which of them comes first is a convention" in lines
    assert lines[-1].startswith("  after[1] commits the run: ")


def test_without_calls_at_the_same_time_no_convention_is_spoken_of(folder):
    assert "convention" not in commitment().stdout


def test_what_the_program_prints_is_not_mixed_with_the_table(folder):
    result = commitment()
    assert "thinking" not in result.stdout
    assert "thinking" in result.stderr


def test_what_it_takes_is_told_as_it_runs(folder):
    told = commitment("--replays", "10").stderr
    assert "  30/30 replays · 33 calls\n" in told
    assert told.endswith("  33 calls executed\n")


def test_the_second_time_nothing_is_executed(folder):
    first = commitment()
    again = commitment()
    assert again.stdout == first.stdout
    assert again.stderr.endswith("  0 calls executed\n")


def test_the_same_run_is_replayed_as_is_analysed(folder):
    run("analyze", "bot.py:program", "--cases", "cases.jsonl", "--out", "games", "--mode", "replayed")
    # The three calls of the recorded run are in the store.
    assert commitment("--replays", "10").stderr.endswith("  30 calls executed\n")


def test_as_json_every_number_is_there(folder):
    content = json.loads(commitment("--json", "--case", "two", "--replays", "16", "--seed", "7").stdout)
    assert content["case"] == "two"
    assert content["seed"] == "7"
    assert content["program"] == "bot"
    assert content["point"] in (None, "pivot[1]")
    assert [turn["call"] for turn in content["turns"]] == ["before[1]", "pivot[1]", "after[1]"]
    assert all(turn["replays"] == turn["compared"] == 16 for turn in content["turns"])
    assert all(turn["overlaps"] == [] for turn in content["turns"])


def test_workers_change_nothing(folder):
    assert commitment("--no-store", "--engine", "threads", "--workers", "4").stdout == commitment("--no-store").stdout


def test_a_cap_ends_it_and_the_same_command_goes_on(folder):
    capped = commitment("--max-calls", "20", code=3)
    assert capped.stdout == ""
    assert "the cap of 20 calls was reached before all replays were made; run the same command again" in capped.stderr
    assert "20 calls executed" in capped.stderr
    assert commitment().stderr.endswith(f"  {3 + 3 * 64 - 20} calls executed\n")


@pytest.mark.parametrize("cap", [("--max-cost", "5"), ("--max-time", "0s")])
def test_cost_and_time_are_caps_as_well(folder, cap):
    assert "was reached before all replays were made" in commitment(*cap, code=3).stderr


@pytest.mark.parametrize(
    ("arguments", "target", "message"),
    [
        (["--case", "three"], "bot.py:program", "cases.jsonl holds no case of that id"),
        ([], "bot.py:fixed", "is a Pipeline, whose steps are fixed; only a Program's run commits itself"),
        ([], "bot.py:breaks", "case 'one': the run has no score: key[1]: ZeroDivisionError: division by zero"),
        (
            [],
            "bot.py:race",
            "case 'one': the run has no score: program: asyncio.as_completed makes tasks of coroutines",
        ),
        ([], "bot.py:nothing", "nothing"),
        (["--replays", "0"], "bot.py:program", "--replays"),
        (["--delta", "1"], "bot.py:program", "--delta"),
    ],
)
def test_what_cannot_be_replayed_is_an_input_error(folder, arguments, target, message):
    assert message in commitment(*arguments, target=target, code=2).stderr


def test_secrets_are_not_printed(folder):
    (folder / "leaky.py").write_text(BOT.replace("1 / 0", "[][f'sk-ant-api03-{\"a1B2\" * 12}']"))
    result = commitment(target="leaky.py:breaks", code=2)
    assert "sk-ant" not in result.output
