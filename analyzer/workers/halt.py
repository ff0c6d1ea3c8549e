"""Turns an order to stop into the end of every wait: a caller's for results, a call's for its next attempt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue


class Halted(Exception):
    """A pause that was ended by an order to stop."""


class Halt:
    """An order to stop that may be given from any thread and from a signal handler, and lifted again.

    Attributes
    ----------
    told : bool
        Whether it holds.
    """

    def __init__(self) -> None:
        self.told = False
        self._wakers = set[Callable[[], object]]()

    def tell(self) -> None:
        """Give the order.

        Nothing here takes a lock that the interrupted thread may hold, as `threading.Event` would.
        """
        self.told = True
        for wake in list(self._wakers):
            wake()

    def lift(self) -> None:
        """Take the order back."""
        self.told = False

    @contextmanager
    def waking(self, wake: Callable[[], object]) -> Iterator[None]:
        """Have `wake` called when the order is given meanwhile."""
        self._wakers.add(wake)
        try:
            yield
        finally:
            self._wakers.discard(wake)

    def pause(self, seconds: float) -> None:
        """Wait; raise `Halted` as soon as the order is given, or at once if it was."""
        woken = SimpleQueue[None]()
        with self.waking(lambda: woken.put(None)):
            if not self.told:
                try:
                    woken.get(timeout=seconds)
                except Empty:
                    return
        raise Halted

    async def pause_async(self, seconds: float) -> None:
        """Wait as `pause` does, without holding up the event loop."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        with self.waking(lambda: loop.call_soon_threadsafe(woken.set)):
            if not self.told:
                try:
                    await asyncio.wait_for(woken.wait(), seconds)
                except TimeoutError:
                    return
        raise Halted
