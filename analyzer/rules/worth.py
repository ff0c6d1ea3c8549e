"""Turn a worth table as given into a checked numpy array, or into an error that says what is wrong with it.

A worth table holds v(S) for every coalition S of n fixes, indexed by mask: fix i takes part in coalition
``mask`` when bit i is set. A *rational* table holds integers k meaning ``k / denominator``; a *real* table
(denominator None) holds float64. ``None`` marks a coalition whose run raised: it has no outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Outcomes: TypeAlias = Sequence[float | None]
Worth: TypeAlias = Outcomes | Sequence[Outcomes] | NDArray[Any]

EXACT = 2**53
"""Every integer below this magnitude is a float64, in Python and in JavaScript alike."""

_MASKS_NAMED = 8


class MissingWorth(ValueError):
    """Some coalitions have no outcome, so no value may be computed as if they had.

    Attributes
    ----------
    masks : tuple of int
        The coalitions without an outcome, increasing.
    game : int or None
        Which game of a batch they belong to (the first one with a hole); None for a single table.
    """

    def __init__(self, masks: Sequence[int], game: int | None = None) -> None:
        self.masks = tuple(masks)
        self.game = game
        named = ", ".join(str(mask) for mask in self.masks[:_MASKS_NAMED])
        more = len(self.masks) - _MASKS_NAMED
        tail = f" and {more} more" if more > 0 else ""
        noun = "coalition" if len(self.masks) == 1 else "coalitions"
        where = "" if game is None else f"game {game}: "
        super().__init__(f"{where}no outcome for {noun} {named}{tail}")


class TableTooLarge(ValueError):
    """The scores are too large for arithmetic that both languages do alike; the message says what to do."""


class BadTable(ValueError):
    """The input is not of the form a rule takes: wrong length, wrong type, a mask out of range."""


class NotFinite(ValueError):
    """A number is NaN or infinite."""


def player_count(length: int) -> int:
    """Return n for a table of 2**n entries."""
    if length < 1 or length & (length - 1):
        raise BadTable(f"a worth table has 2**n entries, one per coalition; this one has {length}")
    return length.bit_length() - 1


@lru_cache(maxsize=8)
def coalition_sizes(players: int) -> NDArray[np.uint8]:
    """Return how many fixes each coalition holds, by mask; shape (2**players,), read-only."""
    sizes = np.zeros(1, dtype=np.uint8)
    for _ in range(players):
        sizes = np.concatenate([sizes, sizes + np.uint8(1)])
    sizes.setflags(write=False)
    return sizes


def check_denominator(denominator: int | None) -> None:
    """Refuse a denominator that is neither None nor a positive integer float64 holds exactly."""
    if denominator is None:
        return
    if not isinstance(denominator, Integral) or denominator < 1:
        raise BadTable("a denominator is a positive integer, or absent for a real table")
    if denominator >= EXACT:
        raise _too_large()


def missing_coalitions(worth: Worth) -> tuple[int, ...]:
    """Return the masks of the coalitions of one table that have no outcome, increasing."""
    return tuple(mask for mask, outcome in enumerate(worth) if outcome is None)


def worth_table(worth: Worth, denominator: int | None, *, finite: bool = True) -> NDArray[Any]:
    """Check a worth table, or a batch of them, and return it as an array.

    Parameters
    ----------
    worth : sequence or array of shape (2**n,) or (m, 2**n)
        v(S) by mask: integers over `denominator`, or finite floats when `denominator` is None.
    denominator : int or None
        What the integers of a rational table are divided by, at least 1; None for a real table.
    finite : bool
        Whether to refuse a real table with a score that is not finite; if not, the caller does.

    Returns
    -------
    NDArray
        The same shape; integers (any width) for a rational table, float64 for a real one. May share memory
        with `worth`, so it is for reading only.

    Raises
    ------
    BadTable
        The last axis is not a power of two, an entry is no number, or no integer in a rational table.
    MissingWorth
        An entry is None.
    NotFinite
        An entry is NaN or infinite.
    TableTooLarge
        A rational table holds an integer, or has a denominator, that float64 cannot hold.
    """
    check_denominator(denominator)
    try:
        table = np.asarray(worth)
    except ValueError:
        raise BadTable("the games of a batch have tables of one length") from None
    except OverflowError:
        raise _too_large() from None
    if table.ndim not in (1, 2):
        raise BadTable("a worth table has one axis, a batch of tables has two")
    player_count(table.shape[-1])
    if table.dtype.kind not in "biuf":
        table = _numbers_of_objects(np.array(worth, dtype=object))
    if denominator is None:
        table = table.astype(np.float64, copy=False)
    if table.dtype.kind == "f" and (finite or denominator is not None):
        check_finite(table)
    return table if denominator is None or table.dtype.kind != "f" else _integers(table)


def check_finite(table: NDArray[Any]) -> None:
    """Refuse a table with a score that is NaN or infinite."""
    fine = np.isfinite(table)
    if not fine.all():
        raise NotFinite(f"the worth of {_first(~fine)} is not a finite number")


def _numbers_of_objects(table: NDArray[Any]) -> NDArray[Any]:
    """Turn an object array into a numeric one, after naming holes and what is no number."""
    for game, row in enumerate(np.atleast_2d(table)):
        if holes := missing_coalitions(row):
            raise MissingWorth(holes, game if table.ndim == 2 else None)
    wrong = np.frompyfunc(lambda entry: not isinstance(entry, Real), 1, 1)(table).astype(bool)
    if wrong.any():
        raise BadTable(f"the worth of {_first(wrong)} is not a number")
    try:
        return table.astype(np.float64)
    except OverflowError:
        raise _too_large() from None


def _integers(table: NDArray[np.float64]) -> NDArray[np.int64]:
    """Turn integral floats into integers."""
    fractional = table != np.floor(table)
    if fractional.any():
        raise BadTable(f"the worth of {_first(fractional)} is not an integer, as a table with a denominator needs")
    if (np.abs(table) >= EXACT).any():
        raise _too_large()
    return table.astype(np.int64)


def _first(wrong: NDArray[np.bool_]) -> str:
    """Name the first marked coalition."""
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    where = f"coalition {place[-1]}"
    return where if len(place) == 1 else f"{where} of game {place[0]}"


def check_exact(table: NDArray[Any], denominator: int, scale: int) -> None:
    """Refuse a rational table whose sums, multiplied by `scale`, may leave the integers float64 can hold.

    Parameters
    ----------
    table : NDArray of int
        What `worth_table` returned for a rational table.
    denominator : int
        At least 1.
    scale : int
        The integer a rule multiplies its sums by before its one division.

    Raises
    ------
    TableTooLarge
        ``2 * scale * max|k| >= 2**53`` or ``scale * denominator >= 2**53``.
    """
    largest = max(int(table.max()), -int(table.min())) if table.size else 0
    if 2 * scale * largest >= EXACT or scale * denominator >= EXACT:
        raise _too_large()


def _too_large() -> TableTooLarge:
    return TableTooLarge("scores too large for exact arithmetic: use a smaller denominator, or real scores without one")


def differences(table: NDArray[Any], denominator: int | None, more: Any, less: Any) -> NDArray[np.float64]:
    """Return ``v(more) - v(less)`` for the coalitions named, by the last axis of a checked table.

    Parameters
    ----------
    table : NDArray
        What `worth_table` returned.
    denominator : int or None
        As for `worth_table`.
    more, less : int or NDArray of int
        Coalition masks; broadcast against each other.

    Returns
    -------
    NDArray of float64
        Correctly rounded for a rational table: an integer difference and one division.

    Raises
    ------
    TableTooLarge
        A rational table with ``2 * max|k| >= 2**53`` or ``denominator >= 2**53``, or a difference of real
        scores that overflows.
    """
    if denominator is not None:
        check_exact(table, denominator, 1)
        gains = table[..., more].astype(np.int64) - table[..., less].astype(np.int64)
        return gains / denominator
    with np.errstate(over="ignore"):
        values: NDArray[np.float64] = table[..., more] - table[..., less] + 0.0  # -0 - 0 is -0
    check_overflow(values)
    return values


def check_overflow(values: NDArray[np.float64]) -> None:
    """Refuse values that overflowed although every score was finite."""
    if not np.isfinite(values).all():
        raise TableTooLarge("scores too large: the values overflow; scale the scores down")
