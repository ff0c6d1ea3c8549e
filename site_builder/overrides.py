"""Turns a folder of templates into overrides of ours: of a page, of a part of one, or of a block in the layout.

What an override says is as trusted as the program: it is its owner's own.
"""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
from jinja2 import nodes

from site_builder import assets
from site_builder.errors import SiteError

#: Before the name of one of our templates, it names ours also where it is overridden.
OURS = "agentblame"

_PATTERN = "*.j2"


class OverrideError(ValueError):
    """A folder that overrides nothing; the message is a clause that says why and what to do."""


@dataclass(frozen=True)
class Override:
    """A template: its name, the file it is from, and its text."""

    name: str
    path: str
    text: str


def read_overrides(folder: Path) -> tuple[Override, ...]:
    """Return the templates in a folder, by name.

    Beside what overrides a template of ours there may be others, for these to include.

    Raises
    ------
    OverrideError
        If the folder or a file in it cannot be read, nothing overrides anything, the name of a file or a block misses
        one of ours by a letter or two, or a block is in no template that the file extends.
    """
    ours = sorted(path.name for path in assets.folder("templates").glob(_PATTERN))
    if not folder.is_dir():
        raise OverrideError(f"{folder} is not a folder")
    paths = override_files(folder)
    names = [path.name for path in paths]
    for name in names:
        near = difflib.get_close_matches(name, ours, n=1, cutoff=0.9)
        if name not in ours and near and near[0] not in names:
            raise OverrideError(f"{folder / name} overrides no template; did you mean {near[0]}?")
    if not set(names) & set(ours):
        raise OverrideError(f"{folder} holds no template of ours ({', '.join(ours)})")
    found = tuple(Override(path.name, str(path), _text(path)) for path in paths)
    texts = {f"{OURS}/{name}": (assets.folder("templates") / name).read_text("utf-8") for name in ours}
    texts |= {name.removeprefix(f"{OURS}/"): text for name, text in texts.items()}
    texts |= {one.name: one.text for one in found}
    for one in found:
        _check_blocks(one, texts)
    return found


def override_files(folder: Path) -> list[Path]:
    """Return the templates in a folder, by name; none if there is no such folder."""
    return sorted(path for path in folder.glob(_PATTERN) if path.is_file())


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise OverrideError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OverrideError(f"{path} is not UTF-8 text (byte {error.start})") from error


def _check_blocks(one: Override, texts: Mapping[str, str]) -> None:
    """Refuse a block that shows nothing, for no template that a template extends has it; or ours none of that name."""
    tree = _tree(one.text)
    if tree is None:
        return
    extended = _extended(tree)
    if extended is None:
        original = _tree(texts.get(f"{OURS}/{one.name}", ""))
        known, instead = _blocks(original), _blocks(tree)
        for block in _outermost(tree):
            near = difflib.get_close_matches(block.name, known - instead, n=1, cutoff=0.8)
            if block.name not in known and near:
                raise _misspelt(one, block, "ours has none of that name", near)
        return
    known = set[str]()
    seen = set[str]()
    while extended is not None and extended not in seen:
        seen.add(extended)
        above = _tree(texts.get(extended))
        if above is None:
            # What is wrong with it is told where it is rendered.
            return
        known |= _blocks(above)
        extended = _extended(above)
    if extended == "":
        return
    for block in _outermost(tree):
        if block.name not in known:
            near = difflib.get_close_matches(block.name, known, n=1)
            raise _misspelt(one, block, "no template that it extends has one of that name", near, known)


def _misspelt(
    one: Override, block: nodes.Block, why: str, near: Sequence[str], known: Iterable[str] = ()
) -> OverrideError:
    meant = f"; did you mean {near[0]}?" if near else ""
    listed = f" (known: {', '.join(sorted(known))})" if known and not near else ""
    return OverrideError(f"{one.path}, line {block.lineno}: block {block.name} shows nothing: {why}{meant}{listed}")


def _tree(text: str | None) -> nodes.Template | None:
    """Return a template taken apart; None for one that is not there or that no template can be made of."""
    try:
        return None if text is None else jinja2.Environment().parse(text)
    except jinja2.TemplateSyntaxError:
        return None


def _extended(tree: nodes.Template) -> str | None:
    """Return the name of the template that another extends: empty if it is known only later, None if there is none."""
    found = tree.find(nodes.Extends)
    if found is None:
        return None
    return str(found.template.value) if isinstance(found.template, nodes.Const) else ""


def _blocks(tree: nodes.Template | None) -> set[str]:
    return set() if tree is None else {block.name for block in tree.find_all(nodes.Block)}


def _outermost(node: nodes.Node) -> Iterator[nodes.Block]:
    """Yield the blocks that are in no other; those within stand where the other shows them."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.Block):
            yield child
        else:
            yield from _outermost(child)


def loader(overrides: Sequence[Override]) -> jinja2.BaseLoader:
    """Return what finds a template: an override if there is one, ours otherwise, and ours always as `OURS`/name."""
    ours = jinja2.FileSystemLoader(assets.folder("templates"), encoding="utf-8")
    if not overrides:
        return ours
    by_name = {one.name: one for one in overrides}

    def override(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        one = by_name.get(name)
        return None if one is None else (one.text, one.path, lambda: True)

    return jinja2.ChoiceLoader([jinja2.FunctionLoader(override), jinja2.PrefixLoader({OURS: ours}), ours])


def rendered(render: Callable[[], str], overrides: Sequence[Override]) -> str:
    """Return what `render` gives.

    Raises
    ------
    SiteError
        If it fails while there are overrides: with the file and line it fails in, and what is wrong.
    """
    if not overrides:
        return render()
    try:
        return render()
    except Exception as error:
        path, line = _place(error, overrides)
        what = " ".join(str(error).split()) or "no message"
        raise SiteError(f"{path}: line {line}: {type(error).__name__}: {what}.") from error


def _place(error: Exception, overrides: Sequence[Override]) -> tuple[str, int]:
    """Return the file and line of the override, or else of our template, in which an error arose."""
    if isinstance(error, jinja2.TemplateSyntaxError) and error.filename is not None:
        return error.filename, error.lineno
    own = {one.path for one in overrides}
    frames = traceback.extract_tb(error.__traceback__)
    places = [(frame.filename, frame.lineno or 0) for frame in frames]
    in_override = [place for place in places if place[0] in own]
    in_ours = [place for place in places if Path(place[0]).suffix == ".j2"]
    return (in_override or in_ours or [(overrides[0].path, 1)])[-1]
