"""Turns text with secrets into text without, and counts what it replaced.

Every kind of secret is looked for at the places where a short literal of it stands, so a long text without one costs
little more than looking for these literals, and no text takes more than linear time (a user's own patterns aside).
"""

from __future__ import annotations

import base64
import functools
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

from analyzer.secret_kinds import KINDS, Kind
from analyzer.settings import Settings

_TABLE, _FIELDS = "redact", {"env": list, "patterns": dict, "off": list}

# What the names of variables end in whose values are secrets, and the shortest value that is told from ordinary text.
_SECRET_NAMES = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
_SHORTEST_VALUE = 8
_SHORTEST_NAMED = 4
# How much of a value must be left at the end of a text that was cut off, to count as it.
_SHORTEST_CUT = 6

_BYTES = re.compile(r"\bbytes: ([0-9a-f]{2}(?: [0-9a-f]{2})*)")


@dataclass(frozen=True)
class Found:
    """A secret in a text: what kind it is, in words, and where it starts and ends."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Redactor:
    """What is a secret.

    Parameters
    ----------
    kinds : tuple of Kind
        Shapes that secrets have. Where two match, the earlier one names it.
    patterns : tuple of (str, re.Pattern)
        Shapes of the user's own, by name; the whole match is the secret.
    values : tuple of (str, tuple of str)
        By the variable of the environment that holds it: a secret itself, and the forms it takes in other text.
    """

    kinds: tuple[Kind, ...] = KINDS
    patterns: tuple[tuple[str, re.Pattern[str]], ...] = ()
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def find(self, text: str) -> list[Found]:
        """Return the secrets in a text, from its start; none overlaps the next."""
        return _apart(sorted(self._all(text), key=lambda found: (found.start, -found.end)))

    def clean(self, text: str, counts: Counter[str] | None = None) -> str:
        """Return a text with each secret replaced by what it was, and count them by kind."""
        found = self.find(text)
        if not found:
            return text
        if counts is not None:
            counts.update(one.kind for one in found)
        parts, end = [], 0
        for one in found:
            parts += [text[end : one.start], f"[redacted: {one.kind}]"]
            end = one.end
        return "".join([*parts, text[end:]])

    def _all(self, text: str) -> Iterator[Found]:
        ends = [end for end in _places(text, "…") if text[end + 1 : end + 2] in ("", "\n")] if self.values else []
        for name, forms in self.values:
            kind = f"value of {name}"
            for form in forms:
                yield from (Found(kind, start, start + len(form)) for start in _places(text, form))
            for end in ends:
                yield from _cut_off(text, end, kind, forms)
        lowered = _lowered(text)
        for one in self.kinds:
            yield from (Found(one.words, start, end) for start, end in one.find(text, lowered))
        for name, pattern in self.patterns:
            yield from (Found(name, *match.span()) for match in pattern.finditer(text) if match.end() > match.start())
        if " bytes: " in text:
            yield from self._in_bytes(text)

    def _in_bytes(self, text: str) -> Iterator[Found]:
        """Look into bytes that are shown as hexadecimal digits."""
        for match in _BYTES.finditer(text):
            content = bytes.fromhex(match[1]).decode("latin-1")
            cut = "…" if text.startswith(" …", match.end()) else ""
            yield from (Found(one.kind, *match.span(1)) for one in self.find(content + cut)[:1])


def _apart(found: Iterable[Found]) -> list[Found]:
    """Join secrets that overlap, so that no end of one is left over; the first names it."""
    apart: list[Found] = []
    for one in found:
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Found(last.kind, last.start, max(last.end, one.end))
        else:
            apart.append(one)
    return apart


def _places(text: str, form: str) -> Iterator[int]:
    place = text.find(form)
    while place >= 0:
        yield place
        place = text.find(form, place + len(form))


def _cut_off(text: str, end: int, kind: str, forms: Iterable[str]) -> Iterator[Found]:
    """Find what is left of a secret where a long text was cut off."""
    for form in forms:
        beginning = text[max(0, end - len(form)) : end]
        for place in _places(beginning, form[:_SHORTEST_CUT]):
            if form.startswith(beginning[place:]):
                yield Found(kind, end - len(beginning) + place, end)
                break


def _lowered(text: str) -> str:
    """Return a text in lower case, each letter in the place it had."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text.translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def excerpt(text: str, found: list[Found], number: int, around: int = 24) -> str:
    """Return what stands around one of the secrets found in a text, on one line, with nothing of any of them."""
    one = found[number]
    start = max(one.start - around, found[number - 1].end if number else 0, 0)
    end = min(one.end + around, found[number + 1].start if number + 1 < len(found) else len(text))
    shown = f"{text[start : one.start]}[{one.kind}, {one.end - one.start} characters]{text[one.end : end]}"
    return " ".join("".join(each if each.isprintable() else " " for each in shown).split())


def default_redactor() -> Redactor:
    """Return what is a secret where nobody set anything: the known kinds, and the environment's own secrets."""
    return redactor_of(Settings())


def redactor_of(settings: Settings, environment: Mapping[str, str] | None = None) -> Redactor:
    """Return what is a secret by the table ``[redact]`` of the settings.

    Parameters
    ----------
    settings : Settings
        ``env`` names variables of the environment whose values are secrets, besides those whose names say so;
        ``patterns`` adds regular expressions by name; ``off`` leaves away kinds, or variables, by name.
    environment : mapping of str to str, optional
        This process's unless given.

    Raises
    ------
    SettingsError
        If a field cannot be used.
    """
    table = settings.table(_TABLE, _FIELDS)
    environment = os.environ if environment is None else environment
    off, named = set(table.get("off", ())), table.get("env", ())
    known = {kind.id for kind in KINDS}
    for name in sorted(off - known - {name for name in off if _is_secret_name(name)}):
        what = f"{name!r} is no kind of secret (known: {', '.join(sorted(known))}), nor a variable that counts as one"
        raise settings.refused(_TABLE, "off", what)
    for name in named:
        if 0 < len(environment.get(name, "").strip()) < _SHORTEST_NAMED:
            raise settings.refused(
                _TABLE,
                "env",
                f"the value of {name} has fewer than {_SHORTEST_NAMED} characters and would be everywhere",
            )
    secret = {name for name, value in environment.items() if _is_secret_name(name) and _is_long(value)}
    values = tuple(
        (name, _forms(environment[name].strip()))
        for name in sorted((secret - off) | set(named))
        if environment.get(name, "").strip()
    )
    kinds = tuple(kind for kind in KINDS if kind.id not in off)
    return Redactor(kinds, tuple(_patterns(settings, table)), values)


def _is_secret_name(name: str) -> bool:
    return name.upper().endswith(_SECRET_NAMES)


def _is_long(value: str) -> bool:
    return len(value.strip()) >= _SHORTEST_VALUE


def _patterns(settings: Settings, table: Mapping[str, Any]) -> Iterator[tuple[str, re.Pattern[str]]]:
    for name, source in table.get("patterns", {}).items():
        try:
            pattern = re.compile(source)
        except re.error as error:
            raise settings.refused(_TABLE, f"patterns.{name}", f"is no regular expression ({error})") from error
        if pattern.search("") is not None:
            raise settings.refused(_TABLE, f"patterns.{name}", "matches the empty text")
        if pattern.search(f"[redacted: {name}]") is not None:
            raise settings.refused(_TABLE, f"patterns.{name}", "matches what stands in place of a secret")
        yield name, pattern


@functools.cache
def _forms(value: str) -> tuple[str, ...]:
    """Return the forms a value takes: as it is, escaped, on one line, in a URL, in base64 and in hexadecimal digits."""
    raw = value.encode("utf-8", "surrogateescape")
    forms = [value, " ".join(value.split()), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    forms += [repr(value)[1:-1], json.dumps(json.dumps(value))[3:-3]]
    encoded = [quote(raw, safe=""), quote(raw), quote_plus(raw)]
    forms += encoded + [re.sub("%[0-9A-F]{2}", lambda match: match[0].lower(), each) for each in encoded]
    for code in (base64.b64encode, base64.urlsafe_b64encode):
        forms += [_inside(code, raw, offset) for offset in range(3)]
    forms += [raw.hex(), raw.hex().upper()]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= min(len(value), _SHORTEST_VALUE)))


def _inside(code: Any, raw: bytes, offset: int) -> str:
    """Return the digits that stand for `raw`, and for nothing else, where `offset` bytes (modulo 3) come before it."""
    digits: str = code(bytes(offset) + raw).decode("ascii")
    first = (8 * offset + 5) // 6
    last = 8 * (offset + len(raw)) // 6
    return digits[first:last]
