"""Turns the steps of a pipeline into a picture of what reads what, from left to right.

Each step stands right of every step it reads, in a layer by its longest way from the start; within a layer the order
keeps lines short (the barycentre method of K. Sugiyama, S. Tagawa and M. Toda, 1981, doi:10.1109/TSMC.1981.4308636). A
line that passes layers has a place of its own in each, one for all that read the same step. The page only changes what
depends on the fixes that are on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from analyzer.game_file import CaseGame, Header, StepInfo
from site_builder.drawing import Drawing, Mark, mark, room, shortened, svg

#: Of a step's box, and between boxes.
WIDTH, HEIGHT = 116, 112
_ACROSS, _DOWN, _EDGE, _RAIL = 26, 20, 6, 14
_SWEEPS = 4
# By whether the steps run in the order in which they are listed.
_LABELS = {True: "The steps, each after what it reads.", False: "The steps, and the output that may depend on each."}
_LINE = 14

#: What a step's output is under some fixes: in words, and as a sign around the middle of a square of 10.
STATES = {
    "same": ("same", "M1 3H9M1 7H9"),
    "changed": ("changed", "M5 1L9.5 9H0.5Z"),
    "missing": ("missing", "M1 1L9 9M9 1L1 9"),
    "unrun": ("not run", "M1 5H9"),
}
#: A fix that is off, and one that is on: in words, and as a knob in a switch of 22 by 12.
SWITCHES = {False: ("fix off", 6), True: ("fix on", 16)}


@dataclass(frozen=True)
class Place:
    """Where something is drawn: its upper left corner."""

    x: int
    y: int


@dataclass(frozen=True)
class Layout:
    """Where each step is, and the way of the lines from each: points, as pairs of where they leave and arrive."""

    width: int
    height: int
    steps: tuple[Place, ...]
    lines: tuple[tuple[tuple[Place, Place], ...], ...]


@dataclass(frozen=True)
class _Node:
    """A step, or the passage of a step's line through a layer."""

    step: int
    layer: int
    passes: bool


def pipeline_graph(game: CaseGame, header: Header) -> Markup:
    """Return the picture of a pipeline with no fix switched on."""
    states = ["missing" if seen.index[0] is None else "same" for seen in game.steps]
    drawn = graph_drawing(header.steps, states, [False] * len(header.steps))
    label = f"{_LABELS[header.ordered]} The list below says the same."
    return svg(drawn, class_="graph", data_part="graph-picture", role="img", aria_label=label)


def graph_drawing(steps: Sequence[StepInfo], states: Sequence[str], switched: Sequence[bool]) -> Drawing:
    """Return the picture of a pipeline.

    Parameters
    ----------
    steps : sequence of StepInfo
        In run order: a step reads earlier ones only.
    states : sequence of str
        What each step's output is, of `STATES`.
    switched : sequence of bool
        Whether each step's fix is on; nothing is said of steps that have none.
    """
    ids = [step.id for step in steps]
    layout = lay_out([[ids.index(parent) for parent in step.parents] for step in steps])
    marks = [
        mark("path", kind, d=path(pieces), data_from=step, data_state=states[step])
        for step, pieces in enumerate(layout.lines)
        for kind, path in (("flow", _flow), ("arrow", _arrows))
        if pieces
    ]
    titles = [step.title or step.id for step in steps]
    marks.extend(
        _box(number, step, titles, layout.steps[number], states[number], on=switched[number])
        for number, step in enumerate(steps)
    )
    return Drawing(layout.width, layout.height, tuple(marks))


def lay_out(parents: Sequence[Sequence[int]]) -> Layout:
    """Return where to draw steps of which each reads some earlier ones."""
    depth = _layers(parents)
    children: list[list[int]] = [[] for _ in parents]
    for child, read in enumerate(parents):
        for parent in dict.fromkeys(read):
            children[parent].append(child)
    columns, before, after = _nodes(depth, children)
    _order(columns, before, after)
    places = _places(columns)
    lines = tuple(_line(step, depth, children[step], places) for step in range(len(parents)))
    steps = tuple(places[_Node(step, layer, passes=False)] for step, layer in enumerate(depth))
    height = max(places[node].y + _height(node) for column in columns for node in column)
    return Layout(len(columns) * (WIDTH + _ACROSS) - _ACROSS + 2 * _EDGE, height + _EDGE, steps, lines)


def _layers(parents: Sequence[Sequence[int]]) -> list[int]:
    depth: list[int] = []
    for read in parents:
        depth.append(max((depth[parent] + 1 for parent in read), default=0))
    return depth


def _nodes(
    depth: Sequence[int], children: Sequence[Sequence[int]]
) -> tuple[list[list[_Node]], dict[_Node, list[_Node]], dict[_Node, list[_Node]]]:
    """Return the nodes of each layer, and of each node those it is joined to in the layer before and after."""
    columns: list[list[_Node]] = [[] for _ in range(max(depth) + 1)]
    before: dict[_Node, list[_Node]] = {}
    after: dict[_Node, list[_Node]] = {}
    for step, layer in enumerate(depth):
        columns[layer].append(_Node(step, layer, passes=False))
        last = max((depth[child] for child in children[step]), default=layer)
        for passed in range(layer + 1, last):
            columns[passed].append(_Node(step, passed, passes=True))
    for step, read_by in enumerate(children):
        joined = {(_on_the_way(step, depth[child] - 1, depth), _Node(child, depth[child], False)) for child in read_by}
        last = max((depth[child] for child in read_by), default=depth[step])
        way = [_on_the_way(step, layer, depth) for layer in range(depth[step], last)]
        for one, other in sorted({*joined, *pairwise(way)}, key=lambda pair: (pair[1].step, pair[1].layer)):
            after.setdefault(one, []).append(other)
            before.setdefault(other, []).append(one)
    return columns, before, after


def _on_the_way(step: int, layer: int, depth: Sequence[int]) -> _Node:
    return _Node(step, layer, passes=layer > depth[step])


def _order(columns: list[list[_Node]], before: dict[_Node, list[_Node]], after: dict[_Node, list[_Node]]) -> None:
    """Sort each layer by the mean place of what its nodes are joined to, from the left and from the right in turn."""
    for sweep in range(_SWEEPS):
        forth = sweep % 2 == 0
        joined = before if forth else after
        pairs = list(pairwise(columns))
        for one, other in pairs if forth else [(right, left) for left, right in reversed(pairs)]:
            place = {node: k for k, node in enumerate(one)}
            own = {node: k for k, node in enumerate(other)}

            def centre(node: _Node, place: dict[_Node, int] = place, own: dict[_Node, int] = own) -> float:
                near = [place[each] for each in joined.get(node, ())]  # noqa: B023
                return sum(near) / len(near) if near else own[node]

            other.sort(key=centre)


def _height(node: _Node) -> int:
    return _RAIL if node.passes else HEIGHT


def _places(columns: Sequence[Sequence[_Node]]) -> dict[_Node, Place]:
    """Stack each layer, centred on the tallest."""
    heights = [sum(map(_height, column)) + _DOWN * (len(column) - 1) for column in columns]
    places = {}
    for layer, column in enumerate(columns):
        y = _EDGE + (max(heights) - heights[layer]) // 2
        for node in column:
            places[node] = Place(_EDGE + layer * (WIDTH + _ACROSS), y)
            y += _height(node) + _DOWN
    return places


def _line(
    step: int, depth: Sequence[int], read_by: Sequence[int], places: dict[_Node, Place]
) -> tuple[tuple[Place, Place], ...]:
    """Return the pieces of the line from a step to all that read it; a passage is left where it is entered."""
    pieces = []
    last = max((depth[child] for child in read_by), default=depth[step])
    for layer in range(depth[step] + 1, last):
        passage = _on_the_way(step, layer, depth)
        pieces.append((_leave(_on_the_way(step, layer - 1, depth), places), _enter(passage, places)))
        pieces.append((_enter(passage, places), _leave(passage, places)))
    for child in read_by:
        arrives = _enter(_Node(child, depth[child], passes=False), places)
        pieces.append((_leave(_on_the_way(step, depth[child] - 1, depth), places), arrives))
    return tuple(pieces)


def _enter(node: _Node, places: dict[_Node, Place]) -> Place:
    return Place(places[node].x, places[node].y + _height(node) // 2)


def _leave(node: _Node, places: dict[_Node, Place]) -> Place:
    return Place(places[node].x + WIDTH, places[node].y + _height(node) // 2)


def _flow(pieces: Sequence[tuple[Place, Place]]) -> str:
    """Return a line as a path: level through a layer, bent between layers."""
    path = []
    for one, other in pieces:
        if one.y == other.y:
            path.append(f"M{one.x} {one.y}H{other.x}")
        else:
            middle = (one.x + other.x) // 2
            path.append(f"M{one.x} {one.y}C{middle} {one.y} {middle} {other.y} {other.x} {other.y}")
    return "".join(path)


def _arrows(pieces: Sequence[tuple[Place, Place]]) -> str:
    """Return an arrow for each step that a line reaches."""
    left = {one for one, _ in pieces}
    return "".join(f"M{end.x - 6} {end.y - 4}l5 4l-5 4" for _, end in pieces if end not in left)


def _box(number: int, step: StepInfo, titles: Sequence[str], place: Place, state: str, *, on: bool) -> Mark:
    x, y = place.x, place.y
    middle = x + WIDTH // 2
    marks = [
        mark("title", "", told(number, step, titles)),
        mark("path", f"shape is-{step.role or 'plain'}", d=_outline(x, y, step.role)),
        mark("text", "count", str(number + 1), x=x + 11, y=y + 20),
        mark("text", "role", step.role or "step", x=x + WIDTH - 11, y=y + 19, text_anchor="end"),
    ]
    lines = title_lines(titles[number])
    marks.extend(
        mark("text", "name", line, x=middle, y=y + (43 if len(lines) == 1 else 37) + k * _LINE, text_anchor="middle")
        for k, line in enumerate(lines)
    )
    marks.append(_switch(x, y, on=on) if step.fix is not None else _no_fix(x, y))
    word, sign = STATES[state]
    at = f"translate({x + 15} {y + 88})"
    marks.append(mark("path", "state-sign", d=sign, transform=at))
    marks.append(mark("text", "state", word, x=x + 41, y=y + 97))
    more = {"data_fix": "on" if on else "off"} if step.fix is not None else {}
    return mark("g", "step", tuple(marks), data_node=number, data_state=state, **more)


def _switch(x: int, y: int, *, on: bool) -> Mark:
    word, knob = SWITCHES[on]
    return mark(
        "g",
        "fix-switch",
        (
            # Wider than what is seen, so that a finger finds it.
            mark("rect", "touch", x=x + 3, y=y + 58, width=WIDTH - 6, height=25),
            mark("rect", "track", x=x + 11, y=y + 65, width=22, height=12, rx=6),
            mark("circle", "knob", cx=x + 11 + knob, cy=y + 71, r=4),
            mark("text", "fix-word", word, x=x + 41, y=y + 75),
        ),
    )


def _no_fix(x: int, y: int) -> Mark:
    return mark("text", "fix-word is-none", "no fix tried", x=x + 41, y=y + 75)


def _outline(x: int, y: int, role: str | None) -> str:
    """Return a box whose corners say who a step is: round for a producer, cut for a checker, square for neither."""
    w, h, c = WIDTH, HEIGHT, 12
    if role == "producer":
        return (
            f"M{x + c} {y}h{w - 2 * c}q{c} 0 {c} {c}v{h - 2 * c}q0 {c} -{c} {c}h-{w - 2 * c}q-{c} 0 -{c} -{c}"
            f"v-{h - 2 * c}q0 -{c} {c} -{c}z"
        )
    if role == "checker":
        return f"M{x + c} {y}h{w - 2 * c}l{c} {c}v{h - 2 * c}l-{c} {c}h-{w - 2 * c}l-{c} -{c}v-{h - 2 * c}z"
    return f"M{x} {y}h{w}v{h}h-{w}z"


def title_lines(title: str) -> list[str]:
    """Return a title in one line or two, shortened to what fits.

    Examples
    --------
    >>> title_lines("Retriever"), title_lines("Look up the orders")
    (['Retriever'], ['Look up the', 'orders'])
    """
    most = 14
    if room(title) <= most:
        return [title]
    cut = max((k for k, character in enumerate(title) if character == " " and room(title[:k]) <= most), default=0)
    first = title[:cut] if cut else _longest(title, most)
    return [first, shortened(title[len(first) :].removeprefix(" "), most)]


def _longest(title: str, most: int) -> str:
    return title[: next(k for k in range(len(title), 0, -1) if room(title[:k]) <= most)]


def told(number: int, step: StepInfo, titles: Sequence[str]) -> str:
    """Return everything that is known of a step in one line."""
    facts = [f"{number + 1} {titles[number]}", *([step.role] if step.role else [])]
    if step.interventional:
        facts.append("samples anew")
    if step.fix is not None:
        facts.append(f"fix: {step.fix.label}")
    return " · ".join(facts)
