"""Turns coroutines into futures: all run on one event loop, in a thread of its own, so that clients may be shared."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class EventLoop:
    """An event loop in a background thread, begun when it is first used; works also where a loop runs already.

    It ends when it is closed, no longer referred to, or the interpreter ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: weakref.finalize[..., EventLoop] | None = None
        self._closed = False
        self._running = set[asyncio.Task[None]]()

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine; the future holds what it returns or raises, and cancels it when it is cancelled."""
        done, running = Future[T](), self._running

        async def settle() -> None:
            task = asyncio.current_task()
            assert task is not None
            # The loop itself holds its tasks weakly.
            running.add(task)
            done.add_done_callback(lambda done: done.cancelled() and task.get_loop().call_soon_threadsafe(task.cancel))
            # Set by hand: a KeyboardInterrupt that a task lets out would end the loop and all other tasks.
            try:
                result = await coroutine
            except BaseException as error:
                if not done.cancelled():
                    done.set_exception(error)
            else:
                if not done.cancelled():
                    done.set_result(result)
            finally:
                running.discard(task)

        with self._lock:
            if self._closed:
                coroutine.close()
                raise RuntimeError("the event loop is closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                thread = threading.Thread(target=_serve, args=(self._loop,), name="agentblame event loop", daemon=True)
                thread.start()
                self._end = weakref.finalize(self, _end, self._loop, thread)
            loop = self._loop
        asyncio.run_coroutine_threadsafe(settle(), loop)
        return done

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and wait for it; an interrupt cancels it."""
        done = self.submit(coroutine)
        try:
            return done.result()
        finally:
            done.cancel()

    def close(self) -> None:
        """Cancel what runs and end the loop."""
        with self._lock:
            self._closed = True
        if self._end is not None:
            self._end()


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _end(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    # A function that blocks the loop would hold this up for ever; the thread is a daemon, so it may be left behind.
    if thread is not threading.current_thread():
        thread.join(timeout=5.0)
