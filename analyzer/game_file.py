"""Turns games into JSON Lines files and such files back into games, each file whole or not at all.

One file holds one scenario under one noise mode: a header line, then one line per failing case. Equal games are equal
files.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from analyzer.game_file_checks import check_arithmetic, check_structure
from analyzer.game_lines import (
    SCHEMA_ID,
    SCHEMA_VERSION,
    GameFileError,
    case_line,
    case_of,
    dump_line,
    header_line,
    header_of,
    schema,
)
from analyzer.game_records import (
    MODES,
    SUFFIX,
    CaseGame,
    CoalitionError,
    Counts,
    FixInfo,
    GameFile,
    Header,
    Output,
    SampledValues,
    Scenario,
    ScoreInfo,
    SeenOutputs,
    Shown,
    StepInfo,
    case_verdict,
    figures_of,
    file_name,
)

__all__ = [
    "MODES", "SCHEMA_ID", "SCHEMA_VERSION", "SUFFIX", "CaseGame", "CoalitionError", "Counts", "FixInfo", "GameFile",
    "GameFileError", "Header", "Output", "SampledValues", "Scenario", "ScoreInfo", "SeenOutputs", "Shown", "StepInfo",
    "case_verdict", "check_arithmetic", "check_together", "dump_line", "dumps", "figures_of", "file_name", "make_ready",
    "read", "read_folder", "schema", "write", "write_streamed",
]  # fmt: skip

_LONGEST_HEADER = 1 << 24


def dumps(file: GameFile) -> str:
    """Write a whole game file as text."""
    return "".join((header_line(file.header), *map(case_line, file.cases)))


def make_ready(folder: Path, expected: Iterable[tuple[str, str]]) -> None:
    """Make sure that game files can be written, before anything is spent on computing them.

    Parameters
    ----------
    folder : Path
        Made if it is missing.
    expected : iterable of (str, str)
        Scenario id and mode of the files to come.

    Raises
    ------
    GameFileError
        If the folder cannot be written, or a name is taken by something else than a game file of that scenario.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from error
    for scenario, mode in expected:
        path = folder / file_name(scenario, mode)
        if os.path.lexists(path):
            _refuse_foreign(path, scenario)


def write(file: GameFile, folder: Path) -> Path:
    """Write a game file into a folder, all of it or nothing.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    GameFileError
        As `make_ready`.
    """
    return write_streamed(file.header.scenario.id, file.header.mode, folder, file.cases, lambda: file.header)


def write_streamed(
    scenario: str, mode: str, folder: Path, cases: Iterable[CaseGame], header: Callable[[], Header]
) -> Path:
    """Write a game file whose cases come one by one, and whose header is known when all of them came.

    Parameters
    ----------
    scenario, mode : str
        The header's.
    folder : Path
    cases : iterable of CaseGame
    header : callable
        Called after the last case.

    Returns
    -------
    Path
        The file written, all of it or nothing.

    Raises
    ------
    GameFileError
        As `make_ready`.
    """
    make_ready(folder, [(scenario, mode)])
    path = folder / file_name(scenario, mode)
    try:
        with tempfile.TemporaryFile("w+b", dir=folder) as body:
            body.writelines(case_line(case).encode() for case in cases)
            handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=folder)
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(header_line(header()).encode())
                    body.seek(0)
                    shutil.copyfileobj(body, stream)
                # mkstemp makes the file private; a game file is meant to be handed on like any other file.
                os.chmod(name, 0o666 & ~_umask())
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def _unwritable(path: Path, error: OSError) -> GameFileError:
    reason = error.strerror or str(error)
    return GameFileError(f"{path}: cannot be written: {reason}. Choose another folder with --out.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refuse_foreign(path: Path, scenario: str) -> None:
    """Raise unless a file is a game file of a scenario, so that nothing else is ever overwritten."""
    header: object = None
    if path.is_file():
        try:
            with path.open("rb") as stream:
                header = json.loads(stream.readline(_LONGEST_HEADER))
        except OSError as error:
            raise _unreadable(path, error) from error
        except (ValueError, RecursionError):
            header = None
    found = header.get("scenario") if isinstance(header, dict) and header.get("schema") == SCHEMA_ID else None
    if not isinstance(found, dict) or found.get("id") != scenario:
        what = "is not a game file" if found is None else "holds another scenario"
        raise GameFileError(f"{path}: is in the way and {what}. Move it, or choose another folder with --out.")


def _unreadable(path: Path, error: OSError) -> GameFileError:
    return GameFileError(f"{path}: cannot be read: {error.strerror}.")


def read(path: Path) -> GameFile:
    """Read and check one game file.

    Raises
    ------
    GameFileError
        If the file is missing, torn, of another schema version, or does not satisfy the schema; the message names
        the line and the field.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise GameFileError(f"{path}: is not UTF-8 text (byte {error.start}). Is it a game file?") from error
    if text and not text.endswith("\n"):
        raise GameFileError(
            f"{path}: the last line is cut short. Copy the file again, or run `agentblame analyze` again."
        )
    # str.splitlines would also split at U+2028 and other characters that JSON strings may hold.
    lines = text.split("\n")[:-1]
    if not lines:
        raise GameFileError(f"{path}: is empty. Run `agentblame analyze` again.")
    header = header_of(lines[0], path)
    cases = tuple(case_of(line, path, number) for number, line in enumerate(lines[1:], 2))
    file = GameFile(header, cases)
    problem = next(iter(check_structure(file)), None)
    if problem is not None:
        raise GameFileError(f"{path}: {problem}.")
    return file


def read_folder(folder: Path) -> list[GameFile]:
    """Read every game file of a folder (or the one file named), by name.

    Raises
    ------
    GameFileError
        If there is none, one cannot be read, or two hold the same scenario and mode.
    """
    if folder.is_file():
        return [read(folder)]
    paths = sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not paths:
        what = "holds no game files" if folder.is_dir() else "does not exist"
        out = folder.parent if folder.name.endswith(SUFFIX) else folder
        raise GameFileError(f"{folder}: {what}. Make some with `agentblame analyze SCENARIO --out {out}`.")
    files = [read(path) for path in paths]
    problem = next(check_together(dict(zip(paths, files, strict=True))), None)
    if problem is not None:
        raise GameFileError(problem)
    return files


def check_together(files: Mapping[Path, GameFile]) -> Iterator[str]:
    """Yield why files, each in order by itself, cannot stand side by side on one page."""
    modes: dict[tuple[str, str], Path] = {}
    firsts: dict[str, Path] = {}
    for path, file in files.items():
        header = file.header
        scenario = header.scenario.id
        twin = modes.setdefault((scenario, header.mode), path)
        if twin is not path:
            yield f"{path}: holds scenario {scenario!r}, mode {header.mode}, as {twin.name} does. Remove one of them."
        first = files[firsts.setdefault(scenario, path)].header
        if (header.fingerprint, header.seed, header.delta) != (first.fingerprint, first.seed, first.delta):
            yield (
                f"{path}: was made with other code, another seed or another delta than {firsts[scenario].name}. "
                "Run `agentblame analyze` again for all modes, or remove one of them."
            )
