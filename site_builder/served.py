"""Turns a built folder, or sources that change, into a site to serve: its files, and a name for each state of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from analyzer.game_file import GameFileError
from analyzer.settings import SettingsError
from site_builder.errors import SiteError
from site_builder.manifest import MANIFEST

INDEX = "index.html"

# What tells one content of a file from another without reading it; None for a file that is not there.
Looks = dict[Path, tuple[int, int, int] | None]

# Seconds between two looks at the sources. What changed is built once two looks in a row see the same.
_INTERVAL = 0.2


@dataclass(frozen=True)
class State:
    """Which build is served, and why a later one failed; blank if none did."""

    built: str
    problem: str = ""


class Served(Protocol):
    """A site to serve, which may become another at any time."""

    def state(self) -> State:
        """Return what is served now."""
        ...

    def file(self, path: str) -> tuple[bytes, str] | None:
        """Return the bytes of a file and the build they are of; None if there is no such file."""
        ...


class BuiltFolder:
    """A folder that `build` wrote, and may write again."""

    def __init__(self, folder: Path) -> None:
        if not (folder / INDEX).is_file():
            raise SiteError(
                f"{folder}: holds no {INDEX}, so it is no site, and no game files either. Build a site first: "
                f"`agentblame build games/ --out {folder}`."
            )
        # The folder is looked up by name each time: a rebuild puts another in its place.
        self._folder = os.path.abspath(folder)
        self._last = ""

    def state(self) -> State:
        """Return the state of the folder; while a build puts another in its place, that before."""
        found = _looks([Path(self._folder, INDEX), Path(self._folder, MANIFEST)])
        if next(iter(found.values())) is not None:
            self._last = hashlib.sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()
        return State(self._last)

    def file(self, path: str) -> tuple[bytes, str] | None:
        """Return a file of the folder; what leads out of it, links followed, or may never end, is none."""
        # Read after its state is named: at worst a page that is new already is loaded once more.
        built = self.state().built
        root = os.path.realpath(self._folder)
        try:
            place = os.path.realpath(os.path.join(root, path))
            inside = os.path.commonpath((root, place)) == root
            return (Path(place).read_bytes(), built) if inside and os.path.isfile(place) else None
        except (OSError, ValueError):
            return None


class LiveSite:
    """A site built in memory, and built again when its sources change; the last that could be built is served.

    Parameters
    ----------
    build : callable
        Returns the plan of the site; what it raises the first time is the caller's.
    sources : callable
        Returns the files it is built from, also those that are not there.
    say : callable
        Takes what happened, in a sentence.
    """

    def __init__(
        self,
        build: Callable[[], Mapping[str, bytes]],
        sources: Callable[[], Iterable[Path]],
        say: Callable[[str], None],
    ) -> None:
        self._build, self._sources, self._say = build, sources, say
        self._seen = _looks(sources())
        plan = build()
        self._now = (plan, State(_digest(plan)))

    def state(self) -> State:
        """Return which build is served, and why a later one failed."""
        return self._now[1]

    def file(self, path: str) -> tuple[bytes, str] | None:
        """Return a file of the plan."""
        plan, state = self._now
        return (plan[path], state.built) if path in plan else None

    def follow(self, end: threading.Event) -> None:
        """Build again whenever the sources have changed and then stayed the same for a moment, until `end` is set."""
        changing = None
        while not end.wait(_INTERVAL):
            found = self._look()
            if found is not None and found != self._seen and found == changing:
                # Taken note of before it is built: what changes meanwhile is built next.
                self._seen = found
                self._build_again()
            changing = found

    def _look(self) -> Looks | None:
        """Look at the sources; None while folders are being moved about."""
        try:
            return _looks(self._sources())
        except (OSError, SiteError):
            return None

    def _build_again(self) -> None:
        plan, state = self._now
        try:
            plan = self._build()
            state = State(_digest(plan))
            told = "Built again."
        except Exception as error:
            known = isinstance(error, SiteError | SettingsError | GameFileError)
            what = str(error) if known else f"{type(error).__name__}: {error}"
            state = State(state.built, what)
            told = f"Error: {what}"
        self._now = (plan, state)
        # A terminal that was closed ends no server.
        with contextlib.suppress(OSError):
            self._say(told)


def _looks(paths: Iterable[Path]) -> Looks:
    return {path: _look(path) for path in paths}


def _look(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _digest(plan: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in plan.items():
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
