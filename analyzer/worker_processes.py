"""Turns calls into results in processes of this machine, one call a process at a time.

The processes are started as programs of their own, so they share nothing with this one's threads and need no guard in
its main module. Each is asked over its standard input and answers over its standard output; whatever a step prints goes
to standard error. It ignores Ctrl-C, which this process hears too, and ends when this process does.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import IO

from analyzer.calls import Call, EngineError, Result
from analyzer.halt import Halt
from analyzer.shipping import Packer, Parcel, died, run_parcel, unpack

_LENGTH = struct.Struct(">Q")
_READY = b"ready"
# Orders; every other message is a pickle, which begins otherwise.
_STOP, _GO_ON = b"stop", b"go on"
# Seconds that a process has to end by itself.
_PATIENCE = 5.0


class WorkerProcesses:
    """A place for calls: a number of worker processes, each begun when there is work for it.

    Parameters
    ----------
    workers : int
        The most there may be.
    retries : int
        Attempts after the first, for errors that may pass.
    """

    def __init__(self, workers: int, retries: int) -> None:
        self._retries = retries
        self._packer = Packer()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="agentblame worker")
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._closed = False

    def submit(self, call: Call) -> Future[Result]:
        """Start a call."""
        return self._threads.submit(self._execute, call)

    def halt(self) -> None:
        """Let calls that wait for another attempt end with their error."""
        self._tell(_STOP)

    def resume(self) -> None:
        """Let calls wait for another attempt again."""
        self._tell(_GO_ON)

    def close(self) -> None:
        """End the processes, also those that are at work."""
        self._closed = True
        for worker in list(self._workers):
            worker.dismiss()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.end()

    def _tell(self, order: bytes) -> None:
        for worker in list(self._workers):
            worker.tell(order)

    def _execute(self, call: Call) -> Result:
        parcel = self._packer.pack(call)
        if isinstance(parcel, Result):
            return parcel
        how = ""
        for _ in range(2):
            worker = self._worker()
            try:
                answer = worker.ask(parcel)
            except (EOFError, OSError):
                how = self._retire(worker)
                if self._closed:
                    break
                continue
            self._idle.append(worker)
            return unpack(answer)
        return died(how)

    def _worker(self) -> _Worker:
        """Return a process that nobody else asks: the one that was last at work, so that few are begun."""
        with contextlib.suppress(IndexError):
            while True:
                worker = self._idle.pop()
                if worker.is_there():
                    return worker
                self._retire(worker)
        worker = _Worker(self._retries)
        self._workers.append(worker)
        return worker

    def _retire(self, worker: _Worker) -> str:
        self._workers.remove(worker)
        return worker.end()


class _Worker:
    """A process, as seen from this one."""

    def __init__(self, retries: int) -> None:
        program = (
            "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
            f"sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({retries})"
        )
        self._process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._questions, self._answers = self._process.stdin, self._process.stdout
        self._asking = threading.Lock()
        self._known = set[str]()
        try:
            ready = _read(self._answers) == _READY
        except EOFError:
            ready = False
        if not ready:
            how = self.end()
            raise EngineError(
                f"a worker process cannot start ({how}): {sys.executable} has to be a Python that finds this package"
            )

    def is_there(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ask(self, parcel: Parcel) -> bytes:
        """Have a call executed; raise `EOFError` or `OSError` if the process dies of it."""
        function = None if parcel.digest in self._known else parcel.function
        self._send(pickle.dumps((parcel.digest, function, parcel.body)))
        answer = _read(self._answers)
        self._known.add(parcel.digest)
        return answer

    def tell(self, order: bytes) -> None:
        """Give an order; a process that is no longer there needs none."""
        with contextlib.suppress(EOFError, OSError):
            self._send(order)

    def dismiss(self) -> None:
        """Let the process end, also one that is at work."""
        with self._asking, contextlib.suppress(OSError):
            self._questions.close()

    def end(self) -> str:
        """See the process off; return how it ended."""
        self.dismiss()
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._answers.close()
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    def _send(self, message: bytes) -> None:
        with self._asking:
            if self._questions.closed:
                raise EOFError
            _write(self._questions, message)


def serve(retries: int) -> None:
    """Execute calls in this process, a worker, until the one that began it is gone or has enough of it."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a step reads is nothing, and what it prints goes to standard error, also from code that is not Python.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    halt, asked = Halt(), SimpleQueue[bytes]()
    threading.Thread(target=_listen, args=(questions, asked, halt), daemon=True).start()
    _write(answers, _READY)
    while True:
        digest, function, body = pickle.loads(asked.get())
        answer = run_parcel(digest, function, body, retries, halt.pause)
        assert answer is not None
        _write(answers, answer)


def _listen(questions: IO[bytes], asked: SimpleQueue[bytes], halt: Halt) -> None:
    """Hear what is asked while a call runs: an end of the questions is an end at once."""
    while True:
        try:
            message = _read(questions)
        except (EOFError, OSError):
            sys.stderr.flush()
            os._exit(0)
        if message == _STOP:
            halt.tell()
        elif message == _GO_ON:
            halt.lift()
        else:
            asked.put(message)


def _write(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes:
    """Read a message; raise `EOFError` if the stream ends before it does."""
    head = stream.read(_LENGTH.size)
    body = stream.read(_LENGTH.unpack(head)[0]) if len(head) == _LENGTH.size else b""
    if len(head) < _LENGTH.size or len(body) < _LENGTH.unpack(head)[0]:
        raise EOFError
    return body
