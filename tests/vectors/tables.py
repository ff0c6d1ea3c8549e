"""Turns a fixed seed and the corner cases into the worth tables that many rules' vectors are made of."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.known_games import KNOWN_GAMES, KnownGame
from tests.vectors.answers import answer
from tests.vectors.doubles import all_to_hex, to_hex

SEED = 1953
SMALLEST = 5e-324
HUGE = 1.7e308

Vector = dict[str, Any]

# A score no rule may choke on: signed zeros, subnormals, neighbours of 1, numbers without short decimals.
CORNER_SCORES = (0.0, -0.0, SMALLEST, -SMALLEST, 2.2250738585072014e-308, 1.0, math.nextafter(1, 2), 0.1, -0.7, 1e16)


def vector(rule: str, id: str, reason: str, inputs: dict[str, Any], expected: Any = None) -> Vector:
    """Return one vector, its expected answer computed where none is typed."""
    if expected is None:
        expected = answer(rule, inputs)
    return {"id": id, "reason": reason, "inputs": inputs, "expected": expected}


def table(worth: list[Any], denominator: int | None) -> dict[str, Any]:
    """Return a worth table as inputs: floats as hex digits, integers and holes as they are."""
    return {
        "worth": [to_hex(entry) if isinstance(entry, float) else entry for entry in worth],
        "denominator": denominator,
    }


def random_tables(rng: random.Random) -> Iterator[tuple[str, str, list[Any], int | None]]:
    """Yield (id, reason, worth, denominator) of seeded games of every size and kind of score."""
    kinds: list[tuple[str, str, int | None, Callable[[], float]]] = [
        ("pass-fail", "scores 0 and 1", 1, lambda: rng.randrange(2)),
        ("eighths", "passes in k of 8 worlds", 8, lambda: rng.randrange(9)),
        ("sevenths", "integers over a denominator that is no power of two, some negative", 7,
         lambda: rng.randrange(-20, 21)),
        ("scores", "real scores from 0 to 1", None, rng.random),
        ("signed", "real scores of many magnitudes and both signs", None,
         lambda: (rng.random() - 0.5) * 2.0 ** rng.randrange(-60, 60)),
        ("corners", "signed zeros, subnormals, neighbours of 1", None, lambda: rng.choice(CORNER_SCORES)),
        ("huge", "scores near the largest that do not overflow", None, lambda: (rng.random() - 0.5) * 1e300),
    ]  # fmt: skip
    for players in range(9):
        for kind, reason, denominator, draw in kinds:
            # a file of readable size: the largest games in one kind of each number
            if players > 6 and kind not in ("pass-fail", "eighths", "signed"):
                continue
            yield f"{kind}-{players}", reason, [draw() for _ in range(2**players)], denominator


def faulty_tables() -> Iterator[tuple[str, str, list[Any], int | None]]:
    """Yield tables that every value rule refuses, or that lie just inside what it takes."""
    edge = 2**52 // 12  # the largest k with 2 * lcm(1, 2, 3, 4) * k < 2**53
    yield "one-hole", "a coalition without an outcome", [0, 1, None, 1], 1
    yield "many-holes", "more holes than the message names", [None] * 15 + [1], 1
    yield "hole-in-scores", "a hole in a real table", [0.5, None], None
    yield "hole-and-nan", "a hole is named before anything else", [math.nan, None], None
    yield "nan", "not a number", [0.5, math.nan], None
    yield "infinite", "an infinite score", [math.inf, 0.5], None
    yield "nan-over-worlds", "not a number in a rational table", [0, math.nan], 4
    yield "half-a-world", "no integer in a rational table", [0, 0.5], 4
    yield "empty", "no coalition at all", [], 1
    yield "three-entries", "a length that is no power of two", [0, 1, 1], 1
    yield "nothing-right", "the denominator is looked at first", [0, 1, None], 0
    yield "denominator-0", "nothing can be divided by 0", [0, 1], 0
    yield "denominator-negative", "a denominator counts something", [0, 1], -2
    yield "denominator-huge", "a denominator no float64 holds exactly", [0, 1], 2**53
    yield "too-large", "an integer no float64 holds exactly", [0, 2**53], 1
    yield "just-exact", "the largest score of four players that is exact", [0] * 15 + [edge], 1
    yield "just-inexact", "the next score of four players", [0] * 15 + [edge + 1], 1
    yield "just-too-large", "one more than the largest exact score of one player", [0, 2**52], 1
    yield "just-exact-alone", "the largest exact score of one player", [0, 2**52 - 1], 1
    yield "large-denominator", "L * denominator may not pass 2**53", [0, 0, 1, 1], 2**52
    yield "overflow", "finite scores with an infinite difference", [-HUGE, HUGE], None
    yield "overflow-in-the-sum", "finite differences with an infinite sum", [0.0, HUGE, 0.0, HUGE], None


def table_vectors(rule: str, typed: Callable[[KnownGame], Any], zeros: Any) -> list[Vector]:
    """Return the vectors of a rule that takes a worth table and nothing else.

    `typed` says what it answers to a known game, `zeros` what it answers to two players who change nothing.
    """
    vectors = []
    for game in KNOWN_GAMES:
        vectors.append(vector(rule, game.id, game.reason, table(list(game.worth), game.denominator), typed(game)))
    for id, reason, worth, denominator in random_tables(random.Random(SEED)):
        vectors.append(vector(rule, id, reason, table(worth, denominator)))
    for id, reason, worth, denominator in faulty_tables():
        vectors.append(vector(rule, id, reason, table(worth, denominator)))
    null = [0.0, -0.0, 0.0, -0.0]
    vectors.append(vector(rule, "null-players-of-signed-zeros", "no -0 comes out", table(null, None), zeros))
    vectors.append(vector(rule, "signed-zeros-over-worlds", "an integer has no -0", table(null, 8), zeros))
    return vectors


def value_vectors(rule: str, zeros: int = 2) -> list[Vector]:
    """Return the vectors of a rule from worth table to a row of values: two for two players, or `zeros` of them."""

    def typed(game: KnownGame) -> Any:
        return {"values": all_to_hex(float(value) for value in getattr(game, rule))}

    return table_vectors(rule, typed, {"values": all_to_hex([0.0] * zeros)})
