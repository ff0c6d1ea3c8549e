"""Turns calls into bytes for workers that share no memory with this process, and their answers back into results.

Where workers read the same files, functions go by name: a worker imports the modules that hold them, and those that use
these, so that what they set up as they are imported holds there as well. What a module came to hold after that stays
here. A worker refuses a file that is no longer what it was when the engine was made (or when it was first met, for a
module that was loaded later), so that all calls of a run are of the same code. What the main script defines goes by
value, and to workers elsewhere so does all that is used of one's own modules. Installed packages and this one are
imported everywhere. A worker keeps each function it was sent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

import cloudpickle

from analyzer.fingerprint import UnstableValueError, fingerprint
from analyzer.pipeline import Variant
from analyzer.workers.calls import Call, EngineError, Result, describe, execute, in_copy
from analyzer.workers.loaded_modules import OwnModule, check, expect, import_own, own_module
from analyzer.workers.references import dumps_by_name, dumps_by_value, named_in, with_users

# In what cloudpickle makes of a class that it sends by value.
_MADE_BY_VALUE = b"_make_skeleton_"


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


@dataclass(frozen=True)
class _Shipment:
    """A function on its way: where modules are found, which to import first, and what each must be."""

    paths: tuple[str, ...]
    wanted: tuple[str, ...]
    modules: Mapping[str, OwnModule]
    variant: bytes


class Packer:
    """Packs calls, and remembers the functions it packed and the files they came from.

    Parameters
    ----------
    same_files : bool
        Whether workers run on this machine, with this Python.
    """

    def __init__(self, *, same_files: bool) -> None:
        self._same_files = same_files
        self._lock = threading.Lock()
        self._seen = set[str]()
        # In the order in which they were loaded.
        self._modules: dict[str, OwnModule] = {}
        # By identity, with the variant, which keeps the identity its own.
        self._functions: dict[int, tuple[Variant, str, bytes]] = {}
        self._look_around()

    def pack(self, call: Call) -> Parcel | Result:
        """Return a call as bytes, or the result of one whose inputs cannot be sent.

        Raises
        ------
        EngineError
            If the function cannot be sent.
        """
        with self._lock:
            self._look_around()
            if id(call.variant) not in self._functions:
                self._functions[id(call.variant)] = (call.variant, *self._function(call))
        _, digest, function = self._functions[id(call.variant)]
        try:
            body = self._dumps((call.step, dict(call.inputs), call.noise, call.key))
        except Exception as error:
            return _failed("its inputs cannot be sent to a worker", error)
        return Parcel(digest, function, body)

    def _look_around(self) -> None:
        """Take note of the modules of one's own that were loaded since, and of what their files hold."""
        for name in [name for name in list(sys.modules) if name not in self._seen]:
            self._seen.add(name)
            module = own_module(name, digested=self._same_files)
            if module is not None:
                self._modules[name] = module

    def _function(self, call: Call) -> tuple[str, bytes]:
        # Without its batch function, which runs here.
        variant = replace(call.variant, batch=None)
        met = set[str]()
        try:
            content = self._dumps(variant, named_in(self._modules), met)
        except Exception as error:
            raise EngineError(
                f"step {call.step!r} cannot be sent to a worker: {describe(error)}. "
                "Make clients, locks and open files inside the function that uses them, or run the calls in threads."
            ) from error
        shipment = _Shipment((), (), {}, content)
        if self._same_files:
            # The empty entry stands for the working folder, which a step may leave.
            paths = tuple(os.path.abspath(path) for path in sys.path)
            shipment = _Shipment(paths, with_users(met, self._modules), dict(self._modules), content)
        function = pickle.dumps(shipment)
        return hashlib.blake2b(function, digest_size=16).hexdigest(), function

    def _dumps(
        self, value: Any, named: Mapping[int, tuple[str, str]] | None = None, met: set[str] | None = None
    ) -> bytes:
        if self._same_files:
            return dumps_by_name(value, self._modules, named or {}, set() if met is None else met)
        return dumps_by_value(value, self._modules)


# In a worker.

#: The functions that it was sent.
_KNOWN: dict[str, Variant] = {}
# Functions run in the context that their modules were imported in, whichever thread it is.
_HOME = copy_context()
_LOADING = threading.Lock()


def run_parcel(
    digest: str, function: bytes | None, body: bytes, retries: int, pause: Callable[[float], None]
) -> bytes | None:
    """Execute a call in a worker.

    Parameters
    ----------
    digest, function, body
        See `Parcel`; the function may be left out where the worker may know it.
    retries, pause
        See `analyzer.workers.calls.execute`.

    Returns
    -------
    bytes or None
        For `unpack`; None where the function was left out and is not known.
    """
    if digest not in _KNOWN and function is None:
        return None
    try:
        with _LOADING:
            if digest not in _KNOWN and function is not None:
                _KNOWN[digest] = _HOME.run(_load, function)
            step, inputs, noise, key = _HOME.run(pickle.loads, body)
        result = in_copy(_HOME, execute, Call(step, _KNOWN[digest], inputs, noise, key), retries, pause)
        # What the step imported as it ran.
        check()
    except (EngineError, KeyboardInterrupt) as error:
        return pickle.dumps(error)
    except Exception as error:
        return pickle.dumps(_failed("it cannot be loaded in the worker", error))
    try:
        return bytes(cloudpickle.dumps(result))
    except Exception as error:
        return pickle.dumps(_failed("its output cannot be sent back from the worker", error))


def _load(function: bytes) -> Variant:
    shipment = pickle.loads(function)
    sys.path[:] = [*shipment.paths, *(path for path in sys.path if path not in shipment.paths)]
    expect(shipment.modules)
    for name in shipment.wanted:
        if name not in sys.modules:
            import_own(shipment.modules[name])
    variant = pickle.loads(shipment.variant)
    assert isinstance(variant, Variant)
    check()
    return variant


def unpack(answer: bytes) -> Result:
    """Return the result that a worker sent.

    Raises
    ------
    EngineError
        If the worker refused the call.
    KeyboardInterrupt
        If the step raised it.
    """
    try:
        result = pickle.loads(answer)
        if isinstance(result, Result) and _MADE_BY_VALUE in answer:
            # Its class is of code that the worker had no lines of, which are part of the fingerprint; not of one that
            # was made by a codec.
            with contextlib.suppress(UnstableValueError):
                result = replace(result, fingerprint=fingerprint(result.value))
    except Exception as error:
        return _failed("its output cannot be read back from the worker", error)
    if isinstance(result, EngineError | KeyboardInterrupt):
        raise result
    assert isinstance(result, Result)
    return result


def died(how: str) -> Result:
    """Return the result of a call whose worker died each time."""
    return Result(None, "", f"the worker that ran it died ({how}), and so did the one that ran it again", ())


def _failed(what: str, error: Exception) -> Result:
    return Result(None, "", f"{what}: {describe(error)}", ())
