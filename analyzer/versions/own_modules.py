"""Turns the name of a module into whether it is the user's own, and so decides what a step does, or somebody else's."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

# Modules of the product are never followed, or a release of it would change what every pipeline is known by; but the
# bundled pipelines are as much their own as a user's are.
_PRODUCT = ("analyzer", "site_builder")
_BUNDLED = "analyzer.scenarios"
_INSTALLED = {"site-packages", "dist-packages"}

# What their objects hold differs from process to process: locks and threads, places of the moment, luck.
_OF_THE_MOMENT = (
    "_io", "_thread", "asyncio", "concurrent", "io", "logging", "multiprocessing", "numpy.random", "random", "select",
    "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading",
)  # fmt: skip


def is_own(module: str, root: str) -> bool:
    """Return whether a module is the user's own, as seen from a function.

    Parameters
    ----------
    module : str
    root : str
        Name of the module that the function lives in.

    Returns
    -------
    bool
        Whether it is that module, one of the same package, or lies neither in Python's library nor in a folder of
        installed packages. A package installed in editable form lies in its own folder.
    """
    if module == root:
        return True
    package = _package(module)
    if package in _PRODUCT:
        return _is_bundled(module) and _is_bundled(root)
    if package == _package(root):
        return True
    loaded = next((name for name in _upwards(module) if name in sys.modules), None)
    if loaded is None:
        # A name that somebody made up.
        return True
    places = _places(sys.modules[loaded])
    return any(map(_is_users, places)) if places else module == "__main__"


def imported(name: str, root: str) -> ModuleType | None:
    """Return a module that is the user's own, importing it where it is not loaded yet; None for any other."""
    if name not in sys.modules:
        try:
            package = importlib.util.find_spec(_package(name))
            places = [] if package is None else [package.origin, *(package.submodule_search_locations or ())]
            if not any(place is not None and _is_users(place) for place in places):
                return None
            importlib.import_module(name)
        # Whatever the module does when it is imported: the step that imports it shall meet that, not who asks here.
        except (Exception, SystemExit):
            return None
    module = sys.modules.get(name)
    return module if module is not None and is_own(name, root) else None


def keeps_state(module: str) -> bool:
    """Return whether what the objects of a module hold can be the same in the next process.

    The product's own objects are no part of what a step does either.
    """
    return _package(module) not in _PRODUCT and not any(name in _OF_THE_MOMENT for name in _upwards(module))


def contents(module: ModuleType) -> dict[str, Any]:
    """Return what a module holds, by name: its own modules, but none that it only imports, nor where it lies."""
    found = {}
    for name, value in sorted(vars(module).items()):
        if issubclass(type(value), ModuleType):
            if value.__name__.startswith(f"{module.__name__}."):
                found[name] = value
        elif not (name.startswith("__") and name.endswith("__")) or name in ("__doc__", "__getattr__"):
            found[name] = value
    return found


def without_folder(path: PurePath) -> PurePath:
    """Return a path as seen from the folder it is imported from, so that a project that moves keeps it."""
    entries = sorted((entry for entry in sys.path if os.path.isabs(entry)), key=len, reverse=True)
    return next((path.relative_to(entry) for entry in entries if path.is_relative_to(entry)), path)


def _package(module: str) -> str:
    return module.partition(".")[0]


def _upwards(module: str) -> Iterator[str]:
    """Yield a module's name and those of the packages around it."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def _is_bundled(module: str) -> bool:
    return module == _BUNDLED or module.startswith(f"{_BUNDLED}.")


def _places(module: ModuleType) -> list[str]:
    """Return a module's file, or the folders of a package that has none."""
    file = getattr(module, "__file__", None)
    return [file] if file else list(getattr(module, "__path__", ()))


@functools.cache
def _is_users(place: str) -> bool:
    # Not resolved: a package may be a link from the folder of installed packages to a cache.
    path = Path(os.path.abspath(place))
    if place in ("built-in", "frozen") or not _INSTALLED.isdisjoint(path.parts):
        return False
    return not any(path.is_relative_to(folder) for folder in _folders())


@functools.cache
def _folders() -> tuple[str, ...]:
    """Return the folders of Python's library and of installed packages."""
    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return tuple(sorted({each for path in paths for each in (path, os.path.realpath(path))}))
