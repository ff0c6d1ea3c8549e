"""Turns functions and classes into the lines they were written as, and into what these lines name and declare."""

from __future__ import annotations

import dis
import functools
import importlib.util
import inspect
import itertools
import linecache
import os
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from types import CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any, ForwardRef

from analyzer.fingerprint import fingerprint
from analyzer.versions.own_modules import imported

_IMPORT = dis.opmap["IMPORT_NAME"]
# What takes something out of an object, and leaves the object where it is.
_TAKING = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM")
# Where Python keeps the environment of its process, and how far behind such a name the variable's is found.
_ENVIRONMENT = ("environ", "getenv")
_BEHIND = 3
# Names of variables that say who asks a model, not which model is asked.
_SECRET = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
# A shorter one may be a word that means something else elsewhere.
_SHORTEST_SECRET = 8
# Where libraries keep what the fields of a class are.
_FIELDS = ("__dataclass_fields__", "__pydantic_fields__")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def lines(run: FunctionType) -> str:
    """Return the lines that hold a function, decorators included; nothing where no file has them.

    By the places of its instructions: `inspect.getsource` gives a decorated function for its decorator's, and takes
    the end of a lambda for a guess.
    """
    code = run.__code__
    # What is compiled from a text; for newer versions of Python that is also the text of ``python -c``.
    if code.co_filename == "<string>":
        return ""
    linecache.checkcache(code.co_filename)
    found = linecache.getlines(code.co_filename, run.__globals__)
    # Without columns and ends where Python was told to keep none.
    ends = ((end or line or 0, column or 0) for part in codes_in(code) for line, end, _, column in part.co_positions())
    last, column = max(ends)
    text = "".join(found[code.co_firstlineno - 1 : last])
    # Several of them may stand on one line.
    return f"{text}until column {column}" if text and code.co_name == "<lambda>" else text


def bytecode(code: CodeType) -> str:
    """Return what stands for code whose lines are nowhere to be read: its instructions, names and constants."""
    constants = [bytecode(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    return f"{code.co_name} {code.co_code.hex()} {code.co_names} {constants}"


def _constant(value: object) -> str:
    try:
        return fingerprint(value)
    except Exception:
        return repr(value)


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """Yield code and the code nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_in(constant)


def imported_by(run: FunctionType, root: str) -> Iterator[ModuleType]:
    """Yield the modules of one's own that a function's code imports when it runs."""
    package = run.__globals__.get("__package__") or ""
    for code in codes_in(run.__code__):
        if _IMPORT not in code.co_code[::2]:
            continue
        steps = _steps(code)
        for level, wanted, step in zip(steps, steps[1:], steps[2:], strict=False):
            if step.opcode != _IMPORT:
                continue
            name = "." * level.argval + step.argval
            try:
                module = imported(importlib.util.resolve_name(name, package), root)
            except ImportError:
                continue
            if module is not None:
                yield module
                # What is imported from a package may be one of its modules.
                within = (part for part in wanted.argval or () if part not in vars(module))
                yield from filter(None, (imported(f"{module.__name__}.{part}", root) for part in within))


def used_whole(code: CodeType) -> set[str]:
    """Return the names of which code takes what they stand for itself, and not only an attribute of it."""
    whole = set[str]()
    steps = _steps(code)
    for step, following in itertools.pairwise(steps):
        if "LOAD" not in step.opname or step.opname == "LOAD_CONST":
            continue
        # Newer versions of Python load, or store and load, two variables at once.
        *before, last = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        whole.update(before if step.opname.startswith("LOAD") else ())
        if following.opname not in _TAKING:
            whole.add(last)
    return {name for name in whole if isinstance(name, str)}


def variables_read(run: FunctionType) -> set[str]:
    """Return the environment variables that a function reads by ``os.environ`` or ``os.getenv`` and a constant name.

    The name stands in the code, or under a name in the function's module. Left out are names that say that the variable
    is a secret: a key that is changed for another changes nothing of what the function does.
    """
    found = set()
    for code in codes_in(run.__code__):
        if code.co_names and not {*_ENVIRONMENT}.isdisjoint(code.co_names):
            steps = _steps(code)
            for at, step in enumerate(steps):
                if step.argval in _ENVIRONMENT and "LOAD" in step.opname:
                    # ``"NAME" in os.environ`` has it before, with at most the module's name between.
                    behind, ahead = steps[at + 1 : at + 1 + _BEHIND], steps[max(at - 2, 0) : at]
                    near = ahead if behind and behind[0].opname == "CONTAINS_OP" else behind
                    found.add(next(filter(None, (_text_loaded(each, run) for each in near)), ""))
    return {name for name in found if name and not name.upper().endswith(_SECRET)}


def secrets_of_environment() -> tuple[str, ...]:
    """Return the keys and passwords in the environment, the longest first: one may be part of another."""
    found = (value for name, value in os.environ.items() if name.upper().endswith(_SECRET))
    return tuple(
        sorted((value for value in found if len(value) >= _SHORTEST_SECRET), key=lambda value: (-len(value), value))
    )


def _text_loaded(step: dis.Instruction, run: FunctionType) -> str:
    """Return the text that an instruction loads; nothing where it loads anything else."""
    value = run.__globals__.get(step.argval) if step.opname == "LOAD_GLOBAL" else step.argval
    return value if step.opname in ("LOAD_CONST", "LOAD_GLOBAL") and isinstance(value, str) else ""


def _steps(code: CodeType) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]


# Where a class begins and ends is found by parsing its whole file.
@functools.lru_cache(maxsize=1024)
def class_lines(kind: type) -> str:
    """Return the lines that hold a class; nothing where no file has them."""
    try:
        return inspect.getsource(kind)
    except Exception:
        return ""


def annotated(noted: FunctionType | type, names: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the annotations of a function or a class say; where they are texts, what the names in these say."""
    try:
        notes = inspect.get_annotations(noted)
    except Exception:
        return
    for name, note in sorted(notes.items()):
        text = note.__forward_arg__ if isinstance(note, ForwardRef) else note
        if not isinstance(text, str):
            yield f"annotation {name}", note
            continue
        for dotted in sorted({*_DOTTED.findall(text)}):
            first, *rest = dotted.split(".")
            value = names.get(first)
            for attribute in rest:
                value = getattr(value, "__dict__", {}).get(attribute)
            if value is not None and not issubclass(type(value), ModuleType):
                yield f"annotation {name} {dotted}", value


def fields(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield what a class says of its fields: their defaults, what makes these, limits and descriptions."""
    for table in _FIELDS:
        for name, field in vars(kind).get(table, {}).items():
            told = sorted(attributes(field).items())
            yield from ((f"field {name} {part}", value) for part, value in told if not part.startswith("_"))
    if issubclass(kind, Enum):
        yield from ((f"member {name}", member._value_) for name, member in kind.__members__.items())


def attributes(value: Any) -> dict[str, Any]:
    """Return what an object holds, by name."""
    found = {}
    for base in type(value).__mro__:
        for name, slot in vars(base).items():
            # Python keeps addresses in memory under names like __vectorcalloffset__.
            if type(slot) is MemberDescriptorType and not name.startswith("__"):
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:
                    # Not assigned.
                    continue
    return found | getattr(value, "__dict__", {})
