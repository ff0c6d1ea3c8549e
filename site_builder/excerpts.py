"""Turns the name of a function, class or constant into its source as it is now, with the line numbers of its file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from site_builder import assets
from site_builder.errors import SiteError

_SOURCE = re.compile(r"(?P<top>analyzer|site_builder|static)/(?P<rest>[a-z0-9_/]+\.(?:py|js))")

#: A docstring of more lines than this is left away, as prose around an excerpt says what it does.
_LONGEST_DOCSTRING = 3

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Excerpt:
    """A piece of source.

    Attributes
    ----------
    path : str
        Its file, such as ``analyzer/noise.py``.
    name : str
        What it defines.
    first, last : int
        Its lines in that file, counted from 1.
    lines : tuple of (int or None, str)
        Number and text of each line; no number stands where lines are left away.
    """

    path: str
    name: str
    first: int
    last: int
    lines: tuple[tuple[int | None, str], ...]

    @property
    def caption(self) -> str:
        """Where it stands, in words."""
        where = f"line {self.first}" if self.first == self.last else f"lines {self.first} to {self.last}"
        return f"{self.path}, {where}"


def excerpt(path: str, name: str) -> Excerpt:
    """Return the source of a definition.

    Parameters
    ----------
    path : str
        A Python file of this package or of the analyzer, or a script below ``static/js``, as it lies in the repository.
    name : str
        A function, class or constant, with dots for what is inside a class; in a script the name of a function.

    Raises
    ------
    SiteError
        If there is no such file, or it defines no such name, or a script defines it more than once.
    """
    text = _read(path)
    lines = text.splitlines()
    first, last, left_out = _python(text, path, name) if path.endswith(".py") else _script(text, path, name)
    while first > 1 and lines[first - 2].lstrip().startswith(("#", "//")):
        first -= 1
    kept = [number for number in range(first, last + 1) if number not in left_out]
    indent = min((_indent(lines[number - 1]) for number in kept if lines[number - 1].strip()), default=0)
    return Excerpt(path, name, first, last, tuple(_shown(kept, lines, indent)))


def _shown(kept: Sequence[int], lines: Sequence[str], indent: int) -> Iterator[tuple[int | None, str]]:
    before = None
    for number in kept:
        text = lines[number - 1]
        if before is not None and number > before + 1:
            yield None, " " * (_indent(text) - indent) + "…"
        yield number, text[indent:]
        before = number


def _read(path: str) -> str:
    match = _SOURCE.fullmatch(path)
    if match is None:
        raise SiteError(f"{path}: is no source that can be shown. Name one like analyzer/noise.py or static/js/dom.js.")
    try:
        return (_folder(match["top"]) / match["rest"]).read_text("utf-8")
    except OSError as error:
        raise SiteError(f"{path}: is not there, so nothing of it can be shown") from error


def _folder(top: str) -> Path:
    if top == "static":
        return assets.folder("static")
    # Found without being imported: the site may show sources whose modules it may not use.
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        raise SiteError(f"{top}: is not installed as files. Install the package again.")
    return Path(spec.origin).parent


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _missing(path: str, name: str) -> SiteError:
    return SiteError(f"{path}: defines no {name!r}")


def _python(text: str, path: str, name: str) -> tuple[int, int, set[int]]:
    """Return the first and last line of a definition, and the lines of long docstrings in it."""
    found: ast.stmt | None = None
    body: Sequence[ast.stmt] = ast.parse(text).body
    for part in name.split("."):
        # Where a name is defined again, as overloads are, the last one counts, as it does for Python.
        found = next((node for node in reversed(body) if part in _defined(node)), None)
        body = found.body if isinstance(found, _Definition) else ()
        if found is None:
            raise _missing(path, name)
    assert found is not None
    assert found.end_lineno is not None
    decorators = found.decorator_list if isinstance(found, _Definition) else []
    first = min([found.lineno, *(node.lineno for node in decorators)])
    return first, found.end_lineno, {line for node in ast.walk(found) for line in _docstring(node)}


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, _Definition):
        yield node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _docstring(node: ast.AST) -> Sequence[int]:
    if not isinstance(node, _Definition) or ast.get_docstring(node, clean=False) is None:
        return ()
    first = node.body[0]
    lines = range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return lines if len(lines) > _LONGEST_DOCSTRING and len(node.body) > 1 else ()


# What a script may hold in which a bracket is no bracket: comments, texts, and regular expressions, which begin only
# where a value may.
_SCRIPT_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?:(?<=[(,=:\[!&|?{};+\n])|\breturn)[ ]*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/|[()\[\]{}]""",
    re.DOTALL,
)


def _script(text: str, path: str, name: str) -> tuple[int, int, set[int]]:
    """Return the first and last line of a function in a script."""
    starts = list(re.finditer(rf"\bfunction\*?\s+{re.escape(name)}\s*(?=\()", text))
    if not starts:
        raise _missing(path, name)
    if len(starts) > 1:
        raise SiteError(f"{path}: defines {name!r} {len(starts)} times, so it is unknown which is meant")
    depth = 0
    for token in _SCRIPT_TOKEN.finditer(text, starts[0].end()):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] == "}":
            return text.count("\n", 0, starts[0].start()) + 1, text.count("\n", 0, token.start()) + 1, set()
    raise SiteError(f"{path}: the function {name!r} has no end")
