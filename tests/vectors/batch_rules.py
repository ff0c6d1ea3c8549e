"""Turns hand-made and seeded batches of cases into the vectors of the rules over many failures."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from tests.vectors.doubles import all_to_hex, to_hex
from tests.vectors.tables import CORNER_SCORES, HUGE, SEED, SMALLEST, Vector, vector

BELOW_1 = math.nextafter(1, 0)
ABOVE_1 = math.nextafter(1, 2)

# What a value of a case may be, and the range it lies in by what it is.
KINDS: dict[str, tuple[float, float, Callable[[random.Random], float]]] = {
    "pass-fail": (0.0, 1.0, lambda rng: int(rng.random() < 0.3)),
    "rare": (0.0, 1.0, lambda rng: int(rng.random() < 0.02)),
    "signs": (-1.0, 1.0, lambda rng: rng.choice((-1, 0, 0, 0, 1, 1))),
    "twelfths": (-1.0, 1.0, lambda rng: rng.choice((-1, 0, 0, 1, 4, 5, 6, 12)) / 12),
    "uniform": (-0.3, 2.7, lambda rng: rng.random() * 3 - 0.3),
    "narrow": (-1.0, 1.0, lambda rng: 0.2 + rng.random() / 16),
    "huge": (-1e300, 1e300, lambda rng: (rng.random() - 0.5) * 1e300),
    "tiny": (-1e-310, 1e-310, lambda rng: (rng.random() - 0.5) * 1e-310),
}


def encoded(values: list[Any]) -> list[Any]:
    """Return floats as hex digits, integers and holes as they are."""
    return [to_hex(value) if isinstance(value, float) else value for value in values]


def rows_of(rows: list[list[Any]]) -> dict[str, Any]:
    """Return a batch as inputs."""
    return {"rows": [encoded(row) for row in rows]}


def ranged(values: list[Any], low: float, high: float, times: int = 1, **others: float) -> dict[str, Any]:
    """Return values, repeated so many times, and their range as inputs."""
    numbers = {name: to_hex(float(number)) for name, number in {"low": low, "high": high, **others}.items()}
    return {"values": encoded(values), "times": times, **numbers}


def mean_and_deviation_vectors() -> list[Vector]:
    """Return the vectors of mean_and_deviation."""
    rule = "mean_and_deviation"
    root = math.sqrt(2)
    typed: list[tuple[str, str, list[list[Any]], list[float], list[float] | None]] = [
        ("numacc1", "certified by NIST's Statistical Reference Datasets, NumAcc1: 10000002 and 1",
         [[10000001], [10000003], [10000002]], [10000002.0], [1.0]),
        ("one-case", "no deviation", [[0.5, -0.25]], [0.5, -0.25], None),
        ("two-cases", "half the sum, half the difference times the root of 2", [[1, 4], [3, 4]], [2.0, 4.0],
         [root, 0.0]),
        ("three-cases", "a half and a half", [[1.0], [0.0], [0.5]], [0.5], [0.5]),
        ("minus-zero", "a sum that starts at 0 is never -0", [[-0.0, 0.0], [-0.0, -0.0]], [0.0, 0.0], [0.0, 0.0]),
        ("minus-zero-alone", "not even of one case", [[-0.0]], [0.0], None),
        ("nobody", "cases without players", [[], [], []], [], []),
        ("cancelling", "in case order the small one is lost", [[1e16], [1.0], [-1e16]], [0.0], [1e16]),
    ]  # fmt: skip
    vectors = [
        vector(rule, id, reason, rows_of(rows), {
            "means": all_to_hex(means), "deviations": None if deviations is None else all_to_hex(deviations)})
        for id, reason, rows, means, deviations in typed
    ]  # fmt: skip
    cases: list[tuple[str, str, list[list[Any]]]] = [
        ("no-cases", "nothing to average", []),
        ("ragged", "a row of another batch", [[1, 2], [1]]),
        ("hole", "a case without values does not belong here", [[0.5], [None]]),
        ("nan", "not a number", [[0.5, 0.5], [0.5, math.nan]]),
        ("infinite", "the first case is named", [[0.5], [math.inf], [math.nan]]),
        ("hole-and-nan", "what is no number at all is named first", [[math.nan], [None]]),
        ("overflow", "an infinite sum", [[HUGE], [HUGE]]),
        ("overflow-of-squares", "a finite sum, infinite squares", [[HUGE], [-HUGE]]),
        ("underflow-of-squares", "squares too small for a double", [[1e-200], [3e-200]]),
        ("tenths", "0.1 three times adds up to more than 0.3", [[0.1], [0.1], [0.1]]),
        ("corners", "signed zeros, subnormals, neighbours of 1", [[score] for score in CORNER_SCORES]),
    ]
    rng = random.Random(SEED)
    for kind, (_, _, draw) in KINDS.items():
        for count, players in ((1, 3), (2, 8), (7, 4), (40, 2)):
            rows = [[draw(rng) for _ in range(players)] for _ in range(count)]
            cases.append((f"{kind}-{count}-{players}", "seeded values", rows))
    cases.append(("many", "seeded values", [[rng.random()] for _ in range(400)]))
    return vectors + [vector(rule, id, reason, rows_of(rows)) for id, reason, rows in cases]


def faulty_ranges() -> list[tuple[str, str, list[Any], float, float]]:
    """Return values with a range that do not go together, or just so."""
    return [
        ("range-empty", "no range", [0.5], 1.0, 1.0),
        ("range-reversed", "no range", [0.5], 1.0, 0.0),
        ("range-nan", "no range", [0.5], math.nan, 1.0),
        ("range-infinite", "no range", [0.5], 0.0, math.inf),
        ("range-overflows", "a length beyond the doubles", [0.5], -HUGE, HUGE),
        ("below", "a value below the range", [0.5, -0.1, 2.0], 0.0, 1.0),
        ("above", "a value above the range", [0.5, 1.1], 0.0, 1.0),
        ("just-above", "as far above as rounding may put it", [1 + 2.0**-40, 0.5], 0.0, 1.0),
        ("just-too-far", "and one unit in the last place more", [math.nextafter(1 + 2.0**-40, 2), 0.5], 0.0, 1.0),
        ("just-below", "a range far from 0 rounds more coarsely", [1e6 - 1e-7, 1e6 + 0.5], 1e6, 1e6 + 1),
        ("hole", "not a number", [0.5, None], 0.0, 1.0),
        ("nan", "not a number", [0.5, math.nan], 0.0, 1.0),
        ("infinite", "not a finite number", [0.5, 0.5, -math.inf], 0.0, 1.0),
    ]


def betting_interval_vectors() -> list[Vector]:
    """Return the vectors of betting_interval."""
    rule = "betting_interval"
    # The fractions bet have the mean 1/2, so a single value at the high end makes the capital 1/2 + 1/(2 p) at p of the
    # range, which is at least the threshold c up to p = 1 / (2 c - 1).
    typed: list[tuple[str, str, list[Any], float, float, float, list[float]]] = [
        ("no-values", "nothing known but the range", [], -1.0, 3.0, 40.0, [-1.0, 3.0]),
        ("one-high", "1 / (2 * 3/2 - 1) is a half", [1], 0.0, 1.0, 1.5, [0.5, 1.0]),
        ("one-high-higher", "1 / (2 * 5/2 - 1) is a quarter", [1], 0.0, 1.0, 2.5, [0.25, 1.0]),
        ("one-low", "the mirror image", [0], 0.0, 1.0, 2.5, [0.0, 0.75]),
        ("one-high-elsewhere", "the same in another range", [7], -1.0, 7.0, 2.5, [1.0, 7.0]),
        ("one-in-the-middle", "1/2 + 1/(4 p) is 5/2 at an eighth", [0.5], 0.0, 1.0, 2.5, [0.125, 0.875]),
    ]
    vectors = [
        vector(rule, id, reason, ranged(values, low, high, threshold=threshold), {"interval": all_to_hex(interval)})
        for id, reason, values, low, high, threshold, interval in typed
    ]

    def case(
        id: str, reason: str, values: list[Any], low: float, high: float, threshold: float, times: int = 1
    ) -> None:
        vectors.append(vector(rule, id, reason, ranged(values, low, high, times, threshold=threshold)))

    for id, reason, values, low, high in faulty_ranges():
        case(id, reason, values, low, high, 40.0)
    for name, threshold in {
        "1": 1.0, "above-1": ABOVE_1, "nan": math.nan, "infinite": math.inf, "largest": 2.0**1000,
        "too-large": math.nextafter(2.0**1000, math.inf), "negative": -40.0,
    }.items():  # fmt: skip
        case(f"threshold-{name}", "thresholds that are one, or none", [1, 0, 1, 1], 0.0, 1.0, threshold)
    case("sum-overflows", "the mean cannot be told", [8e307] * 3, -8e307, 8e307, 40.0)
    case("minus-zeros", "the low end has no sign", [-0.0, 0.0, -0.0], 0.0, 1.0, 40.0)
    case("mean-past-the-end", "rounding puts the mean above the range", [0.1, 0.1, 0.1], -0.1, 0.1, 40.0)
    case("subnormal-range", "two steps of the smallest size", [SMALLEST, 0.0, SMALLEST], 0.0, 2 * SMALLEST, 2.0)
    for times in (1, 10, 150, 5000):
        case(f"all-low-{times}", "the same value again and again", [0], 0.0, 1.0, 40.0, times)
        case(f"all-high-{times}", "the same value again and again", [1], 0.0, 1.0, 40.0, times)
        case(f"all-equal-{times}", "the same value again and again", [0.3], -1.0, 1.0, 40.0, times)
        case(f"first-low-then-high-{times}", "capitals that fall and rise", [0] * 9 + [1] * 9, 0.0, 1.0, 40.0, times)
    rng = random.Random(SEED)
    for kind, (low, high, draw) in KINDS.items():
        for count in (1, 2, 3, 5, 10, 30, 100, 400):
            # a file of readable size: the largest batches in one kind of each number
            if count > 30 and kind not in ("pass-fail", "signs", "rare") and (kind, count) != ("twelfths", 100):
                continue
            threshold = rng.choice((20.0, 40.0, 16 / 0.05, 2 / 0.01))
            case(f"{kind}-{count}", "seeded values", [draw(rng) for _ in range(count)], low, high, threshold)
    return vectors


def capital_vectors() -> list[Vector]:
    """Return the vectors of capital."""
    rule = "capital"
    # The fractions bet have the mean 1/2.
    typed: list[tuple[str, str, list[Any], float, float, float, float]] = [
        ("no-values", "what a gambler starts with", [], 0.0, 1.0, 0.5, 1.0),
        ("one-high", "1 and a half: a fair bet doubled", [1], 0.0, 1.0, 0.5, 1.5),
        ("one-low", "a half: the bet is lost", [0], 0.0, 1.0, 0.5, 0.5),
        ("one-high-of-four", "1/2 + 1/2 * 4", [1], 0.0, 1.0, 0.25, 2.5),
        ("at-the-candidate", "nobody wins", [0.25] * 20, 0.0, 1.0, 0.25, 1.0),
        ("at-the-candidate-elsewhere", "nobody wins", [0] * 20, -3.0, 3.0, 0.0, 1.0),
        ("candidate-at-the-end", "nobody can win", [1], 0.0, 1.0, 1.0, 1.0),
    ]
    vectors = [
        vector(rule, id, reason, ranged(values, low, high, mean=mean), {"capital": to_hex(capital)})
        for id, reason, values, low, high, mean, capital in typed
    ]

    def case(id: str, reason: str, values: list[Any], low: float, high: float, mean: float, times: int = 1) -> None:
        vectors.append(vector(rule, id, reason, ranged(values, low, high, times, mean=mean)))

    for id, reason, values, low, high in faulty_ranges():
        case(id, reason, values, low, high, low + (high - low) / 4)
    for name, mean in {
        "low-end": 0.0, "smallest": 2.0**-32, "too-small": math.nextafter(2.0**-32, 0), "below": -0.5,
        "above": ABOVE_1, "nan": math.nan, "infinite": math.inf,
    }.items():  # fmt: skip
        case(f"candidate-{name}", "candidates that are one, or none", [1, 0, 1], 0.0, 1.0, mean)
    case("too-much", "beyond 2**1000", [1], 0.0, 1.0, 2.0**-32, 2000)
    case("much", "beyond 2**500, below 2**1000", [1], 0.0, 1.0, 0.5, 700)
    case("just-scaled", "the first to pass 2**500", [1], 0.0, 1.0, 0.5, 504)
    case("little", "every bet lost, below 1", [0], 0.0, 1.0, 0.5, 2000)
    case("very-little", "below 2**-500", [0], 0.0, 1.0, 0.5, 50_000)
    case("too-little", "below 2**-1000", [0], 0.0, 1.0, 0.5, 100_000)
    case("up-and-down", "one bet at 2**500, the next below 1", [1] * 600 + [0] * 90, 0.0, 1.0, 0.5)
    case("down-and-up", "from below 2**-500 to above 2**500", [0] * 90 + [1] * 1300, 0.0, 1.0, 0.5)
    case("long-shots", "large odds, seldom", [1] + [0] * 99, 0.0, 1.0, 2.0**-20, 60)
    rng = random.Random(SEED)
    for kind, (low, high, draw) in KINDS.items():
        for count in (1, 2, 5, 17, 72, 73, 400):
            if count > 17 and kind not in ("pass-fail", "signs") and (kind, count) != ("uniform", 73):
                continue
            mean = low + (high - low) * rng.choice((0.5, 1 / 3, 0.01, 0.9))
            case(f"{kind}-{count}", "seeded values", [draw(rng) for _ in range(count)], low, high, mean)
    return vectors


def separation_vectors() -> list[Vector]:
    """Return the vectors of separation."""
    rule = "separation"
    typed: list[tuple[str, str, list[list[Any]], float, float, int | None]] = [
        ("no-cases", "nothing seen, nothing claimed", [], 1.0, 40.0, None),
        ("nobody", "nobody to claim anything of", [[], []], 1.0, 40.0, None),
        ("one-win", "a capital of 1 and a half", [[0, 1]], 1.0, 1.5, 1),
        ("one-win-is-too-little", "for a threshold just above it", [[0, 1]], 1.0, math.nextafter(1.5, 2), None),
        ("one-win-of-three", "over every other player", [[0, 1, 0]], 1.0, 1.5, 1),
        ("a-tie", "two leaders are none", [[1, 1, 0]] * 50, 1.0, 40.0, None),
        ("second-not-beaten", "over the third only", [[1.0, 0.99, 0.0]] * 20, 1.0, 40.0, None),
        ("all-the-same", "a hard case moves all values alike", [[value, value] for value in (0, 1, 0.5)], 1.0, 40.0,
         None),
        ("clear", "twenty wins", [[0, 0, 1]] * 20, 1.0, 60.0, 2),
        ("clear-but-for-a-wide-range", "twenty small wins", [[0, 0, 1]] * 20, 100.0, 60.0, None),
        ("alone", "a single player against doing nothing", [[1]] * 20, 1.0, 20.0, 0),
        ("alone-without-effect", "a single player against doing nothing", [[0]] * 20, 1.0, 20.0, None),
        ("alone-and-worse", "a single player against doing nothing", [[-1]] * 20, 1.0, 20.0, None),
    ]  # fmt: skip

    def inputs(rows: list[list[Any]], spread: float, threshold: float) -> dict[str, Any]:
        return {**rows_of(rows), "spread": to_hex(spread), "threshold": to_hex(threshold)}

    vectors = [
        vector(rule, id, reason, inputs(rows, spread, threshold), {"leader": leader})
        for id, reason, rows, spread, threshold, leader in typed
    ]
    cases: list[tuple[str, str, list[list[Any]], float, float]] = [
        ("ragged", "a row of another batch", [[1, 0], [1]], 1.0, 40.0),
        ("hole", "not a number", [[1, None]], 1.0, 40.0),
        ("nan", "not a number", [[0.5, 0.5], [1.0, math.nan]], 1.0, 40.0),
        ("too-far-apart", "no two values of one case differ by more", [[0, 1], [0.0, 1.5]], 1.0, 40.0),
        ("barely-too-far", "beyond the rounding", [[0.0, math.nextafter(1 + 2.0**-40, 2)]], 1.0, 40.0),
        ("far-but-for-rounding", "within the rounding", [[0.0, 1 + 2.0**-40]] * 9, 1.0, 40.0),
        ("far-beyond", "an infinite difference", [[-HUGE, HUGE]], 1.0, 40.0),
        ("alone-too-far", "from doing nothing", [[0.5], [-1.5]], 1.0, 40.0),
        ("spread-0", "no spread", [[0, 0]], 0.0, 40.0),
        ("spread-negative", "no spread", [[0, 0]], -1.0, 40.0),
        ("spread-nan", "no spread", [[0, 0]], math.nan, 40.0),
        ("spread-overflows", "twice the spread is infinite", [[0, 0]], HUGE, 40.0),
        ("threshold-1", "reached before the first case", [[1, 0]], 1.0, 1.0),
        ("threshold-nan", "never reached", [[1, 0]], 1.0, math.nan),
        ("sum-overflows", "no mean", [[HUGE, HUGE]] * 2, 1.0, 40.0),
    ]
    rng = random.Random(SEED)
    for kind, (low, high, draw) in KINDS.items():
        for count, players in ((1, 2), (6, 8), (25, 1), (40, 3), (150, 2)):
            if count == 150 and kind not in ("pass-fail", "signs"):
                continue
            edge = rng.choice((0, 1, 2))  # how many times the last player draws again for more
            rows = [
                [draw(rng) for _ in range(players - 1)] + [max(draw(rng) for _ in range(edge + 1))]
                for _ in range(count)
            ]
            spread = max(high - low, abs(low), abs(high))
            cases.append((f"{kind}-{count}-{players}", "seeded values", rows, spread, max(players, 2) / 0.05))
    return vectors + [
        vector(rule, id, reason, inputs(rows, spread, threshold)) for id, reason, rows, spread, threshold in cases
    ]


def share_of_repair_vectors() -> list[Vector]:
    """Return the vectors of share_of_repair."""
    rule = "share_of_repair"
    typed: list[tuple[str, str, list[float], list[float] | None]] = [
        ("nobody", "no whole", [], None),
        ("halves", "equal parts", [0.25, 0.25], [0.5, 0.5]),
        ("three-to-one", "and nothing", [0.375, 0.125, 0.0], [0.75, 0.25, 0.0]),
        ("alone", "the whole", [0.3], [1.0]),
        ("nothing", "no whole", [0.0, 0.0], None),
        ("negative", "beside a negative mean the others are more than the whole", [0.5, -0.25], None),
        ("negative-in-all", "no whole", [0.25, -0.5], None),
        ("smallest-negative", "however small", [0.5, -SMALLEST], None),
        ("minus-zero", "no share is -0", [0.5, -0.0], [1.0, 0.0]),
        ("smallest", "the smallest whole", [SMALLEST, 0.0], [1.0, 0.0]),
    ]
    vectors = [
        vector(rule, id, reason, {"means": all_to_hex(means)}, {
            "shares": None if shares is None else all_to_hex(shares)})
        for id, reason, means, shares in typed
    ]  # fmt: skip
    cases = [
        ("nan", "not a mean", [0.5, math.nan]),
        ("infinite", "not a mean", [math.inf, 0.5]),
        ("overflow", "an infinite whole", [HUGE, HUGE]),
        ("thirds", "rounding in every share", [0.1, 0.1, 0.1]),
        ("order", "added in step order", [1.0, 1e16, 1.0, 1.0]),
    ]
    rng = random.Random(SEED)
    for players in (2, 3, 4, 5, 8, 12, 20):
        cases.append((f"seeded-{players}", "seeded means", [rng.random() for _ in range(players)]))
    return vectors + [vector(rule, id, reason, {"means": all_to_hex(means)}) for id, reason, means in cases]


def best_fix_sets_vectors() -> list[Vector]:
    """Return the vectors of best_fix_sets."""
    rule = "best_fix_sets"
    typed: list[tuple[str, str, list[Any], int, list[list[int]]]] = [
        ("nobody", "the empty coalition", [3], 0, [[0, 3, 1]]),
        ("alone", "with and without", [0, 5], 1, [[0, 0, 1], [1, 5, 1]]),
        ("tie", "the smallest mask of equals", [0, 2, 2, 2], 2, [[0, 0, 1], [1, 2, 2], [3, 2, 1]]),
        ("greed-fails", "the best pair goes without the best single fix", [0, 4, 3, 5, 3, 5, 6, 6], 3,
         [[0, 0, 1], [1, 4, 1], [6, 6, 1], [7, 6, 1]]),
        ("more-is-worse", "a fix that spoils", [1, 5, 0, 2], 2, [[0, 1, 1], [1, 5, 1], [3, 2, 1]]),
        ("nothing-helps", "every coalition ties", [0] * 8, 3, [[0, 0, 1], [1, 0, 3], [3, 0, 3], [7, 0, 1]]),
        ("minus-zero", "an integer has no -0", [-0.0, 2.0], 1, [[0, 0, 1], [1, 2, 1]]),
        ("large", "the largest count there can be", [0, 2**52 - 1], 1, [[0, 0, 1], [1, 2**52 - 1, 1]]),
    ]  # fmt: skip

    def inputs(repaired: list[Any], players: int) -> dict[str, Any]:
        return {"repaired": encoded(repaired), "players": players}

    vectors = [
        vector(rule, id, reason, inputs(repaired, players), {"sets": sets})
        for id, reason, repaired, players, sets in typed
    ]
    cases: list[tuple[str, str, list[Any], int]] = [
        ("hole", "no count", [0, None], 1),
        ("negative", "no count", [0, -1], 1),
        ("half", "no count", [0, 0.5], 1),
        ("nan", "no count", [0, math.nan], 1),
        ("too-large", "no exact count", [0, 2**52], 1),
        ("three-entries", "no table", [0, 1, 1], 2),
        ("other-players", "a table of another game", [0, 1, 1, 1], 3),
        ("empty", "no table", [], 0),
    ]
    rng = random.Random(SEED)
    for players in range(1, 9):
        for top in (2, 150):
            repaired = [rng.randint(0, top) for _ in range(2**players)]
            cases.append((f"seeded-{players}-{top}", "seeded counts", repaired, players))
    return vectors + [vector(rule, id, reason, inputs(repaired, players)) for id, reason, repaired, players in cases]
