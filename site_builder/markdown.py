"""Turns an article's Markdown into HTML: its front matter, what it inserts, and its text.

Jinja runs first, but what it inserts are tokens, so that Markdown sees the author's text only; the tokens are replaced
by escaped HTML last. Text from a game file can therefore never become markup, whatever it holds.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn
from xml.etree.ElementTree import Element

import jinja2
import markdown
from markdown.extensions.toc import TocExtension, slugify
from markdown.treeprocessors import Treeprocessor
from markupsafe import Markup, escape

from site_builder.errors import SiteError
from site_builder.payload import visible

_FENCE = "+++"
# No text of an article holds these, and none that is inserted keeps them.
_OPEN, _CLOSE = "\ue000", "\ue001"
_TOKEN = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_ALONE = re.compile(rf"<p>\s*((?:{_OPEN}[0-9]+{_CLOSE}\s*)+)</p>")
_LINE = re.compile(rf"^(?:{_OPEN}([0-9]+){_CLOSE})[ ]*$", re.MULTILINE)
_NETWORK = re.compile(r"https?://")
_NUMERIC = re.compile(r"[0-9.,%<>+/ e\N{MINUS SIGN}\N{EN DASH}-]*")


@dataclass(frozen=True)
class Source:
    """An article as written.

    Attributes
    ----------
    name : str
        Its file, for messages.
    slug : str
        Its name in addresses.
    front : mapping
        What stands between the two lines ``+++``, as TOML says it.
    body : str
        Jinja and Markdown; lines are those of the file.
    """

    name: str
    slug: str
    front: Mapping[str, Any]
    body: str


@dataclass(frozen=True)
class Part:
    """A block that an article inserts on a line of its own, made by a macro of the articles' template.

    Attributes
    ----------
    macro : str
        Its name.
    given : tuple
        What it is called with.
    """

    macro: str
    given: tuple[Any, ...]


def names_network(text: str) -> bool:
    """Return whether a text holds an address in the network, which no page does."""
    return _NETWORK.search(text) is not None


def parse(name: str, slug: str, text: str) -> Source:
    """Split an article into front matter and body.

    Raises
    ------
    SiteError
        If the front matter is missing or is no TOML, or the text refers to the network.
    """
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines) if number and line.strip() == _FENCE), None)
    if lines[0].strip() != _FENCE or end is None:
        raise SiteError(f"{name}: begins with no front matter. Write TOML between two lines of {_FENCE}.")
    try:
        front = tomllib.loads("\n".join(["", *lines[1:end]]))
    except tomllib.TOMLDecodeError as error:
        raise SiteError(f"{name}: its front matter is no TOML: {error}") from error
    for number, line in enumerate(lines, 1):
        if names_network(line):
            raise SiteError(f"{name}, line {number}: no page refers to the network. Cite a source as doi:10.1000/1.")
        if _OPEN in line or _CLOSE in line:
            raise SiteError(f"{name}, line {number}: holds a character for private use. Remove it.")
    return Source(name, slug, front, "\n" * (end + 1) + "\n".join(lines[end + 1 :]))


def render(
    source: Source, names: Mapping[str, Any], resolve: Callable[[str], str | None], make: Callable[[Part], Markup]
) -> Markup:
    """Return an article's body as HTML.

    Parameters
    ----------
    source : Source
    names : mapping of str to anything
        What the body can name. Of what a function may return, a `Part` and `Markup` are HTML; any other value is
        shown as text.
    resolve : callable
        Gives the address behind a link such as ``article:share-the-repair-fairly``; None where it leads nowhere.
    make : callable
        Makes a part.

    Raises
    ------
    SiteError
        If the body names what is not there; the message names the article and the line.
    """
    text, kept = _fill(source, names)
    blocks = {number: make(one) for number, one in enumerate(kept) if isinstance(one, Part)}
    text = _LINE.sub(lambda match: f"\n{match[0]}\n" if int(match[1]) in blocks else match[0], text)
    made = _reachable(_converter(source, resolve).convert(text))
    made = _ALONE.sub(lambda match: _freed(match, blocks), made)
    if any(int(number) in blocks for number in _TOKEN.findall(made)):
        raise SiteError(f"{source.name}: a table, a widget or code stands in a sentence. Give it a line of its own.")
    return Markup(_TOKEN.sub(lambda match: str(kept[int(match[1])]), made))


def _fill(source: Source, names: Mapping[str, Any]) -> tuple[str, list[Markup | Part]]:
    """Run the body through Jinja; return it with a token in place of each thing it would insert, and these things."""
    kept: list[Markup | Part] = []

    @jinja2.pass_context  # or Jinja would run this on constants while it compiles, whether they are shown or not
    def keep(context: object, value: object) -> str:
        kept.append(_shown(value))
        return f"{_OPEN}{len(kept) - 1}{_CLOSE}"

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=keep, autoescape=False
    )
    try:
        code = environment.compile(source.body, source.name, source.name)
        return jinja2.Template.from_code(environment, code, dict(names)).render(), kept
    except jinja2.TemplateSyntaxError as error:
        raise SiteError(f"{source.name}, line {error.lineno}: {error.message}") from error
    except (jinja2.TemplateError, SiteError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise SiteError(f"{source.name}, line {_line(error, source.name)}: {error}") from error


def _line(error: BaseException, name: str) -> int:
    """Return the line of the article at which it failed."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == name:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _shown(value: object) -> Markup | Part:
    if isinstance(value, Markup | Part):
        return value
    if isinstance(value, jinja2.Undefined):
        str(value)  # raises, and says what is undefined
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SiteError(f"{value!r} cannot be shown; ask for it with {{% if %}}, or name a part of it")
    text = visible(str(value)).replace(_OPEN, "\ufffd").replace(_CLOSE, "\ufffd")
    # Names may run from right to left; numbers take their direction from the sentence.
    return escape(text) if _NUMERIC.fullmatch(text) else Markup("<bdi>{}</bdi>").format(text)


def _converter(source: Source, resolve: Callable[[str], str | None]) -> markdown.Markdown:
    headings = TocExtension(slugify=lambda text, separator: f"p={source.slug}.{slugify(text, separator)}", marker="")
    converter = markdown.Markdown(extensions=["tables", "fenced_code", headings], output_format="html")
    # What looks like HTML is text.
    converter.preprocessors.deregister("html_block")
    converter.inlinePatterns.deregister("html")
    converter.treeprocessors.register(_Checked(source, resolve), "checked", 0)
    return converter


class _Checked(Treeprocessor):  # type: ignore[misc] # the library has no types
    """Resolves links; an article holds nothing whose address would lead out of the site."""

    def __init__(self, source: Source, resolve: Callable[[str], str | None]) -> None:
        super().__init__()
        self._source = source
        self._resolve = resolve

    def run(self, root: Element) -> None:
        """Change a tree in place."""
        for element in root.iter():
            if element.tag == "img":
                self._refuse(element.get("src", ""), "articles hold no images")
            if any(_OPEN in value for value in element.attrib.values()):
                self._refuse("{{", "what is inserted is text and no part of a link")
            if element.tag == "a":
                name = html.unescape(element.get("href", ""))
                address = self._resolve(name)
                if address is None:
                    self._refuse(name, f"the link {name!r} leads nowhere")
                element.set("href", address)

    def _refuse(self, text: str, why: str) -> NoReturn:
        lines = self._source.body.split("\n")
        number = next((number for number, line in enumerate(lines, 1) if text in line), 0)
        raise SiteError(f"{self._source.name}, line {number}: {why}")


def _reachable(made: str) -> str:
    """Let the keyboard scroll what may be wider than the page."""
    made = made.replace("<pre>", '<pre tabindex="0">')
    made = made.replace("<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    return made.replace("</table>", "</table></div>")


def _freed(match: re.Match[str], blocks: Mapping[int, Markup]) -> str:
    """Free blocks of the paragraph they stand in alone."""
    numbers = [int(number) for number in _TOKEN.findall(match[0])]
    return "\n".join(blocks[number] for number in numbers) if blocks.keys() >= set(numbers) else match[0]
