"""Turns options that say where and how calls run into an engine, a store, and what a Ctrl-C does."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import click

from analyzer.commands.loading import LoadingError
from analyzer.durations import DurationError, seconds_of
from analyzer.engines import Engine, Serial, processes, threads
from analyzer.exit_codes import EXIT_INTERRUPTED
from analyzer.memory import Memory
from analyzer.program import Program
from analyzer.settings import FILE_NAME
from analyzer.slug import slug
from analyzer.store import Store
from analyzer.system import System
from analyzer.workers.calls import Limit

#: Where stores lie unless a place is named: in the working folder, for nobody else, and out of sight of git, since they
#: hold what steps wrote before anything is redacted.
STORES = Path(".agentblame")
ENGINES = ("auto", "serial", "threads", "processes", "dask")

_ERRORS_SHOWN = 5
# Calls of models wait for servers; more at a time than this want to be asked for.
_THREADS = 8


_Number = TypeVar("_Number", int, float)
_Command = TypeVar("_Command", bound=Callable[..., Any])


class Duration(click.ParamType[float]):
    """An option that holds a duration, in seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds that a text stands for."""
        try:
            return seconds_of(value)
        except DurationError as error:
            self.fail(str(error), param, ctx)


def group(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return a decorator that adds options in their order."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


how = group(
    click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
                 help="Where calls run. auto: threads for async and batch steps and async programs, else one by one."),
    click.option("--workers", type=click.IntRange(1), help=f"Calls at a time. Default: {_THREADS} threads, or cores."),
    click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, tcp://…; without one, a local cluster."),
    click.option("--max-retries", type=click.IntRange(0), default=2, show_default=True,
                 help="Of a call after a rate limit, a time-out or a server's error. 0: none."),
    click.option("--concurrency", "concurrency", metavar="STEP=N", multiple=True, help="Calls of a step at a time."),
    click.option("--rate", "rates", metavar="STEP=N", multiple=True, help="Calls of a step that start in a minute."),
    click.option("--store", type=click.Path(path_type=Path),
                 help=f"File that keeps every result, to go on from. Default: one per pipeline in {STORES}/."),
    click.option("--no-store", is_flag=True, help="Keep nothing but the game files."),
    click.option("--config", type=click.Path(path_type=Path),
                 help=f"Settings file. Default: {FILE_NAME} in the working folder."),
)  # fmt: skip


@dataclass(frozen=True)
class Where:
    """Where and how calls run, as the options of `how` say it."""

    engine: str
    workers: int | None
    scheduler: str | None
    max_retries: int
    concurrency: tuple[str, ...]
    rates: tuple[str, ...]
    store: Path | None
    no_store: bool

    @classmethod
    def of(cls, options: dict[str, Any]) -> Where:
        """Take these options out of all that a command was given."""
        return cls(**{field.name: options.pop(field.name) for field in fields(cls)})

    def path(self, name: str) -> Path | None:
        """Return the file that keeps the results of a system of that name; None for none."""
        return None if self.no_store else self.store or STORES / f"{slug(name)}.sqlite"

    def checked(self, systems: Sequence[System]) -> Mapping[str, Limit]:
        """Return the limits that were asked for, by step; raise `LoadingError` for what makes no sense."""
        return _limits(self.concurrency, self.rates, {node.step.name for one in systems for node in one.nodes})

    @contextlib.contextmanager
    def memory(self, systems: Sequence[System], name: str) -> Iterator[Memory]:
        """Yield a memory with the engine and the store that were asked for; both are closed at the end."""
        limits, path = self.checked(systems), self.path(name)
        with contextlib.ExitStack() as stack:
            store = stack.enter_context(Store.temporary() if path is None else Store.open(path))
            if path is not None and path.parent == STORES:
                (STORES / ".gitignore").write_text("*\n")
            engine = _engine(systems, self.engine, self.workers, self.scheduler, self.max_retries, limits)
            stack.callback(engine.close)
            yield Memory(engine, store)


def choice(option: str, text: str, what: str, steps: Collection[str]) -> tuple[str, str]:
    """Return the two sides of ``STEP=…``, where a step's name may hold the sign; raise `LoadingError` if it is none."""
    known = max((step for step in steps if text.startswith(f"{step}=")), key=len, default=None)
    if known is not None:
        return known, text[len(known) + 1 :]
    step, equals, chosen = text.partition("=")
    if not equals:
        raise LoadingError(f"{option} {text}: write STEP={what}.")
    return step, chosen


def _limits(concurrency: Sequence[str], rates: Sequence[str], steps: Collection[str]) -> dict[str, Limit]:
    """Return the limits that were asked for, by step."""

    def asked(option: str, texts: Sequence[str], kind: Callable[[str], _Number]) -> Iterator[tuple[str, _Number]]:
        for text in texts:
            step, number = choice(option, text, "N", steps)
            if step not in steps:
                raise LoadingError(f"{option} {text}: there is no step {step!r}; there are {', '.join(sorted(steps))}.")
            try:
                value = kind(number)
            except ValueError:
                value = kind("0")
            if not 0 < value < float("inf"):
                raise LoadingError(f"{option} {text}: {number!r} is no number above 0.")
            yield step, value

    found = {step: Limit(concurrency=number) for step, number in asked("--concurrency", concurrency, int)}
    for step, rate in asked("--rate", rates, float):
        found[step] = replace(found.get(step, Limit()), per_minute=rate)
    return found


def _engine(
    systems: Sequence[System],
    name: str,
    workers: int | None,
    scheduler: str | None,
    retries: int,
    limits: Mapping[str, Limit],
) -> Engine:
    """Return the engine that was asked for."""
    if scheduler is not None and name != "dask":
        raise LoadingError(f"--scheduler {scheduler}: is for --engine dask.")
    if name == "auto":
        variants = [variant for one in systems for node in one.nodes for variant in node.variants]
        waits = any(variant.is_async or variant.batch is not None for variant in variants)
        waits |= any(isinstance(one, Program) and one.is_async for one in systems)
        name = "threads" if waits or workers is not None else "serial"
    if name == "serial":
        if workers not in (None, 1):
            raise LoadingError(f"--workers {workers}: --engine serial runs one call at a time; use threads.")
        return Serial(retries, limits)
    if name == "threads":
        return threads(workers or _THREADS, retries, limits)
    if name == "processes":
        return processes(workers or os.cpu_count() or 1, retries, limits)
    from analyzer.dask_engine import dask

    return dask(scheduler, workers, retries, limits)


@contextlib.contextmanager
def interruptible(memory: Memory, say: Callable[[str], None]) -> Iterator[None]:
    """Let Ctrl-C end the run once the calls under way are done, and a second one at once; `say` prints a line."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def at_once(*_: object) -> None:
        if memory.engine.at_once == 1:
            raise KeyboardInterrupt
        # Threads wait for calls that nobody waits for any more; what is stored is safe.
        go_on = "" if memory.store.path is None else "; run the same command again to go on"
        os.write(2, f"\n  calls under way were dropped{go_on}\n".encode())
        os._exit(EXIT_INTERRUPTED)

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, at_once)
        # Not in the handler: whoever was interrupted may hold a lock that this needs.
        threading.Thread(target=end, daemon=True).start()

    def end() -> None:
        memory.end(KeyboardInterrupt)
        say("  interrupted: waiting for the calls under way; Ctrl-C again to drop them")

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
