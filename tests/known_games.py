"""Games whose values are in the literature: the ground truth the rules are tested against.

Shapley values are typed from the source named, never computed. Player i is bit i of a coalition's mask.

The other values are worked out by hand. Every game is a sum of unanimity games, each counted as often as its
dividend says; that of t players has a Banzhaf value of 1 / 2**(t - 1) for each of them and an interaction index of
1 / (t - 1) for every two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import combinations
from math import comb


@dataclass(frozen=True)
class KnownGame:
    """A game and what each rule says of it; values are exact."""

    id: str
    reason: str
    worth: tuple[int, ...]
    denominator: int
    shapley: tuple[F, ...]
    fix_alone: tuple[F, ...]
    leave_one_out: tuple[F, ...]
    banzhaf: tuple[F, ...]
    harsanyi_dividends: tuple[F, ...]
    shapley_interaction: tuple[tuple[F, ...], ...]
    minimal_repairs: tuple[int, ...]
    """From a worth of 1 on."""


def _game(
    id: str,
    reason: str,
    worth: Callable[[frozenset[int]], int],
    shapley: list[F],
    fix_alone: list[F | int],
    leave_one_out: list[F | int],
    banzhaf: list[F | int],
    dividends: Mapping[tuple[int, ...], F | int],
    interaction: Mapping[tuple[int, int], F | int],
    repairs: list[set[int]],
    denominator: int = 1,
) -> KnownGame:
    """Tabulate a game given as a function of the set of players that take part.

    Dividends and interaction indices that are not given are 0.
    """
    players = len(shapley)
    coalitions = [frozenset(i for i in range(players) if mask >> i & 1) for mask in range(2**players)]
    return KnownGame(
        id,
        reason,
        tuple(worth(coalition) for coalition in coalitions),
        denominator,
        tuple(shapley),
        tuple(F(value) for value in fix_alone),
        tuple(F(value) for value in leave_one_out),
        tuple(F(value) for value in banzhaf),
        tuple(F(dividends.get(tuple(sorted(coalition)), 0)) for coalition in coalitions),
        tuple(tuple(F(interaction.get((min(i, j), max(i, j)), 0)) for j in range(players)) for i in range(players)),
        tuple(sum(1 << i for i in coalition) for coalition in repairs),
    )


def _any_of(*needed: set[int]) -> Callable[[frozenset[int]], int]:
    """Return the simple game won by every coalition that holds one of the sets."""
    return lambda coalition: int(any(group <= coalition for group in needed))


def _majority(quota: int, *votes: int) -> Callable[[frozenset[int]], int]:
    """Return the weighted majority game [quota; votes]."""
    return lambda coalition: int(sum(votes[i] for i in coalition) >= quota)


def _every(players: range, size: int) -> list[tuple[int, ...]]:
    """Return all coalitions of a size, by increasing mask."""
    return sorted(combinations(players, size), key=lambda coalition: coalition[::-1])


REFUND_POLICY_A = _game(
    "refund-policy-a",
    "planner, retriever, or writer with a reviewer that re-checks cited claims: 5/12, 5/12, 1/12, 1/12",
    _any_of({0}, {1}, {2, 3}),
    [F(5, 12), F(5, 12), F(1, 12), F(1, 12)],
    [1, 1, 0, 0],
    [0, 0, 0, 0],
    banzhaf=[F(3, 8), F(3, 8), F(1, 8), F(1, 8)],
    dividends={(0,): 1, (1,): 1, (2, 3): 1, (0, 1): -1, (0, 2, 3): -1, (1, 2, 3): -1, (0, 1, 2, 3): 1},
    interaction={
        (0, 1): F(-2, 3),
        (2, 3): F(1, 3),
        (0, 2): F(-1, 6),
        (0, 3): F(-1, 6),
        (1, 2): F(-1, 6),
        (1, 3): F(-1, 6),
    },
    repairs=[{0}, {1}, {2, 3}],
)

REFUND_POLICY_B = _game(
    "refund-policy-b",
    "planner, retriever, or a reviewer that re-checks every claim: 1/3 each, and the writer is a null player",
    _any_of({0}, {1}, {3}),
    [F(1, 3), F(1, 3), F(0), F(1, 3)],
    [1, 1, 0, 1],
    [0, 0, 0, 0],
    banzhaf=[F(1, 4), F(1, 4), 0, F(1, 4)],
    dividends={(0,): 1, (1,): 1, (3,): 1, (0, 1): -1, (0, 3): -1, (1, 3): -1, (0, 1, 3): 1},
    interaction={(0, 1): F(-1, 2), (0, 3): F(-1, 2), (1, 3): F(-1, 2)},
    repairs=[{0}, {1}, {3}],
)

GLOVE_GAME = _game(
    "glove",
    "one left glove, two right ones: 2/3, 1/6, 1/6 (Shapley and Shubik 1969, doi:10.1016/0022-0531(69)90008-8)",
    lambda coalition: min(len(coalition & {0}), len(coalition & {1, 2})),
    [F(2, 3), F(1, 6), F(1, 6)],
    [0, 0, 0],
    [1, 0, 0],
    banzhaf=[F(3, 4), F(1, 4), F(1, 4)],
    dividends={(0, 1): 1, (0, 2): 1, (0, 1, 2): -1},
    interaction={(0, 1): F(1, 2), (0, 2): F(1, 2), (1, 2): F(-1, 2)},
    repairs=[{0, 1}, {0, 2}],
)

UNANIMITY_GAME = _game(
    "unanimity",
    "the carrier {1, 3} of four shares equally, the others are null (Shapley 1953, doi:10.1515/9781400881970-018)",
    _any_of({1, 3}),
    [F(0), F(1, 2), F(0), F(1, 2)],
    [0, 0, 0, 0],
    [0, 1, 0, 1],
    banzhaf=[0, F(1, 2), 0, F(1, 2)],
    dividends={(1, 3): 1},
    interaction={(1, 3): 1},
    repairs=[{1, 3}],
)

SYMMETRIC_MAJORITY = _game(
    "majority-3-of-5",
    "five interchangeable voters get 1/5 each (Shapley and Shubik 1954, doi:10.2307/1951053)",
    _majority(3, 1, 1, 1, 1, 1),
    [F(1, 5)] * 5,
    [0] * 5,
    [0] * 5,
    banzhaf=[F(3, 8)] * 5,
    dividends={
        **dict.fromkeys(_every(range(5), 3), 1),
        **dict.fromkeys(_every(range(5), 4), -3),
        **dict.fromkeys(_every(range(5), 5), 6),
    },
    interaction={},  # below a majority two voters need each other as much as above they replace each other
    repairs=[set(three) for three in _every(range(5), 3)],
)

WEIGHTED_MAJORITY = _game(
    "majority-51-50-49-1",
    "[51; 50, 49, 1]: the smallest has as much power as the second, 2/3, 1/6, 1/6 (Shapley and Shubik 1954)",
    _majority(51, 50, 49, 1),
    [F(2, 3), F(1, 6), F(1, 6)],
    [0, 0, 0],
    [1, 0, 0],
    banzhaf=[F(3, 4), F(1, 4), F(1, 4)],
    dividends={(0, 1): 1, (0, 2): 1, (0, 1, 2): -1},
    interaction={(0, 1): F(1, 2), (0, 2): F(1, 2), (1, 2): F(-1, 2)},
    repairs=[{0, 1}, {0, 2}],
)

DICTATOR = _game(
    "dictator",
    "one player alone decides: 0, 1, 0",
    _any_of({1}),
    [F(0), F(1), F(0)],
    [0, 1, 0],
    [0, 1, 0],
    banzhaf=[0, 1, 0],
    dividends={(1,): 1},
    interaction={},
    repairs=[{1}],
)

AIRPORT_GAME = _game(
    "airport",
    "runways of cost 1, 2 and 4: each stretch is shared by those who need it: 1/3, 1/3 + 1/2, 1/3 + 1/2 + 2 "
    "(Littlechild and Owen 1973, doi:10.1287/mnsc.20.3.370)",
    lambda coalition: max(((1, 2, 4)[i] for i in coalition), default=0),
    [F(1, 3), F(5, 6), F(17, 6)],
    [1, 2, 4],
    [0, 0, 2],
    banzhaf=[F(1, 4), F(3, 4), F(11, 4)],
    dividends={(0,): 1, (1,): 2, (2,): 4, (0, 1): -1, (0, 2): -1, (1, 2): -2, (0, 1, 2): 1},
    interaction={(0, 1): F(-1, 2), (0, 2): F(-1, 2), (1, 2): F(-3, 2)},
    repairs=[{0}, {1}, {2}],
)

TALMUD_ESTATE = _game(
    "talmud-estate-200",
    "claims of 100, 200 and 300 on an estate of 200: 100/3, 250/3, 250/3 (O'Neill 1982, "
    "doi:10.1016/0165-4896(82)90029-4)",
    lambda coalition: max(0, 200 - sum((100, 200, 300)[i] for i in {0, 1, 2} - coalition)),
    [F(100, 3), F(250, 3), F(250, 3)],
    [0, 0, 0],
    [100, 200, 200],
    banzhaf=[25, 75, 75],
    dividends={(1, 2): 100, (0, 1, 2): 100},
    interaction={(0, 1): 50, (0, 2): 50, (1, 2): 150},
    repairs=[{1, 2}],
)

LANDLORD = _game(
    "landlord-and-three-workers",
    "each worker adds 6 on the owner's land: the owner gets half of 18, each worker 3 (Shapley and Shubik 1967, "
    "doi:10.2307/1879674)",
    lambda coalition: 6 * len(coalition & {1, 2, 3}) if 0 in coalition else 0,
    [F(9), F(3), F(3), F(3)],
    [0, 0, 0, 0],
    [18, 6, 6, 6],
    banzhaf=[9, 3, 3, 3],
    dividends={(0, 1): 6, (0, 2): 6, (0, 3): 6},
    interaction={(0, 1): 6, (0, 2): 6, (0, 3): 6},
    repairs=[{0, 1}, {0, 2}, {0, 3}],
)

ADDITIVE_GAME = _game(
    "additive",
    "contributions that don't interact are the values: 3/8, -1/8, 0 (Shapley 1953)",
    lambda coalition: 2 + sum((3, -1, 0)[i] for i in coalition),
    [F(3, 8), F(-1, 8), F(0)],
    [F(3, 8), F(-1, 8), 0],
    [F(3, 8), F(-1, 8), 0],
    banzhaf=[F(3, 8), F(-1, 8), 0],
    dividends={(): F(1, 4), (0,): F(3, 8), (1,): F(-1, 8)},
    interaction={},
    repairs=[],
    denominator=8,
)

BROKEN_BY_A_FIX = _game(
    "a-fix-that-spoils-another",
    "the first fix repairs unless the second is in: u_0 - u_01 gives 1 - 1/2 and -1/2 (by linearity, Shapley 1953)",
    lambda coalition: int(0 in coalition and 1 not in coalition),
    [F(1, 2), F(-1, 2)],
    [1, 0],
    [0, -1],
    banzhaf=[F(1, 2), F(-1, 2)],
    dividends={(0,): 1, (0, 1): -1},
    interaction={(0, 1): -1},
    repairs=[{0}],
)

KNOWN_GAMES = (
    REFUND_POLICY_A,
    REFUND_POLICY_B,
    GLOVE_GAME,
    UNANIMITY_GAME,
    SYMMETRIC_MAJORITY,
    WEIGHTED_MAJORITY,
    DICTATOR,
    AIRPORT_GAME,
    TALMUD_ESTATE,
    LANDLORD,
    ADDITIVE_GAME,
    BROKEN_BY_A_FIX,
)

# Too large for the vectors: five permanent members with a veto, ten others, nine votes needed. 421/2145 and
# 4/2145 (Shapley and Shubik's index of the council as enlarged in 1965); 848 and 84 swings of 2**14 each.
SECURITY_COUNCIL = _game(
    "security-council",
    "five vetoes and nine of fifteen votes: 421/2145 for a permanent member, 4/2145 for another",
    lambda coalition: int({0, 1, 2, 3, 4} <= coalition and len(coalition) >= 9),
    [F(421, 2145)] * 5 + [F(4, 2145)] * 10,
    [0] * 15,
    [1] * 5 + [0] * 10,
    banzhaf=[F(848, 2**14)] * 5 + [F(84, 2**14)] * 10,
    dividends={
        (0, 1, 2, 3, 4, *others): (-1) ** size * comb(size - 1, 3)
        for size in range(4, 11)
        for others in _every(range(5, 15), size)
    },
    interaction={
        **dict.fromkeys(_every(range(15), 2), F(1, 286)),
        **dict.fromkeys(_every(range(5), 2), F(69, 286)),
        **dict.fromkeys(_every(range(5, 15), 2), F(-5, 2574)),
    },
    repairs=[{0, 1, 2, 3, 4, *others} for others in _every(range(5, 15), 4)],
)
