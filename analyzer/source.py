"""Turns a function into text that changes when its code, or a value or function of its module that it uses, changes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from analyzer.fingerprint import UnstableValueError, fingerprint


def source_text(run: Callable[..., Any]) -> str:
    """Return the text of a function and of everything of its own that it reaches.

    Functions and values found through its globals and closure are followed as long as they are its own module's;
    what comes from installed packages is named, not followed.
    """
    return "\n".join(_texts(run, getattr(run, "__module__", ""), set()))


def _texts(run: Any, module: str, seen: set[int]) -> list[str]:
    if id(run) in seen:
        return []
    seen.add(id(run))
    if hasattr(run, "func") and hasattr(run, "keywords"):
        bound = {"args": run.args, "keywords": run.keywords}
        return [*_texts(run.func, module, seen), *_values(bound, module, seen)]
    if not inspect.isroutine(run) and not isinstance(run, type):
        return [
            f"{type(run).__qualname__}",
            *_texts(type(run).__call__, module, seen),
            *_values(vars(run), module, seen),
        ]
    try:
        texts = [inspect.getsource(run)]
    except (OSError, TypeError):
        code = getattr(run, "__code__", None)
        texts = [code.co_code.hex() if code else getattr(run, "__qualname__", repr(type(run)))]
    if inspect.isfunction(run):
        reached = inspect.getclosurevars(run)
        texts += _values({**reached.globals, **reached.nonlocals}, module, seen)
    return texts


def _values(names: dict[str, Any], module: str, seen: set[int]) -> list[str]:
    texts = []
    for name in sorted(names):
        value = names[name]
        if inspect.ismodule(value):
            texts.append(f"{name}: module {value.__name__}")
        elif callable(value):
            own = getattr(value, "__module__", None) == module
            texts += (
                _texts(value, module, seen)
                if own
                else [f"{name}: {getattr(value, '__qualname__', type(value).__name__)}"]
            )
        else:
            try:
                texts.append(f"{name}: {fingerprint(value)}")
            except UnstableValueError:
                texts.append(f"{name}: a {type(value).__qualname__}")
    return texts
