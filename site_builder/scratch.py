"""Turns a file or folder that is to be replaced into a place of one's own beside it, and into turns at replacing it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from analyzer.slug import slug

try:
    import fcntl
except ImportError:  # Windows, which refuses to rename a folder in use in its own way
    fcntl = None  # type: ignore[assignment]

#: What a scratch folder holds under this name was in use, and may hold what belongs to others.
OLD = "old"


@contextlib.contextmanager
def scratch_beside(target: Path) -> Iterator[Path]:
    """Make a folder beside the target that no other process uses, and remove it afterwards, with those of dead ones.

    What is left in it as `OLD` belongs to somebody, and stays.
    """
    # In turn, so that nobody finds it before it is held.
    with turn(target):
        for left in _beside(target):
            if _is_dead(left):
                _remove(left)
        scratch = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
        handle = _hold(scratch)
    try:
        yield scratch
    finally:
        _remove(scratch)
        if handle is not None:
            os.close(handle)


@contextlib.contextmanager
def turn(target: Path) -> Iterator[None]:
    """Wait until no other build is changing places beside the target; a process that dies ends its turn."""
    if fcntl is None:
        yield
        return
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        # A disk that knows no locks is as good as one with a single build.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def abandoned(target: Path, surely: bool) -> list[Path]:
    """Return the scratch folders that hold something as `OLD` and whose process died; to be called in a turn.

    Parameters
    ----------
    target : Path
    surely : bool
        Leave out those of which no lock says whether their process lives.
    """
    return [scratch for scratch in _beside(target) if _is_dead(scratch, not surely) and (scratch / OLD).is_dir()]


def _remove(scratch: Path) -> None:
    """Remove a scratch folder, unless it holds something as `OLD`."""
    with contextlib.suppress(OSError):
        (scratch / OLD).rmdir()
    if not (scratch / OLD).exists():
        shutil.rmtree(scratch, ignore_errors=True)


def _beside(target: Path) -> list[Path]:
    """Return the scratch folders for a target."""
    found = [path for path in target.parent.iterdir() if path.name.startswith(_prefix(target))]
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def _prefix(target: Path) -> str:
    return f".{slug(target.name)}.agentblame-"


def _is_dead(scratch: Path, unknown: bool = False) -> bool:
    """Whether the process that made a scratch folder has ended; `unknown` where no lock says so."""
    try:
        handle = _hold(scratch)
    except OSError:
        # In use, or somebody else's.
        return False
    if handle is None:
        return unknown
    os.close(handle)
    return True


def _hold(scratch: Path) -> int | None:
    """Lock a scratch folder until the process ends; None where there are no locks.

    Raises
    ------
    BlockingIOError
        If another process holds it.
    """
    if fcntl is None:
        return None
    handle = os.open(scratch, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        os.close(handle)
        return None
    return handle
