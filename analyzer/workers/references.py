"""Turns values into bytes in which functions and objects of one's own modules stand by name, or by value.

By name, a lambda or a function within another goes as code that finds its module's names where it arrives; and a client
or a lock, which nobody can send, is the one that the module made there as it was imported.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Set
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import cloudpickle

# What a module has from the way it was imported.
_OF_THE_IMPORT = ("__builtins__", "__cached__", "__loader__", "__spec__")
_OF_A_FUNCTION = (
    "__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__annotations__",
)  # fmt: skip
# What cloudpickle is told of modules holds for the whole process.
_TELLING = threading.Lock()


def dumps_by_name(value: Any, modules: Collection[str], named: Mapping[int, tuple[str, str]], met: set[str]) -> bytes:
    """Pickle a value for a process that can import the same modules.

    Parameters
    ----------
    value : object
    modules : collection of str
        Names of modules of one's own.
    named : mapping of int to tuple of str
        By `id`, what goes by its name: see `named_in`.
    met : set of str
        Takes the names of modules that hold something of the value.
    """
    pickled = io.BytesIO()
    with _TELLING:
        _ByName(pickled, modules, named, met).dump(value)
    return pickled.getvalue()


def dumps_by_value(value: Any, modules: Collection[str]) -> bytes:
    """Pickle a value for a process that cannot import these modules: with all that is used of them."""
    pickled = io.BytesIO()
    with _TELLING, _by_value(modules):
        _ByValue(pickled, modules).dump(value)
    return pickled.getvalue()


def named_in(modules: Collection[str]) -> dict[int, tuple[str, str]]:
    """Return by `id` in which module, and under which name there, objects are found that are no code."""
    found = dict[int, tuple[str, str]]()
    for module in modules:
        for name, value in _content(module):
            if not issubclass(type(value), FunctionType | type | ModuleType):
                found.setdefault(id(value), (module, name))
    return found


def _content(module: str) -> list[tuple[str, Any]]:
    return list(getattr(sys.modules.get(module), "__dict__", {}).items())


@contextlib.contextmanager
def _by_value(modules: Collection[str]) -> Iterator[None]:
    """Have cloudpickle send what these modules define by value."""
    before = cloudpickle.list_registry_pickle_by_value()
    told = [sys.modules[name] for name in modules if name in sys.modules and name not in before]
    for module in told:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in told:
            cloudpickle.unregister_pickle_by_value(module)


class _ByValue(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles modules of one's own by value, also those that import each other, which cloudpickle's own way cannot."""

    def __init__(self, file: io.BytesIO, modules: Collection[str]) -> None:
        super().__init__(file)
        self._modules = modules

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, ModuleType) or value.__name__ not in self._modules:
            return super().reducer_override(value)
        content = {name: item for name, item in vars(value).items() if name not in _OF_THE_IMPORT}
        return ModuleType, (value.__name__,), content, None, None, _fill


def _fill(module: ModuleType, content: dict[str, Any]) -> None:
    vars(module).update(content)


class _ByName(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles what modules of one's own hold by its name, and takes down in which of them it met something."""

    def __init__(
        self, file: io.BytesIO, modules: Collection[str], named: Mapping[int, tuple[str, str]], met: set[str]
    ) -> None:
        super().__init__(file)
        self._modules, self._named, self._met = modules, named, met

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            self._met.add(value.__name__)
            return NotImplemented
        if isinstance(value, FunctionType | type):
            self._met.add(str(value.__module__))
            reduced = super().reducer_override(value)
            home = _home(value)
            if reduced is NotImplemented or home not in self._modules or not isinstance(value, FunctionType):
                return reduced
            self._met.add(home)
            return _function_of, (home, value.__code__), _state(value), None, None, _set_state
        if id(value) in self._named:
            self._met.add(self._named[id(value)][0])
            return _global_of, self._named[id(value)]
        return super().reducer_override(value)


def _home(value: FunctionType | type) -> str:
    """Return the name of the module whose names a function finds; nothing where that was loaded again since."""
    names = getattr(value, "__globals__", {})
    name = str(names.get("__name__", ""))
    return name if name in sys.modules and vars(sys.modules[name]) is names else ""


def _function_of(module: str, code: CodeType) -> FunctionType:
    cells = tuple(CellType() for _ in code.co_freevars)
    return FunctionType(code, vars(importlib.import_module(module)), closure=cells)


def _global_of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _state(function: FunctionType) -> dict[str, Any]:
    own = {name: getattr(function, name) for name in _OF_A_FUNCTION}
    return own | {"__dict__": vars(function), "__closure__": [_held(cell) for cell in function.__closure__ or ()]}


def _held(cell: CellType) -> tuple[Any, ...]:
    """Return what a cell holds; nothing where it is not assigned yet."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _set_state(function: FunctionType, state: dict[str, Any]) -> None:
    for cell, held in zip(function.__closure__ or (), state.pop("__closure__"), strict=True):
        if held:
            (cell.cell_contents,) = held
    vars(function).update(state.pop("__dict__"))
    for name, value in state.items():
        setattr(function, name, value)


def with_users(names: Set[str], modules: Collection[str]) -> tuple[str, ...]:
    """Return which of some modules have one of these names, or use one that is returned; in their order."""
    uses = {name: set(_used(name)) for name in modules}
    wanted = names & uses.keys()
    while more := {name for name in uses.keys() - wanted if uses[name] & wanted}:
        wanted |= more
    return tuple(name for name in modules if name in wanted)


def _used(name: str) -> Iterator[str]:
    """Yield the names of modules of which a module holds something, or which it holds."""
    for _, value in _content(name):
        # By its very type: objects may do anything when they are asked what they are.
        if type(value) is ModuleType:
            yield value.__name__
        elif issubclass(type(value), FunctionType | type):
            yield str(value.__module__)
