"""Turn a worth table into what a reader is told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

from analyzer.rules.isolated import isolated
from analyzer.rules.number_text import number_text
from analyzer.rules.shapley import shapley_numerators
from analyzer.rules.worth import BadTable, Outcomes, missing_coalitions, player_count, worth_table

# Far above the rounding of the largest real game, far below any difference worth telling.
_ROUNDING = 2.0**-40


@dataclass(frozen=True)
class Verdict:
    """What a game says, as a kind, the players it is about, and sentences.

    Attributes
    ----------
    kind : str
        "withheld": a coalition has no outcome, so nothing is ranked. "passes": the case passes without any
        fix. "all_fail": all fixes together do not repair it, though fewer may. "no_single": they do, but none of
        them alone. "repairable": at least one fix alone repairs it. The first that applies, in this order.
    players : tuple of int
        All players with the largest Shapley value, in step order, if it is positive; else empty. In a real table
        values that differ by no more than rounding count as equal.
    alone : tuple of int
        The players whose fix alone repairs the case, in step order.
    sentences : tuple of str
        Plain text in the order to be shown. Step titles stand in it as `isolated` gives them: escape it like any other
        text.
    """

    kind: str
    players: tuple[int, ...]
    alone: tuple[int, ...]
    sentences: tuple[str, ...]


def verdict(
    titles: Sequence[str],
    worth: Outcomes,
    denominator: int | None,
    level: float,
    worlds: int,
    last_touch: Sequence[float] | None = None,
) -> Verdict:
    r"""Say what a game means.

    Parameters
    ----------
    titles : sequence of str, length n
        The players' step names as shown, in step order.
    worth : sequence of length 2**n
        v(S) by coalition mask, as for `shapley`; entries may be None.
    denominator : int or None
        As for `shapley`. Above 1 it is the number of worlds.
    level : float
        The worth from which a coalition repairs the case; see `repair_level`.
    worlds : int
        In how many worlds pass or fail was counted when the game was run, at least 1; 1 for graded scores. An edit
        that turns a table real leaves it as it is.
    last_touch : sequence of float, length n, or None
        What `last_touch` returned; None where no outputs are known.

    Returns
    -------
    Verdict
        The same kind, players and sentences in every language.

    Raises
    ------
    BadTable
        The lengths do not fit, or the table is not a worth table.
    NotFinite, TableTooLarge
        As in `shapley`.

    Notes
    -----
    One fix "carries most of the repair" when its Shapley value is more than half of the positive ones
    together, which is decided on the values before their division. Complexity: that of `shapley`.

    References
    ----------
    H. Chockler and J. Y. Halpern, "Responsibility and blame: a structural-model approach", Journal of
    Artificial Intelligence Research 22, 2004, 93-115. https://doi.org/10.1613/jair.1391

    Examples
    --------
    >>> told = verdict(["planner", "writer"], [0, 1, 0, 1], 1, 0.5, 1, [0.0, 1.0])
    >>> told.kind, told.players, told.alone
    ('repairable', (0,), (0,))
    >>> print(*told.sentences, sep="\n")
    Fixing planner carries the whole repair (1).
    That fix alone repairs this case.
    Last-step blame would have said writer.
    """
    titles = [isolated(title) for title in titles]
    players = player_count(len(worth))
    if len(titles) != players or (last_touch is not None and len(last_touch) != players):
        raise BadTable("titles, last touch and worth table are of one game and have one length")
    if holes := missing_coalitions(worth):
        return Verdict("withheld", (), (), (_withheld(len(holes), len(worth)),))
    if not isinstance(worlds, Integral) or worlds < 1:
        raise BadTable("the number of worlds is a positive integer")
    table = worth_table(worth, denominator)
    outcomes: list[float] = (table / (denominator or 1)).tolist()
    numerators, divisor = shapley_numerators(worth, denominator)
    shares: list[float] = numerators.tolist()
    values = [share / divisor for share in shares]
    # Real scores leave rounding in their values: what is nearer than that is told as equal. Counts are exact.
    margin = _ROUNDING * max(map(abs, outcomes)) if denominator is None else 0.0
    largest = max(values, default=0.0)
    leading = tuple(player for player, value in enumerate(values) if value >= largest - margin and value > margin)
    alone = tuple(player for player in range(players) if outcomes[1 << player] >= level)
    grand = outcomes[-1] - outcomes[0]

    most = " in most worlds" if worlds > 1 else ""
    if outcomes[0] >= level:
        kind = "passes"
        told = [_passes(table[0].item(), outcomes[0], denominator, worlds)]
        if worlds > 1 and grand > 0:
            told += _carries(titles, leading, values, shares, margin, "improvement")
        return Verdict(kind, leading, alone, tuple(told))
    if outcomes[-1] < level:
        kind = "all_fail"
        if not players:
            told = ["There is no fix to try."]
        elif max(outcomes) >= level:
            told = [_fewer(titles, alone, outcomes, level, worlds)]
        else:
            told = [f"All fixes together don’t repair it{most}."]
        if players and grand <= 0:
            told.append("Together they make it worse." if grand < 0 else "Together they bring no improvement.")
        told += _carries(titles, leading, values, shares, margin, "improvement")
    else:
        kind = "repairable" if alone else "no_single"
        told = _carries(titles, leading, values, shares, margin, "repair")
        if alone:
            told.append(_alone(titles, leading, alone, outcomes, worlds))
        else:
            told.append(f"No single fix repairs it{most}; it takes a combination.")
    told += _last_step(titles, leading, last_touch) + _worse(titles, values, margin)
    return Verdict(kind, leading, alone, tuple(told))


def _withheld(holes: int, coalitions: int) -> str:
    noun = "combination" if coalitions == 1 else "combinations"
    verb = "has" if holes == 1 else "have"
    return f"{holes} of {coalitions} {noun} {verb} no outcome, so the fixes are not ranked."


def _passes(worth: float, outcome: float, denominator: int | None, worlds: int) -> str:
    if worlds == 1:
        return "It passes without any fix: there is nothing to repair."
    often = _how_often(outcome, worlds)
    if denominator is not None and denominator > 1:
        often = f" in {worth} of {denominator} worlds"
    return f"It passes{often} without any fix, so this failure may have been luck."


def _carries(
    titles: Sequence[str], leading: tuple[int, ...], values: list[float], shares: list[float], margin: float, whole: str
) -> list[str]:
    """Say how much of the repair, or of the improvement, the leading players carry."""
    if not leading:
        return []
    text = number_text(values[leading[0]])
    each = " each" if len(leading) > 1 else ""
    if min(values) < -margin:
        # Beside a negative value the positive ones add up to more than the whole: no part of it can be named.
        return [f"Fixing {listed(titles, leading, 'or')} helps most ({text}{each})."]
    positive = [player for player, value in enumerate(values) if value > margin]
    if len(leading) > 1 and len(leading) == len(positive):
        return [f"The {whole} is shared equally by {listed(titles, leading, 'and')} ({text} each)."]
    total = 0.0
    for player in positive:
        total += shares[player]
    if len(positive) == 1:
        part = "the whole"
    elif 2 * shares[leading[0]] > total:
        part = "most of the"
    else:
        part = "the largest share of the"
    return [f"Fixing {listed(titles, leading, 'or')} carries {part} {whole} ({text}{each})."]


def _alone(
    titles: Sequence[str], leading: tuple[int, ...], alone: tuple[int, ...], outcomes: list[float], worlds: int
) -> str:
    """Say which fixes repair the case on their own, by "that" or "either" if they were named just before."""
    if alone != leading:
        fix = f"Fixing {listed(titles, alone, 'or')} alone"
    elif len(alone) == 1:
        fix = "That fix alone"
    elif len(alone) == 2:
        fix = "Either fix alone"
    else:
        fix = "Any one of these fixes alone"
    weakest = min(outcomes[1 << player] for player in alone)
    return f"{fix} repairs this case{_how_often(weakest, worlds)}."


def _fewer(titles: Sequence[str], alone: tuple[int, ...], outcomes: list[float], level: float, worlds: int) -> str:
    """Say what repairs a case that all fixes together do not: each fix that does alone, or the smallest combination.

    Of equally small ones the first by mask.
    """
    repairing = [1 << player for player in alone] or [mask for mask, outcome in enumerate(outcomes) if outcome >= level]
    smallest = min(repairing, key=int.bit_count)
    if alone:
        fixes = f"Fixing {listed(titles, alone, 'or')} alone"
        weakest = min(outcomes[mask] for mask in repairing)
    else:
        named = [player for player in range(len(titles)) if smallest >> player & 1]
        fixes = f"Fixing {listed(titles, named, 'and')} without the rest"
        weakest = outcomes[smallest]
    return f"{fixes} repairs this case{_how_often(weakest, worlds)}, but all fixes together don’t."


def _how_often(outcome: float, worlds: int) -> str:
    """Say in how many worlds a repair holds; exactly half of them is not most of them."""
    if worlds == 1:
        return ""
    if outcome >= 1:
        return " in every world"
    return " in most worlds" if outcome > 0.5 else " in at least half of the worlds"


def _last_step(titles: Sequence[str], leading: tuple[int, ...], last_touch: Sequence[float] | None) -> list[str]:
    """Compare with last-step blame, where it names a step."""
    named = [player for player, mark in enumerate(last_touch if last_touch is not None else ()) if mark > 0]
    if not named:
        return []
    if leading == (named[0],):
        return ["Last-step blame would have said the same."]
    among = ", one of the tied steps" if named[0] in leading else ""
    return [f"Last-step blame would have said {titles[named[0]]}{among}."]


def _worse(titles: Sequence[str], values: list[float], margin: float) -> list[str]:
    """Name the players with a negative value."""
    named = [f"{titles[player]} ({number_text(value)})" for player, value in enumerate(values) if value < -margin]
    return [f"Fixing {_joined(named, 'or')} makes things worse on balance."] if named else []


def listed(titles: Sequence[str], players: Sequence[int], word: str) -> str:
    """Return players by name as an English list: ``a``, ``a or b``, ``a, b or c``."""
    return _joined([titles[player] for player in players], word)


def _joined(items: list[str], word: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
