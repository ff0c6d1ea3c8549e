"""Measures the error of sampled Shapley values beside other estimators that may ask for as many coalitions.

    python benchmarks/sampling.py

Games of 12, 16 and 20 players whose Shapley values are known, of five families; every estimator gets the same number of
distinct coalitions. Errors are relative to plain permutation sampling, in one run. shapiq's and shap's estimators are
measured where they are installed.
"""

from __future__ import annotations

import importlib.util
import math
import os
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # matrices are small: threads would cost more than they spare

import numpy as np

from analyzer.rules import shapley
from analyzer.sampling import TOP, Sampled, sample

PLAYERS = (12, 16, 20)
BUDGETS = (10, 25, 50)  # coalitions per player
GAMES = 3  # of each family and size
SEEDS = 2
DELTA = 0.05
TIED_RUNS = 300
CLEAR = 0.05  # by how much the top player leads in the games in which it is to be found


def random_scores(players: int, rng: Any) -> Any:
    """Every coalition's score drawn by itself: nothing to be learnt from one about another."""
    return rng.random(2**players)


def few_fixes_matter(players: int, rng: Any) -> Any:
    """Five players with random scores for their coalitions; the others do nothing."""
    table, masks = rng.random(32), np.arange(2**players)
    matter = rng.choice(players, 5, replace=False)
    return table[sum((masks >> int(player) & 1) << place for place, player in enumerate(matter))]


def few_dividends(players: int, rng: Any) -> Any:
    """Twelve groups of one to four players, each adding a normal amount once it is complete; scaled to 0 ... 1."""
    worths = np.zeros(2**players)
    for _ in range(12):
        worths += rng.normal() * complete(players, rng.choice(players, rng.integers(1, 5), replace=False))
    return (worths - worths.min()) / np.ptp(worths)


def any_repair(players: int, rng: Any) -> Any:
    """Pass or fail: passes once any of three to eight groups of two to five players is complete."""
    worths = np.zeros(2**players)
    for _ in range(rng.integers(3, 9)):
        worths = np.maximum(worths, complete(players, rng.choice(players, rng.integers(2, 6), replace=False)))
    return worths


def weighted_majority(players: int, rng: Any) -> Any:
    """Pass or fail: passes once players of enough weight, exponentially distributed, are in."""
    weights, masks = rng.exponential(size=players), np.arange(2**players)
    total = sum(weight * (masks >> player & 1) for player, weight in enumerate(weights))
    return (total >= rng.uniform(0.3, 0.7) * weights.sum()).astype(float)


def complete(players: int, group: Any) -> Any:
    needed = int(sum(1 << int(player) for player in group))
    return (np.arange(2**players) & needed == needed).astype(float)


FAMILIES = {
    "random": random_scores,
    "few fixes matter": few_fixes_matter,
    "few dividends": few_dividends,
    "any repair": any_repair,
    "weighted majority": weighted_majority,
}
PASS_FAIL = ("any repair", "weighted majority")


def games(family: str, players: int, count: int, lead: float = 0.0) -> Iterator[tuple[Any, Any]]:
    """Yield worth tables with their Shapley values, not all alike, of games whose top player leads by enough."""
    rng = np.random.default_rng([players, sorted(FAMILIES).index(family)])
    found = 0
    while found < count:
        worths = FAMILIES[family](players, rng)
        exact = shapley(worths, None)
        second, first = np.sort(exact)[-2:]
        if np.ptp(exact) > 1e-9 and first - second >= lead:
            found += 1
            yield worths, exact


def ours(estimator: str, results: list[tuple[Sampled, Any]]) -> Callable[..., Any]:
    """Return an estimator of this package's; what it gave is kept with the exact values, to see about coverage."""

    def estimate(worths: Any, players: int, budget: int, seed: int, exact: Any) -> Any:
        sampled = sample(
            lambda masks: worths[list(masks)].tolist(),
            players,
            0.0,
            1.0,
            max_evaluations=budget,
            target=None,
            estimator=estimator,
            seed=str(seed),
            delta=DELTA,
        )
        results.append((sampled, exact))
        return np.array(sampled.values)

    return estimate


def equal_split(worths: Any, players: int, budget: int, seed: int, exact: Any) -> Any:
    return np.full(players, (worths[-1] - worths[0]) / players)


def scorer(worths: Any, players: int) -> Callable[[Any], Any]:
    powers = 1 << np.arange(players)
    return lambda rows: worths[np.atleast_2d(rows).astype(bool) @ powers]


def of_shapiq(make: Callable[[int, int], Any]) -> Callable[..., Any]:
    def estimate(worths: Any, players: int, budget: int, seed: int, exact: Any) -> Any:
        values = make(players, seed).approximate(budget, scorer(worths, players))
        return np.array([values[(player,)] for player in range(players)])

    return estimate


def shapiq_estimators() -> dict[str, Callable[..., Any]]:
    if importlib.util.find_spec("shapiq") is None:
        print("shapiq is not installed: its rows are left out\n")
        return {}
    from shapiq import approximator as of

    return {
        "shapiq SVARM": of_shapiq(lambda n, seed: of.SVARM(n, random_state=seed)),
        "shapiq stratified SVARM": of_shapiq(
            lambda n, seed: of.SVARMIQ(n, max_order=1, index="SV", random_state=seed, pairing_trick=True)
        ),
        "shapiq KernelSHAP, paired": of_shapiq(lambda n, seed: of.KernelSHAP(n, random_state=seed, pairing_trick=True)),
        "shapiq unbiased KernelSHAP": of_shapiq(
            lambda n, seed: of.UnbiasedKernelSHAP(n, random_state=seed, pairing_trick=True)
        ),
        "shapiq permutation": of_shapiq(lambda n, seed: of.PermutationSamplingSV(n, random_state=seed)),
        "shapiq stratified": of_shapiq(lambda n, seed: of.StratifiedSamplingSV(n, random_state=seed)),
    }


def shap_estimators() -> dict[str, Callable[..., Any]]:
    if importlib.util.find_spec("shap") is None:
        print("shap is not installed: its rows are left out\n")
        return {}
    import shap

    def kernel(worths: Any, players: int, budget: int, seed: int, exact: Any) -> Any:
        np.random.seed(seed)
        explainer = shap.KernelExplainer(scorer(worths, players), np.zeros((1, players)))
        return explainer.shap_values(np.ones(players), nsamples=budget - 2, l1_reg=False, silent=True)

    def permutation(worths: Any, players: int, budget: int, seed: int, exact: Any) -> Any:
        explainer = shap.explainers.Permutation(scorer(worths, players), np.zeros((1, players)), seed=seed)
        return explainer(np.ones((1, players)), max_evals=budget, silent=True).values[0]

    return {"shap KernelExplainer": kernel, "shap PermutationExplainer": permutation}


def errors(estimators: dict[str, Callable[..., Any]]) -> dict[str, dict[tuple[str, int, int], list[float]]]:
    """Return the root mean square errors by estimator, and by family, players and budget: one for each game."""
    found: dict[str, dict[tuple[str, int, int], list[float]]] = {name: defaultdict(list) for name in estimators}
    for family in FAMILIES:
        for players in PLAYERS:
            for worths, exact in games(family, players, GAMES):
                for budget in BUDGETS:
                    for name, estimate in estimators.items():
                        squares = [
                            np.mean((estimate(worths, players, budget * players, seed, exact) - exact) ** 2)
                            for seed in range(SEEDS)
                        ]
                        found[name][family, players, budget].append(float(np.sqrt(np.mean(squares))))
    return found


def ratio(found: Any, name: str, wanted: Callable[[str, int, int], bool]) -> float:
    """Return the geometric mean over games of an estimator's error over that of plain permutation sampling."""
    logarithms = [
        math.log(max(error, 1e-12) / plain)
        for key, mine in found[name].items()
        if wanted(*key)
        for error, plain in zip(mine, found["permutation"][key], strict=True)
    ]
    return math.exp(sum(logarithms) / len(logarithms))


def pooled(found: Any, name: str, wanted: Callable[[str, int, int], bool]) -> float:
    """Return the root mean square error over all games of an estimator over that of plain permutation sampling."""
    squares = {
        which: sum(error**2 for key, mine in found[which].items() if wanted(*key) for error in mine)
        for which in (name, "permutation")
    }
    return math.sqrt(squares[name] / squares["permutation"])


def print_errors(found: Any) -> None:
    print(
        f"Root mean square error over that of plain permutation sampling, pooled over {GAMES} games of each family and"
    )
    print(f"size ({SEEDS} seeds each), with {', '.join(f'{budget} n' for budget in BUDGETS)} coalitions; in the last")
    print("column the geometric mean of the games' ratios instead.\n")
    print(f"| estimator | all | {' | '.join(FAMILIES)} | game by game |")
    print(f"|---|---:|{'---:|' * len(FAMILIES)}---:|")
    for name in found:
        cells = [pooled(found, name, lambda *_: True)]
        cells += [pooled(found, name, lambda f, *_, family=family: f == family) for family in FAMILIES]
        cells.append(ratio(found, name, lambda *_: True))
        print(f"| {name} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    print("\n`adjusted` by size and budget:\n")
    print(f"| players | {' | '.join(f'{budget} n' for budget in BUDGETS)} |")
    print(f"|---:|{'---:|' * len(BUDGETS)}")
    for players in PLAYERS:
        cells = [
            pooled(found, "adjusted", lambda _, n, b, players=players, budget=budget: (n, b) == (players, budget))
            for budget in BUDGETS
        ]
        print(f"| {players} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")


def print_coverage(results: dict[str, list[tuple[Sampled, Any]]]) -> None:
    print(f"\nIntervals by betting, delta = {DELTA}, in the runs above: how often all of a game's intervals held.\n")
    print("| estimator | runs | all hold | mean width | wrong leaders |")
    print("|---|---:|---:|---:|---:|")
    for name, runs in results.items():
        held = sum(
            bool(((np.array(run.lows) <= exact + 1e-12) & (exact <= np.array(run.highs) + 1e-12)).all())
            for run, exact in runs
        )
        width = np.mean([np.mean(np.array(run.highs) - np.array(run.lows)) for run, _ in runs])
        wrong = sum(run.leader is not None and exact[run.leader] < exact.max() for run, exact in runs)
        print(f"| {name} | {len(runs)} | {held / len(runs):.3f} | {width:.3f} | {wrong} |")


def print_separation(budget: int) -> None:
    print(f"\nCoalitions until the top player, ahead by {CLEAR} or more, is separated ({1 - DELTA:.0%} sure), at most")
    print(f"{budget:,}; geometric means over games of 16 players. In brackets how often it was.\n")
    families = [family for family in FAMILIES if family != "random"]
    print(f"| estimator | {' | '.join(families)} |")
    print(f"|---|{'---:|' * len(families)}")
    for estimator in ("permutation", "antithetic", "adjusted"):
        cells = []
        for family in families:
            runs = [
                sample(
                    lambda masks, worths=worths: worths[list(masks)].tolist(),
                    16,
                    0.0,
                    1.0,
                    max_evaluations=budget,
                    target=TOP,
                    estimator=estimator,
                    delta=DELTA,
                    seed=str(seed),
                )
                for worths, _ in games(family, 16, GAMES, CLEAR)
                for seed in range(SEEDS)
            ]
            asked = math.exp(sum(math.log(run.evaluations) for run in runs) / len(runs))
            done = sum(run.leader is not None for run in runs)
            cells.append(f"{asked:,.0f} ({done}/{len(runs)})")
        print(f"| {estimator} | {' | '.join(cells)} |")


def print_ties(budget: int) -> None:
    """Print how often a leader is claimed where two players tie at the top, and how often an interval misses."""
    players, masks = 10, np.arange(2**10)
    others = sum((masks >> player & 1) for player in range(2, players))
    worths = ((masks & 3 > 0) & (others >= 3)).astype(float)
    exact = shapley(worths, None)
    wrong = missed = 0
    for seed in range(TIED_RUNS):
        run = sample(
            lambda asked: worths[list(asked)].tolist(),
            players,
            0.0,
            1.0,
            max_evaluations=budget,
            target=TOP,
            delta=DELTA,
            seed=f"tie {seed}",
        )
        wrong += run.leader is not None
        missed += bool((np.array(run.lows) > exact + 1e-12).any() or (np.array(run.highs) < exact - 1e-12).any())
    print(
        f"\nTwo of {players} players tied at the top, looked at until {budget} of {2**players} coalitions are known: a"
    )
    print(f"leader was claimed in {wrong} of {TIED_RUNS} runs, an interval missed in {missed} ({DELTA:.0%} allowed).")


def main() -> None:
    warnings.filterwarnings("ignore")
    results: dict[str, list[tuple[Sampled, Any]]] = {"permutation": [], "antithetic": [], "adjusted": []}
    estimators = {name: ours(name, runs) for name, runs in results.items()}
    found = errors({**estimators, "equal split": equal_split, **shapiq_estimators(), **shap_estimators()})
    print_errors(found)
    print_coverage(results)
    print_separation(6_000)
    print_ties(400)
    worths, _ = next(games("few dividends", 20, 1))
    start = time.perf_counter()
    sample(lambda masks: worths[list(masks)].tolist(), 20, 0.0, 1.0, max_evaluations=1_000, target=None)
    print(f"\n1,000 coalitions of 20 players, `adjusted`: {time.perf_counter() - start:.1f} s besides evaluating them.")


if __name__ == "__main__":
    main()
