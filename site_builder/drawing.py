"""Turns a drawing, a list of marks in whole units, into SVG; the page draws the same marks with drawing.js."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup, escape

from site_builder.payload import visible

#: What a drawing may be made of.
TAGS = frozenset({"circle", "ellipse", "g", "line", "path", "rect", "text", "title"})
#: From this character on (Chinese, Japanese, Korean, pictures) one takes the room of two.
_WIDE = "\u2e80"

Value = str | int


@dataclass(frozen=True)
class Mark:
    """One mark: its tag, its attributes, and the text or the marks within it."""

    tag: str
    attributes: Mapping[str, Value]
    content: str | tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """A picture of some size in whole units, and its marks from back to front."""

    width: int
    height: int
    marks: tuple[Mark, ...]


class Box(NamedTuple):
    """Where something is drawn, in whole units."""

    x: int
    y: int
    width: int
    height: int


def mark(tag: str, kind: str, content: str | tuple[Mark, ...] = (), /, **attributes: Value) -> Mark:
    """Return a mark.

    Parameters
    ----------
    tag : str
        One of `TAGS`.
    kind : str
        Its classes, which say how it looks; none if empty.
    content : str or tuple of Mark
        Text, or marks.
    **attributes : str or int
        ``text_anchor`` stands for ``text-anchor``.

    Raises
    ------
    ValueError
        If a drawing has no such tag, or a number is not whole: it would not be the same text in both languages.

    Examples
    --------
    >>> mark("line", "edge", x1=0, y1=2, x2=10, y2=2).attributes["class"]
    'edge'
    """
    if tag not in TAGS:
        raise ValueError(f"a drawing has no {tag!r}")
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    broken = [name for name, value in named.items() if isinstance(value, bool) or not isinstance(value, str | int)]
    if broken:
        raise ValueError(f"a drawing is in whole units: {broken[0]} = {named[broken[0]]!r}")
    return Mark(tag, {"class": kind, **named} if kind else named, content)


def svg(drawing: Drawing, **attributes: Value) -> Markup:
    """Return a drawing as SVG.

    Parameters
    ----------
    drawing : Drawing
        What to draw.
    **attributes : str or int
        Of the picture as a whole, named as for `mark`.

    Returns
    -------
    Markup
        Text in it is escaped, and shown as the page shows it.
    """
    whole = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    whole |= {"viewBox": f"0 0 {drawing.width} {drawing.height}", "width": drawing.width, "height": drawing.height}
    parts: list[str] = []
    _open("svg", whole, parts)
    for one in drawing.marks:
        _write(one, parts)
    parts.append("</svg>")
    return Markup("".join(parts))


def _write(one: Mark, parts: list[str]) -> None:
    _open(one.tag, one.attributes, parts)
    if isinstance(one.content, str):
        parts.append(_text(one.content))
    else:
        for inner in one.content:
            _write(inner, parts)
    parts.append(f"</{one.tag}>")


def _open(tag: str, attributes: Mapping[str, Value], parts: list[str]) -> None:
    parts.append(f"<{tag}")
    parts.extend(f' {name}="{_text(str(value))}"' for name, value in attributes.items())
    parts.append(">")


def _text(text: str) -> str:
    return str(escape(visible(text)))


def room(text: str) -> int:
    """Return how many letters' room a text takes; what is Chinese, Japanese or Korean takes two a character."""
    return sum(2 if character >= _WIDE else 1 for character in text)


def shortened(text: str, most: int) -> str:
    """Return a text that takes at most the room of `most` letters, with an ellipsis where something was cut.

    Examples
    --------
    >>> shortened("Retriever", 9), shortened("Retriever", 6)
    ('Retriever', 'Retri…')
    """
    if room(text) <= most:
        return text
    kept, left = "", most - 1
    for character in text:
        left -= room(character)
        if left < 0:
            break
        kept += character
    return f"{kept}…"
