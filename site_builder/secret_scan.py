"""Turns what is about to become public into the secrets in it: by our own patterns, and by a maintained scanner's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from analyzer.game_file import GameFile
from analyzer.redacted_games import may_hold_secret, texts_of
from analyzer.redaction import Found, Redactor, excerpt
from analyzer.secret_kinds import is_ordinary
from site_builder.errors import SiteError

# Kinds of the scanner's that are left away: what merely looks random, and addresses, which are no secrets.
_LEFT_AWAY = ("HighEntropy", "IPPublic")
# Its patterns are run on pieces, since some take quadratic time; pieces overlap by more than a secret has.
_PIECE, _OVERLAP = 1 << 13, 1 << 9
_KEYWORD = re.compile(r"key|pass|pwd|secret|contrase", re.IGNORECASE)
_MOST_WORDS = 4
#: Secrets that are named where a site is refused.
LISTED = 5


def refuse_secrets(files: Iterable[GameFile], redactor: Redactor) -> None:
    """Make sure that no secret goes into a site.

    Raises
    ------
    SiteError
        If a game file holds one: it was written by another tool, by an earlier release, or where less was known to be
        secret.
    """
    told: list[str] = []
    for file in files:
        # Most hold none, and then nobody needs to know where.
        if not may_hold_secret(file, redactor):
            continue
        for place, text in texts_of(file):
            found = redactor.find(text)
            for number, one in enumerate(found):
                where = f"scenario {file.header.scenario.id!r}, {file.header.mode}, {place}"
                told.append(f"{redactor.clean(where)}: {one.kind}: {excerpt(text, found, number)}")
    _refuse("the game files", told, "Run `agentblame analyze` again, which redacts")


def refuse_secrets_in_words(texts: Mapping[str, str], redactor: Redactor) -> None:
    """Make sure that no secret stands in what the settings add to a site, by where that comes from.

    Raises
    ------
    SiteError
        If one does.
    """
    told = []
    for place, text in texts.items():
        found = redactor.find(text)
        told += [f"{redactor.clean(place)}: {one.kind}: {excerpt(text, found, k)}" for k, one in enumerate(found)]
    _refuse("what the settings add to the pages", told, "Take them out")


def _refuse(where: str, told: Sequence[str], remedy: str) -> None:
    """Raise if a secret was found, naming the first ones and what to do."""
    if told:
        more = [f"and {len(told) - LISTED} more"] if len(told) > LISTED else []
        listed = "\n  ".join([f"secrets in {where}", *told[:LISTED], *more])
        raise SiteError(
            f"{listed}\nNothing was written. {remedy}; [redact] in agentblame.toml says what else is a secret, or is "
            "none."
        )


@dataclass(frozen=True)
class Scanner:
    """What looks for secrets.

    Parameters
    ----------
    redactor : Redactor
    detectors : tuple of (str, callable)
        By kind, what yields the secrets of that kind in a piece of text.
    version : str
        Of detect-secrets; empty where it is not installed.
    """

    redactor: Redactor
    detectors: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = ()
    version: str = ""

    def find(self, text: str) -> list[Found]:
        """Return the secrets in a text, from its start; none overlaps the next."""
        found = self.redactor.find(text)
        for kind, start, end in self._detected(text):
            if not any(one.start < end and start < one.end for one in found):
                found.append(Found(kind, start, end))
        return sorted(found, key=lambda one: one.start)

    def _detected(self, text: str) -> Iterator[tuple[str, int, int]]:
        if not self.detectors:
            return
        for first in range(0, max(len(text) - _OVERLAP, 1), _PIECE - _OVERLAP):
            piece = text[first : first + _PIECE]
            for kind, detect in self.detectors:
                for secret in detect(piece):
                    place = piece.find(secret)
                    # What stands in place of a secret is none.
                    if place >= 0 and "[redacted" not in piece[max(0, place - 10) : place + len(secret)]:
                        yield kind, first + place, first + place + len(secret)


def scanner(redactor: Redactor) -> Scanner:
    """Return a scanner with our own patterns and, where it is installed, the detectors of detect-secrets."""
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.filters import heuristic
    except ImportError:
        return Scanner(redactor)
    unlikely = (
        heuristic.is_sequential_string,
        heuristic.is_potential_uuid,
        heuristic.is_templated_secret,
        heuristic.is_prefixed_with_dollar_sign,
        heuristic.is_not_alphanumeric_string,
    )

    def likely(secret: str) -> bool:
        return bool(secret) and not any(is_unlikely(secret) for is_unlikely in unlikely)

    detectors = []
    kinds: dict[str, Any] = dict(get_mapping_from_secret_type_to_class())
    for kind, detector in sorted(kinds.items()):
        name = detector.__name__
        if not any(left in name for left in _LEFT_AWAY):
            find = _by_keyword(detector()) if name == "KeywordDetector" else detector().analyze_string
            detectors.append((f"{kind} (detect-secrets)", _likely_only(find, likely)))
    return Scanner(redactor, tuple(detectors), metadata.version("detect-secrets"))


def _likely_only(find: Any, likely: Callable[[str], bool]) -> Callable[[str], Iterator[str]]:
    return lambda piece: (secret for secret in find(piece) if likely(secret))


def _by_keyword(detector: Any) -> Callable[[str], Iterator[str]]:
    """Return what finds values of names that sound secret; prose and code that only passes a secret on are none."""

    def find(piece: str) -> Iterator[str]:
        for line in piece.split("\n"):
            if _KEYWORD.search(line):
                for value in detector.analyze_string(line):
                    if len(value.split()) <= _MOST_WORDS and not is_ordinary(value.strip()):
                        yield value

    return find
