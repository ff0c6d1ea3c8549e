"""Turns games into JSON Lines files and such files back into games, checking both against the schema.

One file holds one scenario under one noise mode: a header line, then one line per failing case. The bytes are
canonical (sorted keys, UTF-8, no NaN), so equal games are equal files.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any, cast

import fastjsonschema

from analyzer.game_file_checks import check_arithmetic, check_structure
from analyzer.game_records import (
    MODES,
    SUFFIX,
    CaseGame,
    CoalitionError,
    Counts,
    FixInfo,
    GameFile,
    Header,
    Output,
    SampledValues,
    Scenario,
    ScoreInfo,
    SeenOutputs,
    Shown,
    StepInfo,
    case_verdict,
    figures_of,
    file_name,
)

__all__ = [
    "MODES", "SCHEMA_ID", "SCHEMA_VERSION", "SUFFIX", "CaseGame", "CoalitionError", "Counts", "FixInfo", "GameFile",
    "GameFileError", "Header", "Output", "SampledValues", "Scenario", "ScoreInfo", "SeenOutputs", "Shown", "StepInfo",
    "case_verdict", "check_arithmetic", "check_together", "dump_line", "dumps", "figures_of", "file_name", "make_ready",
    "read", "read_folder", "schema", "write",
]  # fmt: skip

SCHEMA_ID = "agentblame/game"
SCHEMA_VERSION = 2
_LONGEST_HEADER = 1 << 24
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
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text + "\n"


def dumps(file: GameFile) -> str:
    """Write a whole game file as text."""
    header = {"kind": "header", "schema": SCHEMA_ID, "schema_version": SCHEMA_VERSION, **asdict(file.header)}
    lines = [dump_line(header)]
    lines.extend(dump_line({"kind": "case", **asdict(case)}) for case in file.cases)
    return "".join(lines)


def make_ready(folder: Path, expected: Iterable[tuple[str, str]]) -> None:
    """Make sure that game files can be written, before anything is spent on computing them.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    expected : iterable of (str, str)
        Scenario id and mode of the files to come.

    Raises
    ------
    GameFileError
        If the folder cannot be written, or a name is taken by something else than a game file of that scenario.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error
    for scenario, mode in expected:
        path = folder / file_name(scenario, mode)
        if os.path.lexists(path):
            _refuse_foreign(path, scenario)


def write(file: GameFile, folder: Path) -> Path:
    """Write a game file into a folder, all of it or nothing.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    GameFileError
        As `make_ready`.
    """
    make_ready(folder, [(file.header.scenario.id, file.header.mode)])
    path = folder / file.name
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(dumps(file))
            # mkstemp makes the file private; a game file is meant to be handed on like any other file.
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def _unwritable(path: Path, error: OSError) -> GameFileError:
    reason = error.strerror or str(error)
    return GameFileError(f"{path}: cannot be written: {reason}. Choose another folder with --out.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refuse_foreign(path: Path, scenario: str) -> None:
    """Raise unless a file is a game file of a scenario, so that nothing else is ever overwritten."""
    header: object = None
    if path.is_file():
        try:
            with path.open("rb") as stream:
                header = json.loads(stream.readline(_LONGEST_HEADER))
        except OSError as error:
            raise _unreadable(path, error) from error
        except (ValueError, RecursionError):
            header = None
    found = header.get("scenario") if isinstance(header, dict) and header.get("schema") == SCHEMA_ID else None
    if not isinstance(found, dict) or found.get("id") != scenario:
        what = "is not a game file" if found is None else "holds another scenario"
        raise GameFileError(f"{path}: is in the way and {what}. Move it, or choose another folder with --out.")


def _unreadable(path: Path, error: OSError) -> GameFileError:
    return GameFileError(f"{path}: cannot be read: {error.strerror}.")


def read(path: Path) -> GameFile:
    """Read and check one game file.

    Raises
    ------
    GameFileError
        If the file is missing, torn, of another schema version, or does not satisfy the schema; the message names
        the line and the field.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise GameFileError(f"{path}: is not UTF-8 text (byte {error.start}). Is it a game file?") from error
    if text and not text.endswith("\n"):
        raise GameFileError(
            f"{path}: the last line is cut short. Copy the file again, or run `agentblame analyze` again."
        )
    # str.splitlines would also split at U+2028 and other characters that JSON strings may hold.
    lines = text.split("\n")[:-1]
    if not lines:
        raise GameFileError(f"{path}: is empty. Run `agentblame analyze` again.")
    header = _header(_parse(path, 1, lines[0]), path)
    cases = tuple(_case(_parse(path, number, line), path, number) for number, line in enumerate(lines[1:], 2))
    file = GameFile(header, cases)
    problem = next(iter(check_structure(file)), None)
    if problem is not None:
        raise GameFileError(f"{path}: {problem}.")
    return file


def read_folder(folder: Path) -> list[GameFile]:
    """Read every game file of a folder (or the one file named), by name.

    Raises
    ------
    GameFileError
        If there is none, one cannot be read, or two hold the same scenario and mode.
    """
    if folder.is_file():
        return [read(folder)]
    paths = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not paths:
        what = "holds no game files" if folder.is_dir() else "does not exist"
        raise GameFileError(f"{folder}: {what}. Make some with `agentblame analyze SCENARIO --out {folder}`.")
    files = [read(path) for path in paths]
    problem = next(check_together(dict(zip(paths, files, strict=True))), None)
    if problem is not None:
        raise GameFileError(problem)
    return files


def check_together(files: Mapping[Path, GameFile]) -> Iterator[str]:
    """Yield why files, each in order by itself, cannot stand side by side on one page."""
    modes: dict[tuple[str, str], Path] = {}
    firsts: dict[str, Path] = {}
    for path, file in files.items():
        header = file.header
        scenario = header.scenario.id
        twin = modes.setdefault((scenario, header.mode), path)
        if twin is not path:
            yield f"{path}: holds scenario {scenario!r}, mode {header.mode}, as {twin.name} does. Remove one of them."
        first = files[firsts.setdefault(scenario, path)].header
        if (header.fingerprint, header.seed, header.delta) != (first.fingerprint, first.seed, first.delta):
            yield (
                f"{path}: was made with other code, another seed or another delta than {firsts[scenario].name}. "
                "Run `agentblame analyze` again for all modes, or remove one of them."
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


def _header(content: dict[str, Any], path: Path) -> Header:
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
        **{name: data[name] for name in ("mode", "seed", "package", "version", "fingerprint", "stopped")},
    )


def _case(content: dict[str, Any], path: Path, number: int) -> CaseGame:
    data = _checked("case", content, path, number)
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
        cost=float(data["cost"]),
        sampled=None if data["sampled"] is None else _sampled(data["sampled"]),
        values={rule: None if numbers is None else _reals(numbers) for rule, numbers in data["values"].items()},
        withheld=data["withheld"],
    )


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
