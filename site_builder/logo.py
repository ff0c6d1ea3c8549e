"""Turns an image file into the logo of a site: checked, because browsers would show a wrong one as nothing at all."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

#: In bytes; every page loads it.
LARGEST = 200_000

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG = "http://www.w3.org/2000/svg"

# What an SVG that only draws is made of; whatever else there is, or will be, is refused without being known.
_ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "a animate animateMotion animateTransform circle clipPath defs desc ellipse feBlend feColorMatrix "
        "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight "
        "feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode "
        "feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter g image line "
        "linearGradient marker mask metadata mpath path pattern polygon polyline radialGradient rect set stop "
        "style svg switch symbol text textPath title tspan use view ",
    )
)
# Where an image inside is shown as an image; anywhere else it could be opened or taken apart.
_SHOWN = ("image", "feImage")
_LOADING = ("src", "srcdoc", "data", "base")
_REMEDY = "export it as a plain SVG, or as PNG"
_EMBED = "embed what it needs, or export it as PNG"

# What loads in a stylesheet, once escapes are undone.
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_URL = re.compile(r"url\(\s*[\"']?\s*([^)]*)", re.IGNORECASE)
_LOADS = re.compile(r"@import|\b(?:image-set|image|cross-fade|src)\(", re.IGNORECASE)
_INSIDE = ("#", "data:image/", "data:font/")


class LogoError(ValueError):
    """An image that cannot be a logo; the message is a clause that says why and what to do."""


@dataclass(frozen=True)
class Logo:
    """An image: its kind (``svg`` or ``png``) and its bytes."""

    kind: str
    content: bytes

    @property
    def path(self) -> str:
        """Where a site keeps it, below ``static/``."""
        return f"logo.{self.kind}"

    @property
    def data(self) -> str:
        """The image as an address, for a page that is one file."""
        kind = {"svg": "image/svg+xml", "png": "image/png"}[self.kind]
        return f"data:{kind};base64,{base64.b64encode(self.content).decode('ascii')}"


def read_logo(path: Path) -> Logo:
    """Return the logo in an SVG or PNG file.

    Raises
    ------
    LogoError
        If the file cannot be read, is too large, is neither, or is an SVG that could do more than be looked at.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError(0, "it is no ordinary file")
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except OSError as error:
        raise LogoError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise LogoError(f"{str(path)!r} is no name of a file") from error
    if len(content) > LARGEST:
        raise LogoError(f"{path} has more than {LARGEST // 1000} kB; make it smaller")
    if content.startswith(_PNG):
        return Logo("png", content)
    _check_svg(path, content)
    return Logo("svg", content)


def _check_svg(path: Path, content: bytes) -> None:
    """Refuse what is no SVG, and what would run or load something if the image were opened by itself."""
    open_elements: list[str] = []
    rules: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        if not open_elements and (space, local) != (_SVG, "svg"):
            raise LogoError(f"{path} is neither a PNG nor an SVG image with its namespace; export it again")
        if space != _SVG or local not in _ELEMENTS or open_elements[-1:] == ["style"]:
            foreign = "" if space == _SVG else f" of {space[:60] or 'no namespace'}"
            raise LogoError(f"{path} holds <{local}>{foreign}; {_REMEDY}")
        open_elements.append(local)
        for key, value in attributes.items():
            _check_attribute(path, local, key.rpartition(" ")[2].lower(), value)

    def end(_name: str) -> None:
        # Only now: a rule may come in pieces, with a comment between them.
        if open_elements.pop() == "style":
            _check_style(path, "".join(rules))
            rules.clear()

    def text(piece: str) -> None:
        if open_elements[-1] == "style":
            rules.append(piece)

    def instruction(target: str, _data: str) -> None:
        raise LogoError(f"{path} holds <?{target[:60]}?>; {_REMEDY}")

    def doctype(*_declared: object) -> None:
        raise LogoError(f"{path} holds <!DOCTYPE>; {_REMEDY}")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.ProcessingInstructionHandler, parser.StartDoctypeDeclHandler = instruction, doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        what = f"neither a PNG nor a well-formed SVG image ({expat.ErrorString(error.code)}, line {error.lineno})"
        raise LogoError(f"{path} is {what}; export it again") from error


def _check_attribute(path: Path, element: str, attribute: str, value: str) -> None:
    if attribute.startswith("on") or attribute in _LOADING:
        raise LogoError(f"{path} holds {attribute}=; {_REMEDY}")
    if attribute == "href" and not value.strip().lower().startswith(("#", "data:image/") if element in _SHOWN else "#"):
        raise LogoError(f"{path} refers to {value[:60]!r}; {_EMBED}")
    if attribute == "attributename":
        animated = value.rpartition(":")[2].strip().lower()
        if animated == "href" or animated in _LOADING or animated.startswith("on"):
            raise LogoError(f"{path} animates {value[:60]!r}; {_REMEDY}")
    _check_style(path, value)


def _check_style(path: Path, text: str) -> None:
    """Refuse what loads in a stylesheet, or in an attribute, most of which may hold what a stylesheet may."""
    plain = _ESCAPE.sub(_character, text)
    loads = _LOADS.search(plain)
    if loads is not None:
        raise LogoError(f"{path} holds {loads[0]!r} in its styles; {_EMBED}")
    for address in _URL.findall(plain):
        if not address.lower().startswith(_INSIDE):
            raise LogoError(f"{path} refers to {address[:60]!r}; {_EMBED}")


def _character(escape: re.Match[str]) -> str:
    """Return what an escape of a stylesheet stands for."""
    if escape[1] is None:
        return "" if escape[2] == "\n" else escape[2]
    code = int(escape[1], 16)
    return chr(code) if code < 0x110000 else "\ufffd"
