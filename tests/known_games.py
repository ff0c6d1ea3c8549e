"""Games whose values are in the literature: the ground truth the rules are tested against.

Shapley values are typed from the source named, never computed. Player i is bit i of a coalition's mask.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F


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


def _game(
    id: str,
    reason: str,
    worth: Callable[[frozenset[int]], int],
    shapley: list[F],
    fix_alone: list[F | int],
    leave_one_out: list[F | int],
    denominator: int = 1,
) -> KnownGame:
    """Tabulate a game given as a function of the set of players that take part."""
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
    )


def _any_of(*needed: set[int]) -> Callable[[frozenset[int]], int]:
    """Return the simple game won by every coalition that holds one of the sets."""
    return lambda coalition: int(any(group <= coalition for group in needed))


def _majority(quota: int, *votes: int) -> Callable[[frozenset[int]], int]:
    """Return the weighted majority game [quota; votes]."""
    return lambda coalition: int(sum(votes[i] for i in coalition) >= quota)


REFUND_POLICY_A = _game(
    "refund-policy-a",
    "planner, retriever, or writer with a reviewer that re-checks cited claims: 5/12, 5/12, 1/12, 1/12",
    _any_of({0}, {1}, {2, 3}),
    [F(5, 12), F(5, 12), F(1, 12), F(1, 12)],
    [1, 1, 0, 0],
    [0, 0, 0, 0],
)

REFUND_POLICY_B = _game(
    "refund-policy-b",
    "planner, retriever, or a reviewer that re-checks every claim: 1/3 each, and the writer is a null player",
    _any_of({0}, {1}, {3}),
    [F(1, 3), F(1, 3), F(0), F(1, 3)],
    [1, 1, 0, 1],
    [0, 0, 0, 0],
)

GLOVE_GAME = _game(
    "glove",
    "one left glove, two right ones: 2/3, 1/6, 1/6 (Shapley and Shubik 1969, doi:10.1016/0022-0531(69)90008-8)",
    lambda coalition: min(len(coalition & {0}), len(coalition & {1, 2})),
    [F(2, 3), F(1, 6), F(1, 6)],
    [0, 0, 0],
    [1, 0, 0],
)

UNANIMITY_GAME = _game(
    "unanimity",
    "the carrier {1, 3} of four shares equally, the others are null (Shapley 1953, doi:10.1515/9781400881970-018)",
    _any_of({1, 3}),
    [F(0), F(1, 2), F(0), F(1, 2)],
    [0, 0, 0, 0],
    [0, 1, 0, 1],
)

SYMMETRIC_MAJORITY = _game(
    "majority-3-of-5",
    "five interchangeable voters get 1/5 each (Shapley and Shubik 1954, doi:10.2307/1951053)",
    _majority(3, 1, 1, 1, 1, 1),
    [F(1, 5)] * 5,
    [0] * 5,
    [0] * 5,
)

WEIGHTED_MAJORITY = _game(
    "majority-51-50-49-1",
    "[51; 50, 49, 1]: the smallest has as much power as the second, 2/3, 1/6, 1/6 (Shapley and Shubik 1954)",
    _majority(51, 50, 49, 1),
    [F(2, 3), F(1, 6), F(1, 6)],
    [0, 0, 0],
    [1, 0, 0],
)

DICTATOR = _game(
    "dictator",
    "one player alone decides: 0, 1, 0",
    _any_of({1}),
    [F(0), F(1), F(0)],
    [0, 1, 0],
    [0, 1, 0],
)

AIRPORT_GAME = _game(
    "airport",
    "runways of cost 1, 2 and 4: each stretch is shared by those who need it: 1/3, 1/3 + 1/2, 1/3 + 1/2 + 2 "
    "(Littlechild and Owen 1973, doi:10.1287/mnsc.20.3.370)",
    lambda coalition: max(((1, 2, 4)[i] for i in coalition), default=0),
    [F(1, 3), F(5, 6), F(17, 6)],
    [1, 2, 4],
    [0, 0, 2],
)

TALMUD_ESTATE = _game(
    "talmud-estate-200",
    "claims of 100, 200 and 300 on an estate of 200: 100/3, 250/3, 250/3 (O'Neill 1982, "
    "doi:10.1016/0165-4896(82)90029-4)",
    lambda coalition: max(0, 200 - sum((100, 200, 300)[i] for i in {0, 1, 2} - coalition)),
    [F(100, 3), F(250, 3), F(250, 3)],
    [0, 0, 0],
    [100, 200, 200],
)

LANDLORD = _game(
    "landlord-and-three-workers",
    "each worker adds 6 on the owner's land: the owner gets half of 18, each worker 3 (Shapley and Shubik 1967, "
    "doi:10.2307/1879674)",
    lambda coalition: 6 * len(coalition & {1, 2, 3}) if 0 in coalition else 0,
    [F(9), F(3), F(3), F(3)],
    [0, 0, 0, 0],
    [18, 6, 6, 6],
)

ADDITIVE_GAME = _game(
    "additive",
    "contributions that don't interact are the values: 3/8, -1/8, 0 (Shapley 1953)",
    lambda coalition: 2 + sum((3, -1, 0)[i] for i in coalition),
    [F(3, 8), F(-1, 8), F(0)],
    [F(3, 8), F(-1, 8), 0],
    [F(3, 8), F(-1, 8), 0],
    denominator=8,
)

BROKEN_BY_A_FIX = _game(
    "a-fix-that-spoils-another",
    "the first fix repairs unless the second is in: u_0 - u_01 gives 1 - 1/2 and -1/2 (by linearity, Shapley 1953)",
    lambda coalition: int(0 in coalition and 1 not in coalition),
    [F(1, 2), F(-1, 2)],
    [1, 0],
    [0, -1],
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
# 4/2145 (Shapley and Shubik's index of the council as enlarged in 1965).
SECURITY_COUNCIL = _game(
    "security-council",
    "five vetoes and nine of fifteen votes: 421/2145 for a permanent member, 4/2145 for another",
    lambda coalition: int({0, 1, 2, 3, 4} <= coalition and len(coalition) >= 9),
    [F(421, 2145)] * 5 + [F(4, 2145)] * 10,
    [0] * 15,
    [1] * 5 + [0] * 10,
)
