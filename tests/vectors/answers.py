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


def _isolated(inputs: Inputs) -> Any:
    return {"text": rules.isolated(inputs["name"])}


def _repair_level(inputs: Inputs) -> Any:
    return {"level": to_hex(rules.repair_level(from_hex(inputs["threshold"]), inputs["denominator"]))}


def _shapley_interaction(inputs: Inputs) -> Any:
    matrix = rules.shapley_interaction(numbers(inputs["worth"]), inputs["denominator"])
    return {"matrix": [all_to_hex(row) for row in matrix.tolist()]}


def _minimal_repairs(inputs: Inputs) -> Any:
    masks = rules.minimal_repairs(numbers(inputs["worth"]), inputs["denominator"], from_hex(inputs["level"]))
    return {"masks": masks.tolist()}


def _of_bounds(rule: Callable[..., Any]) -> Callable[[Inputs], Any]:
    def answered(inputs: Inputs) -> Any:
        bounds = rule(numbers(inputs["worth"]), inputs["denominator"])
        return {"bounds": None if bounds is None else [all_to_hex(pair) for pair in bounds.tolist()]}

    return answered


def _mean_and_deviation(inputs: Inputs) -> Any:
    means, deviations = rules.mean_and_deviation([numbers(row) for row in inputs["rows"]])
    return {"means": all_to_hex(means), "deviations": None if deviations is None else all_to_hex(deviations)}


def _ranged(inputs: Inputs) -> tuple[list[Any], float, float]:
    return numbers(inputs["values"]) * inputs["times"], from_hex(inputs["low"]), from_hex(inputs["high"])


def _betting_interval(inputs: Inputs) -> Any:
    return {"interval": all_to_hex(rules.betting_interval(*_ranged(inputs), from_hex(inputs["threshold"])))}


def _capital(inputs: Inputs) -> Any:
    return {"capital": to_hex(rules.capital(*_ranged(inputs), from_hex(inputs["mean"])).item())}


def _separation(inputs: Inputs) -> Any:
    rows = [numbers(row) for row in inputs["rows"]]
    return {"leader": rules.separation(rows, from_hex(inputs["spread"]), from_hex(inputs["threshold"]))}


def _share_of_repair(inputs: Inputs) -> Any:
    shares = rules.share_of_repair(numbers(inputs["means"]))
    return {"shares": None if shares is None else all_to_hex(shares)}


def _best_fix_sets(inputs: Inputs) -> Any:
    return {"sets": [list(best) for best in rules.best_fix_sets(numbers(inputs["repaired"]), inputs["players"])]}


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
    "banzhaf": _of_values(rules.banzhaf),
    "harsanyi_dividends": _of_values(rules.harsanyi_dividends),
    "shapley_interaction": _shapley_interaction,
    "minimal_repairs": _minimal_repairs,
    "necessity": _of_bounds(rules.necessity),
    "sufficiency": _of_bounds(rules.sufficiency),
    "mean_and_deviation": _mean_and_deviation,
    "betting_interval": _betting_interval,
    "capital": _capital,
    "separation": _separation,
    "share_of_repair": _share_of_repair,
    "best_fix_sets": _best_fix_sets,
    "last_touch": _last_touch,
    "set_outcome": _set_outcome,
    "rank": _rank,
    "number_text": _number_text,
    "isolated": _isolated,
    "repair_level": _repair_level,
    "verdict": _verdict,
}


def answer(rule: str, inputs: Inputs) -> Any:
    """Return what the Python rule says, or the name and message of its error."""
    try:
        return RULES[rule](inputs)
    except ERRORS as error:
        return {"error": type(error).__name__, "message": str(error)}
