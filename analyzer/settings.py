"""Turns `agentblame.toml` into the settings of whoever uses this, with each name in it checked."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE_NAME = "agentblame.toml"

#: The tables a settings file may hold; who uses one says which fields it has.
TABLES = ("redact", "site")

# What a field may hold, by the Python type that stands for it.
_KINDS = {str: "a text", bool: "true or false", list: "a list of texts", dict: "a table of texts"}


class SettingsError(ValueError):
    """Settings that cannot be used; the message names the file, the table, the field and what is allowed."""


@dataclass(frozen=True)
class Settings:
    """The tables of a settings file.

    Parameters
    ----------
    path : Path or None
        The file, or None where there is none, and all is as it is by default.
    tables : mapping of str to mapping
        By name, as the file has them.
    """

    path: Path | None = None
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def table(self, name: str, fields: Mapping[str, type]) -> Mapping[str, Any]:
        """Return a table; empty where the file has none of that name.

        Parameters
        ----------
        name : str
            One of `TABLES`.
        fields : mapping of str to type
            Every field it may have: ``str``, ``bool``, ``list`` (of texts) or ``dict`` (of texts by name).

        Raises
        ------
        SettingsError
            If it has another field, or a field holds something else.
        """
        found = self.tables.get(name, {})
        for key, value in found.items():
            if key not in fields:
                raise self.refused(name, key, _unknown(key, fields))
            if not _is(value, fields[key]):
                raise self.refused(name, key, f"is not {_KINDS[fields[key]]}")
        return found

    def refused(self, table: str, key: str, why: str) -> SettingsError:
        """Return the error that a field cannot be used, for the caller to raise; `why` is a clause without a period."""
        return SettingsError(f"{self.path}: table [{table}], field {key}: {why}.")

    def place(self, name: str) -> Path:
        """Return the file or folder a field names: from the folder of the settings file, wherever one works."""
        return (self.path.parent if self.path is not None else Path()) / name


def read_settings(named: Path | None = None) -> Settings:
    """Return the settings in a file, or in `agentblame.toml` in the working folder if it is there.

    Parameters
    ----------
    named : Path, optional
        A file that was asked for, which must exist.

    Raises
    ------
    SettingsError
        If the file cannot be read, is not TOML, or holds anything but the tables there are.
    """
    path = named or Path(FILE_NAME)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        if named is None:
            return Settings()
        raise SettingsError(f"{path}: there is no such file. Name another with --config, or leave it away.") from error
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: is not TOML: {error}.") from error
    except RecursionError as error:
        raise SettingsError(f"{path}: is nested too deeply.") from error
    for name, table in tables.items():
        if name not in TABLES:
            what = f"table [{name}]" if isinstance(table, dict) else f"field {name}"
            raise SettingsError(f"{path}: {what}: {_unknown(name, [f'[{one}]' for one in TABLES])}.")
        if not isinstance(table, dict):
            raise SettingsError(f"{path}: {name}: is not a table. Write [{name}] in a line of its own.")
    return Settings(path, tables)


def _unknown(name: str, known: Collection[str]) -> str:
    """Return that a name is unknown, what is known, and the one that was probably meant."""
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    return f"is unknown{meant} (known: {', '.join(sorted(known))})"


def _is(value: object, kind: type) -> bool:
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if kind is dict:
        return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return isinstance(value, kind)
