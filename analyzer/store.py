"""Turns what a run computes into rows of one SQLite file, and such rows back into what need not run again.

Everything is kept by content: a call by its step, the version of its code, its inputs and the noise it consumed; a
score by the score's version and what it read; a case and its games by all that decides them. So whatever changes makes
new keys, nothing is ever taken for something else, and runs of several pipelines can share a file.

A row is written, and its transaction ended, before the next call may start: a process that is killed loses what was
under way and nothing else. One process at a time has the file.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer import __version__
from analyzer.codec import NotStorableError, decode, decode_draws, encode, encode_draws, restored
from analyzer.noise import Address, Draw, Label
from analyzer.steps import Codec
from analyzer.store_file import MIGRATIONS, StoreError, StoreFile, opened, refusals, write_again

#: What becomes of a case.
STATES = ("passed", "failed", "errored")

# Outputs kept decoded, and the length of their texts together: mostly those of the level before are asked for.
_KEPT, _KEPT_LENGTH = 512, 1 << 25

#: A draw as far as it tells calls apart: where it was made, from what, and what stands for its noise.
Branch = tuple[Address, Sequence[Label], bytes]


@dataclass(frozen=True)
class StoredCall:
    """A call that ran.

    Attributes
    ----------
    number : int
        Identifies it, in the order of execution.
    world : str or None
        The noise that it holds for, where more decides it than the draws it made: it samples itself, or it failed.
    path : tuple of Branch
        The draws it made.
    recorded : bool
        Whether its draws, if it made any, are kept in full.
    output : str
        The fingerprint of what it returned; empty where it failed.
    error : str or None
        Why it failed.
    """

    number: int
    world: str | None
    path: tuple[Branch, ...]
    recorded: bool
    output: str
    error: str | None


@dataclass(frozen=True)
class StoredCase:
    """What became of a case.

    Attributes
    ----------
    state : {"passed", "failed", "errored"}
    said : str
        Why it errored, or what kind of failure it is; empty where nothing says.
    calls : sequence of int
        Numbers of the calls behind it.
    """

    state: str
    said: str
    calls: Sequence[int]


@dataclass(frozen=True)
class StoredGame:
    """A game: its line in a game file, whether nothing of it is missing, and the numbers of the calls behind it."""

    line: str
    complete: bool
    calls: Sequence[int]


class Store:
    """What runs computed.

    Attributes
    ----------
    path : Path or None
        The file; None for what is forgotten when the process ends.
    run : int
        Number of this run.
    first : int
        What calls of this run are numbered from.
    notes : list of str
        What a user should be told: that the file was damaged and what was kept, which steps changed since the last run,
        whose outputs cannot be stored.
    codecs : dict of str to Codec
        By name: those that the steps of the pipelines at hand declare.
    """

    def __init__(self, file: StoreFile) -> None:
        self.path, self.notes = file.path, list(file.notes)
        self.codecs: dict[str, Codec] = {}
        self._connection = file.connection
        # A temporary one is often just let go of.
        weakref.finalize(self, self._connection.close)
        self._turn = threading.RLock()
        # What has no form for a file: known as long as the process lives.
        self._live: dict[str, Any] = {}
        self._live_draws: dict[int, tuple[Draw, ...]] = {}
        self._recent: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._recent_length = 0
        self._unstorable: set[str] = set()
        # By id of a pipeline or program, as it was when this run first named it.
        self._ran_before: dict[str, bool] = {}
        with self._transaction():
            started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
            self.run = self._insert("INSERT INTO runs (started, package) VALUES (?, ?)", (started, __version__))
        ((self.first,),) = self._select("SELECT ifnull(max(number), 0) + 1 FROM calls", ())

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open a file, made if it is missing.

        Raises
        ------
        StoreError
            If it is no store, belongs to a later release, is used by another process, or cannot be written. A damaged
            one is set aside, and what can be read of it is kept.
        """
        return cls(opened(path))

    @classmethod
    def temporary(cls) -> Store:
        """Return a store for one process: SQLite's own temporary file, in memory as long as it is small."""
        return cls(opened(None))

    def close(self) -> None:
        """End the use of the file; others may use it now."""
        with self._turn, refusals(self.path), contextlib.closing(self._connection):
            if self.path is not None and not self.path.exists():
                write_again(self._connection, self.path)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compare_versions(self, system: str, versions: Mapping[tuple[str, str], str]) -> bool:
        """Note which steps are not what they were in the run before, so that their calls run again.

        Parameters
        ----------
        system : str
            Id of the pipeline or program.
        versions : mapping of (str, str) to str
            By step and variant.

        Returns
        -------
        bool
            Whether there was a run before this one.
        """
        if self.path is None:
            return False
        rows = self._select("SELECT step, variant, version FROM versions WHERE system = ?", (system,))
        before = {(step, variant): version for step, variant, version in rows}
        changed = dict.fromkeys(key[0] for key, version in versions.items() if before.get(key, version) != version)
        for step in changed:
            self.notes.append(
                f"step {step!r}: its code, or something that it uses, is not what it was in the last run, so its calls "
                "run again; if that is of no matter, and happens again, give the step a version of your own: version=…"
            )
        with self._transaction():
            for (step, variant), version in versions.items():
                self._insert("INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?)", (system, step, variant, version))
        return self._ran_before.setdefault(system, bool(before))

    def calls(self, base: bytes) -> list[StoredCall]:
        """Return the calls of one variant on one set of inputs whose results are at hand, in the order they ran.

        Errors count in the run they came up in only: another run tries again.
        """
        rows = self._select(
            "SELECT number, world, path, draws IS NOT NULL, output, error FROM calls WHERE base = ?"
            " AND (error IS NULL OR run = ?) ORDER BY number",
            (base, self.run),
        )
        found = []
        for number, world, path, kept, output, error in rows:
            if error is not None or self._has(output):
                recorded = bool(kept) or number in self._live_draws or not path
                with contextlib.suppress(NotStorableError):
                    found.append(StoredCall(number, world, _branches(path), recorded, output or "", error))
        return found

    def add_call(
        self,
        base: bytes,
        step: str,
        variant: str,
        *,
        world: str | None,
        path: Sequence[Branch],
        draws: tuple[Draw, ...],
        output: tuple[str, Any] | None,
        error: str | None,
        cost: float,
        seconds: float,
        attempts: int,
        codec: Codec | None,
    ) -> StoredCall:
        """Write down a call that ran.

        Parameters
        ----------
        base : bytes
            Identifies step, variant and inputs.
        step, variant : str
            For people.
        world, path, error
            As `StoredCall` has them.
        draws : tuple of Draw
            In full, where they are to be kept.
        output : (str, object) or None
            Fingerprint and value of what it returned; None where it failed.
        cost : float
            NaN where the price is unknown.
        seconds : float
        attempts : int
            How often it was tried.
        codec : Codec or None
            The step's.

        Returns
        -------
        StoredCall
        """
        text, full = self._encoded(step, output, codec), None
        if draws:
            with contextlib.suppress(NotStorableError):
                full = encode_draws(draws)
        with self._transaction():
            if output is not None and text is not None:
                self._insert("INSERT OR IGNORE INTO contents (fingerprint, text) VALUES (?, ?)", (output[0], text))
            number = self._insert(
                "INSERT INTO calls (base, step, variant, world, path, draws, output, error, cost, seconds, attempts,"
                " run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (base, step, variant, world, _path_text(path), full, output and output[0], error, cost, seconds,
                 attempts, self.run),
            )  # fmt: skip
        if draws and full is None:
            self._live_draws[number] = draws
        if output is not None:
            self._keep(*output, 0 if text is None else len(text))
        recorded = bool(draws) or not path
        return StoredCall(number, world, tuple(path), recorded, output[0] if output else "", error)

    def draws(self, number: int, step: str) -> tuple[Draw, ...]:
        """Return all draws of a call that is recorded."""
        if number in self._live_draws:
            return self._live_draws[number]
        ((text,),) = self._select("SELECT draws FROM calls WHERE number = ?", (number,))
        return decode_draws(text, step) if text else ()

    def content(self, mark: str) -> Any:
        """Return the value with a fingerprint.

        Raises
        ------
        LookupError
            If it is not there.
        """
        with self._turn:
            if mark in self._live:
                return self._live[mark]
            if mark in self._recent:
                return self._recent[mark][0]
        for (text,) in self._select("SELECT text FROM contents WHERE fingerprint = ?", (mark,)):
            # A codec of the user's may have changed, and so may the file.
            with contextlib.suppress(NotStorableError):
                value = restored(text, mark, self.codecs)
                self._keep(mark, value, len(text))
                return value
        raise LookupError(mark)

    def _has(self, mark: str) -> bool:
        try:
            self.content(mark)
        except LookupError:
            return False
        return True

    def _keep(self, mark: str, value: Any, length: int) -> None:
        with self._turn:
            if mark not in self._recent:
                self._recent[mark] = value, length
                self._recent_length += length
            while len(self._recent) > 1 and (len(self._recent) > _KEPT or self._recent_length > _KEPT_LENGTH):
                self._recent_length -= self._recent.popitem(last=False)[1][1]

    def _encoded(self, step: str, output: tuple[str, Any] | None, codec: Codec | None) -> str | None:
        """Return a value's text; what has none is kept alive, and a user is told once."""
        if output is None or output[0] in self._live:
            return None
        try:
            return encode(output[1], codec)
        except NotStorableError as error:
            with self._turn:
                self._live[output[0]] = output[1]
                if self.path is not None and step not in self._unstorable:
                    self._unstorable.add(step)
                    self.notes.append(
                        f"step {step!r}: its outputs are not stored, so its calls will run again: {error}"
                    )
            return None

    def score(self, key: bytes) -> float | None:
        """Return a score computed before."""
        return next((score for (score,) in self._select("SELECT score FROM scores WHERE key = ?", (key,))), None)

    def add_score(self, key: bytes, score: float, seconds: float) -> None:
        """Write down a score: that of every coalition whose outputs are those it read."""
        with self._transaction():
            self._insert(
                "INSERT OR REPLACE INTO scores (key, score, seconds, run) VALUES (?, ?, ?, ?)",
                (key, score, seconds, self.run),
            )

    def cost_of(self, calls: Sequence[int]) -> float:
        """Return what calls cost, by number; NaN where a price is not known."""
        rows = self._select(
            "SELECT count(*) - count(cost), total(cost) FROM calls WHERE number IN (SELECT value FROM json_each(?))",
            (json.dumps(list(calls)),),
        )
        ((unknown, cost),) = rows
        return math.nan if unknown else cost

    def case(self, key: bytes) -> StoredCase | None:
        """Return what became of a case."""
        for state, said, calls in self._select("SELECT state, said, calls FROM cases WHERE key = ?", (key,)):
            numbers = _numbers(calls)
            if state in STATES and numbers is not None:
                return StoredCase(state, said, numbers)
        return None

    def add_case(self, key: bytes, id: str, case: StoredCase) -> None:
        """Write down what became of a case."""
        with self._transaction():
            self._insert(
                "INSERT OR REPLACE INTO cases (key, id, state, said, calls, run) VALUES (?, ?, ?, ?, ?, ?)",
                (key, _text(id), case.state, _text(case.said), json.dumps(list(case.calls)), self.run),
            )

    def game(self, key: bytes) -> StoredGame | None:
        """Return a case's game."""
        for line, complete, calls in self._select("SELECT line, complete, calls FROM games WHERE key = ?", (key,)):
            numbers = _numbers(calls)
            if numbers is not None:
                return StoredGame(line, bool(complete), numbers)
        return None

    def add_game(self, key: bytes, id: str, mode: str, game: StoredGame) -> None:
        """Write down a case's game."""
        with self._transaction():
            self._insert(
                "INSERT OR REPLACE INTO games (key, id, mode, line, complete, calls, run) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (key, _text(id), mode, game.line, game.complete, json.dumps(list(game.calls)), self.run),
            )

    def seconds_per_call(self) -> Mapping[str, float]:
        """Return the mean duration of a call, by step, of all that ran."""
        return dict(self._select("SELECT step, avg(seconds) FROM calls WHERE error IS NULL GROUP BY step", ()))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turn, refusals(self.path):
            self._connection.execute("BEGIN")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk ends the transaction by itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _insert(self, sql: str, values: Sequence[Any]) -> int:
        return self._connection.execute(sql, values).lastrowid or 0

    def _select(self, sql: str, values: Sequence[Any]) -> list[Any]:
        with self._turn, refusals(self.path):
            return self._connection.execute(sql, values).fetchall()


def _path_text(path: Sequence[Branch]) -> str:
    return encode([(tuple(address), options, mark) for address, options, mark in path], None) if path else ""


def _branches(text: str) -> tuple[Branch, ...]:
    if not text:
        return ()
    return tuple((Address(*address), options, mark) for address, options, mark in decode(text, {}))


def _numbers(text: str) -> list[int] | None:
    """Return the numbers of calls that a text lists; None where the file was damaged."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, list) and all(type(number) is int for number in found) else None


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


__all__ = ["MIGRATIONS", "Branch", "Store", "StoreError", "StoredCall", "StoredCase", "StoredGame"]
