"""The command `agentblame analyze` around its run: the store, the caps, the gates, the engines and Ctrl-C."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from analyzer import dask_engine
from analyzer.commands.run_options import choice
from analyzer.engines import Serial
from tests.command_line import invoke, run
from tests.waiting import PATIENCE, until

# Steps note each call in a file of the working folder, and take as long as another says, which is part of no version.
BOT = """
import os
import time

from analyzer import Fix, Pipeline, Step


def noted(step):
    with open("ledger", "a") as ledger:
        ledger.write(step + "\\n")
    with open("seconds") as seconds:
        time.sleep(float(seconds.read()))


def find(case):
    noted("find")
    return f"found {case['n'] % 6}"


def find_more(case):
    noted("find more")
    return "found 1"


def tell(find, draw):
    noted("tell")
    return find if draw.uniform("clear") < 0.7 else "nothing"


steps = [Step("find", find, fix=Fix("more", find_more)), Step("tell", tell, fix=Fix.resample())]
bot = Pipeline("bot", steps, score=lambda tell: tell == "found 1")
"""
BASE = ["analyze", "bot.py:bot", "--cases", "cases.jsonl", "--out", "games"]
ARGUMENTS = [*BASE, "--mode", "fresh", "--worlds", "3"]
STORE = Path(".agentblame/bot.sqlite")


@pytest.fixture
def folder(folder):
    (folder / "seconds").write_text("0")
    (folder / "bot.py").write_text(BOT)
    (folder / "cases.jsonl").write_text("".join(f'{{"id": "c{n}", "n": {n}}}\n' for n in range(8)))
    return folder


def calls(folder):
    path = folder / "ledger"
    return path.read_text().split("\n")[:-1] if path.exists() else []


def stored(path=STORE):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM calls WHERE error IS NULL").fetchone()[0]


def games(folder, out="games"):
    return {path.name: path.read_bytes() for path in (folder / out).iterdir()}


# The store.


def test_what_ran_is_kept_in_the_working_folder_out_of_sight_of_git(folder):
    run(*ARGUMENTS)
    assert stored() == len(calls(folder))
    assert (folder / ".agentblame" / ".gitignore").read_text() == "*\n"


def test_the_same_command_again_executes_nothing_and_says_what_that_saved(folder):
    first = run(*ARGUMENTS)
    made, files = len(calls(folder)), games(folder)
    assert f"; {made} calls executed" in first.stderr
    assert "known from earlier runs" not in first.stderr
    second = run(*ARGUMENTS)
    assert len(calls(folder)) == made
    assert "; 0 calls executed" in second.stderr
    assert f"  {made} calls known from earlier runs and saved: 100 % of all" in second.stderr
    assert games(folder) == files


def test_money_that_was_saved_is_told(folder):
    (folder / "bot.py").write_text(
        BOT.replace("tell == \"found 1\")", "tell == \"found 1\", cost_unit=\"USD\")")
        .replace("fix=Fix.resample()", "fix=Fix.resample(), cost=0.5")
        .replace('fix=Fix("more", find_more)', 'fix=Fix("more", find_more), cost=0.25')
    )  # fmt: skip
    first = run(*ARGUMENTS)
    (spent,) = re.findall(r"; \d+ calls \(([\d.]+ USD)\) executed", first.stderr)
    assert f"calls ({spent}) known from earlier runs and saved: 100 % of all" in run(*ARGUMENTS).stderr


def test_a_store_of_ones_own_is_used_and_no_other(folder):
    run(*ARGUMENTS, "--store", "mine/kept.sqlite")
    made = len(calls(folder))
    assert stored(Path("mine/kept.sqlite")) == made
    assert not (folder / ".agentblame").exists()
    assert not (folder / "mine" / ".gitignore").exists()
    run(*ARGUMENTS, "--store", "mine/kept.sqlite")
    assert len(calls(folder)) == made


def test_without_a_store_nothing_is_kept(folder):
    run(*ARGUMENTS, "--no-store")
    made = len(calls(folder))
    assert not (folder / ".agentblame").exists()
    run(*ARGUMENTS, "--no-store")
    assert len(calls(folder)) == 2 * made


def test_each_pipeline_has_a_store_of_its_own(folder):
    run("analyze", "refund-policy-a", "--mode", "replayed", "--out", "games")
    run(*ARGUMENTS)
    assert sorted(path.name for path in (folder / ".agentblame").glob("*.sqlite")) == [
        "bot.sqlite",
        "refund-policy-a.sqlite",
    ]


def test_what_is_no_store_is_refused_before_anything_runs(folder):
    (folder / "notes.txt").write_text("my notes")
    result = run(*ARGUMENTS, "--store", "notes.txt", code=2)
    assert "no store" in result.stderr
    assert calls(folder) == []


def test_a_step_that_opens_files_as_it_runs_is_told_once_results_of_it_are_kept(folder):
    told = "step 'find': opens files as it runs (open); when one of them changes, its calls do not run again"
    # Cases are gone through twice, for which the pipeline is named twice.
    twice = (*ARGUMENTS, "--max-failures", "2", "--workers", "2")
    assert told not in run(*twice).stderr
    assert run(*twice).stderr.count(told) == 1
    versioned = 'Step("find", find, version="1", fix=Fix("more", find_more, version="1"))'
    (folder / "bot.py").write_text(BOT.replace('Step("find", find, fix=Fix("more", find_more))', versioned))
    for _ in range(2):
        assert "step 'find': opens files" not in run(*twice).stderr


def test_a_damaged_store_is_mended_and_told(folder):
    run(*ARGUMENTS)
    made, files = len(calls(folder)), games(folder)
    os.truncate(STORE, STORE.stat().st_size * 9 // 10)
    result = run(*ARGUMENTS)
    assert "was damaged" in result.stderr
    assert "bot.sqlite.damaged-1" in result.stderr
    assert len(calls(folder)) < 2 * made
    assert games(folder) == files


# Caps.


def test_runs_with_a_cap_on_calls_go_on_until_all_is_complete(folder):
    run(*ARGUMENTS, "--no-store", "--out", "whole")
    distinct = len(calls(folder))
    (folder / "ledger").unlink()
    codes = []
    while not codes or codes[-1] == 3:
        before = len(calls(folder))
        result = invoke(*ARGUMENTS, "--max-calls", "5")
        codes.append(result.exit_code)
        assert len(calls(folder)) - before <= 5
        if codes[-1] == 3:
            assert "stopped: the cap of 5 calls was reached after" in result.stderr
            assert f"run the same command again to go on: {STORE} holds every call" in result.stderr
            assert "only what is missing runs" in result.stderr
        assert len(codes) < 50
    assert codes[-1] == 0
    assert len(codes) > 3
    assert len(calls(folder)) == distinct
    assert games(folder) == games(folder, "whole")


def test_without_a_store_a_cap_promises_no_going_on(folder):
    assert "again" not in run(*ARGUMENTS, "--no-store", "--max-calls", "5", code=3).stderr


def test_a_cap_on_time_ends_the_run_as_partial(folder):
    (folder / "seconds").write_text("0.05")
    result = run(*ARGUMENTS, "--max-time", "0.2s", code=3)
    assert "the cap of 0.2 s on the time was reached after" in result.stderr
    # Each takes 50 ms, so no more than five start before 0.2 s are over.
    assert len(calls(folder)) <= 5
    assert stored() == len(calls(folder))
    (folder / "seconds").write_text("0")
    run(*ARGUMENTS)


def test_a_cap_on_the_cost_is_refused_where_no_price_is_known(folder):
    (folder / "bot.py").write_text(BOT.replace('== "found 1")', '== "found 1", cost_unit="USD")'))
    result = run(*ARGUMENTS, "--max-cost", "3", code=2)
    assert "step 'find': what a call costs is not known" in result.stderr
    assert calls(folder) == []
    assert "cost unknown" in run(*ARGUMENTS).stderr


@pytest.mark.parametrize("duration", ["soon", "1x", "-1s", ""])
def test_what_is_no_duration_is_refused(folder, duration):
    result = run(*ARGUMENTS, "--max-time", duration, code=2)
    assert "no duration" in result.stderr
    assert calls(folder) == []


# What it can take.


def test_an_estimate_runs_nothing_and_says_how_long_where_that_was_measured(folder):
    unmeasured = run(*ARGUMENTS, "--estimate").stderr
    assert "at most 16 calls to run every case once" in unmeasured
    assert "if all of them fail" not in unmeasured
    assert not (folder / ".agentblame").exists()
    (folder / "seconds").write_text("0.01")
    run(*ARGUMENTS)
    made = len(calls(folder))
    measured = run(*ARGUMENTS, "--estimate").stderr
    assert re.search(r"if all of them fail: 8 of 8 cases fail: at most \d+ calls more, .*s a call", measured)
    assert len(calls(folder)) == made


def test_before_failing_cases_are_examined_it_is_said_how_many_there_are_and_what_they_take(folder):
    result = run(*ARGUMENTS)
    (failing,) = re.findall(r"  (\d) of 8 cases fail: at most \d+ calls more", result.stderr)
    assert f"  {failing} failed, " in result.stderr


# Gates.


@pytest.mark.parametrize(
    ("condition", "code", "told"),
    [
        ("failed > 0", 10, "gate not met: "),
        ("failed > 100", 0, "gate met: "),
        ("mean(find) > 0.05", 10, "gate not met: "),
        ("mean(find, fresh) > 0.99", 0, "gate met: "),
    ],
)
def test_a_gate_decides_the_exit_code_and_says_why(folder, condition, code, told):
    result = run(*ARGUMENTS, "--fail-on", condition, code=code)
    (line,) = [line for line in result.stderr.splitlines() if "gate" in line]
    assert line.startswith(f"  {told}")
    assert (folder / "games" / "bot.fresh.jsonl").exists()


def test_each_gate_is_judged_and_one_that_is_not_met_is_enough(folder):
    result = run(*ARGUMENTS, "--fail-on", "failed > 100", "--fail-on", "failed > 0", code=10)
    assert [line.split(":")[0].strip() for line in result.stderr.splitlines() if "gate" in line] == [
        "gate met",
        "gate not met",
    ]


def test_a_gate_that_is_not_met_wins_over_a_partial_result(folder):
    result = run(*ARGUMENTS, "--max-calls", "12", "--fail-on", "failed >= 0", code=10)
    assert "gate not met: failed >= 0 holds: 1 of 1 case (so far: not all cases were examined)" in result.stderr
    run(*ARGUMENTS, "--max-calls", "12", "--fail-on", "failed > 100", code=3)


@pytest.mark.parametrize("condition", ["mean(nobody) > 0.3", "nonsense", "mean(find, replayed) > 0.3"])
def test_a_gate_that_cannot_be_judged_is_refused_before_anything_runs(folder, condition):
    run(*ARGUMENTS, "--fail-on", condition, code=2)
    assert calls(folder) == []


# Engines.


@pytest.mark.parametrize(
    "options",
    [["--engine", "serial"], ["--engine", "threads"], ["--workers", "3"], ["--engine", "processes", "--workers", "2"],
     ["--concurrency", "tell=1", "--engine", "threads"], ["--rate", "find=60000"], ["--max-retries", "0"]],
)  # fmt: skip
def test_files_are_the_same_however_calls_are_run(folder, options):
    run(*ARGUMENTS, "--no-store", "--out", "plain")
    run(*ARGUMENTS, "--no-store", *options)
    assert games(folder) == games(folder, "plain")


def test_a_step_with_an_equals_sign_in_its_name_can_be_limited():
    assert choice("--rate", "a=b=3", "N", ["a", "a=b"]) == ("a=b", "3")
    assert choice("--fix", "a=b=3", "LABEL", ["a"]) == ("a", "b=3")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "serial", "--workers", "2"], "--engine serial runs one call at a time; use threads"),
        (["--engine", "quantum"], "'quantum' is not one of"),
        (["--workers", "0"], "0 is not in the range"),
        (["--scheduler", "tcp://127.0.0.1:8786"], "is for --engine dask"),
        (["--concurrency", "nobody=2"], "there is no step 'nobody'; there are find, tell"),
        (["--concurrency", "find"], "write STEP=N"),
        (["--concurrency", "find=0"], "'0' is no number above 0"),
        (["--concurrency", "find=1.5"], "'1.5' is no number above 0"),
        (["--rate", "find=-1"], "'-1' is no number above 0"),
        (["--rate", "find=nan"], "'nan' is no number above 0"),
        (["--rate", "find=many"], "'many' is no number above 0"),
        (["--max-retries", "-1"], "-1 is not in the range"),
    ],
)
def test_an_engine_that_cannot_be_had_is_one_message_and_exit_code_two(folder, options, message):
    assert message in run(*ARGUMENTS, *options, code=2).stderr
    assert calls(folder) == []


@pytest.mark.parametrize(("options", "workers"), [([], None), (["--workers", "3"], 3)])
def test_a_cluster_says_how_many_calls_run_at_a_time_unless_the_command_does(folder, monkeypatch, options, workers):
    asked = []

    def dask(scheduler, workers, *_):
        asked.append((scheduler, workers))
        return Serial()

    monkeypatch.setattr(dask_engine, "dask", dask)
    run(*ARGUMENTS, "--engine", "dask", "--scheduler", "tcp://10.0.0.5:8786", *options)
    assert asked == [("tcp://10.0.0.5:8786", workers)]


# In a process of its own.

# Whoever began the tests may have let Ctrl-C be ignored, which processes inherit.
LAUNCH = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("site_builder", run_name="__main__")
"""


@contextmanager
def begun(folder, *arguments, seconds):
    """Begin the command in a process of its own, whose steps take so long."""
    (folder / "seconds").write_text(str(seconds))
    with (
        (folder / "stderr").open("w") as stderr,
        subprocess.Popen(
            [sys.executable, "-c", LAUNCH, *arguments],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()
            (folder / "seconds").write_text("0")


def said(folder):
    return (folder / "stderr").read_text()


def test_a_second_process_on_the_same_store_is_refused(folder):
    with begun(folder, *ARGUMENTS, seconds=PATIENCE):
        until(lambda: calls(folder))
        result = run(*ARGUMENTS, code=2)
    assert "another run is using it" in result.stderr
    assert "--store" in result.stderr
    assert len(calls(folder)) == 1


def test_a_scheduler_that_is_none_is_one_message_and_exit_code_two(folder):
    with begun(folder, *ARGUMENTS, "--engine", "dask", "--scheduler", "somewhere", seconds=0) as process:
        assert process.wait(PATIENCE) == 2
    assert "somewhere" in said(folder).splitlines()[-1]
    assert "Traceback" not in said(folder)
    assert calls(folder) == []


HOW = {"serial": [], "threads": ["--engine", "threads", "--workers", "4"]}


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_ctrl_c_lets_calls_under_way_end_and_says_how_to_go_on(folder, how):
    with begun(folder, *ARGUMENTS, *how, seconds=0.1) as process:
        until(lambda: len(calls(folder)) >= 6)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
    assert "interrupted: waiting for the calls under way; Ctrl-C again to drop them" in said(folder)
    assert "stopped: an interrupt came after" in said(folder)
    assert f"run the same command again to go on: {STORE} holds every call, and only what is missing runs" in said(
        folder
    )
    made = len(calls(folder))
    assert stored() == made
    run(*ARGUMENTS, "--no-store", "--out", "whole")
    distinct = len(calls(folder)) - made
    assert made < distinct
    run(*ARGUMENTS)
    assert len(calls(folder)) == 2 * distinct
    assert games(folder) == games(folder, "whole")


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_second_ctrl_c_drops_calls_under_way_and_nothing_else(folder, how):
    run(*ARGUMENTS, "--no-store", "--out", "whole")
    distinct = len(calls(folder))
    # Some calls first, which are to stay.
    run(*ARGUMENTS, "--max-calls", "5", code=3)
    with begun(folder, *ARGUMENTS, *how, seconds=PATIENCE) as process:
        until(lambda: len(calls(folder)) > distinct + 5)
        process.send_signal(signal.SIGINT)
        until(lambda: "Ctrl-C again to drop them" in said(folder))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE / 2) == 130
    assert "run the same command again to go on" in said(folder)
    dropped = len(calls(folder)) - distinct - 5
    assert 1 <= dropped <= 4
    assert stored() == 5
    run(*ARGUMENTS)
    assert len(calls(folder)) == 2 * distinct + dropped
    assert games(folder) == games(folder, "whole")
