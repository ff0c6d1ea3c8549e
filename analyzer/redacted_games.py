"""Turns game files with secrets into game files without: the one door through which an analysis hands out its texts.

Every text of a record goes through it, whatever field it stands in, so that a field added later does, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

from analyzer.game_records import CaseGame, Counts, GameFile, Header
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

    def opened(self, header: Header) -> FileRedaction:
        """Begin a game file whose cases come one by one."""
        return FileRedaction(self, header)

    def file(self, file: GameFile) -> GameFile:
        """Return a game file without secrets; its header says what was replaced, and how often.

        Worth tables, fingerprints and indices are as they were: outputs that differ in a secret only stay two.
        """
        opened = self.opened(file.header)
        cases = tuple(map(opened.case, file.cases))
        return GameFile(opened.header(file.header.counts, file.header.stopped), cases)


class FileRedaction:
    """What becomes of one game file: its cases as they come, and its header, which says what was replaced, at last."""

    def __init__(self, redaction: Redaction, header: Header) -> None:
        self._redaction = redaction
        self._counts = Counter[str]()
        # A name counts once, however many fields refer to it.
        self._counted = set[tuple[str, str]]()
        self._header: Header = self._walked(replace(header, stopped=""))

    def case(self, case: CaseGame) -> CaseGame:
        """Return a case without secrets."""
        seed = case.seed.removesuffix(quote(case.id, safe=""))
        # Quotes the reason why a coalition is missing, which counts already.
        cleaned = self._walked(replace(case, seed="", withheld=None))
        own = seed != case.seed
        redacted_seed = self._text(seed) + quote(cleaned.id, safe="") if own else self._text(case.seed)
        cleaned = replace(cleaned, seed=redacted_seed, withheld=case.withheld)
        if case.withheld is None or cleaned.errors == case.errors:
            return cleaned
        return replace(cleaned, withheld=cleaned.game(self._header.players).withheld)

    def header(self, counts: Counts, stopped: str) -> Header:
        """Return the header, once all cases went through."""
        stopped = self._text(stopped)
        told = (*self._header.redacted, *(f"{kind}: {count}" for kind, count in sorted(self._counts.items())))
        return replace(self._header, counts=counts, stopped=stopped, redacted=told)

    def _walked(self, record: Record) -> Record:
        # A name may be another's by now; no other text changes where nothing is found.
        texts = (text for _, text in _texts(record, "", ""))
        if not _may_hold(texts, self._redaction.redactor, "[redacted: "):
            return record
        return _walked(record, self)

    def name(self, kind: str, text: str) -> str:
        """Return a name without secrets."""
        if (kind, text) not in self._counted:
            self._counted.add((kind, text))
            self._redaction.redactor.clean(text, self._counts)
        return self._redaction.name(kind, text)

    def _text(self, text: str) -> str:
        return self.text(text) if text else text

    def text(self, text: str) -> str:
        """Return any other text without secrets."""
        return self._redaction.redactor.clean(text, self._counts)


def _walked(value: Record, door: FileRedaction, kind: str = "") -> Record:
    """Return a record with all its texts changed, and its names changed by what they name."""
    found: Any = value
    if isinstance(value, str):
        found = door.name(kind, value) if kind else door.text(value)
    elif is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: _walked(getattr(value, field.name), door, _names_what(value, field.name))
            for field in fields(value)
            if field.name not in _FIXED
        }
        found = replace(value, **changed)
    elif isinstance(value, tuple) and value and not isinstance(value[0], int | float):
        found = tuple(_walked(one, door, kind) for one in value)
    elif isinstance(value, Mapping):
        found = {key: _walked(one, door, kind) for key, one in value.items()}
    return found  # type: ignore[no-any-return]


def _names_what(record: object, field: str) -> str:
    return _ID_OF.get(type(record).__name__, "") if field == "id" else _NAMES.get(field, "")


def may_hold_secret(file: GameFile, redactor: Redactor, *signs: str) -> bool:
    """Whether there may be a secret, or one of some signs, in a game file; looks at all of its texts at once."""
    return _may_hold((text for _, text in texts_of(file)), redactor, *signs)


def _may_hold(texts: Iterable[str], redactor: Redactor, *signs: str) -> bool:
    whole = "\n".join(dict.fromkeys(texts))
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
