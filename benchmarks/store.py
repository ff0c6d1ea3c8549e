"""Measures what the store costs while a run goes on, what a complete run costs again, and what many cases take.

    python benchmarks/store.py

Calls of trivial steps, so that nearly all the time is bookkeeping. Each measurement has a process of its own; about
three minutes.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.batch import analyze
from analyzer.memory import Memory
from analyzer.noise import Draws
from analyzer.pipeline import Case, Fix, Pipeline, Step
from analyzer.plan import Plan
from analyzer.store import Store

# Cases of the overhead, of the run that is resumed (of 100,000 calls), and of runs that grow, up to what is sought.
MEASURED, RESUMED, GROWING, SOUGHT = 100, 1_320, (1_000, 3_000, 10_000), 1_000_000
ROUNDS = 3


def retrieve(case: dict[str, Any], draw: Draws) -> dict[str, Any]:
    """Return documents, the right one among them or not."""
    found = draw.categorical("document", {"right": 0.0, "wrong": 1.0})
    return {"documents": [f"{found} document of case {case['n']}", "another one"], "n": case["n"]}


def retrieve_more(case: dict[str, Any], draw: Draws) -> dict[str, Any]:
    """Return the right document more often."""
    found = draw.categorical("document", {"right": 1.0, "wrong": 0.0})
    return {"documents": [f"{found} document of case {case['n']}", "another one"], "n": case["n"]}


def answer(retrieve: dict[str, Any], draw: Draws) -> str:
    """Return a text that is right or not."""
    sure = draw.uniform("sure") < (0.5 if retrieve["documents"][0].startswith("right") else 0.05)
    return f"{'good' if sure else 'bad'} answer to {retrieve['n']}"


def answer_well(retrieve: dict[str, Any], draw: Draws) -> str:
    """Return a text that is right more often."""
    sure = draw.uniform("sure") < (0.8 if retrieve["documents"][0].startswith("right") else 0.1)
    return f"{'good' if sure else 'bad'} answer to {retrieve['n']}"


def check(answer: str, draw: Draws) -> str:
    """Return what is let through."""
    return answer if draw.uniform("seen") < 0.9 else f"bad: {answer}"


PIPELINE = Pipeline(
    "measured",
    [
        Step("retrieve", retrieve, fix=Fix("more", retrieve_more)),
        Step("answer", answer, fix=Fix("well", answer_well)),
        Step("check", check, fix=Fix.resample()),
    ],
    score=lambda check: check.startswith("good"),
)


def cases(count: int) -> list[Case]:
    """Return cases, most of which fail."""
    return [Case(f"case-{n}", {"n": n}) for n in range(count)]


def moments(store: Store, count: int) -> tuple[list[float], float]:
    """Run cases; return the seconds between one executed call and the next, and the seconds of the whole run."""
    memory = Memory(store=store)
    ends: list[float] = []
    memory.told = lambda: ends.append(time.perf_counter())
    began = time.perf_counter()
    analyze(PIPELINE, cases(count), memory=memory)
    whole = time.perf_counter() - began
    return [after - before for before, after in itertools.pairwise(ends)], whole


def measure_overhead(folder: Path) -> Sequence[float]:
    """Return the median between two calls and the mean over the run, with the file and without, and the calls."""
    with_file, without = list[float](), list[float]()
    wholes = [0.0, 0.0]
    for number in range(ROUNDS):
        with Store.open(folder / f"{number}.sqlite") as store:
            between, whole = moments(store, MEASURED)
        with_file += between
        wholes[0] += whole
        with Store.temporary() as store:
            between, whole = moments(store, MEASURED)
        without += between
        wholes[1] += whole
    calls = len(with_file)
    return [
        statistics.median(with_file),
        statistics.median(without),
        wholes[0] / calls,
        wholes[1] / calls,
        calls / ROUNDS,
    ]


def measure_resume(folder: Path) -> Sequence[float]:
    """Return the calls of a run and its seconds; those of the same run again: opening, looking up, writing; and those
    of a run with another score, which executes no step.
    """
    path, chosen = folder / "run.sqlite", cases(RESUMED)
    began = time.perf_counter()
    with Store.open(path) as store:
        batch = analyze(PIPELINE, chosen, memory=Memory(store=store))
        batch.write(folder / "games")
    first = time.perf_counter() - began
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with Store.open(path) as store:
            opened = time.perf_counter()
            again = analyze(PIPELINE, chosen, memory=Memory(store=store))
            looked_up = time.perf_counter()
            again.write(folder / "games")
        written = time.perf_counter()
        assert (again.executed, again.known) == (0, batch.executed)
        times.append((opened - began, looked_up - opened, written - looked_up))
    other = replace(PIPELINE, score=lambda check: check.startswith("good answer"))
    began = time.perf_counter()
    with Store.open(path) as store:
        scored = analyze(other, chosen, memory=Memory(store=store))
    scoring = time.perf_counter() - began
    assert (scored.executed, scored.known) == (0, batch.executed)
    return [batch.executed, first, *(statistics.median(part) for part in zip(*times, strict=True)), scoring]


def measure_cases(folder: Path, count: int) -> Sequence[float]:
    """Run so many cases.

    Returns
    -------
    sequence of float
        The most memory the process held before and at the end, in bytes; failing cases and calls; the seconds of the
        whole, of its first tenth, of its last, of writing the game files, and of the same run again; bytes of the store
        and of the game files.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path, games, chosen, plan = folder / "run.sqlite", folder / "games", cases(count), Plan(worlds=1)
    ends = [time.perf_counter()]
    with Store.open(path) as store:
        memory = Memory(store=store)
        batch = analyze(PIPELINE, chosen, plan, memory, progress=lambda *_: ends.append(time.perf_counter()))
        began = time.perf_counter()
        batch.write(games)
        written = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    with Store.open(path) as store:
        analyze(PIPELINE, chosen, plan, Memory(store=store)).write(games)
    again = time.perf_counter() - began
    tenth = count // 10
    failed = next(iter(batch.counts.values())).failed
    seconds = [ends[-1] - ends[0], ends[tenth] - ends[0], ends[-1] - ends[-1 - tenth], written, again]
    sizes = [path.stat().st_size, sum(file.stat().st_size for file in games.iterdir())]
    return [1024 * before, 1024 * peak, failed, batch.executed, *seconds, *sizes]


def in_a_process(*arguments: str) -> list[float]:
    """Return what a measurement gives in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(number) for number in printed.split()]


def main() -> None:
    """Print the tables."""
    file_median, none_median, file_mean, none_mean, calls = in_a_process("overhead")
    print(f"| {calls:,.0f} calls, {ROUNDS} runs | median between two calls | mean |")
    print("|---|---:|---:|")
    print(f"| no file | {none_median * 1e6:.0f} µs | {none_mean * 1e6:.0f} µs |")
    print(f"| store on disk | {file_median * 1e6:.0f} µs | {file_mean * 1e6:.0f} µs |")
    extra = [(file_median - none_median) * 1e6, (file_mean - none_mean) * 1e6]
    print(f"| what the file adds | {extra[0]:.0f} µs | {extra[1]:.0f} µs |\n")

    calls, first, opening, looking, writing, scoring = in_a_process("resume")
    print(f"| a finished run of {calls:,.0f} calls, {RESUMED:,} cases | seconds |")
    print("|---|---:|")
    print(f"| the run itself | {first:.1f} |")
    print(f"| again: open the store | {opening:.2f} |")
    print(f"| again: look everything up | {looking:.2f} |")
    print(f"| again: write the game files | {writing:.2f} |")
    print(f"| again, in all | {opening + looking + writing:.2f} |")
    print(f"| with another score, so that every call is looked up | {scoring:.1f} |\n")

    print("| cases | calls | memory at the end, of that before the run | calls a second, first tenth | last tenth |")
    print("|---:|---:|---:|---:|---:|")
    for count in GROWING:
        numbers = in_a_process("cases", str(count))
        before, peak, failed, calls, whole, first, last, writing, again, store, games = numbers
        rates = [calls / 10 / first, calls / 10 / last]
        print(
            f"| {count:,} | {calls:,.0f} | {peak / 1e6:.0f} MB, {before / 1e6:.0f} MB "
            f"| {rates[0]:,.0f} | {rates[1]:,.0f} |"
        )
    factor = SOUGHT / GROWING[-1]
    print(f"\n| {failed / GROWING[-1]:.0%} of the cases fail | {GROWING[-1]:,} cases | {SOUGHT:,}, extrapolated |")
    print("|---|---:|---:|")
    print(f"| calls | {calls:,.0f} | {calls * factor:,.0f} |")
    print(f"| bookkeeping of the run, in one process | {whole:.0f} s | {whole * factor / 3600:.1f} h |")
    print(f"| the same run again, in one process | {again:.1f} s | {again * factor / 60:.0f} min |")
    print(f"| store ({store / calls:,.0f} bytes a call) | {store / 1e6:.0f} MB | {store * factor / 1e9:.1f} GB |")
    each = games / failed / 3
    print(f"| game files, 3 modes ({each:,.0f} bytes a game) | {games / 1e6:.0f} MB | {games * factor / 1e9:.1f} GB |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", choices=("overhead", "resume", "cases"))
    parser.add_argument("count", nargs="?", type=int, default=GROWING[0])
    asked = parser.parse_args()
    if asked.what is None:
        main()
    else:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if asked.what == "cases":
                numbers = measure_cases(folder, asked.count)
            else:
                numbers = (measure_overhead if asked.what == "overhead" else measure_resume)(folder)
        print(*numbers)
