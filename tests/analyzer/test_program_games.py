"""Programs, all the way through the commands: planted systems in every mode, engines, going on, alternatives, files."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import run

EXAMPLE = Path(__file__).parents[2] / "examples" / "tool_agent"

# Steps of planted systems return 0 or 1; what is needed says the program.
PLANTED = """
from analyzer import Fix, Program, Score, Step

def planted(id, needs, names):
    def agent(case, step):
        return needs({name: step(name) for name in names})
    steps = [Step(name, lambda: 0, fix=Fix("right", lambda: 1)) for name in names]
    return Program(id, agent, steps, lambda output: output)

pivotal = planted("pivotal", lambda got: got["b"], "abc")
both = planted("both", lambda got: got["a"] and got["b"], "abc")
either = planted("either", lambda got: got["a"] or got["b"], "ab")

def looped(case, step):
    found = []
    for turn in range(6):
        if step("plan", found) == "stop":
            break
        found.append(step("search", turn))
    return found

def plan(found, draw):
    return draw.categorical("action", {"stop": 0.0 if found else -9.0, "go on": 0.0})

loop = Program("loop", looped, [
    Step("plan", plan, fix=Fix("go on", lambda found: "go on")),
    Step("search", lambda turn, draw: draw.uniform("u") < 0.3, fix=Fix.resample()),
    Step("idle", lambda: 0, fix=Fix("busy", lambda: 1)),
], lambda output: any(output))

def many(case, step):
    return sum(step(f"s{number}") for number in range(14)) > 9

large = Program("large", many, [Step(f"s{number}", lambda: 0, fix=Fix("right", lambda: 1)) for number in range(14)],
                lambda output: output)

several = Program("several", lambda case, step: step("a"), [
    Step("a", lambda: 0, fix=[Fix("still wrong", lambda: 0), Fix("right", lambda: 1)])], lambda output: output)

KEY = "sk-ant-api03-" + "a1B2" * 12
leaky = Program("leaky", lambda case, step: step("ask " + KEY), [Step("ask " + KEY, lambda: KEY)], lambda output: 0,
                fixes={f"ask {KEY}[1]": Fix.action("say nothing of it", KEY)})
"""


@pytest.fixture
def folder(folder):
    (folder / "planted.py").write_text(PLANTED)
    (folder / "cases.jsonl").write_text("".join(f'{{"id": "c{number}"}}\n' for number in range(6)))
    return folder


def analyze(name, *arguments, out="games", cases="cases.jsonl", code=0):
    """Analyse a program; return what it says."""
    target = name if ":" in str(name) else f"planted.py:{name}"
    return run("analyze", target, "--cases", cases, "--out", out, *arguments, code=code).stderr


def executed(said):
    """Return how many calls were executed."""
    (number,) = re.findall(r"([0-9,]+) calls executed", said)
    return int(number.replace(",", ""))


def games(out="games"):
    """Return header and cases of each file."""
    found = {}
    for path in sorted(Path(out).glob("*.jsonl")):
        header, *cases = map(json.loads, path.read_text("utf-8").splitlines())
        found[path.name] = (header, cases)
    return found


@pytest.mark.parametrize(("name", "values"), [("pivotal", [0, 1, 0]), ("both", [0.5, 0.5, 0]), ("either", [0.5, 0.5])])
def test_a_planted_system_is_told_in_every_mode(folder, name, values):
    analyze(name, "--worlds", "3")
    found = games()
    assert len(found) == 3
    for _, cases in found.values():
        assert [case["values"]["shapley"] for case in cases] == [values] * 6


def test_a_loop_of_any_length_shares_its_repair_and_leaves_out_what_is_never_called(folder):
    analyze("loop", "--worlds", "4")
    run("validate", "games")
    for header, cases in games().values():
        assert header["players"] == ["plan", "search", "idle"]
        assert cases
        for case in cases:
            plan, search, idle = case["values"]["shapley"]
            assert idle == 0
            assert plan + search == pytest.approx((case["worth"][-1] - case["worth"][0]) / case["denominator"])


def test_a_step_that_was_not_called_says_so(folder):
    analyze("loop", "--mode", "replayed")
    ((_, cases),) = games().values()
    for case in cases:
        (idle,) = (step for step in case["steps"] if step["id"] == "idle")
        assert [output["text"] for output in idle["outputs"]] == ["not called"]


def test_what_the_program_returned_is_the_last_step_that_is_shown(folder):
    analyze("pivotal", "--mode", "replayed")
    ((header, cases),) = games().values()
    last = header["steps"][-1]
    assert (last["id"], last["title"], last["parents"], last["fix"]) == ("output", "Output", ["a", "b", "c"], None)
    assert [output["text"] for output in cases[0]["steps"][-1]["outputs"]] == ["0", "1"]


def test_a_program_tells_of_no_last_step(folder):
    analyze("both")
    run("validate", "games")
    run("build", "games", "--out", "site")
    assert {header["ordered"] for header, _ in games().values()} == {False}
    shown = run("show", "games", "--cases").stdout + Path("site/scenarios/both.html").read_text("utf-8")
    assert not re.search("last.(step|touch)", shown, re.IGNORECASE)


def test_a_game_lists_the_calls_behind_it_also_when_they_are_known(folder):
    for _ in range(2):
        analyze("pivotal", "--mode", "replayed")
        ((_, cases),) = games().values()
        assert cases[0]["called"] == ["a[1]", "b[1]", "c[1]"]


def test_a_fix_for_a_call_that_is_never_made_is_told_also_when_nothing_runs(folder):
    (folder / "missed.py").write_text(
        "import asyncio\n"
        "from analyzer import Fix, Program, Step\n"
        "async def agent(case, step):\n"
        "    async def ask(n): return await step('search', n)\n"
        "    return await asyncio.gather(ask(1), ask(2))\n"
        "right = Fix.action('right', 1)\n"
        "program = Program('missed', agent, [Step('search', lambda n: 0), Step('idle', lambda: 0)],\n"
        "                  lambda output: 0, fixes={'search[1]': right, '1/search[1]': right, 'idle': right})\n"
    )
    for _ in range(2):
        said = analyze("missed.py:program")
        told = [line.strip() for line in said.splitlines() if "was called in no run" in line]
        assert told == [
            "search[1] was called in no run of a failing case; calls of its step are 1/search[1], 2/search[1]",
            "idle was called in no run of a failing case",
        ]


def test_steps_without_luck_are_told_where_worlds_of_new_luck_are_looked_at(folder):
    told = "no step has any luck, so every world is the same"
    assert told in analyze("both")
    assert told not in analyze("both", "--mode", "replayed")
    assert told not in analyze("loop")


def test_nothing_is_said_of_calls_where_a_cap_cut_the_runs_short(folder):
    assert "was called in no run" not in analyze("loop", "--max-calls", "40", code=3)


@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_engines_agree_to_the_byte(folder, engine):
    said = {}
    for name in ("serial", engine):
        # A process of its own, as workers import what it imports.
        command = [sys.executable, "-m", "site_builder", "analyze", "planted.py:loop", "--cases", "cases.jsonl"]
        options = ["--worlds", "3", "--no-store", "--engine", name, "--out", name]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
        said[name] = done.stderr
    files = [{path.name: path.read_bytes() for path in Path(name).iterdir()} for name in said]
    assert files[0] == files[1]
    assert executed(said["serial"]) == executed(said[engine]) > 0


def test_going_on_executes_nothing_and_writes_the_same(folder):
    analyze("loop")
    before = games()
    said = analyze("loop")
    assert "; 0 calls executed\n" in said
    assert "saved: 100 % of all" in said
    assert games() == before


def test_going_on_after_a_cap_executes_the_rest(folder):
    whole = analyze("loop", "--no-store", out="whole")
    said = analyze("loop", "--max-calls", "40", code=3)
    assert "the cap of 40 calls was reached" in said
    again = analyze("loop")
    assert executed(again) == executed(whole) - 40
    assert games() == games("whole")


def test_other_fixes_of_a_step_are_tried_in_turn(folder):
    analyze("several", "--alternatives", "--mode", "replayed")
    worths = {header["scenario"]["id"]: cases[0]["worth"] for header, cases in games().values()}
    assert worths == {"several": [0, 0], "several + a=right": [0, 1]}


def test_a_program_with_many_fixes_is_sampled(folder):
    (folder / "one.jsonl").write_text('{"id": "c"}\n')
    analyze("large", "--mode", "replayed", "--exact-up-to", "12", "--max-coalitions", "400", cases="one.jsonl")
    run("validate", "games")
    ((_, (case,)),) = games().values()
    low, high = case["sampled"]["low"], case["sampled"]["high"]
    assert all(one <= 1 / 14 <= other for one, other in zip(low, high, strict=True))


def test_secrets_in_addresses_and_outputs_are_redacted_everywhere(folder):
    said = analyze("leaky", "--mode", "replayed")
    run("build", "games", "--out", "site")
    assert "sk-ant-api03" not in said
    for path in (*Path("games").rglob("*"), *Path("site").rglob("*")):
        assert not path.is_file() or b"sk-ant-api03" not in path.read_bytes(), path


def test_single_calls_are_for_programs_alone(folder):
    (folder / "plain.py").write_text(
        "from analyzer import Pipeline, Step\np = Pipeline('p', [Step('a', lambda case: 0)], score=lambda a: a)\n"
    )
    message = analyze("plain.py:p", "--players", "calls", code=2)
    assert "--players calls: is for programs" in message


def test_a_program_that_is_not_deterministic_is_no_failing_case(folder):
    (folder / "moody.py").write_text(
        "import random\nfrom analyzer import Program, Step\n"
        "p = Program('p', lambda case, step: step('a', random.random()), [Step('a', lambda n: n)], lambda output: 0)\n"
    )
    said = analyze("moody.py:p", code=3)
    assert "0 failed, 0 passed, 6 errored" in said
    assert "case 'c0': not analysed: program: run again with the same luck, it gives a[1] other inputs" in said


# The example, as its first lines have it.


@pytest.fixture
def example(folder):
    for path in (EXAMPLE / "tool_agent.py", EXAMPLE / "cases.jsonl"):
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def test_the_example_goes_all_the_way(example):
    analyze("tool_agent.py:program", "--worlds", "2", "--engine", "serial")
    found = games()["travel-desk.replayed.jsonl"][1]
    assert {case["failure"] for case in found} == {"wrong desk", "wrong rule", "sold out", "over budget"}
    verdicts = [tuple(case["values"]["shapley"]) for case in found]
    assert {(0, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, 1), (0, 0, 0.5, 0.5)} <= set(verdicts)
    run("validate", "games")
    run("build", "games", "--out", "site")
    assert os.path.isfile("site/index.html")


def test_single_calls_of_the_example_are_players(example):
    said = analyze("tool_agent.py:program", "--players", "calls", "--max-failures", "1", "--mode", "replayed")
    assert "2 calls of the failing runs can be fixed" in said
    (header, cases) = games()["travel-desk-single-calls.replayed.jsonl"]
    assert header["scenario"]["id"] == "travel-desk-single-calls"
    assert header["players"] == ["route[1]", "answer[1]"]
    assert len(cases) == 1


def test_games_of_steps_and_of_single_calls_stand_beside_each_other(folder):
    analyze("both", "--mode", "replayed")
    analyze("both", "--mode", "replayed", "--players", "calls")
    found = games()
    assert [found[name][0]["players"] for name in sorted(found)] == [["a[1]", "b[1]", "c[1]"], ["a", "b", "c"]]
    run("validate", "games")
    run("build", "games", "--out", "site")


def test_single_calls_with_another_fix_say_which(folder):
    analyze("several", "--mode", "replayed", "--players", "calls", "--alternatives")
    ids = [header["scenario"]["id"] for header, _ in games().values()]
    assert sorted(ids) == ["several + a=right-single-calls", "several-single-calls"]


def test_a_gate_may_be_about_a_single_call(folder):
    gate = ("both", "--mode", "replayed", "--players", "calls", "--fail-on")
    assert "gate not met: mean('a[1]') > 0.4 holds: 0.5" in analyze(*gate, "mean('a[1]') > 0.4", code=10)
    refused = analyze(*gate, "mean(a) > 0.4", code=2)
    assert "step 'a' is unknown (steps with a fix: a[1], b[1], c[1])" in refused
    # Whether it is made shows only as the program runs.
    assert "cannot be told: no step of this name" in analyze(*gate, "mean('a[2]') > 0.4", code=10)


def test_plain_steps_of_an_async_program_run_at_the_same_time(folder):
    # Each waits for the other to have begun.
    (folder / "pair.py").write_text(
        "import asyncio, threading\n"
        "from analyzer import Fix, Program, Step\n"
        "met = threading.Barrier(2)\n"
        "def left(): return met.wait(20) * 0\n"
        "def right(): return met.wait(20) * 0\n"
        "async def agent(case, step):\n"
        "    return sum(await asyncio.gather(step('left'), step('right')))\n"
        "program = Program('pair', agent, [Step('left', left, fix=Fix.constant('one', 1)), Step('right', right)],\n"
        "                  lambda output: output == 1)\n"
    )
    analyze("pair.py:program", "--mode", "replayed")
    ((_, cases),) = games().values()
    assert {tuple(case["worth"]) for case in cases} == {(0, 1)}


def test_a_single_decision_of_the_example_can_be_put_right(example):
    analyze("tool_agent.py:one_call", "--mode", "replayed")
    (header, cases) = games()["travel-desk-one-call.replayed.jsonl"]
    assert header["players"] == ["route", "2/decide[2]"]
    assert any(case["values"]["shapley"] == [0, 1] for case in cases)


def test_a_run_of_the_example_has_a_point_of_commitment(example):
    printed = run("commitment", "tool_agent.py:program", "--cases", "cases.jsonl", "--case", "trip-07").stdout
    assert "2/decide[2] commits the run: with new luck from it on the mean score is 0." in printed
