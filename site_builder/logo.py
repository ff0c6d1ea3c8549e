"""Turns an image file into the logo of a site: checked, because browsers would show a wrong one as nothing at all."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

#: In bytes; every page loads it.
LARGEST = 200_000

_PNG = b"\x89PNG\r\n\x1a\n"
_SVG_ROOT = "http://www.w3.org/2000/svg svg"


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
    found: list[str] = []

    def element(name: str, attributes: dict[str, str]) -> None:
        if not found and name != _SVG_ROOT:
            raise LogoError(f"{path} is neither a PNG nor an SVG image with its namespace; export it again")
        local = name.rpartition(" ")[2]
        found.append(local)
        if local.lower() in ("script", "foreignobject"):
            raise LogoError(f"{path} holds <{local}>; export it as a plain SVG, or as PNG")
        for key, value in attributes.items():
            attribute = key.rpartition(" ")[2].lower()
            if attribute.startswith("on"):
                raise LogoError(f"{path} holds {attribute}=; export it as a plain SVG, or as PNG")
            if attribute == "href" and not value.strip().lower().startswith(("#", "data:image/")):
                raise LogoError(f"{path} refers to {value[:60]!r}; embed what it needs, or export it as PNG")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = element
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        what = f"neither a PNG nor a well-formed SVG image ({expat.ErrorString(error.code)}, line {error.lineno})"
        raise LogoError(f"{path} is {what}; export it again") from error
