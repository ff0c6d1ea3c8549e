"""Hypothesis strategies for pass probabilities, and for the worlds that they sum up."""

from __future__ import annotations

from hypothesis import strategies as st

MAX_PLAYERS = 4


@st.composite
def pass_tables(draw: st.DrawFn) -> list[bool]:
    """Draw what passes in one world, by coalition."""
    players = draw(st.integers(1, MAX_PLAYERS))
    return draw(st.lists(st.booleans(), min_size=2**players, max_size=2**players))


@st.composite
def worlds(draw: st.DrawFn) -> list[list[bool]]:
    """Draw what passes in each of up to 8 worlds, by coalition."""
    players = draw(st.integers(1, MAX_PLAYERS))
    one_world = st.lists(st.booleans(), min_size=2**players, max_size=2**players)
    return draw(st.lists(one_world, min_size=1, max_size=8))


def counts(tables: list[list[bool]]) -> list[int]:
    """Return in how many worlds each coalition passes."""
    return [sum(column) for column in zip(*tables, strict=True)]


@st.composite
def real_probabilities(draw: st.DrawFn) -> list[float]:
    """Draw a table of real probabilities: -0, subnormals and neighbours of 1 included."""
    players = draw(st.integers(1, MAX_PLAYERS))
    return draw(st.lists(st.floats(-0.0, 1.0), min_size=2**players, max_size=2**players))
