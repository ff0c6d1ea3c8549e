"""Turns a function into text that changes when its code, or a value or function of its module that it uses, changes."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any

from analyzer.fingerprint import UnstableValueError, fingerprint


def source_text(run: Callable[..., Any]) -> str:
    """Return the text of a function and of everything of its own that it reaches.

    Functions, objects and values found through its globals, its closure and its attributes are followed as long as they
    are its own module's; what comes from other modules is named, not followed. Never raises.
    """
    return "\n".join(_texts(run, _module(run), set()))


def _module(run: Any) -> str:
    while isinstance(run, functools.partial):
        run = run.func
    return str(getattr(run, "__module__", ""))


def _texts(run: Any, module: str, seen: set[int]) -> list[str]:
    """Describe a function, a class, a bound method or an object that can be called."""
    if id(run) in seen:
        return []
    seen.add(id(run))
    if isinstance(run, functools.partial):
        return [*_texts(run.func, module, seen), *_values({"args": run.args, **run.keywords}, module, seen)]
    if inspect.ismethod(run):
        return [*_texts(run.__func__, module, seen), *_values({"self": run.__self__}, module, seen)]
    if inspect.isfunction(run):
        return [_source(run), *_values(_reached(run), module, seen)]
    if isinstance(run, type):
        methods = {name: value for name, value in vars(run).items() if inspect.isfunction(value)}
        return [_source(run), *(text for name in sorted(methods) for text in _texts(methods[name], module, seen))]
    return _instance(run, module, seen)


def _instance(value: Any, module: str, seen: set[int]) -> list[str]:
    kind = type(value)
    slots = (name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))
    attributes = {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})
    return [kind.__qualname__, *_texts(kind, module, seen), *_values(attributes, module, seen)]


def _source(code: Any) -> str:
    try:
        return inspect.getsource(code)
    except (OSError, TypeError):
        compiled = getattr(code, "__code__", None)
        return f"{compiled.co_code.hex()} {compiled.co_names}" if compiled else str(getattr(code, "__qualname__", ""))


def _reached(run: Any) -> dict[str, Any]:
    """Return what a function's code, and the code nested in it, finds in its module and its closure."""
    found = {name: run.__globals__[name] for name in _names(run.__code__) if name in run.__globals__}
    for name, cell in zip(run.__code__.co_freevars, run.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            # Not assigned yet: nothing to reach.
            continue
    defaults = {"defaults": run.__defaults__, "keyword defaults": run.__kwdefaults__}
    return found | {name: value for name, value in defaults.items() if value}


def _names(code: CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _values(named: Mapping[str, Any], module: str, seen: set[int]) -> list[str]:
    texts = []
    for name in sorted(named):
        value = named[name]
        own = getattr(value, "__module__", None) == module or type(value).__module__ == module
        if inspect.ismodule(value):
            texts.append(f"{name}: module {value.__name__}")
        elif isinstance(value, re.Pattern):
            texts.append(f"{name}: {value.pattern!r} {value.flags}")
        elif isinstance(value, list | tuple | set | frozenset | dict) and not _stable(value):
            # Plain containers of what has no fingerprint: functions, patterns, objects.
            if id(value) not in seen:
                seen.add(id(value))
                items = value.items() if isinstance(value, dict) else enumerate(value)
                texts += [f"{name}:", *_values({repr(key): item for key, item in items}, module, seen)]
        elif own and (callable(value) or not _stable(value)):
            texts += [f"{name}:", *_texts(value, module, seen)]
        else:
            texts.append(f"{name}: {_stable(value) or getattr(value, '__qualname__', type(value).__qualname__)}")
    return texts


def _stable(value: Any) -> str:
    """Return a value's fingerprint, or nothing where it has none."""
    try:
        return fingerprint(value)
    except UnstableValueError:
        return ""
