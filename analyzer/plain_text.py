"""Turns plain data into canonical text, and such text back into equal data.

The text is ASCII JSON. What JSON holds by itself is written as itself; any other kind is an object whose only key is a
tag, as in ``{"~tuple": [1, 2]}``, and an object that looks like one is written as ``{"~dict": …}``. Only kinds that
stand in the table below are read back, so that no text, however it came about, runs code or builds a class it names.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import functools
import json
import math
import pathlib
import re
import uuid
import zoneinfo
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

#: Begins every tag.
MARK = "~"

# Python may refuse to read or write longer ones in decimal digits.
_LARGEST_IN_DIGITS = 10**600
# Two halves of a character side by side would come back as one character; in pieces they come back as they are.
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_BETWEEN_HALVES = re.compile("(?<=[\ud800-\udbff])(?=[\udc00-\udfff])")
_SIMPLE = (type(None), bool, int, float, str)
_ARRAY_KINDS = "biufcSUmMV"


class NotStorableError(TypeError):
    """A value that has no text, or a text that has no value; the message names the kind and the remedy."""


def text_of(value: Any) -> str:
    """Return the text of plain data.

    Raises
    ------
    NotStorableError
        If the value is, or holds, something that is no plain data.
    """
    try:
        return _compact(value if _is_json(value) else _form(value))
    except RecursionError as error:
        raise NotStorableError("the value contains itself or is nested too deeply to be stored") from error


def value_of(text: str, others: Mapping[str, Callable[[Any], Any]] | None = None) -> Any:
    """Return the data of a text that `text_of` wrote.

    Parameters
    ----------
    text : str
    others : mapping of str to callable, optional
        By tag, without its mark: how to read what is tagged so, beside the kinds of plain data.

    Raises
    ------
    NotStorableError
        If the text makes no sense.
    """
    try:
        if f'"{MARK}' not in text:
            return _decode(text)
        return json.loads(text, object_hook=functools.partial(_untagged, others or {}), parse_constant=_refuse)
    except NotStorableError:
        raise
    # Of any kind: the text may be anybody's, and the types that it is read with refuse it in many ways.
    except Exception as error:
        raise NotStorableError(f"a stored text makes no sense: {described(error)}") from error


def kind_of(value: Any) -> str:
    """Return the full name of a value's type."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def described(error: BaseException) -> str:
    """Return an exception in a few words."""
    return f"{type(error).__name__}: {error}"


_compact = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":")).encode


def _is_json(value: Any) -> bool:
    """Whether JSON holds a value as it is: the common case, found in one walk."""
    kind = type(value)
    if kind is str:
        return True if value.isascii() else _HALVES.search(value) is None
    if kind is dict:
        for key in value:
            if type(key) is not str or not _is_json(key):
                return False
        return not _like_a_tag(value) and all(map(_is_json, value.values()))
    if kind is list:
        return all(map(_is_json, value))
    if kind is float:
        return math.isfinite(value)
    if kind is int:
        return bool(-_LARGEST_IN_DIGITS < value < _LARGEST_IN_DIGITS)
    return value is None or kind is bool


def _like_a_tag(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and next(iter(value)).startswith(MARK)


def _form(value: Any) -> Any:
    """Return a value as JSON holds it, with a tag on whatever in it JSON does not hold."""
    kind = type(value)
    if kind is list:
        return [_form(item) for item in value]
    if kind is dict:
        # Keys are texts that JSON holds, or all of them are written as pairs.
        if all(type(key) is str and _is_json(key) for key in value) and not _like_a_tag(value):
            return {key: _form(item) for key, item in value.items()}
        return {f"{MARK}dict": [[_form(key), _form(item)] for key, item in value.items()]}
    if kind in _SIMPLE and _is_json(value):
        return value
    if kind is np.ndarray:
        return {f"{MARK}array": _array_form(value)}
    if isinstance(value, np.generic) and kind not in _TAGS:
        return {f"{MARK}scalar": _scalar_form(value)}
    if kind not in _TAGS:
        raise NotStorableError(
            f"a {kind_of(value)} cannot be stored as it is; declare codec=Codec('name', encode, decode) for the step, "
            "or return plain data: text, numbers, lists, dicts, arrays"
        )
    tag, written = _TAGS[kind]
    return {tag: written(value)}


def _sorted_forms(value: Iterable[Any]) -> list[Any]:
    """Return the forms of a set's elements in the order of their text."""
    return sorted(map(_form, value), key=_compact)


def _base64(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _array_form(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    axes = _axes(value)
    laid_out = value.transpose(axes)
    form: dict[str, Any] = {"shape": list(laid_out.shape)}
    if axes != sorted(axes):
        form["axes"] = axes
    if value.dtype.kind == "O":
        return form | {"items": [_form(item) for item in laid_out.ravel().tolist()]}
    return form | {"dtype": _dtype_form(value.dtype), "data": _base64(laid_out.tobytes())}


def _axes(value: np.ndarray[Any, Any]) -> list[int]:
    """Return the axes in the order they are laid out, which decides the last bit of numpy's sums; short ones first."""
    inner = [axis for axis in range(value.ndim) if value.shape[axis] > 1]
    laid_out = sorted(inner, key=lambda axis: -abs(value.strides[axis]))
    if value.flags.c_contiguous or laid_out == inner:
        return list(range(value.ndim))
    return [axis for axis in range(value.ndim) if axis not in inner] + laid_out


def _array(form: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    shape = tuple(form["shape"])
    if "items" in form:
        laid_out = np.empty(math.prod(shape), dtype=object)
        # One by one: assigned at once, lists of equal length would be taken for rows.
        for index, item in enumerate(form["items"]):
            laid_out[index] = item
        laid_out = laid_out.reshape(shape)
    else:
        laid_out = np.ndarray(shape, _dtype(form["dtype"]), buffer=bytearray(_bytes(form["data"])))
    axes = form.get("axes", range(len(shape)))
    return laid_out.transpose(sorted(range(len(shape)), key=axes.__getitem__))


def _scalar_form(value: np.generic) -> dict[str, Any]:
    if type(value) is not value.dtype.type:
        raise NotStorableError(f"a {kind_of(value)} cannot be stored as it is; use the numpy scalar it is made from")
    return {"dtype": _dtype_form(value.dtype), "data": _base64(value.tobytes())}


def _scalar(form: Mapping[str, Any]) -> Any:
    return np.ndarray((), _dtype(form["dtype"]), buffer=bytearray(_bytes(form["data"])))[()]


def _dtype_form(dtype: np.dtype[Any]) -> Any:
    """Return a dtype as its array-protocol text, or as a list of its fields."""
    if dtype.kind in _ARRAY_KINDS and not dtype.hasobject:
        # A long and a long long may have one such text, but not one type of scalars.
        same = dtype.names is not None or np.dtype(dtype.str).char == dtype.char
        try:
            written = dtype.descr if dtype.names else dtype.str if same else dtype.str[0] + dtype.char
            back = _dtype(written)
        except (TypeError, ValueError) as error:
            raise NotStorableError(f"a numpy array of {dtype} cannot be stored: {error}") from error
        if back == dtype and back.type is dtype.type:
            return _form(written)
    raise NotStorableError(f"a numpy array of {dtype} cannot be stored; use a plain dtype or declare a codec")


def _dtype(written: Any) -> np.dtype[Any]:
    dtype: np.dtype[Any] = np.lib.format.descr_to_dtype(written)
    if dtype.hasobject:
        raise ValueError("an array of objects is no bytes")
    return dtype


def _moment_form(value: datetime.datetime | datetime.time) -> list[Any]:
    zone, plain = value.tzinfo, value.replace(tzinfo=None)
    form: list[Any] = [plain.isoformat(), value.fold]
    if type(zone) is datetime.timezone:
        offset = zone.utcoffset(None)
        named = [] if repr(zone) == repr(datetime.timezone(offset)) else [_form(zone.tzname(None))]
        return [*form, _form(offset), *named]
    if type(zone) is zoneinfo.ZoneInfo and zone.key is not None:
        return [*form, zone.key]
    if zone is None:
        return form
    raise NotStorableError(f"a {kind_of(value)} in a {kind_of(zone)} cannot be stored; use a timezone or a ZoneInfo")


def _moment(kind: Any, text: str, fold: int, *zone: Any) -> Any:
    moment = kind.fromisoformat(text)
    if not zone:
        return moment.replace(fold=fold)
    found = zoneinfo.ZoneInfo(zone[0]) if isinstance(zone[0], str) else datetime.timezone(*zone)
    return moment.replace(tzinfo=found, fold=fold)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_decode = json.JSONDecoder(parse_constant=_refuse).decode


def _untagged(others: Mapping[str, Callable[[Any], Any]], found: dict[str, Any]) -> Any:
    """Return what an object of the text stands for; what is in it has been read already."""
    if not _like_a_tag(found):
        return found
    ((tag, content),) = found.items()
    read = _READERS.get(tag) or others.get(tag.removeprefix(MARK))
    if read is None:
        raise ValueError(f"nothing is tagged {tag!r}")
    return read(content)


_Row = tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]]

#: Kinds that need a tag: how each is written in terms that JSON holds, and read back.
_TABLE: tuple[_Row, ...] = (
    (str, "str", _BETWEEN_HALVES.split, "".join),
    (int, "int", hex, lambda text: int(text, 16)),
    (float, "float", repr, float),
    (tuple, "tuple", lambda value: [_form(item) for item in value], tuple),
    (set, "set", _sorted_forms, set),
    (frozenset, "frozenset", _sorted_forms, frozenset),
    (bytes, "bytes", _base64, _bytes),
    (bytearray, "bytearray", _base64, lambda text: bytearray(_bytes(text))),
    (complex, "complex", lambda value: _form([value.real, value.imag]), lambda parts: complex(*parts)),
    (range, "range", lambda value: _form([value.start, value.stop, value.step]), lambda ends: range(*ends)),
    (decimal.Decimal, "decimal", str, decimal.Decimal),
    (
        fractions.Fraction,
        "fraction",
        lambda value: _form([value.numerator, value.denominator]),
        lambda parts: fractions.Fraction(*parts),
    ),
    (uuid.UUID, "uuid", str, uuid.UUID),
    (datetime.date, "date", datetime.date.isoformat, datetime.date.fromisoformat),
    (datetime.datetime, "datetime", _moment_form, lambda parts: _moment(datetime.datetime, *parts)),
    (datetime.time, "time", _moment_form, lambda parts: _moment(datetime.time, *parts)),
    (
        datetime.timedelta,
        "timedelta",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda parts: datetime.timedelta(*parts),
    ),
    *(
        (kind, kind.__name__, lambda value: _form(str(value)), kind)
        for kind in (pathlib.PurePosixPath, pathlib.PureWindowsPath, pathlib.PosixPath, pathlib.WindowsPath)
    ),
    # The method of str: numpy's own drops zeros at the end.
    (np.str_, "numpy.str", lambda value: _form(str.__str__(value)), np.str_),
    (np.bytes_, "numpy.bytes", lambda value: _base64(bytes(value)), lambda text: np.bytes_(_bytes(text))),
)
_TAGS = {kind: (MARK + tag, written) for kind, tag, written, _ in _TABLE}
_READERS = {
    **{MARK + tag: read for _, tag, _, read in _TABLE},
    f"{MARK}dict": dict,
    f"{MARK}array": _array,
    f"{MARK}scalar": _scalar,
}
