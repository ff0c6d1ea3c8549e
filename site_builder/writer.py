"""Turns a plan into files: the only code that touches the output folder.

A site is written beside its folder and then put in its place, so that a build that is interrupted leaves the old site
whole. A manifest in the folder lists the files that are ours; nothing else in it is ever overwritten or deleted, also
if it comes while a build runs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from analyzer.slug import slug
from site_builder.errors import SiteError
from site_builder.manifest import MANIFEST, REPORT_MARK, manifest, written_files
from site_builder.scratch import OLD, abandoned, scratch_beside, turn

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
        with turn(target):
            _put_right(target, folder)
            _foreign(target, folder, plan)
        if target in (Path.cwd(), *Path.cwd().parents) and target.exists():
            raise SiteError(
                f"{folder}: is the working folder or holds it, so it cannot be replaced. Run this elsewhere."
            )
        with scratch_beside(target) as scratch:
            new = scratch / "new"
            _fill(new, plan)
            with turn(target):
                _adopt(target, new, _foreign(target, folder, plan))
                _swap(new, target, scratch / OLD, folder)
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
                if REPORT_MARK not in stream.read(2048):
                    raise SiteError(f"{path}: is in the way and is not a report. Move it, or name another with --out.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch_beside(target) as scratch:
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


def _put_right(target: Path, folder: Path) -> None:
    """End what a build left that was killed: its old site goes back if no new one is in its place, else it goes."""
    if not target.exists():
        # One without its manifest was cleared but for what belongs to others, and is no site.
        sites = [scratch / OLD for scratch in abandoned(target, surely=False) if _is_ours(scratch / OLD)]
        if sites:
            max(sites, key=lambda old: old.stat().st_mtime).rename(target)
    if _is_ours(target):
        for scratch in abandoned(target, surely=True):
            if _is_ours(scratch / OLD):
                _clear(scratch / OLD, target, folder)


def _is_ours(folder: Path) -> bool:
    try:
        return _ours(folder, folder) is not None
    except (SiteError, OSError):
        return False


def _ours(target: Path, folder: Path) -> frozenset[str] | None:
    """Return the files an earlier build wrote, or None if none did."""
    try:
        return written_files(target)
    except ValueError as error:
        what = f"{folder / MANIFEST}: is damaged, so it is unknown which files are ours"
        raise SiteError(f"{what}. Choose another folder with --out.") from error


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
    """Return all files, symbolic links and empty folders below a folder, as relative paths with ``/``.

    Raises
    ------
    OSError
        If a folder in it cannot be read or changed: what it holds could not be kept, or not be taken away.
    """

    def refused(error: OSError) -> None:
        raise error

    found = []
    for root, folders, files in os.walk(target, onerror=refused):
        if not os.access(root, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), root)
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        names = files + links
        if not names and not folders and Path(root) != target:
            found.append(Path(root).relative_to(target).as_posix())
        found.extend((Path(root) / name).relative_to(target).as_posix() for name in names)
    return sorted(found)


def _fill(new: Path, plan: Mapping[str, bytes]) -> None:
    """Write the planned files and the manifest into a new folder."""
    new.mkdir()
    for path, content in {**plan, MANIFEST: manifest(plan)}.items():
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
    try:
        _clear(old, target, folder)
    except OSError as error:
        what = f"{error.filename or old}: cannot be removed: {error.strerror or error}"
        raise SiteError(f"{what}. The new site is in place in {folder}; remove {old} by hand.") from error


def _clear(old: Path, target: Path, folder: Path) -> None:
    """Remove what was ours of an old site; what others put there since it was listed goes into the new one."""
    ours, planned = _ours(old, folder) or frozenset(), _ours(target, folder) or frozenset()
    for path in _listed(old):
        source, place = old / path, target / path
        if path == MANIFEST:
            continue
        if path in ours or (os.path.lexists(place) and _is_same(source, place)):
            _remove(source)
        elif path not in planned:
            # What is in the way of one of ours stays where it is, and is named below.
            with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
                place.parent.mkdir(parents=True, exist_ok=True)
                os.replace(source, place)
    for root, _, _ in os.walk(old, topdown=False):
        # Last: as long as there is anything else of ours, the manifest says what.
        if Path(root) == old:
            (old / MANIFEST).unlink(missing_ok=True)
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
