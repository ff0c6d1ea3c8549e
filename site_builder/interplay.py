"""Turns a case's worth table into how its fixes work together: smallest repairs, pairs, dividends, needed or enough.

`interplay_figures` holds the numbers and `interplay_view` the words and shades for them; the page computes both from
the same table with interplay.js.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analyzer.batch_table import Bounds, causes
from analyzer.game_file import CaseGame, Header
from analyzer.rules import (
    harsanyi_dividends,
    minimal_repairs,
    number_text,
    repair_level,
    shapley_interaction,
)
from site_builder.errors import computed
from site_builder.wording import (
    NOT_COMPUTED,
    coalition_name,
    interval_text,
    joined,
    needs_every_combination,
    withheld_reason,
)

#: Smallest repairs, dividends and strongest pairs that are shown.
MOST_SHOWN = 12
#: Most fixes whose pairs make a table; of more, only the strongest pairs are listed.
MOST_IN_TABLE = 12
#: Shades of a pair in the table.
SHADES = 4


@dataclass(frozen=True)
class Figures:
    """The numbers behind the section on how fixes work together.

    Attributes
    ----------
    repairs : tuple of int
        The first of the minimal repairing coalitions.
    repair_count : int
        How many there are.
    needed, enough : tuple of (float, float), or None
        Bounds of each fix's probability of necessity and of sufficiency; None where the condition never happens.
    pairs : tuple of float
        Shapley interaction index of each two fixes: (0, 1), (0, 2), … (1, 2), … In a real table what is nearer to 0
        than rounding is 0.
    dividends : tuple of (int, float)
        The coalitions with the largest Harsanyi dividends, by size of the dividend, then by mask; none of 0, nor of
        what is nearer to 0 than rounding.
    dividend_count : int
        How many coalitions have one.
    """

    repairs: tuple[int, ...]
    repair_count: int
    needed: tuple[Bounds, ...] | None
    enough: tuple[Bounds, ...] | None
    pairs: tuple[float, ...]
    dividends: tuple[tuple[int, float], ...]
    dividend_count: int


@dataclass(frozen=True)
class Pair:
    """Two fixes: how strongly they work together or against each other, in a number, a word and a shade from 0."""

    number: str
    word: str
    shade: int


@dataclass(frozen=True)
class Cause:
    """A fix: the probability that it was needed, and that it is enough."""

    title: str
    needed: str
    enough: str


@dataclass(frozen=True)
class InterplayView:
    """How fixes work together, as shown.

    Attributes
    ----------
    reason : str
        Why nothing is said; empty where it is.
    repairs : tuple of (int, str)
        Smallest repairing sets: mask and name.
    repairs_note, pairs_note, dividends_note : str
        What there is to say of each list as a whole.
    causes : tuple of Cause
    matrix : tuple of tuple of Pair or None
        A row per fix, None on the diagonal; empty for more fixes than a table can hold.
    strongest : tuple of (str, Pair)
        The strongest pairs by name, where there is no table.
    dividends : tuple of (str, str)
        Name of the set and its dividend.
    """

    reason: str
    repairs: tuple[tuple[int, str], ...]
    repairs_note: str
    causes: tuple[Cause, ...]
    pairs_note: str
    matrix: tuple[tuple[Pair | None, ...], ...]
    strongest: tuple[tuple[str, Pair], ...]
    dividends: tuple[tuple[str, str], ...]
    dividends_note: str


def interplay_figures(worth: Sequence[int | float], denominator: int | None, level: float, *, graded: bool) -> Figures:
    """Return the numbers of the section on how fixes work together.

    Parameters
    ----------
    worth : sequence of length 2**n
        v(S) by coalition mask, whole.
    denominator : int or None
        Of a rational table.
    level : float
        The outcome from which a coalition repairs the case.
    graded : bool
        Whether outcomes are numbers on a scale. Whether a fix is needed or enough is then about reaching the level.

    Returns
    -------
    Figures
    """
    players = len(worth).bit_length() - 1
    outcomes = [value / (denominator or 1) for value in worth]
    # Rounding of real scores grows with the number of additions.
    least = 0.0 if denominator is not None else max(map(abs, outcomes)) * 2.0 ** (max(players, 12) - 52)
    repairs = minimal_repairs(worth, denominator, level).tolist()
    indices = shapley_interaction(worth, denominator).tolist()
    dividends = harsanyi_dividends(worth, denominator)
    dividends[0] = 0.0
    masks = np.flatnonzero(np.abs(dividends) > least)
    largest = masks[np.argsort(-np.abs(dividends[masks]), kind="stable")][:MOST_SHOWN].tolist()
    return Figures(
        tuple(repairs[:MOST_SHOWN]),
        len(repairs),
        *causes(worth, denominator, [outcome >= level for outcome in outcomes] if graded else None),
        tuple(
            indices[one][other] if abs(indices[one][other]) > least else 0.0
            for one, other in combinations(range(players), 2)
        ),
        tuple((mask, float(dividends[mask])) for mask in largest),
        len(masks),
    )


def interplay_view(game: CaseGame, header: Header) -> InterplayView | None:
    """Return how the fixes of a case work together; None where no fix was tried."""
    titles, score = header.player_titles, header.scenario.score
    if not titles:
        return None
    reason = needs_every_combination(game, len(titles)) or withheld_reason(game, titles)
    if reason:
        return InterplayView(reason, (), "", (), "", (), (), (), "")
    level = repair_level(score.threshold, game.denominator)
    whole = [value for value in game.worth if value is not None]
    graded = score.graded
    return view_of(
        computed(lambda: interplay_figures(whole, game.denominator, level, graded=graded), game, header), titles
    )


def view_of(figures: Figures, titles: Sequence[str]) -> InterplayView:
    """Return figures in words and shades."""
    players = len(titles)
    pairs = dict(zip(combinations(range(players), 2), figures.pairs, strict=True))
    # Equal ones stay in step order.
    order = sorted(pairs, key=lambda pair: -abs(pairs[pair]))
    largest = abs(pairs[order[0]]) if order else 0.0
    named = [(joined((titles[one], titles[other])), _pair(pairs[one, other], largest)) for one, other in order]
    in_table = 1 < players <= MOST_IN_TABLE
    return InterplayView(
        reason="",
        repairs=tuple((mask, coalition_name(mask, titles)) for mask in figures.repairs),
        repairs_note=_repairs_note(figures),
        causes=tuple(
            Cause(title, _probability(figures.needed, player), _probability(figures.enough, player))
            for player, title in enumerate(titles)
        ),
        pairs_note=_pairs_note(named),
        matrix=tuple(
            tuple(
                None if one == other else _pair(pairs[min(one, other), max(one, other)], largest)
                for other in range(players)
            )
            for one in range(players)
            if in_table
        ),
        strongest=() if in_table else tuple(one for one in named[:MOST_SHOWN] if one[1].shade),
        dividends=tuple((coalition_name(mask, titles), _signed(dividend)) for mask, dividend in figures.dividends),
        dividends_note=_dividends_note(figures),
    )


def _pair(index: float, largest: float) -> Pair:
    word = "independent" if index == 0 else "synergy" if index > 0 else "overlap"
    return Pair(_signed(index), word, 0 if index == 0 else math.ceil(abs(index) / largest * SHADES))


def _signed(number: float) -> str:
    """Return a number as shown, with a plus sign above 0."""
    text = number_text(number)
    return f"+{text}" if number > 0 and not text.startswith("<") else text


def _probability(bounds: tuple[Bounds, ...] | None, player: int) -> str:
    if bounds is None:
        return NOT_COMPUTED
    low, high = bounds[player]
    return number_text(low) if low == high else interval_text(low, high)


def _repairs_note(figures: Figures) -> str:
    if figures.repairs == (0,):
        return "It passes without any fix."
    if not figures.repairs:
        return "No set of fixes repairs it."
    more = figures.repair_count - len(figures.repairs)
    return f"And {more} more, of no fewer fixes." if more else ""


def _pairs_note(named: Sequence[tuple[str, Pair]]) -> str:
    """Name the two fixes with most synergy, and those with most overlap; of those shown as equal, the first."""
    if not named:
        return "There is one fix, so there are no pairs."
    told = []
    for word in ("synergy", "overlap"):
        found = [(name, pair.number) for name, pair in named if pair.word == word]
        if found:
            more = sum(number == found[0][1] for _, number in found) - 1
            others = f" and {more} other {'pair' if more == 1 else 'pairs'}" if more else ""
            told.append(f"Most {word} ({found[0][1]}): {found[0][0]}{others}.")
    return " ".join(told) or "No two fixes need or replace each other, on average over the others."


def _dividends_note(figures: Figures) -> str:
    shown, number = len(figures.dividends), figures.dividend_count
    if not number:
        return "No combination adds anything."
    return f"The {shown} largest of {number}." if number > shown else ""
