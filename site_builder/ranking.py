"""Turns a case's game into the ranking of its fixes: a row per fix, and a number and a bar per rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.game import RULES, values
from analyzer.game_file import CaseGame, Header, SampledValues
from analyzer.rules import number_text, rank
from site_builder.errors import computed
from site_builder.figures import Scale, bar, bar_svg, scale, whiskers
from site_builder.wording import NOT_COMPUTED, interval_text


@dataclass(frozen=True)
class Cell:
    """One rule's value for one fix: the text, the bar, and the interval of a value that was sampled."""

    text: str
    bar: str
    interval: str = ""


@dataclass(frozen=True)
class RankRow:
    """One fix in the ranking."""

    player: int
    place: str
    title: str
    label: str
    cells: Mapping[str, Cell]


def game_values(case: CaseGame, header: Header) -> Mapping[str, tuple[float, ...] | None]:
    """Return each rule's values for a case."""
    return computed(lambda: values(case.game(header.players, ordered=header.ordered)), case, header)


def ranking_rows(game: CaseGame, header: Header) -> tuple[RankRow, ...]:
    """Return a row for each fix, by rank; in step order where values are withheld."""
    found = game_values(game, header)
    labels = [step.fix.label for step in header.steps if step.fix is not None]
    titles = header.player_titles
    shapley = found["shapley"]
    if shapley is None:
        nothing = dict.fromkeys(RULES, Cell("withheld", bar_svg(bar(0.0, Scale(0.0, 1.0)))))
        return tuple(RankRow(player, "–", title, labels[player], nothing) for player, title in enumerate(titles))
    sampled = game.sampled
    spans = spread(found, game.denominator, () if sampled is None else (*sampled.low, *sampled.high))
    return tuple(
        RankRow(
            player,
            place(player, shapley) if sampled is None else _claimed(player, sampled),
            titles[player],
            labels[player],
            {
                rule: _cell(rule, None if numbers is None else numbers[player], player, spans[rule], sampled)
                for rule, numbers in found.items()
            },
        )
        for player in (int(player) for player in rank(np.array(shapley)))
    )


def _cell(rule: str, number: float | None, player: int, span: Scale, sampled: SampledValues | None) -> Cell:
    drawn = bar(number or 0.0, span)
    if number is None:
        return Cell(NOT_COMPUTED, bar_svg(drawn))
    if sampled is None or rule != "shapley":
        return Cell(number_text(number), bar_svg(drawn))
    low, high = sampled.low[player], sampled.high[player]
    return Cell(number_text(number), bar_svg(drawn, whiskers(low, high, span)), interval_text(low, high))


def spread(
    found: Mapping[str, Sequence[float] | None], denominator: int | None, ends: Sequence[float] = ()
) -> dict[str, Scale]:
    """Return the scale of each rule's bars: one for those that measure worth, its own for last touch.

    Parameters
    ----------
    found : mapping of str to sequence of float, or None
        Values by rule.
    denominator : int or None
        Of the worth table.
    ends : sequence of float
        Those of the values' intervals, which are drawn too.
    """
    measured = [number for rule in RULES if rule != "last_touch" for number in found[rule] or ()]
    shared = scale([*measured, *ends], 0.0 if denominator is None else 1.0)
    return {rule: scale((), 1.0) if rule == "last_touch" else shared for rule in RULES}


def place(player: int, numbers: Sequence[float]) -> str:
    """Return a fix's place in the ranking; fixes that tie exactly share it, marked with ``=``."""
    ahead = sum(number > numbers[player] for number in numbers)
    tied = sum(number == numbers[player] for number in numbers) > 1
    return f"{'=' if tied else ''}{ahead + 1}"


def _claimed(player: int, sampled: SampledValues) -> str:
    """Return the place of a fix whose value was sampled: only the leader's is known, if there is one."""
    return "1" if player == sampled.leader else "–"
