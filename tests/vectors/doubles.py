"""Turns float64 numbers into 16 hex digits and back: the only form in which vectors hold them."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def to_hex(number: float) -> str:
    """Return the big-endian IEEE 754 bytes of a number as hex digits."""
    return struct.pack(">d", number).hex()


def from_hex(digits: str) -> float:
    """Return the number whose big-endian IEEE 754 bytes these are."""
    number: float = struct.unpack(">d", bytes.fromhex(digits))[0]
    return number


def all_to_hex(numbers: Iterable[float]) -> list[str]:
    """Return each number as hex digits."""
    return [to_hex(number) for number in numbers]
