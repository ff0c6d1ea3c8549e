"""Turns a case into what went into it and what its run gave without any fix, in a line each.

Its twin in gist.js says the same of any case that is shown live.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game_file import CaseGame, Header
from site_builder.drawing import room, shortened
from site_builder.wording import no_output, outcome, world_sentence, world_text

#: Letters' room for all inputs together, for what the run gave, and for a name.
_LINE, _NAME = 160, 40

#: Inputs that are told; the others are counted.
_MOST_INPUTS = 4

EMPTY = "(empty)"

# White space as browsers and Python agree on it; what else is blank is a character.
_WORD = re.compile("[^\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


@dataclass(frozen=True)
class Gist:
    """A case in two lines.

    Attributes
    ----------
    inputs : tuple of (str, str)
        Name and text of each input, both shortened.
    more : str
        How many inputs are left out, or nothing.
    gave : (str, str)
        The last step's title, and what it put out without any fix or why there is nothing.
    world : str
        Of which world that is, and whether it passes; nothing where there is one only, or no output.
    """

    inputs: tuple[tuple[str, str], ...]
    more: str
    gave: tuple[str, str]
    world: str


def gist(game: CaseGame, header: Header) -> Gist:
    """Return what went into a case and what came of it without any fix."""
    told = game.inputs[:_MOST_INPUTS]
    texts = [line(one.text, _LINE) for one in told]
    left = len(game.inputs) - len(told)
    last, seen = header.steps[-1], game.steps[-1]
    index = seen.index[0]
    text = no_output(game.reasons[0]) if index is None else seen.outputs[index].text
    state = outcome(game.shown_scores[0], 1, header.scenario.score.threshold).state
    return Gist(
        inputs=tuple(
            (line(one.name, _NAME), shortened(text, most))
            for one, text, most in zip(told, texts, shares([room(text) for text in texts], _LINE), strict=True)
        ),
        more=f"and {left} more" if left else "",
        gave=(line(last.title or last.id, _NAME), line(text, _LINE)),
        world="" if index is None else world_sentence(world_text(header), state),
    )


def shares(wanted: Sequence[int], whole: int) -> list[int]:
    """Return how much of `whole` each has of some that want so much.

    All have alike; what one does not want, the others do.

    Examples
    --------
    >>> shares([300, 10, 90], 160), shares([300, 300], 160)
    ([75, 10, 75], [80, 80])
    """
    found, left = [0] * len(wanted), whole
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    for place, number in enumerate(order):
        found[number] = min(wanted[number], left // (len(order) - place))
        left -= found[number]
    return found


def line(text: str, most: int) -> str:
    r"""Return a text in one line that takes at most the room of `most` letters.

    Examples
    --------
    >>> line("  two\n\nlines ", 20), line("two lines", 6), line("\t", 6)
    ('two lines', 'two l…', '(empty)')
    """
    words, length = [], 0
    # The rest of a text of any length is not looked at.
    for found in _WORD.finditer(text):
        words.append(found[0][: most + 1])
        length += len(words[-1]) + 1
        if length > most + 1:
            break
    return shortened(" ".join(words), most) or EMPTY
