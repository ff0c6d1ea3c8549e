"""Turns known games, seeded tables and corner cases into the vectors of further rules of a single game."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from typing import Any

from tests.known_games import KNOWN_GAMES, KnownGame
from tests.vectors.doubles import all_to_hex, to_hex
from tests.vectors.tables import (
    HUGE,
    SEED,
    SMALLEST,
    Vector,
    faulty_tables,
    random_tables,
    table,
    table_vectors,
    value_vectors,
    vector,
)

BELOW_1 = math.nextafter(1, 0)
ABOVE_1 = math.nextafter(1, 2)


def banzhaf_vectors() -> list[Vector]:
    """Return the vectors of banzhaf."""
    edge = 2**49 - 1  # the largest k with 2**4 * k < 2**53
    return value_vectors("banzhaf") + [
        vector("banzhaf", id, reason, table(worth, denominator))
        for id, reason, worth, denominator in (
            ("coin-tosses-just-exact", "the largest score of four players", [0, edge] * 8, 1),
            ("coin-tosses-just-inexact", "one more", [0, edge + 1] * 8, 1),
            ("coin-tosses-of-both-signs", "the largest sums of four players", [-edge, edge] * 8, 7),
            ("coin-tosses-large-denominator", "H * denominator is below 2**53", [0, 1] * 8, 2**50 - 1),
            ("coin-tosses-larger-denominator", "H * denominator may not reach 2**53", [0, 1] * 8, 2**50),
            ("nobody-just-exact", "without players H is 1", [2**52 - 1], 1),
            ("nobody-just-inexact", "one more", [2**52], 1),
        )
    ]


def harsanyi_dividends_vectors() -> list[Vector]:
    """Return the vectors of harsanyi_dividends."""
    edge = 2**50 - 1  # the largest k with 2**3 * k < 2**53
    odd = [edge if mask.bit_count() % 2 else -edge for mask in range(8)]
    return value_vectors("harsanyi_dividends", zeros=4) + [
        vector("harsanyi_dividends", id, reason, table(worth, denominator))
        for id, reason, worth, denominator in (
            ("parts-just-exact", "the largest dividend of three players", odd, 1),
            ("parts-just-inexact", "one more", [0] * 7 + [edge + 1], 1),
            ("parts-large-denominator", "the denominator is multiplied by nothing", [0] * 7 + [1], 2**53 - 1),
            ("nobody-just-exact", "the worth without players", [2**52 - 1], 1),
            ("nobody-just-inexact", "one more", [2**52], 1),
            ("overflow-on-the-way", "0 in the end, infinite on the way", [-HUGE, HUGE] * 2, None),
        )
    ]


def shapley_interaction_vectors() -> list[Vector]:
    """Return the vectors of shapley_interaction."""

    def typed(game: KnownGame) -> Any:
        return {"matrix": [all_to_hex(float(value) for value in row) for row in game.shapley_interaction]}

    vectors = table_vectors("shapley_interaction", typed, {"matrix": [all_to_hex([0.0, 0.0])] * 2})
    edge = (2**53 - 1) // 24  # the largest k with 4 * lcm(1, 2, 3) * k < 2**53
    largest = (2**53 - 1) // 12
    both_signs = [edge if mask.bit_count() % 2 else -edge for mask in range(16)]
    return vectors + [
        vector("shapley_interaction", id, reason, table(worth, denominator))
        for id, reason, worth, denominator in (
            ("pairs-just-exact", "the largest sums of four players", both_signs, 1),
            ("pairs-just-inexact", "one more", [0] * 15 + [edge + 1], 1),
            ("pairs-large-denominator", "2 * L * denominator is below 2**53", [0] * 15 + [1], largest),
            ("pairs-larger-denominator", "2 * L * denominator may not reach 2**53", [0] * 15 + [1], largest + 1),
            ("overflow-on-the-way", "0 in the end, infinite on the way", [-HUGE, -HUGE, HUGE, HUGE], None),
            ("no-pair", "one player has no other", [0, 1], 1),
        )
    ]


def minimal_repairs_vectors() -> list[Vector]:
    """Return the vectors of minimal_repairs."""
    vectors: list[Vector] = []

    def case(
        id: str, reason: str, worth: list[Any], denominator: int | None, level: float, masks: list[int] | None = None
    ) -> None:
        inputs = {**table(worth, denominator), "level": to_hex(level)}
        expected = None if masks is None else {"masks": masks}
        vectors.append(vector("minimal_repairs", id, reason, inputs, expected))

    for game in KNOWN_GAMES:
        case(game.id, game.reason, list(game.worth), game.denominator, 1.0, list(game.minimal_repairs))
    case("no-players-fail", "nothing repairs", [0], 1, 1.0, [])
    case("no-players-pass", "nothing is to be repaired", [1], 1, 1.0, [0])
    case("passes", "nothing is to be repaired, whatever the fixes do", [1, 0, 1, 1], 1, 1.0, [0])
    case("spoiled", "what contains a repair need not be one", [0, 1, 0, 0], 1, 1.0, [1])
    case("repaired-again", "nor is it minimal where two fixes spoil it and the third mends it",
         [0, 1, 0, 0, 0, 0, 0, 1], 1, 1.0, [1])  # fmt: skip
    case("size-before-mask", "a pair of late steps comes before three early ones",
         [0] * 7 + [1] + [0] * 16 + [1] + [0] * 7, 1, 1.0, [24, 7])  # fmt: skip
    case("at-the-level", "a worth at the level repairs", [0.0, 0.7, 0.6, 0.8], None, 0.7, [1])
    case("half-of-worlds", "exactly half of eight", [0, 4, 3, 8], 8, 0.5, [1])
    case("zero-at-minus-zero", "0 and -0 are one level", [-0.0, 1.0], None, 0.0, [0])
    case("minus-zero-over-worlds", "an integer has no -0", [-0.0, 8.0], 8, 0.0, [0])
    case("subnormal-level", "the smallest level above 0", [0.0, SMALLEST], None, SMALLEST, [1])
    case("negative-level", "scores may be negative", [-3.0, -2.0], None, -2.5, [1])
    # Where k / denominator and level * denominator fall on different sides, the quotient decides.
    for denominator in (49, 107, 187, 8, 10):
        for k in (1, denominator // 2, denominator - 1):
            for neighbour, level in (
                ("below", math.nextafter(k / denominator, 0)),
                ("at", k / denominator),
                ("above", math.nextafter(k / denominator, 1)),
            ):
                masks = [] if neighbour == "above" else [1]
                case(f"{k}-of-{denominator}-{neighbour}", "the quotient is compared", [0, k], denominator, level, masks)
    for id, level in (("nan", math.nan), ("infinite", math.inf), ("minus-infinite", -math.inf)):
        case(f"level-{id}", "no level", [0, 1], 1, level)
    case("hole-before-level", "the table is looked at first", [0, None], 1, math.nan)
    for id, reason, worth, denominator in random_tables(random.Random(SEED)):
        case(id, reason, worth, denominator, 0.5)
    rng = random.Random(SEED)
    for players in (4, 5, 6):
        worth = [int(rng.random() < 0.1) for _ in range(2**players)]
        worth[0] = 0
        case(f"rare-{players}", "few coalitions repair", worth, 1, 1.0)
    for id, reason, worth, denominator in faulty_tables():
        case(id, reason, worth, denominator, 0.5)
    return vectors


# Pairs of bounds typed by hand: (id, reason, worth, denominator, necessity, sufficiency).
Bounds = list[tuple[F | int, F | int]] | None
TYPED_BOUNDS: list[tuple[str, str, list[Any], int | None, Bounds, Bounds]] = [
    ("one-world-either", "one world leaves nothing open: neither is needed, either will do",
     [0, 1, 1, 1], 1, [(0, 0), (0, 0)], [(1, 1), (1, 1)]),
    ("one-world-both", "both are needed, neither will do", [0, 0, 0, 1], 1, [(1, 1), (1, 1)], [(0, 0), (0, 0)]),
    ("one-world-spoiled", "together they never pass", [0, 1, 0, 0], 1, None, [(1, 1), (0, 0)]),
    ("one-world-passes", "it never fails without them", [1, 0, 1, 1], 1, [(0, 0), (1, 1)], None),
    ("excess-risk", "14 of 1000 rise to 16: at least the excess risk ratio of 1/8, at most everything",
     [14, 16], 1000, [(F(1, 8), 1)], [(F(2, 986), F(16, 986))]),
    ("half-to-three-quarters", "of 6 passing worlds at least 2 and at most 4 would fail",
     [4, 6], 8, [(F(1, 3), F(2, 3))], [(F(1, 2), 1)]),
    ("no-effect", "the same share of worlds need not be the same worlds", [4, 4], 8, [(0, 1)], [(0, 1)]),
    ("harmful", "a fix that makes it worse may still be needed in some world", [6, 2], 8, [(0, 1)], [(0, 1)]),
    ("certain", "all fixes together always pass: points", [2, 5, 3, 8], 8,
     [(F(5, 8), F(5, 8)), (F(3, 8), F(3, 8))], [(F(1, 2), F(5, 6)), (F(1, 6), F(1, 2))]),
    ("hopeless", "it never passes without a fix: points", [0, 3, 1, 4], 7,
     [(F(3, 4), 1), (F(1, 4), 1)], [(F(3, 7), F(3, 7)), (F(1, 7), F(1, 7))]),
    ("real", "probabilities as they are", [0.25, 0.5], None, [(F(1, 2), 1)], [(F(1, 3), F(2, 3))]),
    ("no-players-fail", "no fix", [0], 1, None, []),
    ("no-players-pass", "no fix", [1], 1, [], None),
    ("never-real", "0 is never", [0.0, 0.0], None, None, [(0, 0)]),
    ("minus-zero", "-0 is 0, and no -0 comes out", [0.0, -0.0, -0.0, 1.0], None, [(1, 1), (1, 1)], [(0, 0), (0, 0)]),
    ("minus-zero-together", "-0 is never", [0.5, -0.0], None, None, [(0, 0)]),
    ("minus-zero-of-worlds", "an integer has no -0", [0.0, -0.0, -0.0, 8.0], 8, [(1, 1), (1, 1)], [(0, 0), (0, 0)]),
    ("always-real", "1 is always", [1.0, 1.0], None, [(0, 0)], None),
]  # fmt: skip


def no_probabilities() -> Iterator[tuple[str, str, list[Any], int | None]]:
    """Yield tables with outcomes that are no probabilities, wherever they stand."""
    yield "above-1", "a neighbour of 1", [0.0, 0.5, ABOVE_1, 1.0], None
    yield "below-0", "a neighbour of 0", [0.0, 0.5, 0.5, -SMALLEST], None
    yield "more-than-all", "passes in 9 of 8 worlds", [0, 9], 8
    yield "fewer-than-none", "passes in -1 worlds", [-1, 8], 8
    yield "elsewhere", "in a coalition no bound reads", [0, 0, 0, 2, 0, 0, 0, 1], 1
    yield "several", "the first is named", [0.5, 2.0, -1.0, 3.0], None


def probability_tables(rng: random.Random) -> Iterator[tuple[str, str, list[Any], int | None]]:
    """Yield seeded tables of pass probabilities."""
    kinds: list[tuple[str, str, int | None, Callable[[], float]]] = [
        ("worlds", "passes in k of 8 worlds", 8, lambda: rng.randrange(9)),
        ("thirteenths", "passes in k of 13 worlds", 13, lambda: rng.randrange(14)),
        ("thousands", "passes in k of 1000 worlds", 1000, lambda: rng.randrange(1001)),
        ("probabilities", "real probabilities", None, rng.random),
        ("rare", "probabilities of many magnitudes", None, lambda: rng.random() * 2.0 ** -rng.randrange(60)),
        ("near-certain", "probabilities near 1", None, lambda: 1.0 - rng.random() * 2.0 ** -rng.randrange(60)),
        ("corners", "zeros, subnormals, neighbours of 1", None,
         lambda: rng.choice([0.0, -0.0, SMALLEST, 2.2250738585072014e-308, 0.1, 0.5, BELOW_1, 1.0])),
    ]  # fmt: skip
    for players in range(1, 7):
        for kind, reason, denominator, draw in kinds:
            yield f"{kind}-{players}", reason, [draw() for _ in range(2**players)], denominator


def necessity_vectors() -> list[Vector]:
    """Return the vectors of necessity."""
    return _bounds_vectors("necessity", {id: bounds for id, _, _, _, bounds, _ in TYPED_BOUNDS})


def sufficiency_vectors() -> list[Vector]:
    """Return the vectors of sufficiency."""
    return _bounds_vectors("sufficiency", {id: bounds for id, _, _, _, _, bounds in TYPED_BOUNDS})


def _bounds_vectors(rule: str, typed: dict[str, Bounds]) -> list[Vector]:
    """Return the vectors of a rule from pass probabilities to bounds."""
    vectors = []
    for id, reason, worth, denominator, _, _ in TYPED_BOUNDS:
        bounds = typed[id]
        pairs = None if bounds is None else [all_to_hex(float(end) for end in pair) for pair in bounds]
        vectors.append(vector(rule, id, reason, table(worth, denominator), {"bounds": pairs}))
    for tables in (probability_tables(random.Random(SEED)), no_probabilities(), faulty_tables()):
        for id, reason, worth, denominator in tables:
            vectors.append(vector(rule, id, reason, table(worth, denominator)))
    return vectors
