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
import hashlib
import pathlib
import uuid
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

# Types whose repr is a faithful and stable text of their value.
_BY_REPR = (
    complex, range, decimal.Decimal, fractions.Fraction, uuid.UUID,
    datetime.date, datetime.time, datetime.timedelta, datetime.timezone,
)  # fmt: skip


class UnstableValueError(TypeError):
    """A value with no stable fingerprint; the message names its type and the remedy."""


def fingerprint(value: Any) -> str:
    """Return 32 hex digits that identify a value.

    Parameters
    ----------
    value : object
        None, bool, int, float, str, bytes; lists, tuples, sets and mappings of such; enums, dataclasses, pydantic
        models, numpy arrays and scalars; dates, decimals, fractions, UUIDs, paths. Types are told apart: ``1``,
        ``1.0`` and ``True`` differ, and so do a list and a tuple. The order of a mapping's keys is ignored.

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
    name = f"{kind.__module__}.{kind.__qualname__}".encode()
    if isinstance(value, enum.Enum):
        return _tagged(b"enum", name, value.name.encode() if value.name else _canonical(value.value))
    if isinstance(value, bytes | bytearray):
        return _tagged(b"bytes", bytes(value))
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _tagged(b"scalar", str(value.dtype).encode(), value.tobytes())
    if isinstance(value, pathlib.PurePath):
        return _tagged(b"path", value.as_posix().encode("utf-8", "surrogatepass"))
    if isinstance(value, _BY_REPR):
        return _tagged(b"repr", name, repr(value).encode())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return _tagged(b"fields", name, *(part for key, item in fields for part in (key.encode(), _canonical(item))))
    # Recognised by its interface, so that pydantic need not be installed.
    if hasattr(kind, "model_fields") and hasattr(value, "model_dump"):
        return _tagged(b"fields", name, _canonical(dict(value)))
    # Subclasses of the plain types (OrderedDict, namedtuple, a str with methods) are told apart by their class.
    if isinstance(value, Mapping):
        return _tagged(b"mapping", name, *_pairs(value))
    if isinstance(value, Set):
        return _tagged(b"set", name, *sorted(map(_canonical, value)))
    if isinstance(value, list | tuple):
        return _tagged(b"sequence", name, *map(_canonical, value))
    if isinstance(value, str):
        return _tagged(b"text", name, str.__str__(value).encode("utf-8", "surrogatepass"))
    if isinstance(value, int):
        return _tagged(b"number", name, int.__repr__(value).encode())
    if isinstance(value, float):
        return _tagged(b"number", name, float.hex(value).encode())
    raise UnstableValueError(
        f"a {kind.__module__}.{kind.__qualname__} has no stable fingerprint; "
        "return plain data instead: text, numbers, lists, dicts, dataclasses, arrays or pydantic models"
    )


def _array(value: np.ndarray[Any, Any]) -> bytes:
    shape = repr(value.shape).encode()
    if value.dtype.hasobject:
        return _tagged(b"array", b"object", shape, *map(_canonical, value.ravel().tolist()))
    # The byte order is part of the dtype's text; the memory layout is not part of the value.
    return _tagged(b"array", value.dtype.str.encode(), shape, np.ascontiguousarray(value).tobytes())


def _pairs(value: Mapping[Any, Any]) -> Iterable[bytes]:
    items = {_canonical(key): item for key, item in value.items()}
    return [part for key in sorted(items) for part in (key, _canonical(items[key]))]


def _tagged(tag: bytes, *parts: bytes) -> bytes:
    """Join parts so that no other tag and parts give the same bytes: each is preceded by its length."""
    return b"".join((tag, b"%d:" % len(parts), *(b"%d:%b" % (len(part), part) for part in parts)))
