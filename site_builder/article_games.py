"""Turns the small games an article declares in its front matter into the numbers, sentences and tables it can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.batch_table import Bounds, causes
from analyzer.rules import (
    banzhaf,
    fix_alone,
    leave_one_out,
    minimal_repairs,
    number_text,
    repair_level,
    shapley,
    shapley_interaction,
    verdict,
)
from site_builder.errors import SiteError
from site_builder.figures import Bar, bar, scale
from site_builder.markdown import Part, Source
from site_builder.wording import NOT_COMPUTED, RULES, Outcome, coalition_name, interval_text, outcome

#: The rules of a table of values, in the order of its columns.
_COLUMNS: Mapping[str, Callable[..., NDArray[np.float64]]] = {
    "shapley": shapley,
    "banzhaf": banzhaf,
    "fix_alone": fix_alone,
    "leave_one_out": leave_one_out,
}

_KEYS = {"players", "worth", "denominator", "level"}
_MOST_PLAYERS = 6


@dataclass(frozen=True)
class OutcomeLine:
    """A coalition by name, and its outcome."""

    name: str
    outcome: Outcome


@dataclass(frozen=True)
class ValueLine:
    """A fix, and per rule its value and a bar."""

    title: str
    cells: tuple[tuple[str, Bar], ...]


@dataclass(frozen=True)
class ArticleGame:
    """A game as an article names its parts: ``{{ games["either"].shapley["search"] }}``.

    Attributes
    ----------
    shapley, banzhaf, fix_alone, leave_one_out : mapping of str to str
        The rule's value for each fix, as text.
    outcome : mapping of str to str
        The worth of each coalition by name: ``No fix``, ``search``, ``search + rank`` (in the order of the players), …,
        ``All fixes``. A count of worlds such as ``5/8`` where the denominator is above 1.
    interaction : mapping of str to str
        The Shapley interaction index of each two fixes, by the name of the pair: ``search + rank``.
    needed, enough : mapping of str to str
        Each fix's probability of necessity and of sufficiency, or its range; ``–`` where it is not defined.
    repairs : tuple of str
        The minimal repairing coalitions by name.
    verdict : str
        The headline.
    remarks : tuple of str
        The sentences after it.
    table, values : Part
        Blocks: all coalitions and their outcomes; all fixes and their values.
    """

    shapley: Mapping[str, str]
    banzhaf: Mapping[str, str]
    fix_alone: Mapping[str, str]
    leave_one_out: Mapping[str, str]
    outcome: Mapping[str, str]
    interaction: Mapping[str, str]
    needed: Mapping[str, str]
    enough: Mapping[str, str]
    repairs: tuple[str, ...]
    verdict: str
    remarks: tuple[str, ...]
    table: Part
    values: Part


def article_games(source: Source) -> dict[str, ArticleGame]:
    """Return the games of an article's front matter.

    Each is a table ``[games.NAME]`` with ``players`` (titles in step order), ``worth`` (an outcome per coalition, in
    bitmask order) and, if need be, ``denominator`` and ``level``. Whole numbers are counts over ``denominator``, 1
    unless it is given. If one outcome is written with a decimal point, all are real scores, and there is no
    ``denominator``. ``level`` is the outcome from which a case counts as repaired: 1/2 for counts of several worlds,
    1 otherwise, unless it is given.

    Raises
    ------
    SiteError
        If one is no game.
    """
    declared = source.front.get("games", {})
    if not isinstance(declared, dict):
        raise SiteError(f"{source.name}: games: is no table. Write [games.NAME].")
    found = {}
    for name, given in declared.items():
        try:
            found[name] = _game(*_checked(given))
        except (ValueError, TypeError) as error:
            raise SiteError(f"{source.name}: games.{name}: {error}") from error
    return found


def _checked(given: Any) -> tuple[list[str], list[int | float], int | None, float]:
    """Return players, worth, denominator and level."""
    if not isinstance(given, dict) or not {"players", "worth"} <= set(given) <= _KEYS:
        raise ValueError(f"has players and worth, and no more than {', '.join(sorted(_KEYS))}")
    players, worth = given["players"], given["worth"]
    if not isinstance(players, list) or not all(isinstance(one, str) and one and " + " not in one for one in players):
        raise ValueError("players are texts without ' + '")
    if not 1 <= len(players) <= _MOST_PLAYERS or len(set(players)) < len(players):
        raise ValueError(f"has 1 to {_MOST_PLAYERS} players, no two alike")
    numbers = isinstance(worth, list) and all(isinstance(one, int | float) and one is not True for one in worth)
    if not numbers or len(worth) != 2 ** len(players):
        raise ValueError(f"worth is a list of {2 ** len(players)} numbers, one per combination of {len(players)} fixes")
    real = any(isinstance(one, float) for one in worth)
    if real and "denominator" in given:
        raise ValueError("scores with a decimal point have no denominator")
    denominator = None if real else given.get("denominator", 1)
    return players, worth, denominator, float(given.get("level", repair_level(1.0, denominator)))


def _game(players: Sequence[str], worth: Sequence[int | float], denominator: int | None, level: float) -> ArticleGame:
    values = {rule: compute(worth, denominator).tolist() for rule, compute in _COLUMNS.items()}
    texts = {rule: dict(zip(players, map(number_text, found), strict=True)) for rule, found in values.items()}
    worlds = denominator or 1
    outcomes = [outcome(one / worlds, worlds, level) for one in worth]
    names = [coalition_name(mask, players) for mask in range(len(worth))]
    pairs = shapley_interaction(worth, denominator)
    repairs = minimal_repairs(worth, denominator, level).tolist()
    needed, enough = causes(
        worth, denominator, [one.state == "pass" for one in outcomes] if denominator is None else None
    )
    said = verdict(players, worth, denominator, level, worlds).sentences
    lines = [OutcomeLine(name, one) for name, one in zip(names, outcomes, strict=True)]
    return ArticleGame(
        **texts,
        outcome={"All fixes": outcomes[-1].number}
        | {name: one.number for name, one in zip(names, outcomes, strict=True)},
        interaction={
            f"{players[i]} + {players[j]}": number_text(pairs[i, j]) for i, j in combinations(range(len(players)), 2)
        },
        needed=_probabilities(players, needed),
        enough=_probabilities(players, enough),
        repairs=tuple(names[mask] for mask in repairs),
        verdict=said[0],
        remarks=said[1:],
        table=Part("outcomes", (lines,)),
        values=values_table(players, values),
    )


def _probabilities(players: Sequence[str], bounds: Sequence[Bounds] | None) -> dict[str, str]:
    if bounds is None:
        return dict.fromkeys(players, NOT_COMPUTED)
    return {
        title: number_text(low) if low == high else interval_text(low, high)
        for title, (low, high) in zip(players, bounds, strict=True)
    }


def values_table(titles: Sequence[str], values: Mapping[str, Sequence[float] | None]) -> Part:
    """Return a block: a row per fix, with its value under each rule that has values.

    Parameters
    ----------
    titles : sequence of str
        The fixes.
    values : mapping of str to sequence of float, or None
        By rule; last touch is left out.
    """
    shown = {rule: found for rule in _COLUMNS if (found := values[rule]) is not None}
    span = scale([value for found in shown.values() for value in found], 1.0)
    lines = [
        ValueLine(title, tuple((number_text(found[player]), bar(found[player], span)) for found in shown.values()))
        for player, title in enumerate(titles)
    ]
    names = [RULES[rule][0] for rule in shown]
    return Part("values", (names, lines))
