"""Turns calls into results on a Dask cluster: one begun on this machine, or one that is there already.

Workers need this package and what the steps import from installed packages. One's own modules are sent to those of a
cluster that is there, and imported by those of one begun here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from analyzer.workers.calls import Call, EngineError, Limit, Result
from analyzer.workers.limits import NO_LIMITS
from analyzer.workers.pool import Pool
from analyzer.workers.processes import end_with, pass_on
from analyzer.workers.shipping import Packer, Parcel, died, run_parcel, unpack

# Seconds for a scheduler to answer, and for its first worker to be there.
_PATIENCE = 10.0


def dask(
    scheduler: str | None, workers: int | None = None, retries: int = 0, limits: Mapping[str, Limit] = NO_LIMITS
) -> Pool:
    """Return an engine that runs calls on a Dask cluster.

    Parameters
    ----------
    scheduler : str or None
        Address of a scheduler, such as ``"tcp://10.0.0.5:8786"``; None begins a cluster of processes on this machine,
        which others cannot reach, and ends it with the engine.
    workers : int, optional
        Calls in flight at a time, and for a cluster begun here its processes. By default as many as the cluster has
        threads now, or this machine processors.
    retries, limits
        As for `analyzer.engines.Serial`. An order to stop ends no wait between attempts on a worker.

    Raises
    ------
    EngineError
        If Dask is not installed, or the scheduler cannot be reached or has no workers.

    Notes
    -----
    Calls of async functions and batches stay in this process. A call whose worker dies runs again on another; a cluster
    begun here gives up on one that costs two workers their life, another one as its scheduler is set up.
    """
    try:
        import distributed
    except ImportError as error:
        raise EngineError(
            "Dask is not installed; `pip install 'agent-blame-site[dask]'` installs what the engine needs."
        ) from error
    if workers is not None and workers < 1:
        raise EngineError(f"{workers} workers were asked for; it takes at least 1")
    if scheduler is None:
        workers = workers or os.cpu_count() or 1
        printed = _Printed()
        client, cluster = _begun_here(distributed, workers, printed.path)
        return Pool(workers, retries, limits, _Cluster(client, retries, (cluster, printed)))
    client, slots = _connected(distributed, scheduler)
    return Pool(workers or slots, retries, limits, _Cluster(client, retries))


def _begun_here(distributed: Any, workers: int, printed: str) -> tuple[Any, Any]:
    import dask as configured

    settings = {
        # The call that was under way when its worker died, once more on another.
        "distributed.scheduler.allowed-failures": 1,
        "distributed.admin.large-graph-warning-threshold": "1GiB",
    }
    with configured.config.set(settings):
        cluster = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            # Without a dashboard it would still listen at a port that everybody's cluster listens at.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            # Like the other engines, it leaves memory to the steps and the machine.
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
    client = distributed.Client(cluster, set_as_default=False)
    client.register_plugin(_worker_of(distributed, os.getpid(), printed))
    return client, cluster


def _connected(distributed: Any, scheduler: str) -> tuple[Any, int]:
    """Return a client of a scheduler, and how many calls its workers run at a time."""
    try:
        # A client that finds nobody tries for long, and again when the interpreter ends.
        place = distributed.comm.get_address_host_port(scheduler, strict=True)
        socket.create_connection(place, timeout=_PATIENCE).close()
        # Not the default one, which steps that use Dask themselves would take.
        client = distributed.Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise EngineError(
            f"the Dask scheduler at {scheduler} cannot be reached: {getattr(error, 'strerror', None) or error}. "
            "Check the address, or leave it out to begin a cluster on this machine."
        ) from error
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except (OSError, TimeoutError) as error:
        client.close()
        raise EngineError(
            f"the Dask scheduler at {scheduler} has no workers. Start some with `dask worker {scheduler}`."
        ) from error
    return client, sum(client.nthreads().values())


def _worker_of(distributed: Any, parent: int, printed: str) -> Any:
    class WorkerOfThisMachine(distributed.WorkerPlugin):  # type: ignore[misc]
        """Lets a worker end with this process, print where this process does, and outlive Ctrl-C."""

        def setup(self, worker: Any) -> None:
            end_with(parent)
            with socket.socket(socket.AF_UNIX) as end:
                end.connect(printed)
                os.dup2(end.fileno(), 1)
                os.dup2(end.fileno(), 2)
            # The one there was may take the descriptor for a file's.
            sys.stderr = sys.stdout = open(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # noqa: SIM115
            # Elsewhere than in the main thread there is no handler to replace.
            with contextlib.suppress(ValueError):
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    return WorkerOfThisMachine()


class _Printed:
    """Takes in what workers of this machine print: a socket that they connect their output to."""

    def __init__(self) -> None:
        # Of this user only.
        self._folder = tempfile.TemporaryDirectory(prefix="agentblame-")
        self.path = str(Path(self._folder.name) / "printed")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen()
        self._passing = list[threading.Thread]()
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        """Listen to no further worker; let out what the last ones printed."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for thread in self._passing:
            # Not for ever: what a step began may hold on to its end.
            thread.join(1.0)
        self._folder.cleanup()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                end, _ = self._socket.accept()
                with end:
                    self._passing.append(threading.Thread(target=pass_on, args=(end.makefile("rb"),), daemon=True))
                    self._passing[-1].start()


def _on_worker(digest: str, function: bytes | None, body: bytes, retries: int) -> bytes | None:
    return run_parcel(digest, function, body, retries, time.sleep)


class _Cluster:
    """A place for calls: a Dask cluster, as its client sees it; with what is to end with it, if it was begun here."""

    def __init__(self, client: Any, retries: int, begun: tuple[Any, ...] = ()) -> None:
        self._client, self._retries, self._begun = client, retries, begun
        # Each call is a task of its own, also one that equals another.
        self._executor = client.get_executor(pure=False)
        self._packer = Packer(same_files=bool(begun))
        self._sent = set[str]()

    def submit(self, call: Call) -> Future[Result]:
        """Start a call."""
        done = Future[Result]()
        parcel = self._packer.pack(call)
        if isinstance(parcel, Result):
            done.set_result(parcel)
        else:
            # Workers keep functions: after the first time only one that does not know it needs it sent.
            self._send(parcel, None if parcel.digest in self._sent else parcel.function, done)
            self._sent.add(parcel.digest)
        return done

    def halt(self) -> None:
        """Do nothing: what waits on a worker is not told."""

    def resume(self) -> None:
        """Do nothing, as there was no halt."""

    def close(self) -> None:
        """Leave the cluster; end it if it was begun here."""
        self._client.close()
        for each in self._begun:
            each.close()

    def _send(self, parcel: Parcel, function: bytes | None, done: Future[Result]) -> None:
        sent = self._executor.submit(_on_worker, parcel.digest, function, parcel.body, self._retries)
        sent.add_done_callback(partial(self._land, parcel, done))

    def _land(self, parcel: Parcel, done: Future[Result], sent: Future[bytes | None]) -> None:
        from distributed import KilledWorker

        try:
            answer = sent.result()
            if answer is None:
                self._send(parcel, parcel.function, done)
            else:
                done.set_result(unpack(answer))
        except KilledWorker:
            done.set_result(died("Dask lost it"))
        except (EngineError, KeyboardInterrupt) as error:
            done.set_exception(error)
        except BaseException as error:
            lost = EngineError(f"the Dask cluster was lost or refused a call: {type(error).__name__}: {error}")
            lost.__cause__ = error
            done.set_exception(lost)
