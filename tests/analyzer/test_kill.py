"""Runs that are killed again and again, in processes of their own: what was stored is never lost and never repeated.

Run as a script, this module is the driver: it imports everything once and forks a child for each attempt at a run.
"""

import ctypes
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest

from analyzer.batch import analyze
from analyzer.engines import Serial, processes, threads
from analyzer.fingerprint import fingerprint
from analyzer.game_file import write, write_streamed
from analyzer.memory import Memory
from analyzer.pipeline import Case, Fix, Pipeline, Step
from analyzer.plan import Plan
from analyzer.store import Store

# Longer than anything here takes, for what would otherwise wait for ever.
PATIENCE = 120.0
WORKERS = {"serial": 1, "threads": 4, "processes": 2}
# How often runs are killed at the least; processes take their time to begin.
KILLS = {"serial": 50, "threads": 50, "processes": 15}
# Calls until a kill comes, one of which is chosen.
STRIDES = {"serial": [0, 0, 1, 3, 10, 20, 30], "threads": [0, 0, 1, 3, 10, 20, 30], "processes": [0, 1, 20, 40, 60, 80]}
# An order of Linux: processes whose parent ends become children of this one, see `man 2 PR_SET_CHILD_SUBREAPER`.
NEXT_OF_KIN = 36


def noted(step, variant, inputs, draw=None, key=""):
    """Count a call outside the process: one line in one write, which a kill does not tear. Then be slow."""
    noise = [list(record.noise) for record in draw.records] if draw else []
    line = fingerprint([step, variant, inputs, noise, key])
    # In the working folder, so that no version of a step depends on where it lies.
    ledger = os.open("ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, f"{line}\n".encode())
    os.close(ledger)
    time.sleep(0.001)


def retrieve(case, draw):
    found = draw.categorical("document", {"right": 0.0, "wrong": 0.5, "none": 0.0})
    noted("retrieve", "as it ran", case, draw)
    return {"found": found, "n": case["n"]}


def retrieve_more(case, draw):
    found = draw.categorical("document", {"right": 1.5, "wrong": 0.5, "none": -1.0})
    noted("retrieve", "more", case, draw)
    return {"found": found, "n": case["n"]}


def condense(retrieve):
    noted("condense", "as it ran", retrieve)
    return retrieve["found"][0]


def keep_all(retrieve):
    noted("condense", "all", retrieve)
    return retrieve["found"]


def answer(condense, draw):
    sure = draw.uniform("sure") < (0.7 if condense.startswith("r") else 0.2)
    # Drawing on some ways only: what a call consumes shows only as it runs.
    lucky = not sure and draw.categorical("guess", {"hit": 0.0, "miss": 1.0}) == "hit"
    noted("answer", "as it ran", condense, draw)
    return "good" if sure or lucky else "bad"


def polish(answer, idempotency_key):
    noted("polish", "as it ran", answer, key=idempotency_key)
    # Luck of its own, which is the same in every attempt so that files can be compared.
    return answer if int(idempotency_key[:4], 16) % 3 else "bad"


def polish_well(answer):
    noted("polish", "well", answer)
    return "good"


PIPELINE = Pipeline(
    "killed",
    [
        Step("retrieve", retrieve, fix=Fix("more", retrieve_more)),
        Step("condense", condense, fix=Fix("all", keep_all)),
        Step("answer", answer, fix=Fix.resample()),
        Step("polish", polish, samples_itself=True, fix=Fix("well", polish_well, samples_itself=False)),
    ],
    score=lambda polish: polish == "good",
)
CASES = [Case(f"c{n}", {"n": n}) for n in range(12)]
PLAN = Plan(worlds=4)
# Bytes of a line in the ledger: a fingerprint and a newline.
LINE = 33


def run(engine, folder):
    """Run everything, with the store and the ledger of a folder, and write the game files there."""
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    with Store.open(folder / "run.sqlite") as store, engine:
        analyze(PIPELINE, CASES, PLAN, Memory(engine, store)).write(folder / "games")


def lines(folder):
    path = folder / "ledger"
    return path.read_text().splitlines() if path.exists() else []


def count(folder):
    path = folder / "ledger"
    return path.stat().st_size // LINE if path.exists() else 0


def stored(folder):
    """Return the calls in a store as whoever reads them next would find them, without touching the store."""
    with tempfile.TemporaryDirectory() as place:
        for path in folder.glob("run.sqlite*"):
            shutil.copy(path, place)
        with closing(sqlite3.connect(Path(place) / "run.sqlite")) as connection:
            if not connection.execute("SELECT * FROM sqlite_schema WHERE name = 'calls'").fetchall():
                return []
            return connection.execute("SELECT hex(base), world, path FROM calls").fetchall()


def games(folder):
    return {path.name: path.read_bytes().decode() for path in sorted((folder / "games").glob("*.jsonl"))}


def forked(work):
    """Start work in a child, with a process group of its own; return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def ended(child):
    """Return a child's exit status once it ended; None while it runs."""
    found, status = os.waitpid(child, os.WNOHANG)
    return status if found else None


def killed(child, folder, calls, seconds):
    """Kill a child so many calls and seconds from now; return False if it ended before, without an error."""
    goal = count(folder) + calls
    while count(folder) < goal:
        if (status := ended(child)) is not None:
            assert status == 0
            return False
        time.sleep(0.0002)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status == signal.SIGKILL


def survivors(child):
    """Wait until the workers that a killed child leaves behind end, too; return how many these were."""
    count = 0
    with suppress(ChildProcessError):
        while os.waitpid(-child, 0):
            count += 1
    return count


def drive(kind, folder):
    """Kill runs until there were enough kills, each run until it is complete; say what was seen."""
    workers = WORKERS[kind]
    if kind == "processes":
        assert ctypes.CDLL(None).prctl(NEXT_OF_KIN, 1) == 0
    make = {"serial": Serial, "threads": lambda: threads(workers), "processes": lambda: processes(workers)}[kind]
    whole = folder / "whole"
    # Here, so that children find everything loaded; in turn, so that no thread is left when they are forked.
    run(Serial(), whole)
    rng = random.Random(kind)
    rounds, kills = [], 0
    while kills < KILLS[kind]:
        place = folder / f"round-{len(rounds)}"
        losses, moments, left, complete = [], [], [], False
        while not complete:
            calls, seconds = rng.choice(STRIDES[kind]), rng.uniform(0, 0.004)
            child = forked(lambda place=place: run(make(), place))
            complete = not killed(child, place, calls, seconds)
            if not complete:
                left.append(survivors(child))
                # What came before in the round is known; the rest was under way when this kill came.
                losses.append(count(place) - len(stored(place)) - sum(losses))
                moments.append(count(place))
        kills += len(losses)
        rounds.append(
            {
                "losses": losses,
                "moments": moments,
                "survivors": left,
                "lines": lines(place),
                "stored": stored(place),
                "same": games(place) == games(whole),
            }
        )
    print(json.dumps({"rounds": rounds, "lines": lines(whole), "stored": stored(whole), "games": games(whole)}))


@pytest.fixture(scope="module", params=["serial", "threads", "processes"])
def report(request, tmp_path_factory):
    kind = request.param
    home = str(Path(__file__).parents[2])
    process = subprocess.run(
        [sys.executable, __file__, kind, str(tmp_path_factory.mktemp(kind))],
        env={**os.environ, "PYTHONPATH": home, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
    )
    return {"kind": kind, "workers": WORKERS[kind], **json.loads(process.stdout)}


def test_kills_hit_runs_at_many_points_of_their_way(report):
    moments = [moment for each in report["rounds"] for moment in each["moments"]]
    assert len(moments) >= KILLS[report["kind"]]
    assert len(set(moments)) > KILLS[report["kind"]] / 2
    assert min(moments) < len(report["lines"]) / 4
    assert max(moments) > len(report["lines"]) * 3 / 4


def test_workers_end_with_the_run_that_began_them(report):
    survivors = [count for each in report["rounds"] for count in each["survivors"]]
    assert max(survivors) == (report["workers"] if report["kind"] == "processes" else 0)


def test_files_are_those_of_a_run_that_nobody_killed(report):
    assert sorted(report["games"]) == ["killed.abducted.jsonl", "killed.fresh.jsonl", "killed.replayed.jsonl"]
    assert [each["same"] for each in report["rounds"]] == [True] * len(report["rounds"])


def test_a_kill_costs_at_most_the_calls_under_way(report):
    losses = [loss for each in report["rounds"] for loss in each["losses"]]
    # No call is stored that was not made, and some kills did hit one.
    assert all(0 <= loss <= report["workers"] for loss in losses)
    assert sum(losses) > 0


def test_a_call_that_was_stored_is_never_made_again(report):
    for each in report["rounds"]:
        assert len(set(map(tuple, each["stored"]))) == len(each["stored"])
        # Each call is stored once in the end, so what was made besides was lost with a kill.
        assert len(each["stored"]) == len(report["stored"]) == len(report["lines"])
        assert len(each["lines"]) - len(each["stored"]) == sum(each["losses"])


def test_calls_made_are_the_distinct_ones_and_what_kills_cost(report):
    distinct = set(report["lines"])
    assert len(distinct) == len(report["lines"]) > 100
    for each in report["rounds"]:
        made = Counter(each["lines"])
        assert set(made) == distinct
        assert made.total() <= len(distinct) + report["workers"] * len(each["losses"])


# A file is whole, the old one or the new one.


def test_a_kill_while_a_game_file_is_written_leaves_the_old_one(tmp_path):
    process = subprocess.run(
        [sys.executable, __file__, "writing", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        timeout=PATIENCE,
        check=True,
    )
    report = json.loads(process.stdout)
    assert len(report["stages"]) > 3
    assert all(report["left"])
    assert report["replaced"]


def drive_writing(folder):
    """Kill a child within each case of a game file and within its header, over an older file; say what is left."""
    os.chdir(folder)
    (old, *_), (new, *_) = (analyze(PIPELINE, CASES, Plan(worlds=worlds)).files[2:] for worlds in (1, 4))
    place = folder / "games"
    path = write(old, place)
    before = path.read_bytes()
    stages, left = [*range(len(new.cases)), "header"], []
    for stage in stages:
        told, tell = os.pipe()

        def wait(tell=tell):
            os.write(tell, b".")
            time.sleep(PATIENCE)

        def cases(stage=stage, wait=wait):
            for number, case in enumerate(new.cases):
                if number == stage:
                    wait()
                yield case

        def header(stage=stage, wait=wait):
            if stage == "header":
                wait()
            return new.header

        child = forked(lambda: write_streamed("killed", "fresh", place, cases(), header))
        assert os.read(told, 1) == b"."
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        left.append(path.read_bytes() == before)
    write(new, place)
    print(json.dumps({"stages": stages, "left": left, "replaced": path.read_bytes() != before}))


if __name__ == "__main__":
    if sys.argv[1] == "writing":
        drive_writing(Path(sys.argv[2]))
    else:
        drive(sys.argv[1], Path(sys.argv[2]))
