"""Turns an async program into what it returned, on an event loop that numbers the program's tasks.

Where everything that a program awaits is there at once, its tasks take turns in the same order each time.
"""

from __future__ import annotations

import asyncio
import contextvars
import selectors
import sys
from collections import Counter
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

_task: contextvars.ContextVar[tuple[int, ...]] = contextvars.ContextVar("task", default=())
_in_any_order: contextvars.ContextVar[bool] = contextvars.ContextVar("in_any_order", default=False)

#: Why calls in tasks that `asyncio.as_completed` made cannot be told apart, and the remedy.
MADE_IN_ANY_ORDER = (
    "asyncio.as_completed makes tasks of coroutines in any order, so that calls in them have no address; "
    "use asyncio.gather, or give it tasks that were made in a list before: [asyncio.create_task(…) for …]"
)


def task_path() -> tuple[int, ...]:
    """Return the task that this runs in, as the number of each task among those of its parent; the first has none."""
    return _task.get()


def made_in_any_order() -> bool:
    """Whether the task that this runs in, or one it descends from, may have another number the next time."""
    return _in_any_order.get()


def run_on_loop(main: Callable[[], Coroutine[Any, Any, Any]], idle: Idle | None = None) -> Any:
    """Run a coroutine on an event loop of its own.

    Parameters
    ----------
    main : callable
        Returns the coroutine.
    idle : Idle, optional
        Is to be told when the loop has nothing to do.

    Returns
    -------
    object
        What the coroutine returned; what it raised is raised. What goes wrong where nobody takes the result, as in a
        task that is not awaited, goes unsaid.
    """

    async def begun() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(_numbering())
        loop.set_exception_handler(lambda loop, context: None)
        return await main()

    if idle is None:
        return asyncio.run(begun())
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(idle)) as runner:
        return runner.run(begun())


class Idle(selectors.DefaultSelector):
    """Lets one coroutine wait until its event loop has nothing else to do but wait."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: asyncio.Future[None] | None = None

    async def reached(self) -> None:
        """Wait until every task waits for this, for another one, for a time to come or for something outside."""
        self._waiting = asyncio.get_running_loop().create_future()
        await self._waiting

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait as the event loop asks for; it asks for no time at all as long as there is something to do."""
        if timeout != 0 and self._waiting is not None:
            if not self._waiting.done():
                self._waiting.set_result(None)
                timeout = 0
            self._waiting = None
        return super().select(timeout)


def _numbering() -> Callable[..., asyncio.Task[Any]]:
    """Return what makes tasks that know their path."""
    children: Counter[tuple[int, ...]] = Counter()

    def numbered(loop: asyncio.AbstractEventLoop, coroutine: Any, **given: Any) -> asyncio.Task[Any]:
        parent = _task.get()
        children[parent] += 1
        context = given.pop("context", None) or contextvars.copy_context()
        context.run(_task.set, (*parent, children[parent]))
        if _asked_by_as_completed():
            context.run(_in_any_order.set, True)
        return asyncio.Task(coroutine, loop=loop, context=context, **given)

    return numbered


def _asked_by_as_completed() -> bool:
    """Whether a task is being made for `asyncio.as_completed`, which goes through a set of coroutines."""
    # From the event loop, which asked for the task, to the program.
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("asyncio."):
        if frame.f_code is asyncio.as_completed.__code__:
            return True
        frame = frame.f_back
    return False
