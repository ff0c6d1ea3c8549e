"""Turns a value into canonical text for the store, and such text back into an equal value.

Plain data is written as it is; what is not goes by way of the codec that its step declares, and the text names it. What
has no fingerprint of its own has that of this text.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.noise import Address, Draw
from analyzer.plain_text import MARK, NotStorableError, described, kind_of, text_of, value_of
from analyzer.steps import Codec

__all__ = [
    "NotStorableError", "decode", "decode_draws", "encode", "encode_draws", "mark_by", "mark_of_given", "plain_form",
    "restored",
]  # fmt: skip

_NO_CODECS: Mapping[str, Codec] = MappingProxyType({})
_TAG = "codec"
_BEGINNING = f'{{"{MARK}{_TAG}":['


@dataclass(frozen=True)
class _Coded:
    """Has the fingerprint of what only its codec can tell from others; no step can return one."""

    text: str


def encode(value: Any, codec: Codec | None = None) -> str:
    """Return the text of a value.

    Parameters
    ----------
    value : object
        None, bool, int, float, str, bytes, bytearray; lists, tuples, sets and dicts of such; complex numbers, ranges,
        decimals, fractions, UUIDs, dates, times, paths; numpy arrays and scalars. Not their subclasses.
    codec : Codec, optional
        Used for a value that is, or holds, anything else.

    Returns
    -------
    str
        ASCII. `decode` gives back a value of the same types with the same fingerprint.

    Raises
    ------
    NotStorableError
        If the value is, or holds, anything else and there is no codec, or the codec fails or does not give an equal
        value back.

    Examples
    --------
    >>> encode({"answer": "yes", "at": (1, 2)})
    '{"answer":"yes","at":{"~tuple":[1,2]}}'
    """
    try:
        return text_of(value)
    except NotStorableError:
        if codec is None:
            raise
    return _text_by(codec, value)


def decode(text: str, codecs: Mapping[str, Codec] = _NO_CODECS) -> Any:
    """Return the value of a text that `encode` wrote.

    Parameters
    ----------
    text : str
    codecs : mapping of str to Codec
        By name, those that values may have been written with.

    Raises
    ------
    NotStorableError
        If the codec that the text names is not among them or fails, or the text makes no sense.
    """
    return value_of(text, {_TAG: _reader(codecs)})


def restored(text: str, mark: str, codecs: Mapping[str, Codec]) -> Any:
    """Return the value of a text, which must have a fingerprint that it once had (see `mark_by`).

    Raises
    ------
    NotStorableError
        If it cannot be decoded, or is not what it was.
    """
    value, codec = decode(text, codecs), None
    if text.startswith(_BEGINNING):
        codec = codecs.get(json.JSONDecoder().raw_decode(text, len(_BEGINNING))[0])
    try:
        same = mark_by(value, codec) == mark
    except UnstableValueError as error:
        raise NotStorableError(f"what was stored cannot be compared: {error}") from error
    if not same:
        raise NotStorableError(f"what was stored is another {kind_of(value)} now")
    return value


def mark_by(value: Any, codec: Codec | None) -> str:
    """Return the fingerprint of what a step returned: its own or, where it has none, that of its text by the codec.

    Raises
    ------
    UnstableValueError
        If it has none and there is no codec, or that fails.
    """
    try:
        return fingerprint(value)
    except UnstableValueError:
        if codec is None:
            raise
    try:
        return fingerprint(_Coded(_coded(codec, value)))
    except NotStorableError as error:
        raise UnstableValueError(str(error)) from error


def mark_of_given(value: Any, codecs: Sequence[Codec]) -> str:
    """Return the fingerprint of what a program hands over, which may be, or hold, what any of its steps returned.

    Parameters
    ----------
    value : object
    codecs : sequence of Codec
        Of the steps. The first that gives an equal value back stands for what has no fingerprint of its own: the whole
        or, in lists, tuples and dicts, a part.

    Raises
    ------
    UnstableValueError
        If something has none and no codec is for it.
    """
    try:
        return fingerprint(value)
    except UnstableValueError:
        if not codecs:
            raise
    return fingerprint(_replaced(value, codecs, lambda codec, part: _Coded(_coded(codec, part))))


def plain_form(value: Any, codecs: Sequence[Codec]) -> Any:
    """Return a value for people to read: what codecs encode, in place of what has no fingerprint of its own."""
    return _replaced(value, codecs, lambda codec, part: codec.encode(copy.deepcopy(part))) if codecs else value


def _replaced(value: Any, codecs: Sequence[Codec], instead: Callable[[Codec, Any], Any]) -> Any:
    """Return a value with something else in place of the largest parts that only a codec can tell from others."""
    try:
        fingerprint(value)
    except UnstableValueError:
        pass
    else:
        return value
    codec = next((codec for codec in codecs if _keeps(codec, value)), None)
    if codec is not None:
        return instead(codec, value)
    if type(value) in (list, tuple):
        return type(value)(_replaced(part, codecs, instead) for part in value)
    if type(value) is dict:
        return {key: _replaced(part, codecs, instead) for key, part in value.items()}
    return value


def _keeps(codec: Codec, value: Any) -> bool:
    """Whether a codec is for a value: gives one back that is of the same kinds, and has the same text."""
    try:
        text = _coded(codec, value)
        back = decode(text, {codec.name: codec})
        return _alike(back, value) and _coded(codec, back) == text
    except NotStorableError:
        return False


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are of one type, and what they hold, if they are lists, tuples or dicts, is, too."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return list(one) == list(other) and all(_alike(part, other[key]) for key, part in one.items())
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return True


def _reader(codecs: Mapping[str, Codec]) -> Callable[[Any], Any]:
    def read(content: Any) -> Any:
        name, plain = content
        codec = codecs.get(name)
        if codec is None:
            raise NotStorableError(f"a stored value needs the codec {name!r}; declare it for the step again")
        try:
            return codec.decode(plain)
        except Exception as error:
            raise NotStorableError(f"codec {name!r}: a stored value cannot be decoded: {described(error)}") from error

    return read


def _text_by(codec: Codec, value: Any) -> str:
    """Return a value's text by way of a codec, and hold what comes back against the value."""
    where = f"codec {codec.name!r}"
    text = _coded(codec, value)
    back = decode(text, {codec.name: codec})
    try:
        same = mark_by(back, codec) == mark_by(value, codec)
    except Exception as error:
        raise NotStorableError(f"{where}: what decode returns cannot be compared: {described(error)}") from error
    if not same or not _alike(back, value):
        raise NotStorableError(f"{where}: decode does not give back the {kind_of(value)} that encode was given")
    return text


def _coded(codec: Codec, value: Any) -> str:
    """Return the text of what a codec makes of a value."""
    where = f"codec {codec.name!r}"
    try:
        # Of a copy, since encode may change what it is given.
        plain = codec.encode(copy.deepcopy(value))
    except Exception as error:
        raise NotStorableError(f"{where}: a {kind_of(value)} cannot be encoded: {described(error)}") from error
    try:
        return f"{_BEGINNING}{text_of(codec.name)},{text_of(plain)}]}}"
    except NotStorableError as error:
        raise NotStorableError(
            f"{where}: what encode returns for a {kind_of(value)} is no plain data: {error}"
        ) from error


def encode_draws(draws: Sequence[Draw]) -> str:
    """Return the text of the draws that a call of a step made.

    A choice that cannot be stored (an object among the options) comes back as what stands for it in `Draw.options`.

    Raises
    ------
    NotStorableError
        If a bound or a number drawn is of an unknown kind.
    """
    return text_of(
        [
            [*draw.address, draw.options, draw.logits, draw.noise, list(draw.bounds), list(draw.picked), _chosen(draw)]
            for draw in draws
        ]
    )


def decode_draws(text: str, step: str) -> tuple[Draw, ...]:
    """Return the draws of a text that `encode_draws` wrote, as draws of a step.

    Raises
    ------
    NotStorableError
        If the text makes no sense.
    """
    try:
        return tuple(_draw(step, *record) for record in decode(text))
    except (TypeError, ValueError, LookupError) as error:
        if isinstance(error, NotStorableError):
            raise
        raise NotStorableError(f"a stored text holds no draws: {error}") from error


def _draw(
    step: str,
    kind: str,
    name: str,
    occurrence: int,
    options: Any,
    logits: Any,
    noise: Any,
    bounds: list[Any],
    picked: list[int],
    chosen: list[Any],
) -> Draw:
    choice = chosen[0] if chosen else _by_label(kind, options, picked)
    return Draw(step, Address(kind, name, occurrence), options, logits, noise, tuple(bounds), tuple(picked), choice)


def _chosen(draw: Draw) -> list[Any]:
    """Return a list of the choice, or an empty one where the labels say it, or have to."""
    try:
        text = text_of(draw.choice)
    except NotStorableError:
        if draw.picked:
            return []
        raise
    by_label = _by_label(draw.address.kind, draw.options, draw.picked)
    return [] if text == text_of(by_label) else [draw.choice]


def _by_label(kind: str, options: Sequence[Any], picked: Sequence[int]) -> Any:
    """Return what was chosen as its label, or as a list of labels in the order of a shuffle."""
    if kind == "shuffle":
        return [options[index][0] for index in picked]
    return options[picked[0]] if picked else None
