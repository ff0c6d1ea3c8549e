"""Turns a game's header and each of its cases into a line of JSON, and such a line, checked against the schema, back.

The bytes of a line are canonical (sorted keys, UTF-8, no NaN), so equal games are equal lines.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any, cast

import fastjsonschema

from analyzer.game_records import (
    CaseGame,
    CoalitionError,
    Counts,
    FixInfo,
    Header,
    Output,
    SampledValues,
    Scenario,
    ScoreInfo,
    SeenOutputs,
    Shown,
    StepInfo,
)

SCHEMA_ID = "agentblame/game"
SCHEMA_VERSION = 2
# Integers beyond are no doubles, so that other languages would read another number.
_EXACT = 2**53
# Whole numbers with fewer digits are below that. Some texts have what looks like one, too.
_LONG_WHOLE = re.compile(r"[\s\[,:-][0-9]{16}")
_NUMBERS = frozenset({int, float, bool, type(None)})


class GameFileError(Exception):
    """A game file that cannot be read or written; the message names the file, the line, the field and the remedy."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line (header or case), as shipped with the package."""
    text = resources.files("analyzer").joinpath("game_file.schema.json").read_text("utf-8")
    return cast("dict[str, Any]", json.loads(text))


@functools.cache
def _line_checker(kind: str) -> Any:
    whole = schema()
    return fastjsonschema.compile({**whole["$defs"][kind], "$defs": whole["$defs"]}, use_default=False)


def dump_line(content: Mapping[str, Any]) -> str:
    """Write one canonical line, newline included.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    text = json.dumps(
        content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_fields
    )
    return text + "\n"


def _fields(record: Any) -> dict[str, Any]:
    """Return a record's fields by name; `dataclasses.asdict` would copy everything below them, too."""
    return {field.name: getattr(record, field.name) for field in fields(record)}


def header_line(header: Header) -> str:
    """Return the first line of a game file."""
    told = _fields(header)
    if header.ordered:
        del told["ordered"]
    return dump_line({"kind": "header", "schema": SCHEMA_ID, "schema_version": SCHEMA_VERSION, **told})


def case_line(case: CaseGame) -> str:
    """Return the line of one case."""
    told = _fields(case)
    if case.called is None:
        del told["called"]
    return dump_line({"kind": "case", **told})


def header_of(line: str, path: Path) -> Header:
    """Return what the first line of a game file says.

    Raises
    ------
    GameFileError
        If it is of another schema version, or does not satisfy the schema; the message names file and field.
    """
    content = _parse(path, 1, line)
    if content.get("schema") != SCHEMA_ID:
        raise GameFileError(f"{path}: line 1: field schema: {SCHEMA_ID!r} was expected. Is it a game file?")
    version = content.get("schema_version")
    if version != SCHEMA_VERSION:
        raise GameFileError(
            f"{path}: line 1: field schema_version: this release reads version {SCHEMA_VERSION}, "
            f"the file has {version!r}. "
            "Run `agentblame analyze` again, or use the release that wrote the file."
        )
    data = _checked("header", content, path, 1)
    scenario = data["scenario"]
    return Header(
        scenario=Scenario(**{**scenario, "score": ScoreInfo(**scenario["score"])}),
        steps=tuple(
            StepInfo(
                id=step["id"],
                title=step["title"],
                parents=tuple(step["parents"]),
                role=step["role"],
                interventional=step["interventional"],
                fix=FixInfo(**step["fix"]) if step["fix"] else None,
                alternatives=tuple(FixInfo(**fix) for fix in step["alternatives"]),
            )
            for step in data["steps"]
        ),
        players=tuple(data["players"]),
        counts=Counts(**{name: int(count) for name, count in data["counts"].items()}),
        redacted=tuple(data["redacted"]),
        worlds=int(data["worlds"]),
        reference_world=int(data["reference_world"]),
        delta=float(data["delta"]),
        ordered=data.get("ordered", True),
        **{name: data[name] for name in ("mode", "seed", "package", "version", "fingerprint", "stopped")},
    )


def case_of(line: str, path: Path, number: int) -> CaseGame:
    """Return what another line of a game file, by its number, says.

    Raises
    ------
    GameFileError
        If it does not satisfy the schema; the message names file, line and field.
    """
    return _case(_checked("case", _parse(path, number, line), path, number))


def case_known(line: str) -> CaseGame:
    """Return what a line says that `case_line` wrote, which the schema need not check again.

    Raises
    ------
    GameFileError
        If damage left no case of it.
    """
    try:
        return _case(json.loads(line))
    except (ValueError, LookupError, TypeError) as error:
        raise GameFileError(f"a stored game cannot be read: {error!r}") from error


def _case(data: Mapping[str, Any]) -> CaseGame:
    rational = data["denominator"] is not None
    return CaseGame(
        id=data["id"],
        seed=data["seed"],
        inputs=tuple(Shown(**shown) for shown in data["inputs"]),
        tags=tuple(data["tags"]),
        failure=data["failure"],
        coalitions=None if data["coalitions"] is None else _wholes(data["coalitions"]),
        denominator=_whole(data["denominator"]),
        worth=_wholes(data["worth"]) if rational else tuple(data["worth"]),
        shown_scores=tuple(data["shown_scores"]),
        steps=tuple(
            SeenOutputs(
                step["id"],
                tuple(Output(**output) for output in step["outputs"]),
                _wholes(step["index"]),
            )
            for step in data["steps"]
        ),
        evaluations=_wholes(data["evaluations"]),
        errors={mask: CoalitionError(**error) for mask, error in data["errors"].items()},
        calls=int(data["calls"]),
        cost=None if data["cost"] is None else float(data["cost"]),
        sampled=None if data["sampled"] is None else _sampled(data["sampled"]),
        values={rule: None if numbers is None else _reals(numbers) for rule, numbers in data["values"].items()},
        withheld=data["withheld"],
        called=None if data.get("called") is None else tuple(data["called"]),
    )


def _parse(path: Path, number: int, line: str) -> dict[str, Any]:
    def refuse(what: str) -> GameFileError:
        return GameFileError(f"{path}: line {number}: {what}.")

    def constant(name: str) -> float:
        raise refuse(f"{name} is not a number JSON has")

    def whole(digits: str) -> int:
        # Its length first: converting very many digits is refused by Python itself.
        if len(digits) > 17 or abs(int(digits)) >= _EXACT:
            raise refuse(f"the whole number {digits[:20]}… is too large")
        return int(digits)

    def real(digits: str) -> float:
        if not math.isfinite(float(digits)):
            raise refuse(f"the number {digits[:20]} is too large")
        return float(digits)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise refuse(f"the object with the keys {sorted(content)[:3]} has a key twice")
        return content

    # To look at each of millions of whole numbers takes longer than all else.
    parse = whole if _LONG_WHOLE.search(line) else int
    try:
        content = json.loads(line, parse_constant=constant, parse_int=parse, parse_float=real, object_pairs_hook=once)
    except ValueError as error:
        raise refuse(f"not JSON ({error}). The file is damaged: make it again") from error
    except RecursionError as error:
        raise refuse("nested too deeply for a game file") from error
    if not isinstance(content, dict):
        raise refuse("a JSON object was expected")
    return content


def _checked(kind: str, content: dict[str, Any], path: Path, number: int) -> dict[str, Any]:
    check = _line_checker(kind)
    try:
        with contextlib.suppress(fastjsonschema.JsonSchemaValueException):
            check(_thinned(content))
            return content
        # Once more, for the place of what is wrong.
        check(content)
    except fastjsonschema.JsonSchemaValueException as error:
        raise GameFileError(f"{path}: line {number}: field {_field(error)}: {_rule(error)}.") from error
    return content


def _thinned(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line whose lists of numbers have each number once: enough to tell whether all are in order."""
    found = {name: _distinct(value) for name, value in content.items()}
    if isinstance(steps := found.get("steps"), list):
        found["steps"] = [
            {name: _distinct(value) for name, value in step.items()} if isinstance(step, dict) else step
            for step in steps
        ]
    return found


def _distinct(value: Any) -> Any:
    if not isinstance(value, list) or not _NUMBERS.issuperset(map(type, value)):
        return value
    # 1, 1.0 and true are equal, but not equally in order.
    return [number for _, number in dict.fromkeys(zip(map(type, value), value, strict=True))]


def _field(error: fastjsonschema.JsonSchemaValueException) -> str:
    return ".".join(str(part) for part in error.path[1:]) or "(whole line)"


def _rule(error: fastjsonschema.JsonSchemaValueException) -> str:
    return str(error.message.removeprefix(error.name or "").strip())


def _sampled(data: Mapping[str, Any]) -> SampledValues:
    return SampledValues(
        estimator=data["estimator"],
        draws=int(data["draws"]),
        evaluations=int(data["evaluations"]),
        delta=float(data["delta"]),
        values=_reals(data["values"]),
        low=_reals(data["low"]),
        high=_reals(data["high"]),
        leader=_whole(data["leader"]),
        stopped=data["stopped"],
    )


def _reals(numbers: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(number) for number in numbers)


def _wholes(numbers: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(map(_whole, numbers)) if float in set(map(type, numbers)) else tuple(numbers)


def _whole(number: Any) -> Any:
    """Return a whole number as an int, also where it was written 8.0; anything else as it is: a check will name it."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
