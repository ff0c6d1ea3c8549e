"""Turns a value into a fingerprint: equal for equal values in every process, different for different ones.

The value is written in a canonical, type-tagged form and hashed. What has no stable form (an object known only by its
address in memory) is an error, never a silent cache miss.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import inspect
import pathlib
import uuid
import zoneinfo
from collections.abc import Hashable, Mapping, Set
from typing import Any, cast

import numpy as np

from analyzer.versions.own_modules import is_own

# Types whose repr is a faithful and stable text of their value.
_BY_REPR = (complex, range, decimal.Decimal, fractions.Fraction, uuid.UUID, datetime.date, datetime.timedelta)
_STABLE_ZONES = (datetime.timezone, zoneinfo.ZoneInfo)


class UnstableValueError(TypeError):
    """A value with no stable fingerprint; the message names its type and the remedy."""


def fingerprint(value: Any) -> str:
    """Return 32 hex digits that identify a value.

    Parameters
    ----------
    value : object
        None, bool, int, float, str, bytes; lists, tuples, sets and mappings of such; enums, dataclasses, pydantic
        models, numpy arrays and scalars; dates, decimals, fractions, UUIDs, paths. Types are told apart: ``1``,
        ``1.0`` and ``True`` differ, and so do a list and a tuple; the code of one's own classes is part of the type.
        The order of a mapping's keys counts: a step that writes the mapping into a prompt sees it.

    Raises
    ------
    UnstableValueError
        If the value, or something in it, is of another kind, or contains itself.
    """
    digest = hashlib.blake2b(digest_size=16)
    try:
        digest.update(_canonical(value))
    except RecursionError as error:
        raise UnstableValueError("the value contains itself or is nested too deeply to be compared") from error
    return digest.hexdigest()


def _canonical(value: Any) -> bytes:
    kind = type(value)
    if value is None or kind is bool:
        return _tagged(b"atom", repr(value).encode())
    if kind is str:
        return _tagged(b"str", value.encode("utf-8", "surrogatepass"))
    if kind is int:
        return _tagged(b"int", repr(value).encode())
    if kind is float:
        return _tagged(b"float", value.hex().encode())
    if kind in (list, tuple):
        return _tagged(kind.__name__.encode(), *map(_canonical, value))
    if kind is dict:
        return _tagged(b"dict", *_pairs(value))
    return _uncommon(value)


def _uncommon(value: Any) -> bytes:
    kind = type(value)
    name = _name_of(cast("Hashable", kind))
    if isinstance(value, enum.Enum):
        return _tagged(b"enum", name, value.name.encode() if value.name else _canonical(value.value))
    if isinstance(value, np.ndarray | np.generic):
        return _numeric(value, name)
    if isinstance(value, pathlib.PurePath):
        return _tagged(b"path", name, str(value).encode("utf-8", "surrogatepass"))
    if kind in _BY_REPR:
        return _tagged(b"repr", name, repr(value).encode())
    if kind in (datetime.datetime, datetime.time) and (value.tzinfo is None or type(value.tzinfo) in _STABLE_ZONES):
        return _tagged(b"repr", name, repr(value).encode())
    content, attributes = _content(value), _attributes(value)
    if content is None and attributes is None:
        raise UnstableValueError(
            f"a {kind.__module__}.{kind.__qualname__} has no stable fingerprint; "
            "return plain data instead: text, numbers, lists, dicts, dataclasses, arrays or pydantic models"
        )
    return _tagged(b"object", name, content or b"", *_pairs(attributes or {}))


@functools.lru_cache(maxsize=1 << 12)
def _name_of(kind: Any) -> bytes:
    """Return a type's name, with the code of the user's own classes behind it: what takes the value may call it."""
    lines = []
    for base in kind.__mro__:
        if is_own(base.__module__, ""):
            try:
                lines.append(inspect.getsource(base))
            except (OSError, TypeError):
                # Made while running, or in no file.
                continue
    code = f" {hashlib.blake2b(''.join(lines).encode(), digest_size=16).hexdigest()}" if lines else ""
    return f"{kind.__module__}.{kind.__qualname__}{code}".encode("utf-8", "surrogatepass")


def _content(value: Any) -> bytes | None:
    """Write what a value holds as a plain type or as a subclass of one (a namedtuple, a str with methods)."""
    if isinstance(value, Mapping):
        return _tagged(b"mapping", *_pairs(value))
    if isinstance(value, Set):
        return _tagged(b"set", *sorted(map(_canonical, value)))
    if isinstance(value, list | tuple):
        return _tagged(b"sequence", *map(_canonical, value))
    if isinstance(value, bytes | bytearray):
        return _tagged(b"bytes", bytes(value))
    # The methods of the plain types, which a subclass may have replaced.
    if isinstance(value, str):
        return _canonical(str.__str__(value))
    if isinstance(value, int):
        return _canonical(int.__int__(value))
    if isinstance(value, float):
        return _canonical(float.__float__(value))
    return None


def _attributes(value: Any) -> Mapping[str, Any] | None:
    """Return the attributes of a dataclass, a pydantic model or a subclass of a plain type; None for anything else."""
    kind = type(value)
    own: Mapping[str, Any] = getattr(value, "__dict__", {})
    if dataclasses.is_dataclass(value):
        return {**{field.name: getattr(value, field.name) for field in dataclasses.fields(value)}, **own}
    # Recognised by its interface, so that pydantic need not be installed. Its __iter__ may be the user's own.
    if hasattr(kind, "model_fields") and hasattr(value, "model_dump"):
        more = (getattr(value, f"__pydantic_{part}__", None) or {} for part in ("extra", "private"))
        return {**own, **{f"{part} {key}": item for part, items in enumerate(more) for key, item in items.items()}}
    return own or None if isinstance(value, Mapping | Set | list | tuple | str | bytes | int | float) else None


def _numeric(value: np.ndarray[Any, Any] | np.generic, name: bytes) -> bytes:
    dtype = value.dtype
    if type(value) is np.ndarray and dtype.kind == "O":
        return _tagged(b"array", b"object", repr(value.shape).encode(), *map(_canonical, value.ravel().tolist()))
    if dtype.hasobject or (isinstance(value, np.ndarray) and type(value) is not np.ndarray):
        raise UnstableValueError(f"a {name.decode()} of {dtype} has no stable fingerprint; return a plain numpy array")
    # The byte order and the names of fields are part of the type; the memory layout is not part of the value.
    form = repr(dtype.descr if dtype.names else dtype.str).encode()
    return _tagged(b"array", name, form, repr(value.shape).encode(), np.ascontiguousarray(value).tobytes())


def _pairs(value: Mapping[Any, Any]) -> list[bytes]:
    return [part for key, item in value.items() for part in (_canonical(key), _canonical(item))]


def _tagged(tag: bytes, *parts: bytes) -> bytes:
    """Join parts so that no other tag and parts give the same bytes: each is preceded by its length."""
    return b"".join((tag, b"%d:" % len(parts), *(b"%d:%b" % (len(part), part) for part in parts)))
