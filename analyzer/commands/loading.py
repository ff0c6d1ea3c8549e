"""Turns `module:attr` or `file.py:attr` into a pipeline, and a JSON Lines file into cases."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from analyzer.pipeline import Case, Pipeline, case_from
from analyzer.program import Program
from analyzer.shown import well_formed


class LoadingError(ValueError):
    """Something named on the command line that cannot be used; the message names it and the remedy."""


def load_pipeline(target: str) -> Pipeline | Program:
    """Return the pipeline or program that `module:attr` or `file.py:attr` names, looked up from the working folder.

    Raises
    ------
    LoadingError
        If the module or file is missing, fails while it is imported, lacks the attribute, or the attribute is no
        pipeline: a message of its own for each.
    """
    where, colon, attribute = target.rpartition(":")
    if not colon or not where or not attribute:
        raise LoadingError(
            f"{target}: is no bundled scenario and names no pipeline. "
            "Write FILE.py:NAME or MODULE:NAME, or see `agentblame scenarios`."
        )
    module = _load_file(Path(where)) if where.endswith(".py") else _load_module(where)
    if not hasattr(module, attribute):
        found = sorted(name for name, value in vars(module).items() if isinstance(value, Pipeline | Program))
        hint = f"It defines {', '.join(found)}." if found else "It defines no Pipeline and no Program."
        raise LoadingError(f"{where}: has no attribute {attribute!r}. {hint}")
    pipeline = getattr(module, attribute)
    if not isinstance(pipeline, Pipeline | Program):
        raise LoadingError(f"{target}: is a {type(pipeline).__name__}, neither a Pipeline nor a Program.")
    return pipeline


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise LoadingError(f"{path}: there is no such file.")
    # Found again by a step's own imports, and by tools that look a function's module up.
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = path.stem
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) != str(path.resolve()):
        name = f"agentblame_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise LoadingError(f"{path}: is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise LoadingError(f"{path}: fails while it is imported: {_place(error)}") from error
    return module


def _load_module(name: str) -> ModuleType:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The module itself, or a package it lies in, as opposed to something that it imports.
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise LoadingError(f"{name}: there is no such module in the working folder or installed.") from error
        raise LoadingError(f"{name}: fails while it is imported: {_place(error)}") from error
    except (Exception, SystemExit) as error:
        raise LoadingError(f"{name}: fails while it is imported: {_place(error)}") from error


def _place(error: BaseException) -> str:
    """Return an exception in one line, with the line of the user's own code it came from."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<") and not _foreign(Path(frame.filename))
    ]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"{type(error).__name__}: {error}" + ("" if line is None else f" (line {line})")


def _foreign(path: Path) -> bool:
    """Whether a file belongs to this package, the standard library or an installed one."""
    homes = (Path(__file__).parents[1], Path(os.__file__).parent)
    return any(home in path.parents for home in homes) or "site-packages" in path.parts


def load_cases(path: Path) -> list[Case]:
    """Read cases from JSON Lines: one object per line, its fields the inputs, `id` its id (or the line's number).

    Raises
    ------
    LoadingError
        If the file cannot be read, a line is not a JSON object, an id occurs twice, or there is no case.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise LoadingError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise LoadingError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
    cases, seen = list[Case](), dict[str, int]()
    # str.splitlines would also split at characters that JSON strings may hold, such as U+2028.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        record = _record(path, number, line)
        id = _id(path, number, record)
        if id in seen:
            raise LoadingError(
                f"{path}: line {number}: the id {id!r} was used in line {seen[id]}; ids must be distinct."
            )
        seen[id] = number
        cases.append(case_from(record, id))
    if not cases:
        raise LoadingError(f"{path}: holds no cases. Write one JSON object per line.")
    return cases


def _record(path: Path, number: int, line: str) -> dict[str, Any]:
    def refuse(name: str) -> float:
        raise LoadingError(f"{path}: line {number}: {name} is not a number JSON has; use null.")

    try:
        record = json.loads(line, parse_constant=refuse)
    except LoadingError:
        raise
    except ValueError as error:
        raise LoadingError(f"{path}: line {number}: not JSON: {error}. Each line is one whole object.") from error
    except RecursionError as error:
        raise LoadingError(f"{path}: line {number}: nested too deeply.") from error
    if not isinstance(record, dict):
        raise LoadingError(
            f'{path}: line {number}: a JSON object was expected, such as {{"id": "a1", "question": "…"}}.'
        )
    return record


def _id(path: Path, number: int, record: dict[str, Any]) -> str:
    id = record.get("id", f"line-{number}")
    if isinstance(id, bool) or not isinstance(id, str | int) or not str(id).strip():
        raise LoadingError(
            f"{path}: line {number}: field id: a text that is not blank, or a whole number, was expected."
        )
    return well_formed(str(id))
