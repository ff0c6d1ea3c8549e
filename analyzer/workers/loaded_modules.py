"""Turns modules that were loaded where a run began into the same ones in a worker, or into a refusal.

A file that changed meanwhile is found out, so that all calls of a run are of the same code.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer.versions.own_modules import is_own
from analyzer.workers.calls import EngineError, describe

# Every process has its own.
_MAIN = ("__main__", "__mp_main__")


@dataclass(frozen=True)
class OwnModule:
    """A module of one's own.

    Attributes
    ----------
    name, file : str
    digest : str
        Stands for what the file held; empty where that is of no matter, or could not be read.
    """

    name: str
    file: str
    digest: str


# In a worker: what modules must be that have not been looked at since they were imported, and those that were.
_EXPECTED: dict[str, OwnModule] = {}
_CHECKED = set[OwnModule]()


def own_module(name: str, *, digested: bool) -> OwnModule | None:
    """Return a loaded module that is one's own; None for any other, for the main one, and for one without a source."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not isinstance(file, str) or not file.endswith(".py") or name in _MAIN or not is_own(name, ""):
        return None
    return OwnModule(name, file, digest_of(file) if digested else "")


def digest_of(file: str) -> str:
    """Return what stands for what a file holds; nothing where it cannot be read."""
    try:
        return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def import_own(module: OwnModule) -> None:
    """Import a module as it was imported where the run began; raise `EngineError` if it is another, or fails."""
    # Before it does anything.
    _compare(module.file, module)
    try:
        found = importlib.util.find_spec(module.name)
        if found is not None and found.origin == module.file:
            importlib.import_module(module.name)
            return
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module.name}.".startswith(f"{error.name}."):
            raise _unimportable(module, error) from error
    except (Exception, SystemExit) as error:
        raise _unimportable(module, error) from error
    _import_from_file(module)


def _import_from_file(module: OwnModule) -> None:
    """Import a module under a name that finds another one or none, as it was done where the run began."""
    spec = importlib.util.spec_from_file_location(module.name, module.file)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[module.name] = made = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(made)
    except (Exception, SystemExit) as error:
        del sys.modules[module.name]
        raise _unimportable(module, error) from error


def expect(modules: Mapping[str, OwnModule]) -> None:
    """Take note of what modules must be, by name, also of those that are imported later or never."""
    # What becomes of a file after it was imported here is of no matter.
    _EXPECTED.update((name, module) for name, module in modules.items() if module not in _CHECKED)


def check() -> None:
    """Compare modules that were imported since the last time with what they must be.

    Raises
    ------
    EngineError
        If the file of one holds something else.
    """
    for name in _EXPECTED.keys() & sys.modules.keys():
        module = _EXPECTED[name]
        _compare(getattr(sys.modules[name], "__file__", None) or "", module)
        _CHECKED.add(_EXPECTED.pop(name))


def _compare(file: str, module: OwnModule) -> None:
    if digest_of(file) != module.digest:
        raise EngineError(
            f"{module.file} changed while the run was on. Run it again, so that all calls run the same code."
        )


def _unimportable(module: OwnModule, error: BaseException) -> EngineError:
    return EngineError(
        f"{module.file} cannot be imported in a worker: {describe(error)}. "
        "Let it do so in each process, or run the calls in threads."
    )
