"""Turns any value into the text a person reads: well-formed Unicode, the same in every process."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import numpy as np

#: Longest text that things are told apart by.
LONGEST_LABEL = 200
# Longest data that stand on one line.
_LONGEST_LINE = 120


def label(text: str) -> str:
    """Return what a thing is called by, on a page and in its filters: on one line, cut where it is very long."""
    whole = " ".join(well_formed(text).split())
    return whole if len(whole) <= LONGEST_LABEL else f"{whole[: LONGEST_LABEL - 1]}…"


def well_formed(text: str) -> str:
    """Return text that UTF-8 can hold: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def without_addresses(text: str) -> str:
    """Return a text without the addresses in memory that Python's default repr names, which differ between runs."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def shown_text(value: Any) -> str:
    """Return a value as shown: text as it is, everything else as indented JSON where it has such a form."""
    if isinstance(value, str):
        return well_formed(value)
    try:
        return well_formed(json.dumps(_plain(value), ensure_ascii=False, indent=2))
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to be shown"


def line_text(value: Any) -> str:
    """Return a value on one line, as JSON where it has such a form."""
    try:
        return well_formed(json.dumps(_plain(value), ensure_ascii=False))
    except RecursionError:
        return shown_text(value)


def output_text(value: Any) -> str:
    """Return a value as shown among others: on one line where that is short, otherwise as `shown_text` has it."""
    if isinstance(value, str):
        return well_formed(value)
    line = line_text(value)
    return line if len(line) <= _LONGEST_LINE else shown_text(value)


def _plain(value: Any) -> Any:
    """Return a value built of JSON's own types."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else repr(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, np.ndarray | np.generic):
        # A longdouble, which Python has no type for, lists as itself.
        content = value.tolist()
        return str(content) if isinstance(content, np.generic) else _plain(content)
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes: {value[:64].hex(' ')}{' …' if len(value) > 64 else ''}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(type(value), "model_fields") and hasattr(value, "model_dump"):
        return _plain(dict(value))
    return without_addresses(str(value))
