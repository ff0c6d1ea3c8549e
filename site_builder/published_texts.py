"""Turns a finished site, a folder or one file, into its files and every text in them, also what is packed.

The folder may hold anything: what cannot be read, or leads elsewhere, is named and left.
"""

from __future__ import annotations

import base64
import contextlib
import html
import json
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from site_builder import assets
from site_builder.logo import Logo
from site_builder.manifest import MANIFEST, REPORT_MARK, written_files

#: More than this of a file, or of what is packed in it, is not looked into.
MOST_READ = 2**29

# The packed data of `payload.script_chunk` and `payload.data_block`.
_PACKED = re.compile(
    r'AgentBlame\.receive\((?P<name>"(?:[^"\\]|\\.)*"),\s*"(?P<chunk>[^"]*)"\)'
    r'|<script type="text/plain" data-key="(?P<key>[^"]*)">(?P<block>[^<]*)</script>'
)
_MARKUP = (".html", ".htm", ".xhtml", ".svg", ".xml")
# An escape of JSON or of a script that can stand for a letter, and what any of them stands for.
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|/)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(.))")
# Text in a text in a text; more is nobody's.
_DEPTH = 3
# Pictures that a build puts there itself.
_PICTURES = (f"static/{assets.ICON}", f"static/{Logo('png', b'').path}")
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class SiteFile:
    """A file of a site: its path below the site, its size, and why it cannot be looked into, if so."""

    path: str
    place: Path
    size: int
    trouble: str = ""


@dataclass(frozen=True)
class Contents:
    """What a file holds.

    Attributes
    ----------
    texts : tuple of str
        Every text; a file that is all text is one.
    data : tuple of (str, object)
        What was packed in it, by key.
    troubles : tuple of str
        What could not be unpacked, and why.
    """

    texts: tuple[str, ...]
    data: tuple[tuple[str, Any], ...] = ()
    troubles: tuple[str, ...] = ()


def files_of(site: Path) -> Iterator[SiteFile]:
    """Yield the files of a site, by path; of a single-file report, that file."""
    if not site.is_dir():
        yield _file(site, site.name, site.parent)
        return
    troubles: list[SiteFile] = []

    def refused(error: OSError) -> None:
        place = Path(error.filename)
        troubles.append(SiteFile(_below(place, site), place, 0, f"cannot be read: {error.strerror}"))

    for root, folders, names in os.walk(site, onerror=refused):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        for name in sorted([*names, *links]):
            place = Path(root, name)
            yield _file(place, _below(place, site), site)
    yield from troubles


def _below(place: Path, site: Path) -> str:
    return place.relative_to(site).as_posix()


def _file(place: Path, path: str, site: Path) -> SiteFile:
    try:
        if place.is_symlink():
            inside = place.resolve().is_relative_to(site.resolve())
            what = "is a link" if inside else "is a link that leads out of the site"
            return SiteFile(path, place, 0, f"{what}; hosts follow it or not, and what it shows was not looked into")
        found = place.stat()
    except (OSError, RuntimeError) as error:
        return SiteFile(path, place, 0, f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if not stat.S_ISREG(found.st_mode):
        return SiteFile(path, place, 0, "is no ordinary file")
    if found.st_size > MOST_READ:
        return SiteFile(path, place, found.st_size, f"has over {MOST_READ >> 20} MiB, too much to look into")
    return SiteFile(path, place, found.st_size)


def written_by_us(site: Path) -> tuple[frozenset[str], str]:
    """Return the files of a site that a build or a report wrote, and, where that is unknown, why."""
    if not site.is_dir():
        with contextlib.suppress(OSError), site.open("rb") as stream:
            if REPORT_MARK in stream.read(2048):
                return frozenset((site.name,)), ""
        return frozenset(), f"{site.name} is no report that Agent Blame wrote"
    try:
        written, trouble = written_files(site), "is missing"
    except (OSError, ValueError):
        written, trouble = None, "is damaged"
    if written is None:
        return frozenset(), f"{MANIFEST} {trouble}, so it is unknown which files Agent Blame wrote"
    return written, ""


def contents(file: SiteFile) -> Contents:
    """Read a file and unpack what is packed in it.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    content = file.place.read_bytes()
    text = content.decode("utf-8", "replace")
    texts, data, troubles, end = list[str](), list[tuple[str, Any]](), list[str](), 0
    if not (_is_text(content) or (file.path in _PICTURES and content.startswith(_PNG))):
        troubles.append("is no text, so it was not looked into")
    for match in _PACKED.finditer(text):
        texts.append(text[end : match.start()])
        end = match.end()
        written, packed = match["name"] or match["key"], match["chunk"] or match["block"] or ""
        try:
            key, value = _key(written), _unpacked(packed)
        except ValueError as error:
            troubles.append(f"{written[:80]}: {error}")
            texts.append(packed)
            continue
        texts += _strings(value)
        data.append((key, value))
    texts.append(text[end:])
    if file.path.lower().endswith(_MARKUP):
        texts += [plain for plain in map(html.unescape, texts) if plain not in texts]
    texts += [plain for written in texts for plain in _unescaped(written)]
    return Contents(tuple(texts), tuple(data), tuple(troubles))


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in content


def _unescaped(text: str) -> Iterator[str]:
    """Yield what the lines with escaped letters say without the escapes, and again if that holds some."""
    for _ in range(_DEPTH):
        lines = [line for line in text.split("\n") if _ESCAPED.search(line)]
        if not lines:
            return
        text = _ESCAPE.sub(_character, "\n".join(lines))
        yield text


def _character(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    if digits is None:
        return escape[4]
    code = int(digits, 16)
    # Half a character of a pair is no text by itself.
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


def _key(written: str) -> str:
    return str(json.loads(written)) if written.startswith('"') else html.unescape(written)


def _unpacked(packed: str) -> Any:
    """Return what was packed, the other way round than `payload.pack`, but never more than is read of a file."""
    try:
        unpacker = zlib.decompressobj(31)
        text = unpacker.decompress(base64.b64decode(packed, validate=True), MOST_READ)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"packed data are damaged: {error}") from error
    if unpacker.unconsumed_tail:
        raise ValueError(f"packed data have over {MOST_READ >> 20} MiB, too much to look into")
    if not unpacker.eof or unpacker.unused_data:
        raise ValueError("packed data are cut short, or something else follows them")
    try:
        return json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"packed data are no JSON text: {type(error).__name__}") from error


def _strings(value: Any) -> list[str]:
    """Return every text in JSON data, names of fields included."""
    found, waiting = list[str](), [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            # With its name before it: a value may be a secret only because of what it is called.
            found += [f"{name}: {part}" for name, part in one.items() if isinstance(part, str)]
            waiting += [part for part in one.values() if not isinstance(part, str)]
            found += [name for name, part in one.items() if not isinstance(part, str)]
        elif isinstance(one, list):
            waiting += one
    return found
