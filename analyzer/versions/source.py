"""Turns a function into text that changes when its code, or anything of one's own that its code reaches, changes."""

from __future__ import annotations

import functools
import inspect
import os
import re
import sys
import types
import typing
import warnings
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from itertools import zip_longest
from pathlib import PurePath
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, get_args, get_origin

from analyzer.fingerprint import fingerprint
from analyzer.versions.code_text import (
    annotated,
    attributes,
    bytecode,
    class_lines,
    codes_in,
    fields,
    imported_by,
    lines,
    secrets_of_environment,
    used_whole,
    variables_read,
)
from analyzer.versions.own_modules import contents, is_own, keeps_state, without_folder

# What is farther away than this many of its sort is named, not followed: a function that reaches into a large library
# of the same package, or an object of somebody else's that holds half the world, stays cheap to describe. Counted
# apart, so that many objects leave room for code.
_MOST = {"code": 5_000, "object": 5_000, "state": 500}
# And so is what lies deeper than this in objects of other packages.
_DEEPEST = 4

# Names of a module that say where it lies, not what it does.
_PLACES = ("__file__", "__path__", "__cached__", "__spec__", "__loader__", "__builtins__")
_CONTAINERS = (list, tuple, set, frozenset, dict, deque, MappingProxyType)
_DESCRIPTORS = (
    staticmethod, classmethod, property, functools.cached_property, functools.partialmethod,
    functools.singledispatchmethod,
)  # fmt: skip
_DESCRIBED_BY = ("__func__", "fget", "fset", "fdel", "func", "args", "keywords", "dispatcher")
_ATOMS = frozenset((type(None), bool, int, float, str, bytes))
# What ``type Name = ...`` makes, in versions of Python that have it.
_ALIAS: Any = getattr(typing, "TypeAliasType", ())
# What is told by its name, and has nothing of its own to tell.
_NAMED = (
    type, ModuleType, FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.MemberDescriptorType,
    types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType, types.ClassMethodDescriptorType,
    functools._lru_cache_wrapper,
)  # fmt: skip
_PICKLED_BY = ("__reduce_ex__", "__reduce__", "__getstate__", "__getnewargs_ex__", "__getnewargs__")
# Of what objects of other packages hold: another key asks the same model.
_SECRET_ATTRIBUTES = ("api_key", "access_token", "auth_token", "secret", "secret_key", "password")
# How code opens files that it reads as it runs.
_OPENING = frozenset({"open", "read_bytes", "read_text", "get_template"})
# From this many parts on, a plain value's fingerprint is kept; of as many values as this.
_LARGE = 10_000
_KEPT = 8
_END = object()
_PLAIN = _ATOMS | {list, tuple, dict, type(_END)}

Part = tuple[str, Any]
#: The text of an object itself, and what it reaches.
Opened = tuple[str, list[Part]]
#: By id: the number of an object, its sort, and the object itself, so that no other comes to have its id.
Seen = dict[int, tuple[int, str, Any]]


def source_text(run: Callable[..., Any]) -> str:
    """Return the text of a function and of everything of one's own that it reaches.

    Functions, classes, objects and values are followed, through globals, closures, defaults, attributes, fields,
    annotations, the names that code takes from a module (``prompts.ANSWER``) and imports inside functions, into every
    module that is one's own (see `analyzer.versions.own_modules`). A module of one's own that is itself a value counts
    with all that it holds. What comes from other modules is named; of their objects, what they plainly hold counts too,
    some levels deep. So does the value of each environment variable whose name stands in the code, but not of those
    that are called a key, token, secret or password, and a text from one of these counts as the same whatever it is.
    Mutable objects are seen as they are at the moment.

    Not seen is what shows only as code runs: files that it reads, attributes, modules and variables looked up by a
    computed name, subclasses found by asking their base, what lies on a server. Nor, in objects of other packages,
    numbers under a private name, caches, secrets, what compiled code keeps to itself, random generators, loggers,
    locks, files and connections; nor what is farther away than some thousand objects. A version declared for the step
    stands for those.

    Never raises. The text is the same in every process, wherever the modules lie.
    """
    return "\n".join(_walk(run, _module(run), {}))


def files_opened_by(run: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names by which code of one's own that a function reaches opens files, such as ``read_text``.

    What such a file holds is not seen by `source_text`.
    """
    seen: Seen = {}
    _walk(run, _module(run), seen)
    codes = (code for _, _, one in seen.values() if isinstance(one, FunctionType) for code in codes_in(one.__code__))
    return tuple(sorted({name for code in codes for name in code.co_names} & _OPENING))


def _module(run: Any) -> str:
    while _is_a(run, functools.partial):
        run = run.func
    try:
        return str(run.__module__)
    # Objects may do anything when they are looked at, here and below.
    except Exception:
        return type(run).__module__


def _walk(start: Any, root: str, seen: Seen) -> list[str]:
    """Describe an object and what it reaches, each once under a number, the nearest first."""
    waiting: deque[tuple[int, str, list[Part], int]] = deque()
    met = Counter(sort for _, sort, _ in seen.values())
    wholes = dict[int, tuple[str, Any]]()
    secrets = secrets_of_environment()

    def label(value: Any, depth: int) -> str:
        if id(value) in seen:
            return f"#{seen[id(value)][0]}"
        if id(value) in wholes:
            return wholes[id(value)][0]
        try:
            if type(value) is str:
                return fingerprint(_without(secrets, value))
            opened = _code(value, root)
            if opened is None and (mark := _whole(value, root, secrets)):
                text = " ".join([mark, *(label(kind, 0) for kind in _own_kinds(value, root))])
                if type(value) not in _ATOMS:
                    wholes[id(value)] = (text, value)
                return text
            if opened is None and (arguments := get_args(value)):
                return f"{label(get_origin(value), depth)}[{', '.join(label(each, depth) for each in arguments)}]"
            sort = "object" if opened is None else "code"
            own = _is_a(value, (FunctionType, type)) or is_own(type(value).__module__, root)
            opened = opened or _object(value, root, seen)
            if opened is None and depth < _DEEPEST and (state := _state(value)):
                sort, opened = "state", (_name_of_type(value), state)
            if opened is None or met[sort] >= _MOST[sort]:
                return _name(value)
        except Exception:
            return _name_of_type(value)
        number = len(seen)
        seen[id(value)] = (number, sort, value)
        met[sort] += 1
        waiting.append((number, *opened, 0 if own else depth + (sort == "state")))
        return f"#{number}"

    texts = [label(start, 0)]
    while waiting:
        number, text, parts, depth = waiting.popleft()
        texts += [f"#{number} {text}", *(f"{name}: {label(part, depth)}" for name, part in parts)]
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
    if _is_a(value, _ALIAS):
        return "alias", [("value", value.__value__)]
    if isinstance(value, types.CodeType):
        return bytecode(value), []
    if isinstance(value, ModuleType) and is_own(value.__name__, root):
        return f"module {value.__name__}", list(contents(value).items())
    if value is os.environ:
        # Code that reads it counts with the variables that it names.
        return "environment", []
    if _is_a(value, weakref.ReferenceType):
        return "reference", [("to", value())]
    if _is_a(value, weakref.ProxyTypes):
        # The proxy gives its object's method, and that knows its object.
        return "reference", [("to", value.__init__.__self__)]
    return None


def _object(value: Any, root: str, seen: Seen) -> Opened | None:
    """Open an object that has no fingerprint; None where it is not one's own and holds nothing that is."""
    if isinstance(value, re.Pattern):
        return f"pattern {value.pattern!r} {value.flags}", []
    own = is_own(type(value).__module__, root)
    if isinstance(value, _CONTAINERS) or (isinstance(value, Mapping) and not own):
        text, parts = _container(value, root, seen)
        # What a mapping that is no dict holds beside its items is how it keeps them.
        more = type(value) not in _CONTAINERS and isinstance(value, _CONTAINERS)
        return text, [*parts, *_made_of(value)] if more else parts
    if own:
        return _name_of_type(value), list(_made_of(value))
    # Such as what functools.cache returns.
    if _is_a(value, _NAMED) and "__wrapped__" in getattr(value, "__dict__", {}):
        return _name_of_type(value), [("wrapped", value.__wrapped__)]
    return None


def _made_of(value: Any) -> Iterator[Part]:
    yield "class", type(value)
    yield from sorted(attributes(value).items())


def _state(value: Any) -> list[Part]:
    """Return what an object of another package plainly holds; its own code is not asked, and nothing is pickled."""
    kind: Any = type(value)
    if _is_a(value, _NAMED) or not keeps_state(kind.__module__):
        return []
    if isinstance(value, ContextVar):
        return [("value", value.get())]
    found = sorted(attributes(value).items())
    if found:
        return [(name, item) for name, item in found if _tells(name, item)]
    # What is written in C says there what it is made of.
    if any(type(getattr(kind, name, None)) is FunctionType for name in _PICKLED_BY):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: Any = kind.__reduce_ex__(value, 2)
    if isinstance(made, str):
        return [("name", made)]
    parts = [(f"made {place}", part) for place, part in enumerate(made[:3]) if part]
    # An object of its class and no more, such as one that stands for a missing value.
    return [] if getattr(made[0], "__name__", "") == "__newobj__" and len(parts) == 2 else parts


def _tells(name: str, value: Any) -> bool:
    """Say whether an attribute is taken for what an object of another package was told, and not for what it counts."""
    counts = name.startswith("_") and type(value) in (int, float)
    return not counts and "cache" not in name.lower() and not name.lower().endswith(_SECRET_ATTRIBUTES)


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
    return text, [*sorted(parts.items()), *_given(run), *annotated(run, {**run.__globals__, **_closed_over(run)})]


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
    codes = list(codes_in(run.__code__))
    names = {name for code in codes for name in code.co_names} - {*_PLACES}
    found = {name: run.__globals__[name] for name in names if name in run.__globals__} | dict(closed_over)
    found |= {module.__name__: module for module in imported_by(run, root)}
    # Of a module, what the code names; and so on where that is a module.
    modules = [value for value in found.values() if _is_a(value, ModuleType)]
    while modules:
        module = modules.pop()
        if not is_own(module.__name__, root):
            continue
        for name in (names | {"__getattr__"}) & vars(module).keys():
            full, value = f"{module.__name__}.{name}", vars(module)[name]
            if full not in found:
                found[full] = value
                if _is_a(value, ModuleType):
                    modules.append(value)
    named = {name: value for name, value in found.items() if _is_a(value, ModuleType)}
    if named:
        # The module itself only where the code hands it on.
        whole = {name for code in codes for name in used_whole(code)}
        found |= {name: _name(value) for name, value in named.items() if name.rpartition(".")[2] not in whole}
    return found | {f"variable {name}": os.environ.get(name) for name in variables_read(run)}


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
    home = sys.modules.get(kind.__module__)
    return text or kind.__qualname__, [*parts, *fields(kind), *annotated(kind, vars(home) if home else {})]


def _container(value: Any, root: str, seen: Seen) -> Opened:
    """Open a container of what has no fingerprint: functions, patterns, objects."""
    kind = _name_of_type(value)
    if isinstance(value, set | frozenset):
        # Its order means nothing, and differs between processes.
        texts = ["\n".join(_walk(item, root, dict(seen) | {id(value): (len(seen), "object", value)})) for item in value]
        return f"{kind} of {sorted(texts)}", []
    if isinstance(value, Mapping):
        return kind, [part for key, item in value.items() for part in (("key", key), ("item", item))]
    return kind, [("item", item) for item in value]


def _whole(value: Any, root: str, secrets: tuple[str, ...]) -> str:
    """Return the fingerprint of a value, or of what an object of one's own holds; nothing where it has none."""
    if _is_a(value, defaultdict) or (secrets and _holds_secret(value, secrets)):
        return ""
    mark = _stable(value)
    if mark or _is_a(value, _CONTAINERS) or not is_own(type(value).__module__, root):
        return mark
    marks = []
    for name, item in sorted(attributes(value).items()):
        marks.append(f"{name} {_stable(item)}")
        if marks[-1].endswith(" "):
            return ""
    return " ".join([_name_of_type(value), *marks])


def _without(secrets: tuple[str, ...], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "a secret")
    return text


def _holds_secret(value: Any, secrets: tuple[str, ...]) -> bool:
    """Say whether a secret is among the items of a mapping, or what an object holds."""
    items = value if isinstance(value, Mapping) else {} if type(value) in _ATOMS else attributes(value)
    return any(secret in item for item in items.values() if type(item) is str for secret in secrets)


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
            waiting += attributes(item).values()
    kinds = set(map(type, met.values()))
    own = (kind for kind in kinds if is_own(kind.__module__, root))
    return sorted(own, key=lambda kind: (kind.__module__, kind.__qualname__))


def _is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """Say of which kind an object is without running code of its own, as `isinstance` may."""
    return issubclass(type(value), kinds)


# Large plain values, by id, with their parts and fingerprints: what several functions reach is written out once.
_kept = OrderedDict[int, tuple[list[Any], str]]()


def _stable(value: Any) -> str:
    """Return a value's fingerprint, or nothing where it has none."""
    kept, mark = _kept.get(id(value), ([], ""))
    # The same atoms in the same places are the same value: they cannot change, and as they are kept, no other comes to
    # be where one was.
    if kept and all(was is part for was, part in zip_longest(kept, _parts(value), fillvalue=_kept)):
        return mark
    try:
        mark = fingerprint(value)
    except Exception:
        return ""
    if type(value) in _PLAIN:
        parts = list(_parts(value))
        if len(parts) >= _LARGE and all(type(part) in _PLAIN for part in parts):
            _kept[id(value)] = parts, mark
            if len(_kept) > _KEPT:
                _kept.popitem(last=False)
    return mark


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and what is in it, and where each list, tuple and dict ends."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        kind = type(part)
        yield part
        if kind in (list, tuple):
            waiting += [_END, *part]
        elif kind is dict:
            waiting += [_END, *part.keys(), *part.values()]


def _name_of_type(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"
