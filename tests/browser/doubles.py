"""Turns every number of plain data into 16 hex digits, in a page and here, so that nothing between them rounds one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.vectors.doubles import to_hex

#: At the beginning of a script: `hex`, which does in a page what `in_hex` does here.
HEX = """
    const view = new DataView(new ArrayBuffer(8));
    const hex = (value) => {
        if (typeof value === "number") {
            view.setFloat64(0, value);
            return view.getBigUint64(0).toString(16).padStart(16, "0");
        }
        if (Array.isArray(value) || ArrayBuffer.isView(value)) return Array.from(value, hex);
        if (value === null || typeof value !== "object") return value;
        return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hex(one)]));
    };
"""


def in_hex(value: Any) -> Any:
    """Return plain data with each of its numbers as the hex digits of a double."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return to_hex(float(value))
    if isinstance(value, Mapping):
        return {name: in_hex(one) for name, one in value.items()}
    return [in_hex(one) for one in value]
