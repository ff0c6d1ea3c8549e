"""A support assistant quotes last year's refund window: planner → retriever → writer → reviewer.

The planner asks for "the refund window" without saying as of when, the retriever ranks a superseded policy first, the
writer repeats it without a source, and the reviewer lets it pass. Each step has a fix. In mechanism A the reviewer's
fix re-checks *cited* claims only, so it helps only together with the writer's; in mechanism B it re-checks every claim.
No step draws noise: one run of each distinct call says everything.
"""

from __future__ import annotations

import re
from typing import Any

from analyzer.pipeline import Case, Fix, Pipeline, Score, Step, text_diff

Document = dict[str, Any]

DOCUMENTS: tuple[Document, ...] = (
    {
        "id": "refunds-2024",
        "title": "Refund policy, 2024 edition",
        "effective": 2024,
        "superseded": 2026,
        "topic": "refund window",
        "text": "Refund window: you may return an item for a full refund within 30 days of delivery. "
        "The refund goes back to the card you paid with. Return postage is free within the refund window.",
    },
    {
        "id": "refunds-2026",
        "title": "Refund policy, 2026 edition",
        "effective": 2026,
        "superseded": None,
        "topic": "refund window",
        "text": "Refund window: you may return an item for a full refund within 14 days of delivery. "
        "Store credit is offered for another 16 days.",
    },
    {
        "id": "shipping-2025",
        "title": "Shipping and delivery",
        "effective": 2025,
        "superseded": None,
        "topic": "delivery time",
        "text": "Delivery time: standard delivery takes 3 to 5 working days. Express delivery arrives the next day.",
    },
    {
        "id": "warranty-2023",
        "title": "Warranty on electronics",
        "effective": 2023,
        "superseded": None,
        "topic": "warranty",
        "text": "Warranty: headphones and speakers carry a warranty of 24 months. A warranty claim is no return.",
    },
    {
        "id": "holiday-2024",
        "title": "Holiday returns, winter 2024",
        "effective": 2024,
        "superseded": 2025,
        "topic": "holiday returns",
        "text": "Holiday returns: gifts bought in December may be returned until 31 January.",
    },
)

_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "can",
        "do",
        "for",
        "how",
        "i",
        "if",
        "in",
        "is",
        "it",
        "long",
        "may",
        "of",
        "on",
        "the",
        "them",
        "to",
        "you",
        "your",
    ]
)


def _terms(text: str) -> list[str]:
    """Return the words of a text that carry meaning, plural endings cut."""
    words = re.findall(r"[a-z]+", text.lower())
    return [word.removesuffix("s") for word in words if word not in _STOP_WORDS]


def _in_force(document: Document, year: int) -> bool:
    return document["effective"] <= year and (document["superseded"] is None or document["superseded"] > year)


def plan(case: dict[str, Any]) -> dict[str, Any]:
    """Turn the customer's question into a search: the topic and the words to look for."""
    return {"search": "refund window: days to return an item for a full refund", "effective": None}


def plan_with_date(case: dict[str, Any]) -> dict[str, Any]:
    """Ask for what is in force in the year of the purchase."""
    return {**plan(case), "effective": int(case["bought"][:4])}


def _ranked(planner: dict[str, Any], documents: list[Document]) -> list[Document]:
    wanted = set(_terms(planner["search"]))
    score = {doc["id"]: sum(term in wanted for term in _terms(doc["text"])) for doc in documents}
    return sorted(documents, key=lambda doc: -score[doc["id"]])[:2]


def retrieve(planner: dict[str, Any]) -> list[Document]:
    """Return the two documents that share most words with the search; honour a date if the plan names one."""
    year = planner["effective"]
    return _ranked(planner, [doc for doc in DOCUMENTS if year is None or _in_force(doc, year)])


def retrieve_current(planner: dict[str, Any]) -> list[Document]:
    """Leave superseded documents out before ranking."""
    year = planner["effective"] or 2026
    return _ranked(planner, [doc for doc in DOCUMENTS if _in_force(doc, year)])


def _answer(documents: list[Document]) -> str:
    """Say what the best document says, in a sentence to the customer."""
    claim = documents[0]["text"].split(". ")[0].split(": ", 1)[1]
    return f"Thank you for asking. According to our policy, {claim}."


def write(retriever: list[Document]) -> str:
    """Answer from the first document found."""
    return _answer(retriever)


def write_with_sources(retriever: list[Document]) -> str:
    """Answer from the first document found and cite it."""
    return f"{_answer(retriever)} [source: {retriever[0]['id']}]"


def _registry(topic: str) -> Document:
    """Return the document in force today for a topic."""
    return next(doc for doc in DOCUMENTS if doc["topic"] == topic and _in_force(doc, 2026))


def review(writer: str) -> str:
    """Check that the answer is polite and complete, and sign it."""
    polite = writer if writer.startswith("Thank you") else f"Thank you for asking. {writer}"
    return f"{polite} — Support"


def _with_current_claim(writer: str) -> str:
    """Replace the answer by the registry's claim where they differ."""
    current = _registry("refund window")
    correct = _answer([current])
    stated = re.findall(r"within (\d+) days", writer)
    if stated == re.findall(r"within (\d+) days", correct):
        return writer
    return f"{correct} [source: {current['id']}]"


def review_cited(writer: str) -> str:
    """Look each cited claim up in the policy registry; a claim without a source cannot be looked up."""
    return review(_with_current_claim(writer) if "[source: " in writer else writer)


def review_every(writer: str) -> str:
    """Look every claim up in the policy registry, cited or not."""
    return review(_with_current_claim(writer))


def states_current_window(case: dict[str, Any], reviewer: str) -> bool:
    """Whether the answer names the window in force, and no other."""
    return re.findall(r"within (\d+) days", reviewer) == [str(case["days"])]


CASES = (
    Case(
        "headphones",
        {
            "question": "I bought headphones in your shop in March. How long do I have to return them for a refund?",
            "bought": "2026-03-03",
            "days": 14,
        },
    ),
)


def _mechanism(letter: str, check: Fix, summary: str) -> Pipeline:
    return Pipeline(
        f"refund-policy-{letter.lower()}",
        title=f"Refund policy, mechanism {letter}",
        summary=f"A support assistant quotes a refund window that is no longer in force. {summary}",
        steps=[
            Step(
                "planner",
                plan,
                title="Planner",
                role="producer",
                fix=Fix(
                    "Add “effective 2026”",
                    plan_with_date,
                    diff=text_diff(
                        "Find: refund window: days to return an item for a full refund",
                        "Find: refund window: days to return an item for a full refund\n"
                        "Only what is in force in the year of the purchase: effective 2026",
                    ),
                ),
            ),
            Step(
                "retriever",
                retrieve,
                title="Retriever",
                role="producer",
                fix=Fix(
                    "Drop superseded documents",
                    retrieve_current,
                    diff=text_diff(
                        "candidates: all documents", "candidates: documents that no later edition supersedes"
                    ),
                ),
            ),
            Step(
                "writer",
                write,
                title="Writer",
                role="producer",
                fix=Fix(
                    "Cite the source",
                    write_with_sources,
                    diff=text_diff(
                        "Answer from the first document.",
                        "Answer from the first document.\nEnd with [source: document id].",
                    ),
                ),
            ),
            Step("reviewer", review, title="Reviewer", role="checker", fix=check),
        ],
        score=Score(states_current_window, meaning="The answer states the refund window in force, and no other"),
        cost_unit="step calls",
    )


PIPELINES = (
    _mechanism(
        "A",
        Fix(
            "Re-check cited claims",
            review_cited,
            diff=text_diff(
                "Check that the answer is polite and complete.",
                "Check that the answer is polite and complete.\nLook each cited claim up in the policy registry.",
            ),
        ),
        "The reviewer’s fix looks up cited claims only, so it needs the writer’s.",
    ),
    _mechanism(
        "B",
        Fix(
            "Re-check every claim",
            review_every,
            diff=text_diff(
                "Check that the answer is polite and complete.",
                "Check that the answer is polite and complete.\nLook every claim up in the policy registry.",
            ),
        ),
        "The reviewer’s fix looks every claim up, cited or not.",
    ),
)
