"""Turns the bundled corpus file into passages with their facts, and questions with the one fact that answers each.

In the file a fact is marked where it stands, by what one asks for it with: "it opened to ships in [when: 1869]".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True)
class Fact:
    """A phrase that could be an answer.

    Attributes
    ----------
    text : str
    kind : str
        What one asks for it with: who, when, where, how much or what.
    sentence : str
        In which it stands.
    """

    text: str
    kind: str
    sentence: str


@dataclass(frozen=True)
class Passage:
    """An article of the encyclopaedia.

    Attributes
    ----------
    title, topic : str
    sentences : tuple of str
    facts : tuple of Fact
        In the order of the text.
    known_for : str
        Words that people use for its subject when they do not name it, as a language model knows them.
    """

    title: str
    topic: str
    sentences: tuple[str, ...]
    facts: tuple[Fact, ...]
    known_for: str

    @property
    def text(self) -> str:
        """The sentences in one."""
        return " ".join(self.sentences)


@dataclass(frozen=True)
class Question:
    """A question, the fact that answers it, and the passage that holds the fact.

    Attributes
    ----------
    id, ask, answer, title : str
    style : str
        ``named``: it names its subject. ``described``: it speaks of it in other words. ``rambling``: so it does, and
        talks of something else first.
    """

    id: str
    ask: str
    answer: str
    title: str
    style: str


_FACT = re.compile(r"\[([a-z ]+): ([^\]]+)\]")
_RECORDS = json.loads(resources.files("analyzer.scenarios").joinpath("stochastic_rag_corpus.json").read_text("utf-8"))


def _passage(record: Mapping[str, Any]) -> Passage:
    marked: list[str] = record["sentences"]
    sentences = tuple(_FACT.sub(r"\2", sentence) for sentence in marked)
    facts = tuple(
        Fact(text, kind, sentence)
        for sentence, source in zip(sentences, marked, strict=True)
        for kind, text in _FACT.findall(source)
    )
    return Passage(record["title"], record["topic"], sentences, facts, record["known_for"])


#: By title, in the order of the file.
PASSAGES: Mapping[str, Passage] = {record["title"]: _passage(record) for record in _RECORDS}

QUESTIONS: tuple[Question, ...] = tuple(
    Question(question["id"], question["ask"], question["answer"], record["title"], question["style"])
    for record in _RECORDS
    for question in record["questions"]
)
