"""Turns a plan into files: the only code that touches the output folder.

A site is written beside its folder and then put in its place, so that a build that is interrupted leaves the old site
whole. A manifest in the folder lists the files that are ours; nothing else in it is ever overwritten or deleted, also
if it comes while a build runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from analyzer.slug import slug
from site_builder.errors import SiteError

try:
    import fcntl
except ImportError:  # Windows, which refuses to rename a folder in use in its own way
    fcntl = None  # type: ignore[assignment]

MANIFEST = "agentblame-site.json"
_MARK = "agentblame/site"
_REPORT_MARK = b'<meta name="generator" content="Agent Blame site builder">'

# What some file system, or a host of static pages, refuses in a name.
_UNSAFE = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$|^_')


def write_site(plan: Mapping[str, bytes], folder: Path) -> None:
    """Write a planned site into a folder; what an earlier build left there and is not planned any more goes.

    Parameters
    ----------
    plan : mapping of str to bytes
        Relative paths, with ``/`` between their parts, and contents.
    folder : Path
        New, empty, or written by an earlier build. Files of others in it stay.

    Raises
    ------
    SiteError
        If the folder is not empty and not ours, a file of somebody else is where one of ours belongs, or the disk
        refuses. The folder is then as it was.

    Notes
    -----
    Of two builds at once each puts a whole site in place; the later one stays.
    """
    for path in plan:
        _check_path(path)
    target = Path(os.path.realpath(folder))
    if target == target.parent:
        raise SiteError(f"{folder}: is the root of a disk. Name a folder in it with --out.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _turn(target):
            _put_right(target)
        _foreign(target, folder, plan)
        if target in (Path.cwd(), *Path.cwd().parents) and target.exists():
            raise SiteError(
                f"{folder}: is the working folder or holds it, so it cannot be replaced. Run this elsewhere."
            )
        with _scratch(target) as scratch:
            new = scratch / "new"
            _fill(new, plan)
            with _turn(target):
                _adopt(target, new, _foreign(target, folder, plan))
                _swap(new, target, scratch / "old", folder)
    except OSError as error:
        what = f"{error.filename or folder}: cannot be written: {error.strerror or error}"
        raise SiteError(f"{what}. Choose another folder with --out.") from error


def write_report(page: bytes, path: Path) -> None:
    """Write a single-file report, all of it or nothing.

    Raises
    ------
    SiteError
        If a file that is no report is in the way, or the disk refuses.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise SiteError(f"{path}: is a folder. Name a file with --out, such as report.html.")
        if target.exists():
            with target.open("rb") as stream:
                if _REPORT_MARK not in stream.read(2048):
                    raise SiteError(f"{path}: is in the way and is not a report. Move it, or name another with --out.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with _scratch(target) as scratch:
            new = scratch / "new"
            new.write_bytes(page)
            if target.exists():
                shutil.copymode(target, new)
            os.replace(new, target)
    except OSError as error:
        what = f"{path}: cannot be written: {error.strerror or error}"
        raise SiteError(f"{what}. Choose another file with --out.") from error


def _check_path(path: str) -> None:
    if any(part in ("", ".", "..") or _UNSAFE.search(part) or _is_device(part) for part in path.split("/")):
        raise SiteError(
            f"{path}: is no file name that every system can hold. This is a fault of the program: report it."
        )


def _is_device(part: str) -> bool:
    """Whether Windows keeps a name for a device, whatever its extension: a short word that is not its own slug."""
    stem = part.split(".")[0].lower()
    return re.fullmatch(r"[a-z]{3}\d?", stem) is not None and slug(stem) != stem


def _beside(target: Path) -> str:
    """Return how the names of scratch folders for a target begin."""
    return f".{slug(target.name)}.agentblame-"


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """Make a folder beside the target that no other process uses, and remove it afterwards.

    What is left in it as ``old`` belongs to somebody, and stays.
    """
    scratch = Path(tempfile.mkdtemp(prefix=_beside(target), dir=target.parent))
    try:
        yield scratch
    finally:
        if not (scratch / "old").exists():
            shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def _turn(target: Path) -> Iterator[None]:
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


def _put_right(target: Path) -> None:
    """Put the old site back if an earlier build ended between the last two steps."""
    if not target.exists():
        scratch = [path for path in target.parent.iterdir() if path.name.startswith(_beside(target))]
        left = [path / "old" for path in scratch if (path / "old").is_dir()]
        if left:
            max(left, key=lambda path: path.stat().st_mtime).rename(target)


def _ours(target: Path, folder: Path) -> frozenset[str] | None:
    """Return the files an earlier build wrote, or None if none did."""
    try:
        content = json.loads((target / MANIFEST).read_text("utf-8"))
        files = content["files"]
        if content["format"] != _MARK or not all(isinstance(path, str) for path in files):
            raise ValueError
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        what = f"{folder / MANIFEST}: is damaged, so it is unknown which files are ours"
        raise SiteError(f"{what}. Choose another folder with --out.") from error
    return frozenset(files) | {MANIFEST}


def _foreign(target: Path, folder: Path, plan: Mapping[str, bytes]) -> list[str]:
    """Return the files and empty folders in the target that are not ours."""
    if target.exists() and not target.is_dir():
        raise SiteError(f"{folder}: is a file. Name a folder with --out.")
    found = _listed(target) if target.is_dir() else []
    ours = _ours(target, folder)
    if ours is None and found:
        raise SiteError(
            f"{folder}: is not empty and was not written by Agent Blame (it has no {MANIFEST}). "
            "Choose another folder with --out, or empty this one."
        )
    foreign = [path for path in found if path not in (ours or ())]
    planned = {*plan, MANIFEST}
    taken = planned | {str(parent) for path in planned for parent in PurePosixPath(path).parents}
    for path in foreign:
        above = {str(parent) for parent in PurePosixPath(path).parents}
        is_folder = (target / path).is_dir() and not (target / path).is_symlink()
        if (path in taken and not is_folder) or above & planned:
            what = f"{folder / path}: is in the way and was not written by Agent Blame"
            raise SiteError(f"{what}. Move it, or choose another folder with --out.")
    return foreign


def _listed(target: Path) -> list[str]:
    """Return all files, symbolic links and empty folders below a folder, as relative paths with ``/``."""
    found = []
    for root, folders, files in os.walk(target):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        names = files + links
        if not names and not folders and Path(root) != target:
            found.append(Path(root).relative_to(target).as_posix())
        found.extend((Path(root) / name).relative_to(target).as_posix() for name in names)
    return sorted(found)


def _fill(new: Path, plan: Mapping[str, bytes]) -> None:
    """Write the planned files and the manifest into a new folder."""
    new.mkdir()
    manifest = {"format": _MARK, "files": sorted(plan)}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    for path, content in {**plan, MANIFEST: text.encode("utf-8")}.items():
        place = new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def _adopt(target: Path, new: Path, foreign: list[str]) -> None:
    """Give what belongs to others a second place in the new folder, and its folders the modes they had."""
    for path in foreign:
        source, place = target / path, new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            os.symlink(os.readlink(source), place)
        elif source.is_dir():
            place.mkdir(exist_ok=True)
        else:
            _link(source, place)
    for root, _, _ in os.walk(new, topdown=False):
        counterpart = target / Path(root).relative_to(new)
        if counterpart.is_dir():
            shutil.copymode(counterpart, root)


def _link(source: Path, place: Path) -> None:
    """Give a file a second name, so that it exists all the time; copy it where the disk has no such thing."""
    try:
        os.link(source, place)
    except OSError:
        shutil.copy2(source, place)


def _swap(new: Path, target: Path, old: Path, folder: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        if not target.exists():
            old.rename(target)
        raise
    _clear(old, target, folder)


def _clear(old: Path, target: Path, folder: Path) -> None:
    """Remove what was ours of an old site; what others put there since it was listed goes into the new one."""
    ours, planned = _ours(old, folder) or frozenset(), _ours(target, folder) or frozenset()
    for path in _listed(old):
        source, place = old / path, target / path
        if path in ours or (os.path.lexists(place) and _is_same(source, place)):
            _remove(source)
        elif path not in planned:
            # What is in the way of one of ours stays where it is, and is named below.
            with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(source, place)
    for root, _, _ in os.walk(old, topdown=False):
        with contextlib.suppress(OSError):
            os.rmdir(root)
    if old.exists():
        raise SiteError(
            f"{old}: holds what somebody put into {folder} while it was built, in the way of the new site, which is "
            "in its place now. Move it to where it belongs."
        )


def _is_same(source: Path, place: Path) -> bool:
    """Whether two places hold one file, the same link, or an empty folder and a folder."""
    if source.is_symlink() or place.is_symlink():
        return source.is_symlink() and place.is_symlink() and os.readlink(source) == os.readlink(place)
    if source.is_dir():
        return place.is_dir()
    return os.path.samefile(source, place)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
