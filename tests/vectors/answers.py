"""Turns the inputs of a vector into what the Python rule says, in the form vectors are written in.

``answers.js`` does the same with the page's rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer import rules
from tests.vectors.doubles import all_to_hex, from_hex, to_hex

Inputs = dict[str, Any]

ERRORS = (rules.MissingWorth, rules.TableTooLarge, rules.BadTable, rules.NotFinite)


def number(encoded: str | int | None) -> float | None:
    """Decode one entry: hex digits are a double, an integer is itself, null is a hole."""
    return from_hex(encoded) if isinstance(encoded, str) else encoded


def numbers(encoded: list[Any]) -> list[Any]:
    """Decode a list of entries."""
    return [number(entry) for entry in encoded]


def _of_values(rule: Callable[..., Any]) -> Callable[[Inputs], Any]:
    return lambda inputs: {
        "values": all_to_hex(rule(numbers(inputs["worth"]), inputs["denominator"]).tolist()),
    }


def _last_touch(inputs: Inputs) -> Any:
    return {"values": all_to_hex(rules.last_touch(inputs["outputs"]).tolist())}


def _set_outcome(inputs: Inputs) -> Any:
    value = from_hex(inputs["value"])
    worth, denominator = rules.set_outcome(numbers(inputs["worth"]), inputs["denominator"], inputs["mask"], value)
    encoded = worth if denominator is not None else [None if v is None else to_hex(v) for v in worth]
    return {"worth": encoded, "denominator": denominator}


def _rank(inputs: Inputs) -> Any:
    return {"order": rules.rank(numbers(inputs["values"])).tolist()}


def _number_text(inputs: Inputs) -> Any:
    return {"text": rules.number_text(from_hex(inputs["number"]))}


def _repair_level(inputs: Inputs) -> Any:
    return {"level": to_hex(rules.repair_level(from_hex(inputs["threshold"]), inputs["denominator"]))}


def _verdict(inputs: Inputs) -> Any:
    last_touch = inputs["last_touch"]
    told = rules.verdict(
        inputs["titles"],
        numbers(inputs["worth"]),
        inputs["denominator"],
        from_hex(inputs["level"]),
        inputs["worlds"],
        None if last_touch is None else numbers(last_touch),
    )
    return {
        "kind": told.kind,
        "players": list(told.players),
        "alone": list(told.alone),
        "sentences": list(told.sentences),
    }


RULES: dict[str, Callable[[Inputs], Any]] = {
    "shapley": _of_values(rules.shapley),
    "fix_alone": _of_values(rules.fix_alone),
    "leave_one_out": _of_values(rules.leave_one_out),
    "last_touch": _last_touch,
    "set_outcome": _set_outcome,
    "rank": _rank,
    "number_text": _number_text,
    "repair_level": _repair_level,
    "verdict": _verdict,
}


def answer(rule: str, inputs: Inputs) -> Any:
    """Return what the Python rule says, or the name and message of its error."""
    try:
        return RULES[rule](inputs)
    except ERRORS as error:
        return {"error": type(error).__name__, "message": str(error)}
