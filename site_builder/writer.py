"""Turns a plan into files: the only code that touches the output folder.

A site is written beside its folder and then put in its place, so that a build that is interrupted leaves the old site
whole. A manifest in the folder lists the files that are ours; nothing else in it is ever overwritten or deleted.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from site_builder.errors import SiteError

MANIFEST = "agentblame-site.json"
_MARK = "agentblame/site"
_REPORT_MARK = b'<meta name="generator" content="Agent Blame site builder">'

# What some file system, or a host of static pages, refuses in a name.
_UNSAFE = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$|^_|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE)


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
    """
    for path in plan:
        _check_path(path)
    target = Path(os.path.realpath(folder))
    old, new = (target.with_name(f".{target.name}.agentblame-{state}") for state in ("old", "new"))
    try:
        if old.exists() and not target.exists():
            # An earlier build ended between its last two steps.
            old.rename(target)
        foreign = _foreign(target, folder, plan)
        if target in (Path.cwd(), *Path.cwd().parents) and target.exists():
            raise SiteError(
                f"{folder}: is the working folder or holds it, so it cannot be replaced. Run this elsewhere."
            )
        try:
            _fill(new, plan, target, foreign)
            _swap(new, target, old)
        finally:
            shutil.rmtree(new, ignore_errors=True)
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
    scratch = path.with_name(f".{path.name}.agentblame-new")
    try:
        if path.is_dir():
            raise SiteError(f"{path}: is a folder. Name a file with --out, such as report.html.")
        if path.exists():
            with path.open("rb") as stream:
                if _REPORT_MARK not in stream.read(2048):
                    raise SiteError(f"{path}: is in the way and is not a report. Move it, or name another with --out.")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            scratch.write_bytes(page)
            os.replace(scratch, path)
        finally:
            scratch.unlink(missing_ok=True)
    except OSError as error:
        what = f"{path}: cannot be written: {error.strerror or error}"
        raise SiteError(f"{what}. Choose another file with --out.") from error


def _check_path(path: str) -> None:
    if any(part in ("", ".", "..") or _UNSAFE.search(part) for part in path.split("/")):
        raise SiteError(
            f"{path}: is no file name that every system can hold. This is a fault of the program: report it."
        )


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


def _fill(new: Path, plan: Mapping[str, bytes], target: Path, foreign: list[str]) -> None:
    """Write the planned files, the manifest and what belongs to others into a new folder."""
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    manifest = {"format": _MARK, "files": sorted(plan)}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    for path, content in {**plan, MANIFEST: text.encode("utf-8")}.items():
        place = new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    for path in foreign:
        source, place = target / path, new / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            os.symlink(os.readlink(source), place)
        elif source.is_dir():
            place.mkdir(exist_ok=True)
        else:
            _link(source, place)


def _link(source: Path, place: Path) -> None:
    """Give a file a second name, so that it exists all the time; copy it where the disk has no such thing."""
    try:
        os.link(source, place)
    except OSError:
        shutil.copy2(source, place)


def _swap(new: Path, target: Path, old: Path) -> None:
    if not target.exists():
        new.rename(target)
        return
    shutil.rmtree(old, ignore_errors=True)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
