"""Measures how much faster calls that wait for a server are done beside each other than one after the other.

    python benchmarks/engines.py

Forty failing cases of a pipeline such as retrieval, rewriting and answering, whose every call takes 50 ms; about a
minute.
"""

from __future__ import annotations

import asyncio
import functools
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from analyzer.batch import analyze
from analyzer.engines import Engine, Serial, threads
from analyzer.memory import Memory
from analyzer.noise import Draws
from analyzer.pipeline import Case, Fix, Pipeline, Step
from analyzer.plan import Plan
from analyzer.store import Store

CASES, SECONDS, WORKERS = 40, 0.05, 8
PLAN = Plan(modes=("replayed", "abducted"), worlds=2)


def rewrite(case: dict[str, Any]) -> str:
    """Return the question as it is searched for."""
    return f"{case['question']} (short)"


def rewrite_well(case: dict[str, Any]) -> str:
    """Return it with the words that matter."""
    return f"{case['question']} (in full)"


def retrieve(rewrite: str, draw: Draws) -> str:
    """Return the document found: the right one, if the words that matter are there, and luck is."""
    return draw.categorical("document", {"right": 1.0 if "full" in rewrite else -3.0, "wrong": 0.0})


def rerank(rewrite: str, draw: Draws) -> str:
    """Return the document that a reranker puts first."""
    return draw.categorical("document", {"right": 2.0 if "full" in rewrite else -2.0, "wrong": 0.0})


def answer(case: dict[str, Any], retrieve: str, draw: Draws) -> str:
    """Return an answer, which is good with the right document and some luck."""
    good = retrieve == "right" and draw.uniform("sure") < 0.8
    return f"{'good' if good else 'bad'} answer to {case['question']}"


def answer_well(case: dict[str, Any], retrieve: str, draw: Draws) -> str:
    """Return an answer that quotes the document."""
    good = retrieve == "right" and draw.uniform("sure") < 0.95
    return f"{'good' if good else 'bad'} answer to {case['question']}, with its source"


def sleeping(function: Callable[..., str]) -> Callable[..., str]:
    """Return a function that takes as long as a server takes, and blocks its thread meanwhile."""

    @functools.wraps(function)
    def run(**inputs: Any) -> str:
        time.sleep(SECONDS)
        return function(**inputs)

    return run


def awaiting(function: Callable[..., str]) -> Callable[..., Awaitable[str]]:
    """Return an async function that takes as long."""

    @functools.wraps(function)
    async def run(**inputs: Any) -> str:
        await asyncio.sleep(SECONDS)
        return function(**inputs)

    return run


def pipeline(slow: Callable[[Callable[..., str]], Callable[..., Any]]) -> Pipeline:
    """Return the pipeline, each function of it made slow."""
    return Pipeline(
        "rag",
        [
            Step("rewrite", slow(rewrite), fix=Fix("keep the words that matter", slow(rewrite_well))),
            Step("retrieve", slow(retrieve), fix=Fix("rerank", slow(rerank))),
            Step("answer", slow(answer), fix=Fix("quote the source", slow(answer_well))),
        ],
        score=lambda answer: answer.startswith("good"),
    )


def failing(pipeline: Pipeline) -> list[Case]:
    """Return the first forty cases that fail, which a run of twice as many tells."""
    cases = [Case(f"case-{n}", {"question": f"question {n}"}) for n in range(2 * CASES)]
    with threads(2 * CASES) as engine:
        batch = analyze(pipeline, cases, Plan(modes=("replayed",)), Memory(engine))
    failed = {game.id for game in batch.files[0].cases}
    return [case for case in cases if case.id in failed][:CASES]


def measure(pipeline: Pipeline, cases: list[Case], engine: Engine) -> tuple[float, int]:
    """Return the seconds of a run with a store on disk, and the calls executed."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "run.sqlite") as store, engine:
        began = time.perf_counter()
        batch = analyze(pipeline, cases, PLAN, Memory(engine, store))
        return time.perf_counter() - began, batch.executed


def main() -> None:
    """Print the table."""
    plain, awaited = pipeline(sleeping), pipeline(awaiting)
    cases = failing(plain)
    rows = {
        "one after the other": measure(plain, cases, Serial()),
        f"{WORKERS} threads": measure(plain, cases, threads(WORKERS)),
        f"async, {WORKERS} at a time": measure(awaited, cases, threads(WORKERS)),
        f"async, {8 * WORKERS} at a time": measure(awaited, cases, threads(8 * WORKERS)),
    }
    serial, calls = next(iter(rows.values()))
    print(f"| {len(cases)} failing cases, {calls:,} calls of {1000 * SECONDS:.0f} ms | seconds | of the first |")
    print("|---|---:|---:|")
    for name, (seconds, executed) in rows.items():
        assert executed == calls
        print(f"| {name} | {seconds:.1f} | 1/{serial / seconds:.1f} |")


if __name__ == "__main__":
    main()
