"""Turns calls into results in processes of this machine, one call a process at a time.

The processes are started as programs of their own, so they share nothing with this one's threads and need no guard in
its main module. Each is asked over its standard input and answers over its standard output; whatever a step prints
goes, a line at a time, to what is `sys.stderr` here. It ignores Ctrl-C, which this process hears too, and ends when
this process does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import IO

from analyzer.workers.calls import Call, EngineError, Result
from analyzer.workers.halt import Halt
from analyzer.workers.shipping import Packer, Parcel, died, run_parcel, unpack

_LENGTH = struct.Struct(">Q")
_READY = b"ready"
# Orders; every other message is a pickle, which begins otherwise.
_STOP, _GO_ON = b"stop", b"go on"
# Seconds that a process has to end by itself.
_PATIENCE = 5.0
# Seconds between two looks at whether a process is there whose answer is awaited, and for what it printed last.
_GLANCE = 0.5
# The longest line of what a process prints, in bytes, that is not cut.
_LONGEST_LINE = 1 << 20
# An order of Linux: a signal when the parent ends, for which see `man 2 PR_SET_PDEATHSIG`.
_PARENT_DEATH_SIGNAL = 1


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
        self._packer = Packer(same_files=True)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="agentblame worker")
        # Of its own, since Linux takes the end of the thread that began a process for the end of the parent.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="agentblame starter")
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
        self._starter.shutdown()

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
        worker = self._starter.submit(_Worker, self._retries).result()
        worker.wait_until_ready()
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
            f"sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({retries}, {os.getpid()})"
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self._process.stdin is not None
        self._questions = self._process.stdin
        # None after the last.
        self._answers = SimpleQueue[bytes | None]()
        # Threads, which may be left behind: a process that a step began keeps the pipes open after this one's end.
        self._listeners = [
            threading.Thread(target=_hear, args=(self._process.stdout, self._answers), daemon=True),
            threading.Thread(target=pass_on, args=(self._process.stderr,), daemon=True),
        ]
        for listener in self._listeners:
            listener.start()
        self._asking = threading.Lock()
        self._known = set[str]()

    def wait_until_ready(self) -> None:
        """Wait until the process takes calls; raise `EngineError` if it ends instead."""
        try:
            self._answer()
        except EOFError:
            how = self.end()
            raise EngineError(
                f"a worker process cannot start ({how}): {sys.executable} has to be a Python that finds this package"
            ) from None

    def is_there(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def ask(self, parcel: Parcel) -> bytes:
        """Have a call executed; raise `EOFError` or `OSError` if the process dies of it."""
        function = None if parcel.digest in self._known else parcel.function
        self._send(pickle.dumps((parcel.digest, function, parcel.body)))
        answer = self._answer()
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
        for listener in self._listeners:
            listener.join(_GLANCE)
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"

    def _send(self, message: bytes) -> None:
        with self._asking:
            if self._questions.closed:
                raise EOFError
            _write(self._questions, message)

    def _answer(self) -> bytes:
        """Return the next answer; raise `EOFError` if there will be none."""
        ended = False
        while True:
            try:
                answer = self._answers.get(timeout=_GLANCE)
            except Empty:
                # Once more after the end, for what was on its way.
                if ended:
                    raise EOFError from None
                ended = not self.is_there()
            else:
                if answer is None:
                    raise EOFError
                return answer


def _hear(answers: IO[bytes], heard: SimpleQueue[bytes | None]) -> None:
    with answers, contextlib.suppress(EOFError, OSError):
        while True:
            heard.put(_read(answers))
    heard.put(None)


def pass_on(printed: IO[bytes]) -> None:
    """Write what a worker prints to `sys.stderr`, a line at a time, until it ends."""
    with printed, contextlib.suppress(OSError, ValueError):
        while line := printed.readline(_LONGEST_LINE):
            # There is none when the caller closed it.
            if sys.stderr is not None:
                sys.stderr.write(line.decode("utf-8", "replace"))
                sys.stderr.flush()


def end_with(parent: int) -> None:
    """Have this process, a child of the one with that id, killed when that ends: at once, where the system is Linux.

    Elsewhere, it is for the process itself to see that its parent is gone.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.name == "posix" and os.getppid() != parent:
        # It ended before that.
        os._exit(0)


def serve(retries: int, parent: int) -> None:
    """Execute calls in this process, a worker, until the one that began it is gone or has enough of it."""
    end_with(parent)
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a step reads is nothing, and what it prints goes to standard error, also from code that is not Python.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stderr.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout = sys.stderr
    halt, asked = Halt(), SimpleQueue[bytes]()
    threading.Thread(target=_listen, args=(questions, asked, halt), daemon=True).start()
    # Nobody waits for an answer any more where the other process is gone.
    with contextlib.suppress(BrokenPipeError):
        _write(answers, _READY)
        while True:
            digest, function, body = pickle.loads(asked.get())
            answer = run_parcel(digest, function, body, retries, halt.pause)
            assert answer is not None
            _write(answers, answer)
    os._exit(0)


def _listen(questions: IO[bytes], asked: SimpleQueue[bytes], halt: Halt) -> None:
    """Hear what is asked while a call runs: an end of the questions is an end at once."""
    while True:
        try:
            message = _read(questions)
        except (EOFError, OSError):
            # A step may have closed it, or nobody be there to read it.
            with contextlib.suppress(OSError, ValueError):
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
