"""Measures how much it takes to say which fix comes first, by several rules, and how often each of them is wrong.

    python benchmarks/separation.py

On the bundled scenario `eight-step`: orders of the fixes in single games, then failures in a stream. Then the rules are
tried where there is nothing to say (two fixes tied at the top), and their intervals where the true values are known.
All at an error probability of 0.05, looking after every observation or at every checkpoint until something is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from analyzer.batch import analyze
from analyzer.bounds import checkpoints, disjoint_leader, empirical_bernstein, hoeffding, look_share, normal
from analyzer.game_file import CaseGame
from analyzer.noise import units
from analyzer.plan import Plan
from analyzer.rules import Separation, betting_interval
from analyzer.rules.betting import bet, mean_capital, parts_of_range, start
from analyzer.scenarios import bundle

Floats = NDArray[np.float64]

DELTA = 0.05
FIRST_LOOK, RATIO = 10, 1.25
STREAM, RESAMPLED, LONGEST = 3000, 40, 10_000
MOST_ORDERS = 40_000
NULL_STREAMS, NULL_LENGTH = 2000, 1000
RUNS, LENGTH = 1000, 1000


def looks(most: int) -> Iterator[tuple[int, int]]:
    """Yield the number of each checkpoint and its count, up to a count."""
    for number, count in enumerate(checkpoints(FIRST_LOOK, RATIO), 1):
        if count > most:
            return
        yield number, count


Radius = Callable[[int, Floats, float, float], Floats]
RADII: dict[str, Radius] = {
    "Hoeffding": lambda count, variance, spread, delta: hoeffding(count, spread, delta) + 0 * variance,
    "empirical Bernstein": empirical_bernstein,
    "normal (not valid)": lambda count, variance, spread, delta: normal(count, variance, delta),
}


def by_radius(rows: Floats, spread: float, radius: Radius) -> int | None:
    """Return after how many rows the intervals of one player lie above all others; each row within the spread."""
    sums, squares = rows.cumsum(axis=0), (rows**2).cumsum(axis=0)
    for number, count in looks(len(rows)):
        mean = sums[count - 1] / count
        variance = np.maximum(squares[count - 1] - count * mean**2, 0) / (count - 1)
        around = radius(count, variance, spread, look_share(DELTA, rows.shape[1], number))
        if disjoint_leader(mean - around, mean + around) is not None:
            return count
    return None


def by_betting_intervals(rows: Floats, spread: float) -> int | None:
    """Return after how many rows the betting intervals of one player lie above all others."""
    for _, count in looks(len(rows)):
        low, high = betting_interval(rows[:count], -spread / 2, spread / 2, 2 * rows.shape[1] / DELTA)
        if disjoint_leader(low, high) is not None:
            return count
    return None


def by_betting_on_differences(rows: Floats, apart: float) -> int | None:
    """Return after how many rows betting on differences claims a leader."""
    separation = Separation(rows.shape[1], apart, rows.shape[1] / DELTA)
    for count, row in enumerate(rows, 1):
        separation.add(row)
        if separation.leader is not None:
            return count
    return None


def all_rules(rows: Floats, spread: float, apart: float) -> dict[str, int | None]:
    """Return what each rule needs."""
    found = {name: by_radius(rows, spread, radius) for name, radius in RADII.items()}
    found["betting, disjoint intervals"] = by_betting_intervals(rows, spread)
    found["betting on differences"] = by_betting_on_differences(rows, apart)
    return found


def worth(case: CaseGame) -> Floats:
    return np.array(case.worth, dtype=np.float64) / (case.denominator or 1)


def order_rows(table: Floats, number: int, count: int) -> Floats:
    """Return what each fix adds in each of `count` random orders."""
    players = len(table).bit_length() - 1
    orders = np.argsort(units(count * players, "orders", number).reshape(count, players), axis=1)
    masks = np.concatenate([np.zeros((count, 1), dtype=np.int64), np.cumsum(1 << orders, axis=1)], axis=1)
    rows = np.empty((count, players))
    np.put_along_axis(rows, orders, np.diff(table[masks], axis=1), axis=1)
    return rows


def print_medians(found: Sequence[dict[str, int | None]], what: str) -> None:
    """Print the median of each rule, and its ratio to empirical Bernstein."""
    print(f"| rule | {what}, median | of empirical Bernstein |")
    print("|---|---:|---:|")
    medians = {name: float(np.median([one[name] or math.inf for one in found])) for name in found[0]}
    for name, median in medians.items():
        part = f"{100 * median / medians['empirical Bernstein']:.0f} %" if math.isfinite(median) else ""
        print(f"| {name} | {f'{median:,.0f}' if part else 'never'} | {part} |")


def wrong_on_ties(rows: Floats, first: int, second: int) -> None:
    """Print how often each rule claims a leader where two fixes are tied: their values change places at random."""
    picked = (units(NULL_STREAMS * NULL_LENGTH, "null") * len(rows)).astype(int).reshape(NULL_STREAMS, NULL_LENGTH)
    swapped = units(NULL_STREAMS * NULL_LENGTH, "swap").reshape(NULL_STREAMS, NULL_LENGTH) < 0.5
    streams = rows[picked]
    one, other = streams[..., first].copy(), streams[..., second].copy()
    streams[..., first], streams[..., second] = np.where(swapped, other, one), np.where(swapped, one, other)
    players = rows.shape[1]
    print(f"| rule | wrong claims in {NULL_STREAMS:,} streams of {NULL_LENGTH:,} failures | allowed |")
    print("|---|---:|---:|")
    for name, radius in RADII.items():
        wrong = sum(by_radius(stream, 2.0, radius) is not None for stream in streams)
        print(f"| {name} | {wrong} | {DELTA * NULL_STREAMS:.0f} |")
    mantissas, exponents = start((NULL_STREAMS, players * players))
    claimed = np.zeros(NULL_STREAMS, dtype=bool)
    for count in range(NULL_LENGTH):
        values = streams[:, count]
        apart = (values[:, :, None] - values[:, None, :]).reshape(NULL_STREAMS, -1)
        above, _ = parts_of_range(apart, -1.0, 1.0)
        bet(mantissas, exponents, above[None] / 0.5)
        capitals = mean_capital(mantissas, exponents).reshape(NULL_STREAMS, players, players)
        capitals[:, range(players), range(players)] = np.inf
        claimed |= (capitals >= players / DELTA).all(axis=2).any(axis=1)
    print(f"| betting on differences | {claimed.sum()} | {DELTA * NULL_STREAMS:.0f} |")


def misses(table: Floats, truth: Floats) -> None:
    """Print how often intervals ever miss a true value, looking until the end, for orders of one game."""
    rows = np.array([order_rows(table, number, LENGTH) for number in range(RUNS)])
    players = rows.shape[2]
    print(f"| interval | runs of {RUNS:,} in which any of {players} intervals ever missed | allowed |")
    print("|---|---:|---:|")
    sums, squares = rows.cumsum(axis=1), (rows**2).cumsum(axis=1)
    for name, radius in RADII.items():
        missed = np.zeros(RUNS, dtype=bool)
        for number, count in looks(LENGTH):
            mean = sums[:, count - 1] / count
            variance = np.maximum(squares[:, count - 1] - count * mean**2, 0) / (count - 1)
            missed |= (abs(mean - truth) > radius(count, variance, 2.0, look_share(DELTA, players, number))).any(axis=1)
        print(f"| {name} | {missed.sum()} | {DELTA * RUNS:.0f} |")
    missed = np.zeros(RUNS, dtype=bool)
    at_truth = (truth + 1) / 2
    sides = [start((RUNS, players)), start((RUNS, players))]
    for count in range(LENGTH):
        for side, (part, level) in enumerate(
            zip(parts_of_range(rows[:, count], -1.0, 1.0), (at_truth, 1 - at_truth), strict=True)
        ):
            bet(*sides[side], (part / level)[None])
            missed |= (mean_capital(*sides[side]) >= 2 * players / DELTA).any(axis=1)
    print(f"| betting | {missed.sum()} | {DELTA * RUNS:.0f} |")


def main() -> None:
    found = bundle("eight-step")
    pipeline = found.pipelines[0]

    print("### Orders to separate the top fix of one game\n")
    games = analyze(pipeline, found.cases, Plan(modes=("abducted",), max_failures=found.failures)).files[0].cases
    needed = []
    for case in games:
        table = worth(case)
        values = np.sort(np.array(case.values["shapley"]))
        if values[-1] - values[-2] > 0.01:
            needed.append(all_rules(order_rows(table, 0, MOST_ORDERS), 2.0, 2.0))
    print(f"{len(needed)} of the {len(games)} exported games have one fix ahead by more than 0.01.\n", flush=True)
    print_medians(needed, "orders")

    print("\n### Failures to separate the top fix of the stream\n", flush=True)
    plan = Plan(modes=("replayed",), max_failures=STREAM)
    stream = analyze(pipeline, found.cases, plan).files[0].cases
    rows = np.array([case.values["shapley"] for case in stream])
    as_it_came = all_rules(rows, 2.0, 1.0)
    said = ", ".join(f"{name} {count or f'more than {len(rows):,}'}" for name, count in as_it_came.items())
    print(f"{len(rows):,} failures in the order they came: {said}.")
    print(f"{RESAMPLED} streams of up to {LONGEST:,} failures, each drawn from those anew:\n", flush=True)
    draws = [(units(LONGEST, "resampled", number) * len(rows)).astype(int) for number in range(RESAMPLED)]
    print_medians([all_rules(rows[draw], 2.0, 1.0) for draw in draws], "failures")

    print("\n### Where nothing can be said: two fixes tied at the top\n", flush=True)
    first, second = (int(player) for player in islice(np.argsort(-rows.mean(axis=0)), 2))
    wrong_on_ties(rows, first, second)

    print("\n### Where the true values are known\n", flush=True)
    richest = max(games, key=lambda case: len({round(value, 9) for value in case.values["shapley"] or ()}))
    misses(worth(richest), np.array(richest.values["shapley"]))


if __name__ == "__main__":
    main()
