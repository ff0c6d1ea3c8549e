"""Turns exact Shapley values of many games, and of one large game, into a table of times.

``python benchmarks/shapley.py`` compares one batch call with the textbook double loop, and with dowhy's EXACT
estimator and shap's ExactExplainer where they are installed (the ``bench`` extra), each given all games as the
outputs of one call. Medians and ratios are of one run on one machine.
"""

from __future__ import annotations

import importlib.util
import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from analyzer.rules import shapley

GAMES = 10_000
PLAYERS = 8
LARGE = 20
REPEATS = 9
LOOPED_GAMES = 500  # the loop takes time in proportion: it is timed on these, and scaled up


def textbook_loop(worth: list[float], players: int, weights: list[float]) -> list[float]:
    values = [0.0] * players
    for player in range(players):
        bit = 1 << player
        for mask in range(2**players):
            if not mask & bit:
                values[player] += weights[mask.bit_count()] * (worth[mask | bit] - worth[mask])
    return values


def textbook_weights(players: int) -> list[float]:
    n = math.factorial(players)
    return [math.factorial(s) * math.factorial(players - s - 1) / n for s in range(players)]


def page_loop(worth: list[float], players: int) -> list[float]:
    """Run the page's loop, addition by addition."""
    unit = math.lcm(*range(1, players + 1))
    values = []
    for player in range(players):
        bit = 1 << player
        sums = [0.0] * players
        for mask in range(2**players):
            if not mask & bit:
                sums[mask.bit_count()] += worth[mask | bit] - worth[mask]
        total = 0.0
        for size in range(players):
            total += unit // (players * math.comb(players - 1, size)) * sums[size]
        values.append(total / unit)
    return values


def median_seconds(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Time the calls in turns, so that a busy moment of the machine hits all of them alike."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def masks_of(rows: Any) -> Any:
    return np.asarray(rows).astype(bool) @ (1 << np.arange(PLAYERS))


def with_dowhy(tables: Any) -> Callable[[], Any] | None:
    """Return a call that gives dowhy all games as the outputs of one set function."""
    if importlib.util.find_spec("dowhy") is None:
        return None
    import dowhy.gcm.config
    from dowhy.gcm.shapley import ShapleyApproximationMethods, ShapleyConfig, estimate_shapley_values

    dowhy.gcm.config.disable_progress_bars()
    columns = np.ascontiguousarray(tables.T, dtype=np.float64)
    config = ShapleyConfig(approximation_method=ShapleyApproximationMethods.EXACT, n_jobs=1)
    return lambda: estimate_shapley_values(lambda subset: columns[masks_of(subset)], PLAYERS, config)


def with_shap(tables: Any) -> Callable[[], Any] | None:
    """Return a call that gives shap all games as the outputs of one model."""
    if importlib.util.find_spec("shap") is None:
        return None
    import shap

    columns = np.ascontiguousarray(tables.T, dtype=np.float64)
    nobody, everybody = np.zeros((1, PLAYERS)), np.ones((1, PLAYERS))
    explainer = shap.explainers.Exact(lambda rows: columns[masks_of(rows)], nobody)
    return lambda: explainer(everybody, max_evals=2**PLAYERS, silent=True).values[0].T


def compare(kind: str, tables: Any, denominator: int | None) -> None:
    """Print the rows of the table for one kind of score."""
    weights = textbook_weights(PLAYERS)
    some = tables[:LOOPED_GAMES].tolist()
    ours = shapley(tables, denominator)
    assert ours[:LOOPED_GAMES].tolist() == [page_loop(worth, PLAYERS) for worth in some], "not the page's bits"
    calls: dict[str, Callable[[], Any]] = {
        "textbook double loop": lambda: [textbook_loop(worth, PLAYERS, weights) for worth in some],
        "agent blame, one call": lambda: shapley(tables, denominator),
    }
    for name, call in (("dowhy EXACT", with_dowhy(tables)), ("shap ExactExplainer", with_shap(tables))):
        if call is None:
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        assert np.allclose(call(), ours), f"{name} was asked something else"
        calls[f"{name}, one call"] = call
    seconds = median_seconds(calls)
    seconds["textbook double loop"] *= GAMES / LOOPED_GAMES
    for name, time_taken in seconds.items():
        ratio = seconds["textbook double loop"] / time_taken
        print(f"| {kind}: {name} | {time_taken * 1e3:,.1f} ms | {ratio:,.0f}x |")


def main() -> None:
    rng = np.random.default_rng(0)
    print(f"{GAMES:,} games of {PLAYERS} fixes, median of {REPEATS} runs, numpy {np.__version__}\n")
    print("| what | time | times the loop |")
    print("|---|---:|---:|")
    pass_fail = rng.integers(0, 2, (GAMES, 2**PLAYERS))
    real = rng.random((GAMES, 2**PLAYERS))
    for kind, tables, denominator in (("pass/fail", pass_fail, 1), ("real", real, None)):
        compare(kind, tables, denominator)
    print(f"\nOne game of {LARGE} fixes\n")
    print("| what | time |")
    print("|---|---:|")
    large_pass_fail, large_real = rng.integers(0, 2, 2**LARGE), rng.random(2**LARGE)
    seconds = median_seconds(
        {"pass/fail": lambda: shapley(large_pass_fail, 1), "real": lambda: shapley(large_real, None)}
    )
    for kind, time_taken in seconds.items():
        print(f"| {kind} | {time_taken * 1e3:,.1f} ms |")


if __name__ == "__main__":
    main()
