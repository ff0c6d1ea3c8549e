"""Turns game files with secrets into game files without: the one door through which an analysis hands out its texts.

Every text of a record goes through it, whatever field it stands in, so that a field added later does, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

from analyzer.game_records import CaseGame, GameFile, Header
from analyzer.redaction import Redactor

Record = TypeVar("Record")

# Words of the format itself, digests, and what says which secrets were replaced: no text of the user's.
_FIXED = frozenset(
    {"mode", "kind", "role", "package", "version", "fingerprint", "estimator", "worth", "index", "values", "redacted"}
)
# Fields that name something, which other fields refer to, and what they name.
_NAMES = {"step": "step", "parents": "step", "players": "step", "pipeline": "scenario"}
_ID_OF = {"Scenario": "scenario", "StepInfo": "step", "SeenOutputs": "step", "CaseGame": "case"}


class Redaction:
    """What an analysis makes of secrets: one and the same for everything that is to keep its names apart.

    Parameters
    ----------
    redactor : Redactor
        What is a secret.
    """

    def __init__(self, redactor: Redactor) -> None:
        self.redactor = redactor
        self._names: dict[tuple[str, str], str] = {}
        self._owners: dict[tuple[str, str], str] = {}

    def name(self, kind: str, name: str) -> str:
        """Return a name without secrets; different names of a kind (step, case, scenario) stay different."""
        if (kind, name) not in self._names:
            cleaned = self.redactor.clean(name)
            free, number = cleaned, 1
            while (kind, free) in self._owners:
                number += 1
                free = f"{cleaned} ({number})"
            self._names[kind, name], self._owners[kind, free] = free, name
        return self._names[kind, name]

    def file(self, file: GameFile) -> GameFile:
        """Return a game file without secrets; its header says what was replaced, and how often.

        Worth tables, fingerprints and indices are as they were: outputs that differ in a secret only stay two.
        """
        # A name may be another's by now; no other text changes where nothing is found.
        if not may_hold_secret(file, self.redactor, "[redacted: "):
            return file
        counts = Counter[str]()
        # A name counts once, however many fields refer to it.
        counted = set[tuple[str, str]]()

        def name(kind: str, text: str) -> str:
            if (kind, text) not in counted:
                counted.add((kind, text))
                self.redactor.clean(text, counts)
            return self.name(kind, text)

        def text(text: str) -> str:
            return self.redactor.clean(text, counts)

        header = _walked(file.header, text, name)
        cases = tuple(self._case(case, header, text, name) for case in file.cases)
        told = (*header.redacted, *(f"{kind}: {count}" for kind, count in sorted(counts.items())))
        return GameFile(replace(header, redacted=told), cases)

    def _case(
        self, case: CaseGame, header: Header, text: Callable[[str], str], name: Callable[[str, str], str]
    ) -> CaseGame:
        seed = case.seed.removesuffix(quote(case.id, safe=""))
        # Quotes the reason why a coalition is missing, which counts already.
        cleaned = replace(_walked(replace(case, seed="", withheld=None), text, name), withheld=case.withheld)
        own = seed != case.seed
        cleaned = replace(cleaned, seed=text(seed) + quote(cleaned.id, safe="") if own else text(case.seed))
        if case.withheld is None or cleaned.errors == case.errors:
            return cleaned
        return replace(cleaned, withheld=cleaned.game(header.players).withheld)


def _walked(value: Record, text: Callable[[str], str], name: Callable[[str, str], str], kind: str = "") -> Record:
    """Return a record with all its texts changed, and its names changed by what they name."""
    found: Any = value
    if isinstance(value, str):
        found = name(kind, value) if kind else text(value)
    elif is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _walked(getattr(value, field.name), text, name, _names_what(value, field.name))
            for field in fields(value)
            if field.name not in _FIXED
        }
        found = replace(value, **changed)
    elif isinstance(value, tuple) and value and not isinstance(value[0], int | float):
        found = tuple(_walked(one, text, name, kind) for one in value)
    elif isinstance(value, Mapping):
        found = {key: _walked(one, text, name, kind) for key, one in value.items()}
    return found  # type: ignore[no-any-return]


def _names_what(record: object, field: str) -> str:
    return _ID_OF.get(type(record).__name__, "") if field == "id" else _NAMES.get(field, "")


def may_hold_secret(file: GameFile, redactor: Redactor, *signs: str) -> bool:
    """Whether there may be a secret, or one of some signs, in a game file; looks at all of its texts at once."""
    whole = "\n".join(dict.fromkeys(text for _, text in texts_of(file)))
    # A pattern of the user's may speak of the start and the end of a text.
    return bool(redactor.patterns or redactor.find(whole)) or any(sign in whole for sign in signs)


def texts_of(file: GameFile) -> Iterator[tuple[str, str]]:
    """Yield every text of a game file with the place where it stands, such as ``case 'a1': steps.answer.outputs``."""
    yield from _texts(file.header, "header", "")
    for case in file.cases:
        yield from _texts(case, f"case {case.id!r}", "")


def _texts(value: object, where: str, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield f"{where}: field {path}", value
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            if field.name not in _FIXED:
                yield from _texts(getattr(value, field.name), where, f"{path}.{field.name}" if path else field.name)
    elif isinstance(value, tuple) and value and not isinstance(value[0], int | float):
        for number, one in enumerate(value):
            # A step by its id, which says more than its number.
            inside = getattr(one, "id", number) if is_dataclass(one) else number
            yield from _texts(one, where, f"{path}.{inside}")
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, where, f"{path}.{key}")
