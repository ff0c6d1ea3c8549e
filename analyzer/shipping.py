"""Turns calls into bytes for workers that share no memory with this process, and their answers back into results.

A function goes by value, with what it uses of one's own modules, so that a worker runs what was loaded here, whatever
became of the files since; installed packages and this one are imported there. A worker keeps each function it was sent.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
import sysconfig
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

from analyzer.calls import Call, EngineError, Result, describe, execute
from analyzer.pipeline import Variant

_PACKAGES = ("analyzer", "site_builder")
_INSTALLED = ("site-packages", "dist-packages")
# What a module has from the way it was imported.
_OF_THE_IMPORT = ("__builtins__", "__cached__", "__loader__", "__spec__")


@dataclass(frozen=True)
class Parcel:
    """A call as bytes.

    Attributes
    ----------
    digest : str
        Names the function.
    function : bytes
        Needed once by each worker.
    body : bytes
        The rest of the call.
    """

    digest: str
    function: bytes
    body: bytes


class Packer:
    """Packs calls, and remembers the functions it packed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen = set[str]()
        # By identity, with the variant, which keeps the identity its own.
        self._functions: dict[int, tuple[Variant, str, bytes]] = {}

    def pack(self, call: Call) -> Parcel | Result:
        """Return a call as bytes, or the result of one whose inputs cannot be sent.

        Raises
        ------
        EngineError
            If the function cannot be sent.
        """
        with self._lock:
            self._take_own_modules_by_value()
            if id(call.variant) not in self._functions:
                self._functions[id(call.variant)] = (call.variant, *_function(call))
        _, digest, function = self._functions[id(call.variant)]
        try:
            body = _dumps((call.step, dict(call.inputs), call.noise, call.key))
        except Exception as error:
            return _failed("its inputs cannot be sent to a worker", error)
        return Parcel(digest, function, body)

    def _take_own_modules_by_value(self) -> None:
        """Tell cloudpickle of the modules loaded since, in which a function or a type of an input may be defined."""
        for name in sys.modules.keys() - self._seen:
            self._seen.add(name)
            module = sys.modules.get(name)
            if module is not None and _is_own(name, module):
                cloudpickle.register_pickle_by_value(module)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickles modules of one's own by value, also those that import each other, which cloudpickle's own way cannot."""

    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, ModuleType) or not _is_own(value.__name__, value):
            return super().reducer_override(value)
        content = {name: item for name, item in vars(value).items() if name not in _OF_THE_IMPORT}
        return ModuleType, (value.__name__,), content, None, None, _fill


def _fill(module: ModuleType, content: dict[str, Any]) -> None:
    vars(module).update(content)


def _dumps(value: Any) -> bytes:
    pickled = io.BytesIO()
    _Pickler(pickled).dump(value)
    return pickled.getvalue()


def _is_own(name: str, module: ModuleType) -> bool:
    """Whether a module is neither the interpreter's, nor installed, nor of this package."""
    path = getattr(module, "__file__", None)
    if not isinstance(path, str) or not path.endswith(".py") or name.partition(".")[0] in _PACKAGES:
        return False
    home = Path(sysconfig.get_path("stdlib"))
    return home not in Path(path).parents and not any(part in _INSTALLED for part in Path(path).parts)


def _function(call: Call) -> tuple[str, bytes]:
    try:
        # Without its batch function, which runs here.
        function = _dumps(replace(call.variant, batch=None))
    except Exception as error:
        raise EngineError(
            f"step {call.step!r} cannot be sent to a worker: {describe(error)}. "
            "Make clients, locks and open files inside the function that uses them, or run the calls in threads."
        ) from error
    return hashlib.blake2b(function, digest_size=16).hexdigest(), function


#: In a worker: the functions that it was sent.
_KNOWN: dict[str, Variant] = {}


def run_parcel(
    digest: str, function: bytes | None, body: bytes, retries: int, pause: Callable[[float], None]
) -> bytes | None:
    """Execute a call in a worker.

    Parameters
    ----------
    digest, function, body
        See `Parcel`; the function may be left out where the worker may know it.
    retries, pause
        See `analyzer.calls.execute`.

    Returns
    -------
    bytes or None
        For `unpack`; None where the function was left out and is not known.
    """
    if digest not in _KNOWN and function is None:
        return None
    try:
        if digest not in _KNOWN and function is not None:
            _KNOWN[digest] = pickle.loads(function)
        step, inputs, noise, key = pickle.loads(body)
    except Exception as error:
        return _dumps(_failed("it cannot be loaded in the worker", error))
    result = execute(Call(step, _KNOWN[digest], inputs, noise, key), retries, pause)
    try:
        return _dumps(result)
    except Exception as error:
        return _dumps(_failed("its output cannot be sent back from the worker", error))


def unpack(answer: bytes) -> Result:
    """Return the result that a worker sent."""
    try:
        result = pickle.loads(answer)
    except Exception as error:
        return _failed("its output cannot be read back from the worker", error)
    assert isinstance(result, Result)
    return result


def died(how: str) -> Result:
    """Return the result of a call whose worker died each time."""
    return Result(None, "", f"the worker that ran it died ({how}), and so did the one that ran it again", ())


def _failed(what: str, error: Exception) -> Result:
    return Result(None, "", f"{what}: {describe(error)}", ())
