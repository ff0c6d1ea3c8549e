"""Turns a path into an open SQLite file of the present form: made, checked, migrated, or mended where it is damaged."""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

#: Marks the file as one of ours ("ABlm").
APPLICATION_ID = 0x41426C6D
_MAGIC = b"SQLite format 3\0"
# A whole check reads the whole file; a larger one is checked as far as can be without.
_CHECKED_WHOLE = 1 << 28
# What SQLite keeps beside a database; and what a mended one is called before it takes the damaged one's place.
_BESIDE, _MENDED = ("-wal", "-shm"), ".mended"
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})

#: What brings a file from each version of its form to the next, the first one from nothing.
MIGRATIONS: Sequence[str] = (
    """
    CREATE TABLE runs (number INTEGER PRIMARY KEY, started TEXT NOT NULL, package TEXT NOT NULL);
    CREATE TABLE contents (fingerprint TEXT PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE calls (
      number INTEGER PRIMARY KEY, base BLOB NOT NULL, step TEXT NOT NULL, variant TEXT NOT NULL, world TEXT,
      path TEXT NOT NULL, draws TEXT, output TEXT, error TEXT, cost REAL, seconds REAL NOT NULL,
      attempts INTEGER NOT NULL, run INTEGER NOT NULL
    );
    CREATE INDEX calls_by_base ON calls (base);
    CREATE TABLE versions (
      system TEXT NOT NULL, step TEXT NOT NULL, variant TEXT NOT NULL, version TEXT NOT NULL,
      PRIMARY KEY (system, step, variant)
    );
    CREATE TABLE scores (key BLOB PRIMARY KEY, score REAL NOT NULL, seconds REAL NOT NULL, run INTEGER NOT NULL);
    CREATE TABLE cases (
      key BLOB PRIMARY KEY, id TEXT NOT NULL, state TEXT NOT NULL, said TEXT NOT NULL, calls TEXT NOT NULL,
      run INTEGER NOT NULL
    );
    CREATE TABLE games (
      key BLOB PRIMARY KEY, id TEXT NOT NULL, mode TEXT NOT NULL, line TEXT NOT NULL, complete INTEGER NOT NULL,
      calls TEXT NOT NULL, run INTEGER NOT NULL
    );
    """,
)


class StoreError(ValueError):
    """A store that cannot be used; the message names the file and what to do. What it holds is not lost."""


@dataclass(frozen=True)
class StoreFile:
    """An open file, where it lies (None: nowhere), and what a user should know of it."""

    path: Path | None
    connection: sqlite3.Connection
    notes: Sequence[str] = ()


class _DamagedError(Exception):
    """The file is one of ours, and cannot be read as a whole."""


def opened(path: Path | None) -> StoreFile:
    """Open a store; make it, bring it to the present form, or mend it where that is needed.

    Parameters
    ----------
    path : Path or None
        None for a temporary one.

    Raises
    ------
    StoreError
        See `Store.open`.
    """
    if path is None:
        connection = _connected("")
        for setting in ("journal_mode = MEMORY", "synchronous = OFF"):
            connection.execute(f"PRAGMA {setting}")
        _migrate(connection, None)
        return StoreFile(None, connection)
    _make(path)
    try:
        return StoreFile(path, _open(path))
    except _DamagedError:
        return _mended(path)


def write_again(connection: sqlite3.Connection, path: Path) -> None:
    """Write what an open file holds where the file lay, after somebody removed it.

    Raises
    ------
    StoreError
        If that cannot be written.
    """
    _make(path)
    connection.execute("VACUUM INTO ?", (str(path.absolute()),))


def _make(path: Path) -> None:
    """Make an empty file that nobody else may read (it holds what steps wrote, secrets included), if there is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _put_in_place(path)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with path.open("rb") as stream:
            start = stream.read(len(_MAGIC))
    except OSError as error:
        raise _refused(path, f"cannot be written: {error.strerror}. {_ELSEWHERE}") from error
    if start and start != _MAGIC:
        raise _refused(path, f"is in the way and no store. {_ELSEWHERE}")


_DAMAGED = "is damaged. Run the same command again: what can be read is kept, and only what is missing runs."
_ELSEWHERE = "Name another file with --store, or do without one: --no-store."


def _connected(name: str) -> sqlite3.Connection:
    # Not by the thread that opened it alone: callers take turns.
    connection = sqlite3.connect(name, timeout=0, isolation_level=None, check_same_thread=False)
    # Nobody else may have the file until it is closed. Without this a second process would only be slowed down.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    return connection


def _open(path: Path) -> sqlite3.Connection:
    if _is_torn(path):
        raise _DamagedError
    with refusals(path):
        # As a path, whatever it looks like: SQLite gives some names a meaning.
        connection = _connected(str(path.absolute()))
        try:
            _check(connection, path)
            for setting in ("journal_mode = WAL", "synchronous = NORMAL"):
                connection.execute(f"PRAGMA {setting}")
            _migrate(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Take the file; raise unless it is ours and whole."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        ((mark,),) = connection.execute("PRAGMA application_id")
        ((version,),) = connection.execute("PRAGMA user_version")
        ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
        ((pages,),) = connection.execute("PRAGMA page_count")
        ((size,),) = connection.execute("PRAGMA page_size")
        connection.execute("COMMIT")
        if tables and mark != APPLICATION_ID:
            raise _refused(path, f"is in the way: a database of something else. {_ELSEWHERE}")
        if version > len(MIGRATIONS):
            raise _refused(path, f"was written by a later release (form {version}). Use that one. {_ELSEWHERE}")
        if pages * size <= _CHECKED_WHOLE and not _sound(connection):
            raise _DamagedError
    except sqlite3.DatabaseError as error:
        if _is_damage(error):
            raise _DamagedError from error
        raise
    except UnicodeDecodeError as error:
        # Of SQLite's own message, which quotes what it found.
        raise _DamagedError from error


def _is_torn(path: Path) -> bool:
    """Whether a file is shorter than its own header says, unless what lies beside it may hold the rest."""
    beside = Path(f"{path}-wal")
    if beside.exists() and beside.stat().st_size:
        return False
    with path.open("rb") as stream:
        header = stream.read(100)
    # Bytes 16 and 28 on, big-endian: the size of a page, 1 for the largest, and the number of pages.
    size = int.from_bytes(header[16:18], "big")
    return int.from_bytes(header[28:32], "big") * (size if size > 1 else 1 << 16) > path.stat().st_size


def _sound(connection: sqlite3.Connection) -> bool:
    return [row[0] for row in connection.execute("PRAGMA quick_check(1)")] == ["ok"]


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _migrate(connection: sqlite3.Connection, path: Path | None) -> None:
    """Bring the form of the file to the present one, step by step, each as a whole or not at all."""
    ((version,),) = connection.execute("PRAGMA user_version")
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        connection.executescript(
            f"BEGIN; {script}; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number}; COMMIT;"
        )


def _mended(path: Path) -> StoreFile:
    """Set a damaged file aside and go on with a new one that holds what can be read of it.

    The new one is whole before the damaged one makes room, so that nothing is lost whenever this ends.
    """
    whole = Path(f"{path}{_MENDED}")
    _make(whole)
    try:
        connection = _open(whole)
    except _DamagedError:
        # Of a mending that was cut short; the damaged file is still in its place.
        _each_file(os.unlink, whole)
        _make(whole)
        connection = _open(whole)
    kept = {}
    with refusals(path), contextlib.closing(connection), contextlib.closing(_connected(str(path))) as damaged:
        # Otherwise a file that is too short is not read at all.
        damaged.execute("PRAGMA writable_schema = ON")
        damaged.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
        connection.execute("BEGIN")
        for table in ("runs", "versions", "contents", "calls", "scores", "cases", "games"):
            connection.execute(f"DELETE FROM {table}")
            kept[table] = _rescue(damaged, connection, table)
        connection.execute("COMMIT")
    aside = next(free for number in range(1, 10_000) if not (free := Path(f"{path}.damaged-{number}")).exists())
    try:
        _each_file(lambda file: os.replace(file, f"{aside}{str(file).removeprefix(str(path))}"), path)
        _put_in_place(path)
    except OSError as error:
        raise _refused(path, f"is damaged and cannot be set aside: {error.strerror}. {_ELSEWHERE}") from error
    calls, games = kept["calls"], kept["games"]
    told = f"{path}: was damaged. {calls} calls and {games} games of it could be read and are kept; what is missing"
    return StoreFile(path, _open(path), [f"{told} runs again. The damaged file is kept as {aside.name}."])


def _put_in_place(path: Path) -> None:
    """Let a mended file take the place of the damaged one, if that has made room, perhaps when this ended last time."""
    whole = Path(f"{path}{_MENDED}")
    if whole.exists() and not path.exists():
        # What belonged to the damaged file would be taken for the mended one's.
        for ending in _BESIDE:
            Path(f"{path}{ending}").unlink(missing_ok=True)
        os.replace(whole, path)


def _each_file(do: Callable[[Path], object], path: Path) -> None:
    """Do something with a database, and with the files that SQLite keeps beside it, the database first."""
    for ending in ("", *_BESIDE):
        with contextlib.suppress(FileNotFoundError):
            do(Path(f"{path}{ending}"))


def _rescue(damaged: sqlite3.Connection, whole: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table that can be read; return how many."""
    columns = [row[1] for row in whole.execute(f"PRAGMA table_info({table})")]
    listed, places = ", ".join(columns), ", ".join("?" * len(columns))
    last, jump, count, end = -1, 1, 0, _last_row(damaged, table)
    while last < end:
        try:
            rows = damaged.execute(f"SELECT rowid, {listed} FROM {table} WHERE rowid > ? ORDER BY rowid", (last,))
            for rowid, *row in rows:
                if not last < rowid <= end:
                    # A damaged page can lead anywhere; the rest lies behind it.
                    raise sqlite3.DatabaseError("out of order")
                count += whole.execute(f"INSERT OR IGNORE INTO {table} ({listed}) VALUES ({places})", row).rowcount
                last, jump = rowid, 1
            return count
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            # Behind the part that is gone there may be more.
            last, jump = last + jump, 2 * jump
    return count


def _last_row(damaged: sqlite3.Connection, table: str) -> int:
    """Return the number of a table's last row, or one that no row is above."""
    with contextlib.suppress(sqlite3.DatabaseError):
        ((last,),) = damaged.execute(f"SELECT max(rowid) FROM {table}")
        return last or 0
    return 1 << 48


@contextlib.contextmanager
def refusals(path: Path | None) -> Iterator[None]:
    """Turn what SQLite says in a block into a `StoreError` that says what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _BUSY:
            why = "another run is using it. Wait until it ends, or give this one a file of its own with --store."
        elif code == sqlite3.SQLITE_FULL:
            kept = "What was computed before is stored; make room and run the same command again."
            why = f"the disk is full. {kept if path is not None else 'Make room, and keep a store to go on from.'}"
        elif _is_damage(error):
            why = _DAMAGED
        elif code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            why = f"cannot be written: {error}. {_ELSEWHERE}"
        else:
            why = f"cannot be used: {error}. What was stored before is safe. {_ELSEWHERE}"
        raise _refused(path, why) from error
    except UnicodeDecodeError as error:
        raise _refused(path, _DAMAGED) from error


def _refused(path: Path | None, why: str) -> StoreError:
    return StoreError(f"{path or 'the temporary store'}: {why}")
