"""Hypothesis strategies shared by the property tests: worth tables first."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

MAX_PLAYERS = 5

Rational = tuple[list[int], int]


def players_of(worth: Sequence[float]) -> int:
    """Return how many players a worth table has."""
    return len(worth).bit_length() - 1


@st.composite
def rational_games(draw: st.DrawFn, players: int | None = None, min_players: int = 0) -> Rational:
    """Draw (worth, denominator): scores over up to 12 worlds, some of them negative."""
    n = draw(st.integers(min_players, MAX_PLAYERS)) if players is None else players
    denominator = draw(st.integers(1, 12))
    outcomes = st.integers(0, denominator) | st.integers(-30, 30)
    return draw(st.lists(outcomes, min_size=2**n, max_size=2**n)), denominator


@st.composite
def pass_fail_games(draw: st.DrawFn, min_players: int = 0) -> Rational:
    """Draw (worth, 1) with worths 0 and 1."""
    n = draw(st.integers(min_players, MAX_PLAYERS))
    return draw(st.lists(st.integers(0, 1), min_size=2**n, max_size=2**n)), 1


def scores() -> st.SearchStrategy[float]:
    """Draw finite float64 scores: subnormal, -0 and large ones included, none so large that sums overflow."""
    return st.floats(allow_nan=False, allow_infinity=False, min_value=-1e290, max_value=1e290)


@st.composite
def real_games(draw: st.DrawFn, min_players: int = 0) -> list[float]:
    """Draw the worth of a real table."""
    n = draw(st.integers(min_players, MAX_PLAYERS))
    return draw(st.lists(scores(), min_size=2**n, max_size=2**n))


@st.composite
def games_of_any_kind(draw: st.DrawFn, min_players: int = 0) -> tuple[list[float], int | None]:
    """Draw (worth, denominator), rational or real."""
    if draw(st.booleans()):
        worth, denominator = draw(rational_games(min_players=min_players))
        return list(worth), denominator
    return draw(real_games(min_players=min_players)), None
