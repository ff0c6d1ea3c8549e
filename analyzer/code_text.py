"""Turns a function or a class into the text it was written as, and code without a file into a text of its own."""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType

from analyzer.fingerprint import fingerprint


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


# Where a class begins and ends is found by parsing its whole file.
@functools.lru_cache(maxsize=1024)
def class_lines(kind: type) -> str:
    """Return the lines that hold a class; nothing where no file has them."""
    try:
        return inspect.getsource(kind)
    except Exception:
        return ""
