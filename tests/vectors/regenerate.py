"""Turn the known games, the corner cases and a fixed seed into the vector files beside this module.

``python -m tests.vectors.regenerate`` rewrites them. Expected values of known games are those typed from the
literature; the others are what the Python rules say, which a reviewer sees as a diff.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.known_games import REFUND_POLICY_A, REFUND_POLICY_B
from tests.vectors.batch_rules import (
    best_fix_sets_vectors,
    betting_interval_vectors,
    capital_vectors,
    mean_and_deviation_vectors,
    separation_vectors,
    share_of_repair_vectors,
)
from tests.vectors.doubles import all_to_hex, to_hex
from tests.vectors.game_rules import (
    banzhaf_vectors,
    harsanyi_dividends_vectors,
    minimal_repairs_vectors,
    necessity_vectors,
    shapley_interaction_vectors,
    sufficiency_vectors,
)
from tests.vectors.tables import HUGE, SEED, SMALLEST, Vector, table, value_vectors, vector

FOLDER = Path(__file__).parent


def last_touch_vectors() -> list[Vector]:
    """Return the vectors of last_touch."""
    rng = random.Random(SEED)
    cases: list[tuple[str, str, list[list[int | None]], list[float] | None]] = [
        ("no-players", "nobody to blame", [], []),
        ("nothing-changed", "no output differs: all zeros", [[0, 1, 1, 0], [3, 2, 1, 3]], [0.0, 0.0]),
        ("last-of-two", "both changed, the second ran last", [[0, 1, 0, 1], [0, 0, 0, 1]], [0.0, 1.0]),
        ("first-only", "the second shows the same in the end", [[0, 1, 0, 1], [0, 1, 2, 0]], [1.0, 0.0]),
        ("hole-elsewhere", "other coalitions don't matter", [[0, None, None, 1], [0, 1, 2, 0]], [1.0, 0.0]),
        ("hole-in-factual", "no factual output", [[None, 1]], None),
        ("hole-in-grand", "no output with every fix", [[0, 1, 2, 1], [0, 1, 2, None]], None),
        ("hole-in-both", "neither", [[None, 1, 1, None], [0, 1, 2, 3]], None),
        ("row-too-short", "a row is no table", [[0, 1], [0, 1, 1, 1]], None),
        ("negative-index", "an index of nothing", [[0, -1]], None),
    ]
    for players in range(1, 7):
        for kind in ("varied", "rare"):
            top = 4 if kind == "varied" else 1
            rows: list[list[int | None]] = []
            for _ in range(players):
                row: list[int | None] = [rng.randint(0, top) for _ in range(2**players)]
                if kind == "rare" and rng.random() < 0.7:
                    row[-1] = row[0]
                rows.append(row)
            cases.append((f"{kind}-{players}", "seeded outputs", rows, None))
    return [
        vector("last_touch", id, reason, {"outputs": rows}, None if values is None else {"values": all_to_hex(values)})
        for id, reason, rows, values in cases
    ]


def set_outcome_vectors() -> list[Vector]:
    """Return the vectors of set_outcome."""
    rng = random.Random(SEED)
    cases: list[tuple[str, str, list[Any], int | None, int, float]] = [
        ("flip", "a pass becomes a fail", [0, 1, 1, 1], 1, 3, 0.0),
        ("flip-and-stay", "the value it had", [0, 1, 1, 1], 1, 3, 1.0),
        ("half-of-one", "a half over 1 turns the table real", [0, 1, 1, 1], 1, 2, 0.5),
        ("three-quarters", "a multiple of 1/8 stays rational", [0, 3, 8, 8], 8, 0, 0.75),
        ("tenth-of-eighths", "0.1 is no multiple of 1/8", [0, 3, 8, 8], 8, 0, 0.1),
        ("third-of-thirds", "the double nearest to 1/3, times 3, is 1, and 1/3 gives it back", [0, 3], 3, 0, 1 / 3),
        ("near-third", "its neighbour is no multiple of 1/3", [0, 3], 3, 0, math.nextafter(1 / 3, 1)),
        ("tenths", "the double 0.3 is the nearest to 3/10", [0, 10], 10, 1, 0.3),
        ("forty-ninths", "1/49 times 49 is not 1 in float64, but 1/49 it is", [0, 49], 49, 0, 1 / 49),
        ("near-forty-ninth", "its neighbour is no multiple of 1/49", [0, 49], 49, 0, math.nextafter(1 / 49, 1)),
        ("half-of-a-world", "halfway between two multiples", [0, 3], 3, 0, 0.5),
        ("negative", "a negative multiple", [0, 8], 8, 0, -0.25),
        ("minus-zero", "an integer has no -0", [1, 8], 8, 0, -0.0),
        ("minus-zero-elsewhere", "nor do the other integers", [-0.0, 8.0, -0.0, 8.0], 8, 1, 0.5),
        ("minus-zero-turned-real", "nor when they turn real", [-0.0, 8.0, -0.0, 8.0], 8, 1, 0.3),
        ("minus-zero-real", "a real table keeps it", [1.0, 0.5], None, 0, -0.0),
        ("real-stays-real", "a real table never turns rational", [0.25, 0.5], None, 0, 1.0),
        ("hole-filled", "an outcome for a coalition that had none", [0, None], 1, 1, 1.0),
        ("hole-left", "other holes stay", [0, None, None, 8], 8, 1, 0.5),
        ("hole-left-real", "other holes stay when the table turns real", [0, None, None, 8], 8, 3, 0.3),
        ("huge", "an integer beyond 2**53 is none a rule can use", [0, 1], 1, 0, 1e300),
        ("tiny", "a subnormal", [0, 1], 1, 0, SMALLEST),
        ("overflowing", "times the denominator it is infinite", [0, 8], 8, 0, HUGE),
        ("no-players", "the empty coalition of no players", [0], 1, 0, 1.0),
        ("nan", "no outcome", [0, 1], 1, 0, math.nan),
        ("infinite", "no outcome", [0.5, 1.0], None, 0, -math.inf),
        ("mask-too-large", "no coalition of the table", [0, 1], 1, 2, 1.0),
        ("mask-negative", "no coalition of the table", [0, 1], 1, -1, 1.0),
        ("three-entries", "no worth table", [0, 1, 1], 1, 0, 1.0),
        ("nan-elsewhere", "no worth table", [0.5, math.nan], None, 0, 1.0),
        ("half-a-world", "no integer in a rational table", [0, 0.5], 4, 0, 1.0),
        ("denominator-0", "nothing can be divided by 0", [0, 1], 0, 0, 1.0),
        ("too-large", "an integer no rule can use", [0, 2**53], 1, 0, 1.0),
    ]
    for index in range(24):
        denominator = rng.choice([1, 8, 7, None])
        worth: list[Any] = [
            rng.random() if denominator is None else rng.randint(0, denominator) for _ in range(2 ** rng.randint(1, 4))
        ]
        value = rng.choice([0.0, 1.0, rng.randint(0, 8) / 8, rng.randint(0, 7) / 7, rng.random(), -rng.random()])
        mask = rng.randrange(len(worth))
        cases.append((f"seeded-{index}", "a seeded edit", worth, denominator, mask, value))
    return [
        vector("set_outcome", id, reason, {**table(worth, denominator), "mask": mask, "value": to_hex(value)})
        for id, reason, worth, denominator, mask, value in cases
    ]


def rank_vectors() -> list[Vector]:
    """Return the vectors of rank."""
    rng = random.Random(SEED)
    cases: list[tuple[str, str, list[float], list[int] | None]] = [
        ("nobody", "no players", [], []),
        ("ties-in-step-order", "equal values keep their order", [0.25, 0.5, 0.25, 0.5], [1, 3, 0, 2]),
        ("zeros", "0 and -0 tie", [-0.0, 0.0, -0.0], [0, 1, 2]),
        ("negative", "a fix that makes it worse comes last", [-0.5, 0.0, 0.25], [2, 1, 0]),
        ("neighbours", "one unit in the last place counts", [1.0, math.nextafter(1, 2)], [1, 0]),
        ("subnormal", "the smallest difference counts", [0.0, SMALLEST, -SMALLEST], [1, 0, 2]),
        ("huge", "an infinite difference", [-HUGE, HUGE, 0.0], [1, 2, 0]),
        ("nan", "not to be ranked", [0.5, math.nan], None),
        ("infinite", "not to be ranked", [math.inf, 0.5], None),
    ]
    for players in (3, 8, 12, 40):
        for top in (2, 1000):
            values = [rng.randint(-top, top) / top for _ in range(players)]
            cases.append((f"seeded-{players}-{top}", "seeded values with ties", values, None))
    return [
        vector("rank", id, reason, {"values": all_to_hex(values)}, None if order is None else {"order": order})
        for id, reason, values, order in cases
    ]


def number_text_vectors() -> list[Vector]:
    """Return the vectors of number_text."""
    typed: list[tuple[str, str, float, str]] = [
        ("zero", "without decimals", 0.0, "0"),
        ("minus-zero", "shown as 0", -0.0, "0"),
        ("one", "an integer without decimals", 1.0, "1"),
        ("minus-two", "the minus sign is U+2212", -2.0, "\N{MINUS SIGN}2"),
        ("twelve", "an integer", 12.0, "12"),
        ("five-twelfths", "three decimals", 5 / 12, "0.417"),
        ("minus-a-twelfth", "three decimals", -1 / 12, "\N{MINUS SIGN}0.083"),
        ("half", "trailing zeros stay", 0.5, "0.500"),
        ("sixteenth", "an exact half goes away from zero", 0.0625, "0.063"),
        ("minus-sixteenth", "on both sides of zero", -0.0625, "\N{MINUS SIGN}0.063"),
        ("3-sixteenths", "also where half to even would go down", 0.1875, "0.188"),
        ("5-sixteenths", "and here", 0.3125, "0.313"),
        ("looks-like-a-half", "1.0005 is a little less in binary", 1.0005, "1.000"),
        ("looks-like-a-half-2", "2.0015 is a little more", 2.0015, "2.002"),
        ("nearly-one", "not an integer, so it has decimals", 0.9999, "1.000"),
        ("thousandth", "the smallest shown in full", 0.001, "0.001"),
        ("half-a-thousandth", "the double 0.0005 is a little more than it says", 0.0005, "0.001"),
        ("below-half-a-thousandth", "would round to 0", math.nextafter(0.0005, 0), "<0.001"),
        ("minus-below-half", "would round to 0", -math.nextafter(0.0005, 0), ">\N{MINUS SIGN}0.001"),
        ("smallest", "would round to 0", SMALLEST, "<0.001"),
        ("minus-smallest", "would round to 0", -SMALLEST, ">\N{MINUS SIGN}0.001"),
        ("thousands", "no separator", 1234567.0, "1234567"),
        ("thousands-and-a-half", "no separator", 1234567.5, "1234567.500"),
        ("below-the-exponent", "the largest integer in full", 999999999.0, "999999999"),
        ("just-below-the-exponent", "rounds up without an exponent", 999999999.9999, "1000000000.000"),
        ("exponent", "from 1e9 on", 1e9, "1.000e+9"),
        ("exponent-half", "an exact half goes up", 1234500000.0, "1.235e+9"),
        ("exponent-half-even", "also where half to even would go down", 1232500000.0, "1.233e+9"),
        ("exponent-carry", "rounding carries into the exponent", 9999600000.0, "1.000e+10"),
        ("minus-exponent", "with the minus sign", -1234567890123.0, "\N{MINUS SIGN}1.235e+12"),
        ("largest", "the largest double", 1.7976931348623157e308, "1.798e+308"),
        ("beyond-1e21", "where toFixed would change its mind", 1e22, "1.000e+22"),
    ]
    vectors = [
        vector("number_text", id, reason, {"number": to_hex(number)}, {"text": text})
        for id, reason, number, text in typed
    ]
    for id, number in (("nan", math.nan), ("infinite", math.inf), ("minus-infinite", -math.inf)):
        vectors.append(vector("number_text", id, "has no text", {"number": to_hex(number)}))
    rng = random.Random(SEED)
    for index in range(300):
        kind = index % 5
        if kind == 0:
            number = rng.randint(-20000, 20000) / 2000  # decimal halves, which binary misses on either side
        elif kind == 1:
            number = rng.randint(-(2**14), 2**14) / 2**12  # binary fractions, some of them exact halves
        elif kind == 2:
            number = (rng.random() - 0.5) * 10.0 ** rng.randint(-5, 12)
        elif kind == 3:
            number = float(rng.randint(-(10**12), 10**12) * 10 ** rng.randint(0, 8))
        else:
            number = rng.randint(10000, 99999) * 0.5 * 10.0 ** rng.randint(6, 250)
        vectors.append(vector("number_text", f"seeded-{index}", "a seeded number", {"number": to_hex(number)}))
    return vectors


HOSTILE_TITLES = [
    "<img src=x onerror=alert(1)>",
    "</script><!--",
    "${titles} {0} %s \\u0041",
    "\u202eright to left\u202c",
    "\ud800 lone",
    "\U0001f600\u2028line\x00nul",
    "",
    "\"quoted\" & 'single'",
]


#: The first and the last character of each block that runs from right to left, and of what sets a direction.
TURNING = (
    *(0x0590, 0x05BE, 0x0661, 0x08FF, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069, 0xFB1D, 0xFDFF, 0xFE70, 0xFEFE),
    *(0x10800, 0x10FFF, 0x1E800, 0x1EFFF),
)
#: Their neighbours, which do not.
STRAIGHT = (
    *(0x058F, 0x0900, 0x200E, 0x2010, 0x2029, 0x202F, 0x2065, 0x206A, 0xFB1C, 0xFE00, 0xFE6F, 0xFEFF),
    *(0x107FF, 0x11000, 0x1E7FF, 0x1F000),
)


def isolated_vectors() -> list[Vector]:
    """Return the vectors of isolated."""
    hebrew = "\u05e9\u05dc\u05d5\u05dd"
    typed = [
        ("plain", "nothing turns", "Writer", "Writer"),
        ("empty", "no name", "", ""),
        ("hebrew", "a name that runs from right to left", hebrew, f"\u2068{hebrew}\u2069"),
        ("mixed", "one letter is enough", "Plan \u0628 2", "\u2068Plan \u0628 2\u2069"),
        ("override", "reverses what follows", "\u202egnihton", "\u2068\u202egnihton\u2069"),
        ("ends-isolates", "would end the one it stands in", "a\u2069 + b", "\u2068a + b\u2069"),
        ("begins-isolates", "would take its end away", "\u2066\u2067a", "\u2068a\u2069"),
        ("isolated", "an isolate is one once", f"\u2068{hebrew}\u2069", f"\u2068{hebrew}\u2069"),
    ]
    vectors = [vector("isolated", id, reason, {"name": name}, {"text": text}) for id, reason, name, text in typed]
    for reason, codes in (("turns", TURNING), ("does not turn", STRAIGHT)):
        for code in codes:
            vectors.append(vector("isolated", f"code-{code:x}", reason, {"name": f"a{chr(code)}b"}))
    vectors.extend(
        vector("isolated", f"hostile-{index}", "a name is text", {"name": name})
        for index, name in enumerate(HOSTILE_TITLES)
    )
    rng = random.Random(SEED)
    for index in range(60):
        name = "".join(chr(rng.choice((*TURNING, *STRAIGHT, 0x20, 0x2B, 0x41, 0x61))) for _ in range(rng.randint(1, 6)))
        vectors.append(vector("isolated", f"seeded-{index}", "a seeded name", {"name": name}))
    return vectors


def verdict_vectors() -> list[Vector]:
    """Return the vectors of verdict."""
    steps = ["planner", "retriever", "writer", "reviewer", "router", "judge", "ranker", "editor"]
    reviewer = [0.0, 0.0, 0.0, 1.0]
    typed = [
        ("refund-policy-a", "two fixes tie, last-step blame names another", list(REFUND_POLICY_A.worth), reviewer,
         {"kind": "repairable", "players": [0, 1], "alone": [0, 1], "sentences": [
             "Fixing planner or retriever carries the largest share of the repair (0.417 each).",
             "Either fix alone repairs this case.",
             "Last-step blame would have said reviewer."]}),
        ("refund-policy-b", "three fixes share the whole repair", list(REFUND_POLICY_B.worth), reviewer,
         {"kind": "repairable", "players": [0, 1, 3], "alone": [0, 1, 3], "sentences": [
             "The repair is shared equally by planner, retriever and reviewer (0.333 each).",
             "Any one of these fixes alone repairs this case.",
             "Last-step blame would have said reviewer, one of the tied steps."]}),
    ]  # fmt: skip
    vectors = [
        vector("verdict", id, reason, _told(steps[:4], worth, 1, 0.5, marks), expected)
        for id, reason, worth, marks, expected in typed
    ]

    def case(
        id: str, reason: str, titles: list[str], worth: list[Any], denominator: int | None,
        level: float = 0.5, marks: list[float] | None = None, worlds: int | None = None,
    ) -> None:  # fmt: skip
        vectors.append(vector("verdict", id, reason, _told(titles, worth, denominator, level, marks, worlds)))

    two, three = steps[:2], steps[:3]
    case("no-players-fail", "no fix to try", [], [0], 1, marks=[])
    case("no-players-pass", "nothing to repair", [], [1], 1)
    case("no-players-hole", "nothing known", [], [None], 1)
    case("one-hole", "the values are withheld", two, [0, 1, None, 1], 1)
    case("holes", "the values are withheld", two, [None, 0.5, None, 1.0], None)
    case("passes", "nothing to repair", two, [1, 1, 1, 1], 1)
    case("passes-by-luck", "passes in 5 of 8 worlds without any fix", two, [5, 8, 5, 8], 8)
    case("passes-at-half", "exactly half of the worlds counts as a repair", two, [4, 8, 4, 8], 8)
    case("fails-below-half", "3 of 8 worlds is a failure", two, [3, 8, 4, 8], 8)
    case("half-repairs", "a fix that repairs in exactly half of the worlds", two, [0, 4, 0, 8], 8)
    case("half-and-most", "the weaker of two decides what is said", two, [0, 4, 7, 8], 8)
    case("none-in-most-worlds", "no single fix is enough", two, [0, 3, 3, 8], 8)
    case("all-fail-in-most-worlds", "all together are not enough", two, [0, 1, 2, 3], 8)
    case("all-fail", "nothing changes anything", two, [0, 0, 0, 0], 1, marks=[0.0, 1.0])
    case("all-fail-but-better", "an improvement below the threshold", two, [0.1, 0.2, 0.1, 0.4], None)
    case("all-fail-one-repairs", "one fix repairs, the other spoils it", two, [0, 1, 0, 0], 1)
    case("all-fail-pair-repairs", "a pair repairs, the third spoils it", three, [0, 0, 0, 1, 0, 0, 0, 0], 1)
    case("all-fail-pair-repairs-half", "the same, in half of the worlds", three, [0, 0, 0, 4, 0, 0, 0, 0], 8)
    case("no-single", "it takes both", two, [0, 0, 0, 1], 1, marks=[1.0, 0.0])
    case("one-repairs", "the whole repair, and last-step blame agrees", two, [0, 1, 0, 1], 1, marks=[1.0, 0.0])
    case("one-repairs-alone", "last-step blame disagrees", two, [0, 1, 0, 1], 1, marks=[0.0, 1.0])
    case("most", "more than half", three, [0, 0, 0, 1, 0, 1, 0, 1], 1, marks=[0.0, 0.0, 1.0])
    case("exactly-half", "half is not most", three, [0, 3, 2, 5, 1, 4, 3, 6], 6)
    case("exactly-half-in-thirds", "1/2, 1/3, 1/6 of 49 worlds: rounding must not decide", three,
         [0, 21, 14, 35, 7, 28, 21, 42], 49)  # fmt: skip
    case("two-named-of-three", "the ones that repair alone are not the leading ones", three,
         [0, 1, 1, 1, 0, 1, 1, 0], 1)  # fmt: skip
    case("worse", "a fix that makes it worse", two, [0.0, 1.0, -0.25, 0.625], None, marks=[0.0, 1.0])
    case("two-worse", "two fixes that make it worse", three, [0, 8, -1, 7, -2, 6, -3, 5], 8)
    case("level", "repairs mean at least the level", two, [0.2, 0.6, 0.5, 0.7], None, level=0.6)
    case("level-one", "only a full score repairs", two, [0, 1, 0, 1], 1, level=1.0)
    case("edited-worlds", "an edited table of several worlds is real", two, [0.0, 0.6, 0.125, 1.0], None, worlds=8)
    case("edited-worlds-pass", "the same, passing without any fix", two, [0.55, 0.6, 0.5, 0.7], None, worlds=8)
    case("passes-and-better", "luck often, a fix always", two, [4, 8, 4, 8], 8)
    case("no-improvement", "all together change nothing, one by one they do", two, [0, 4, 1, 0], 8, level=0.75)
    case("together-worse", "all together make it worse", two, [2, 3, 1, 0], 8)
    case("rounding-tie", "values that tie but for rounding", three, [0.2, 0.8, 0.6, 0.8, 0.0, 0.4, 0.6, 1.0], None)
    case("rounding-zero", "a value that is 0 but for rounding", three, [0.1, 0.4, 0.2, 0.8, 0.9, 0.9, 0.1, 1.0], None)
    case("whole-but-negative", "no part of the whole beside a negative value", two, [0.0, 1.0, -0.5, 0.5], None)
    case("no-worlds", "a game has a world", two, [0, 1, 0, 1], 1, worlds=0)
    case("tiny", "a value that rounds to 0", two, [0.0, 1e-9, 0.0, 1e-9], None, level=5e-10)
    case("vanishing", "values that underflow to nothing", three, [0.0] * 7 + [SMALLEST], None, level=SMALLEST)
    case("titles-too-few", "titles of another game", ["planner"], [0, 0, 0, 1], 1)
    case("marks-too-few", "last touch of another game", two, [0, 0, 0, 1], 1, marks=[1.0])
    case("three-entries", "no worth table", two, [0, 0, 1], 1)
    case("nan", "no worth table", ["planner"], [0.0, math.nan], None)
    case("too-large", "no exact arithmetic", ["planner"], [0, 2**52], 1)
    for index in range(4):
        hostile = HOSTILE_TITLES[2 * index : 2 * index + 2]
        case(f"hostile-titles-{index}", "titles are text", hostile, [0, 1, 1, 1], 1, marks=[0.0, 1.0])
    case("hostile-titles-worse", "titles are text", HOSTILE_TITLES[:2], [0, 4, -1, 3], 4)

    rng = random.Random(SEED)
    for players in range(1, 9):
        for denominator in (1, 8, None):
            for attempt in range(6 if players <= 4 else 1):
                top = 1.0 if denominator is None else denominator
                worth = [
                    rng.choice([0.0, 0.25, 0.5, rng.random()]) if denominator is None else rng.randint(0, int(top))
                    for _ in range(2**players)
                ]
                worth[0] = 0 if denominator is not None else 0.0
                marks = [0.0] * players
                marks[rng.randrange(players)] = 1.0
                id = f"seeded-{players}-{denominator or 'real'}-{attempt}"
                case(id, "a seeded game", steps[:players], worth, denominator, marks=marks)
    return vectors


def _told(
    titles: list[str],
    worth: list[Any],
    denominator: int | None,
    level: float,
    marks: list[float] | None,
    worlds: int | None = None,
) -> dict[str, Any]:
    """Return the inputs of verdict."""
    return {
        **table(worth, denominator),
        "titles": titles,
        "level": to_hex(level),
        "worlds": (denominator or 1) if worlds is None else worlds,
        "last_touch": None if marks is None else all_to_hex(marks),
    }


def repair_level_vectors() -> list[Vector]:
    """Return the vectors of repair_level: thresholds of every kind, counted or not, and denominators that are none."""
    vectors = []
    for name, denominator in {"none": None, "one": 1, "two": 2, "eight": 8, "large": 2**53 - 1}.items():
        for number, threshold in enumerate((1.0, 0.7, 0.0, -0.0, -3.0, SMALLEST)):
            inputs = {"threshold": to_hex(threshold), "denominator": denominator}
            reason = "the threshold of single runs, half of several worlds"
            vectors.append(vector("repair_level", f"{name}-{number}", reason, inputs))
    for name, denominator in {"zero": 0, "negative": -1, "inexact": 2**53}.items():
        inputs = {"threshold": to_hex(1.0), "denominator": denominator}
        vectors.append(vector("repair_level", name, "no denominator", inputs))
    return vectors


FILES: dict[str, Callable[[], list[Vector]]] = {
    "shapley": lambda: value_vectors("shapley"),
    "fix_alone": lambda: value_vectors("fix_alone"),
    "leave_one_out": lambda: value_vectors("leave_one_out"),
    "banzhaf": banzhaf_vectors,
    "harsanyi_dividends": harsanyi_dividends_vectors,
    "shapley_interaction": shapley_interaction_vectors,
    "minimal_repairs": minimal_repairs_vectors,
    "necessity": necessity_vectors,
    "sufficiency": sufficiency_vectors,
    "mean_and_deviation": mean_and_deviation_vectors,
    "betting_interval": betting_interval_vectors,
    "capital": capital_vectors,
    "separation": separation_vectors,
    "share_of_repair": share_of_repair_vectors,
    "best_fix_sets": best_fix_sets_vectors,
    "last_touch": last_touch_vectors,
    "set_outcome": set_outcome_vectors,
    "rank": rank_vectors,
    "number_text": number_text_vectors,
    "isolated": isolated_vectors,
    "repair_level": repair_level_vectors,
    "verdict": verdict_vectors,
}


def file_of(rule: str) -> Path:
    """Return where the vectors of a rule lie."""
    return FOLDER / f"{rule}.json"


def content_of(rule: str) -> bytes:
    """Return the bytes of a rule's vector file: ASCII, one vector a line."""
    lines = [json.dumps(entry, ensure_ascii=True, sort_keys=True, allow_nan=False) for entry in FILES[rule]()]
    return ("[\n" + ",\n".join(lines) + "\n]\n").encode("ascii")


def main() -> None:
    """Rewrite every vector file."""
    for rule in FILES:
        file_of(rule).write_bytes(content_of(rule))


if __name__ == "__main__":
    main()
