"""Turns a function into text that changes when its code, or anything of one's own that its code reaches, changes."""

from __future__ import annotations

import dis
import functools
import importlib.util
import inspect
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from analyzer.code_text import bytecode, class_lines, codes_in, lines
from analyzer.fingerprint import fingerprint
from analyzer.own_modules import imported, is_own, without_folder

# What is farther away than this many objects is named, not followed: a function that reaches into a large library of
# the same package stays cheap to describe.
_MOST = 5_000

# Names of a module that say where it lies, not what it does.
_PLACES = ("__file__", "__path__", "__cached__", "__spec__", "__loader__", "__builtins__")
_CONTAINERS = (list, tuple, set, frozenset, dict, deque, MappingProxyType)
_DESCRIPTORS = (
    staticmethod, classmethod, property, functools.cached_property, functools.partialmethod,
    functools.singledispatchmethod,
)  # fmt: skip
_DESCRIBED_BY = ("__func__", "fget", "fset", "fdel", "func", "args", "keywords", "dispatcher")
_ATOMS = frozenset((type(None), bool, int, float, str, bytes))
_IMPORT = dis.opmap["IMPORT_NAME"]

Part = tuple[str, Any]
#: The text of an object itself, and what it reaches.
Opened = tuple[str, list[Part]]


def source_text(run: Callable[..., Any]) -> str:
    """Return the text of a function and of everything of one's own that it reaches.

    Functions, classes, objects and values are followed, through globals, closures, defaults, attributes, the names that
    code takes from a module (``prompts.ANSWER``) and imports inside functions, into every module that is one's own (see
    `analyzer.own_modules`). What comes from other modules is named. Mutable objects are seen as they are at the moment.

    Not seen is what shows only as code runs: files that it reads, attributes looked up by a computed name, what lies on
    a server; nor the state of other packages' objects, nor what is farther away than some thousand objects. A version
    declared for the step stands for those.

    Never raises. The text is the same in every process, wherever the modules lie.
    """
    return "\n".join(_walk(run, _module(run), {}))


def _module(run: Any) -> str:
    while _is_a(run, functools.partial):
        run = run.func
    try:
        return str(run.__module__)
    # Objects may do anything when they are looked at, here and below.
    except Exception:
        return type(run).__module__


def _walk(start: Any, root: str, seen: dict[int, tuple[int, Any]]) -> list[str]:
    """Describe an object and what it reaches, each once under a number, the nearest first.

    `seen` takes the number of each, and the object itself, so that no other comes to have its id.
    """
    waiting: deque[tuple[int, str, list[Part]]] = deque()

    def label(value: Any) -> str:
        if id(value) in seen:
            return f"#{seen[id(value)][0]}"
        try:
            opened = _code(value, root)
            if opened is None and (mark := _stable(value)):
                return " ".join([mark, *map(label, _own_kinds(value, root))])
            opened = opened or _object(value, root, seen)
            if opened is None or len(seen) >= _MOST:
                return _name(value)
        except Exception:
            return _name_of_type(value)
        number = len(seen)
        seen[id(value)] = (number, value)
        waiting.append((number, *opened))
        return f"#{number}"

    texts = [label(start)]
    while waiting:
        number, text, parts = waiting.popleft()
        texts += [f"#{number} {text}", *(f"{name}: {label(part)}" for name, part in parts)]
    return texts


def _code(value: Any, root: str) -> Opened | None:
    """Open what can be called, or stands for it in a class; None for anything else, and for what is not one's own."""
    if isinstance(value, functools.partial):
        return "partial", [("function", value.func), ("args", value.args), ("keywords", value.keywords)]
    if inspect.ismethod(value):
        return "method", [("function", value.__func__), ("self", value.__self__)]
    if isinstance(value, FunctionType):
        return _function(value, root) if is_own(str(value.__module__), root) else None
    if isinstance(value, type):
        return _class(value) if is_own(value.__module__, root) else None
    if isinstance(value, _DESCRIPTORS):
        return _name_of_type(value), [(name, getattr(value, name)) for name in _DESCRIBED_BY if hasattr(value, name)]
    if inspect.isbuiltin(value) and not isinstance(value.__self__, ModuleType | None):
        return value.__qualname__, [("self", value.__self__)]
    if isinstance(value, PurePath):
        return f"path {without_folder(value).as_posix()}", []
    return None


def _object(value: Any, root: str, seen: Mapping[int, tuple[int, Any]]) -> Opened | None:
    """Open an object that has no fingerprint; None where it is not one's own and holds nothing that is."""
    if isinstance(value, re.Pattern):
        return f"pattern {value.pattern!r} {value.flags}", []
    if isinstance(value, _CONTAINERS):
        return _container(value, root, seen)
    if is_own(type(value).__module__, root):
        return _name_of_type(value), [("class", type(value)), *sorted(_attributes(value).items())]
    # Such as what functools.cache returns.
    if "__wrapped__" in getattr(value, "__dict__", {}):
        return _name_of_type(value), [("wrapped", value.__wrapped__)]
    return None


def _name(value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, type) or inspect.isroutine(value):
        return f"{value.__module__}.{value.__qualname__}"
    return _name_of_type(value)


def _function(run: FunctionType, root: str) -> Opened:
    home = str(run.__globals__.get("__name__", run.__module__))
    code = run.__code__
    parts = _closed_over(run)
    if is_own(home, root):
        text = lines(run) or bytecode(code)
        parts = _found(run, parts, root)
    else:
        # A decorator of somebody else's around a function of one's own.
        text = f"{home}.{code.co_qualname}"
    return text, [*sorted(parts.items()), *_given(run)]


def _given(run: FunctionType) -> Iterator[Part]:
    """Yield what belongs to a function beside its code."""
    given = {"defaults": run.__defaults__, "keyword defaults": run.__kwdefaults__, "text": run.__doc__}
    yield from ((name, value) for name, value in given.items() if value is not None)
    yield from ((f"attribute {name}", value) for name, value in sorted(vars(run).items()))


def _closed_over(run: FunctionType) -> dict[str, Any]:
    found = {}
    for name, cell in zip(run.__code__.co_freevars, run.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            # Not assigned yet: nothing to reach.
            continue
    return found


def _found(run: FunctionType, closed_over: Mapping[str, Any], root: str) -> dict[str, Any]:
    """Return what the names in a function's code, and in the code nested in it, stand for."""
    names = {name for code in codes_in(run.__code__) for name in code.co_names} - {*_PLACES}
    found = {name: run.__globals__[name] for name in names if name in run.__globals__} | dict(closed_over)
    found |= {module.__name__: module for module in _imports(run, root)}
    # Of a module, what the code names; and so on where that is a module.
    modules = [value for value in found.values() if _is_a(value, ModuleType)]
    while modules:
        module = modules.pop()
        if not is_own(module.__name__, root):
            continue
        for name in names & vars(module).keys():
            full, value = f"{module.__name__}.{name}", vars(module)[name]
            if full not in found:
                found[full] = value
                if _is_a(value, ModuleType):
                    modules.append(value)
    return found


def _imports(run: FunctionType, root: str) -> Iterator[ModuleType]:
    """Yield the modules of one's own that code imports when it runs."""
    package = run.__globals__.get("__package__") or ""
    for code in codes_in(run.__code__):
        if _IMPORT not in code.co_code[::2]:
            continue
        steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]
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


def _class(kind: type) -> Opened:
    text = class_lines(kind)
    parts: list[Part] = [("base", base) for base in kind.__bases__] + [("metaclass", type(kind))]
    for name, value in sorted(vars(kind).items()):
        if type(value) is FunctionType:
            # Without lines it is derived from what the class says, as a dataclass's __init__ is.
            if not text or lines(inspect.unwrap(value)):
                parts.append((name, value))
        elif _is_a(value, _DESCRIPTORS) or not (name.startswith("__") and name.endswith("__")):
            parts.append((name, value))
    return text or kind.__qualname__, parts


def _container(value: Any, root: str, seen: Mapping[int, tuple[int, Any]]) -> Opened:
    """Open a container of what has no fingerprint: functions, patterns, objects."""
    kind = _name_of_type(value)
    if isinstance(value, set | frozenset):
        # Its order means nothing, and differs between processes.
        texts = ["\n".join(_walk(item, root, dict(seen) | {id(value): (len(seen), value)})) for item in value]
        return f"{kind} of {sorted(texts)}", []
    if isinstance(value, dict | MappingProxyType):
        return kind, [part for key, item in value.items() for part in (("key", key), ("item", item))]
    return kind, [("item", item) for item in value]


def _attributes(value: Any) -> dict[str, Any]:
    slots = (name for base in type(value).__mro__ for name in getattr(base, "__slots__", ()))
    return {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})


def _own_kinds(value: Any, root: str) -> list[type]:
    """Return the classes of one's own that a value with a fingerprint, and what it holds, are made of."""
    met = dict[int, Any]()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind in _ATOMS or id(item) in met or issubclass(kind, type):
            continue
        met[id(item)] = item
        if issubclass(kind, dict):
            waiting += [*item.keys(), *item.values()]
        elif issubclass(kind, list | tuple | set | frozenset):
            waiting += item
        if kind.__module__ != "builtins":
            waiting += _attributes(item).values()
    kinds = set(map(type, met.values()))
    own = (kind for kind in kinds if is_own(kind.__module__, root))
    return sorted(own, key=lambda kind: (kind.__module__, kind.__qualname__))


def _is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Say of which kind an object is without running code of its own, as `isinstance` may."""
    return issubclass(type(value), kinds)


def _stable(value: Any) -> str:
    """Return a value's fingerprint, or nothing where it has none."""
    try:
        return fingerprint(value)
    except Exception:
        return ""


def _name_of_type(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
