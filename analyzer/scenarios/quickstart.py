"""A help desk answers tickets with some luck: classify → answer → check, the smallest stochastic pipeline to read.

`classify` picks the team, `answer` picks a line of that team's handbook, `check` may pick another line. Each picks at
random with odds that depend on the words it sees, as a language model's sampled answer does. The fixes change only
those odds: what a ticket gets under a fix is the same luck with other odds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from analyzer.noise import Draws
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step, text_diff

HANDBOOK: Mapping[str, Mapping[str, str]] = {
    "billing": {
        "double charge": "A double charge on the card is a reservation; the second one disappears within 3 days.",
        "invoice": "Invoices are under Account, Documents; a company name can be added for 30 days.",
        "refund": "A refund goes back to the card you paid with and takes 5 working days to arrive.",
    },
    "delivery": {
        "late parcel": "If tracking has not moved for 5 days, we send the parcel again at no cost.",
        "change address": "The delivery address can be changed until the parcel leaves the warehouse.",
        "damaged": "Send a photo of the damaged parcel within 48 hours and we replace the item.",
    },
    "account": {
        "password": "Use “Forgot password”; the mail with the link may take 10 minutes and land in spam.",
        "delete": "An account can be deleted under Account, Privacy; open orders are completed first.",
        "two accounts": "Two accounts can be merged if both use the same phone number; write from the older one.",
    },
    "product": {
        "battery": "A new battery reaches its full charge after three cycles; charge it overnight three times.",
        "pairing": "Hold the power button for 7 seconds until the light blinks blue, then pair the device again.",
        "warranty": "The warranty is 24 months and covers the battery; keep the receipt.",
    },
}

_TICKETS: Mapping[str, tuple[str, ...]] = {
    "billing/double charge": (
        "My card shows the same charge twice. Did I pay double?",
        "There are two charges on my account for one order.",
        "Why was my card charged again after the parcel arrived?",
        "A second charge appeared overnight, will it disappear?",
    ),
    "billing/invoice": (
        "I need an invoice with the name of my company on it.",
        "Where in my account do I find the documents for taxes?",
        "The receipt in the parcel has no company name.",
        "Can you add our company to the invoice from last week?",
    ),
    "billing/refund": (
        "I returned the device last week. When do I see the refund on my card?",
        "The parcel went back to you, but I have not been paid back.",
        "How many days until the money for my battery arrives?",
        "Will the refund go to my card or to my account?",
    ),
    "delivery/late parcel": (
        "Tracking has not moved since Monday. Where is my parcel?",
        "My order should have arrived days ago.",
        "The new battery still has not come and the account says it was sent.",
        "It has been a week and tracking says nothing.",
    ),
    "delivery/change address": (
        "I moved. Can the parcel go to my new address?",
        "Please change the delivery to my office.",
        "My account still shows the old address for an order I placed today.",
        "Can I still change the delivery address of my parcel?",
    ),
    "delivery/damaged": (
        "The parcel arrived crushed and the item is damaged.",
        "The box was open and the light on the device is broken.",
        "Do you need a photo of the broken screen?",
        "The item was damaged in the parcel, here is a photo.",
    ),
    "account/password": (
        "The password link never arrives in my mail.",
        "I cannot log in to see my order.",
        "Which mail address did I use? The link does not come.",
        "I forgot my password and the mail is not in my spam.",
    ),
    "account/delete": (
        "Please delete my account and all my data.",
        "How do I close my account while an order is open?",
        "I want my card and address removed for privacy.",
        "Can my account be deleted before the last parcel comes?",
    ),
    "account/two accounts": (
        "I have two accounts and want to merge them.",
        "My orders are spread over an old phone number and a new one.",
        "The device is registered with my other account.",
        "Can you merge my older account with this one?",
    ),
    "product/battery": (
        "The battery is empty after an hour although I charge it every night.",
        "My new device loses its charge in half a day.",
        "Is it normal that the first charge takes so long?",
        "Should I charge the new battery overnight?",
    ),
    "product/pairing": (
        "My phone does not find the device. How do I pair it?",
        "The light blinks red and the headphones will not connect.",
        "After I changed my phone the device is not on the list.",
        "How long do I hold the button until the light blinks?",
    ),
    "product/warranty": (
        "Is the battery covered by the warranty after a year?",
        "The device stopped working in its second year. I have the receipt.",
        "Do you replace a broken device without the box it arrived in?",
        "How many months of warranty does the battery have?",
    ),
}

# Words that point to a team, and what the fix adds: phrases of past tickets that the team solved.
_HINTS: Mapping[str, tuple[str, ...]] = {
    "billing": ("charge", "pay", "paid", "invoice", "refund", "money", "tax", "company"),
    "delivery": ("parcel", "delivery", "tracking", "address", "arriv", "box", "sent"),
    "account": ("account", "password", "log in", "mail", "delete", "merge", "privacy"),
    "product": ("battery", "device", "charge", "light", "pair", "warranty", "phone", "connect"),
}
_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "billing": ("charged", "charges", "paid back", "company name", "documents", "money for", "card shows"),
    "delivery": (
        "crushed",
        "has not come",
        "should have arrived",
        "old address",
        "screen",
        "new address",
        "box was open",
    ),
    "account": ("two accounts", "other account", "phone number", "link", "removed", "log in", "close my account"),
    "product": (
        "loses its charge",
        "first charge",
        "not on the list",
        "second year",
        "covered",
        "will not connect",
        "replace",
    ),
}


def _hits(text: str, words: tuple[str, ...]) -> int:
    return sum(word in text.lower() for word in words)


def classify(case: Mapping[str, Any], draw: Draws) -> str:
    """Pick the team whose words occur in the ticket."""
    return draw.categorical("team", {team: _hits(case["ticket"], hints) for team, hints in _HINTS.items()})


def classify_with_examples(case: Mapping[str, Any], draw: Draws) -> str:
    """Show the model past tickets with the team that solved them."""
    ticket = case["ticket"]
    logits = {team: _hits(ticket, hints) + 3 * _hits(ticket, _EXAMPLES[team]) for team, hints in _HINTS.items()}
    return draw.categorical("team", logits)


# Words of three letters and more that say nothing about a topic.
_EMPTY_WORDS = frozenset(
    [
        "and",
        "are",
        "before",
        "both",
        "but",
        "can",
        "does",
        "for",
        "from",
        "has",
        "have",
        "how",
        "into",
        "its",
        "last",
        "later",
        "may",
        "must",
        "not",
        "old",
        "once",
        "one",
        "our",
        "should",
        "still",
        "takes",
        "than",
        "that",
        "the",
        "then",
        "there",
        "this",
        "under",
        "until",
        "use",
        "was",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "you",
        "your",
    ]
)


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in _EMPTY_WORDS}


def _overlap(ticket: str, topic: str, line: str) -> int:
    """Count the word stems that a ticket shares with a line of the handbook."""
    return len(_stems(ticket) & _stems(f"{topic} {line}"))


def _pick(ticket: str, lines: Mapping[str, str], draw: Draws, sharpness: float) -> str:
    logits = {topic: sharpness * _overlap(ticket, topic, line) for topic, line in lines.items()}
    return lines[draw.categorical("line", logits)]


def answer(case: Mapping[str, Any], classify: str, draw: Draws) -> str:
    """Pick a line of the team's handbook."""
    return _pick(case["ticket"], HANDBOOK[classify], draw, 0.5)


def answer_quoting(case: Mapping[str, Any], classify: str, draw: Draws) -> str:
    """Ask the model to quote the line that shares most words with the ticket."""
    return _pick(case["ticket"], HANDBOOK[classify], draw, 4.0)


def check(case: Mapping[str, Any], answer: str, draw: Draws) -> str:
    """Mostly send an answer that shares a word with the ticket; look for another line half of the time otherwise."""
    fits = _overlap(case["ticket"], "", answer) > 0
    if draw.categorical("verdict", {"send": 3.0 if fits else 0.0, "look again": 0.0}) == "send":
        return answer
    everything = {topic: line for lines in HANDBOOK.values() for topic, line in lines.items()}
    return _pick(case["ticket"], everything, draw, 1.0)


def solves_ticket(case: Mapping[str, Any], check: str) -> bool:
    """Whether the customer got the line that solves the ticket."""
    return bool(check == case["solution"])


def _cases() -> tuple[Case, ...]:
    cases = []
    for place, tickets in _TICKETS.items():
        team, topic = place.split("/")
        for number, ticket in enumerate(tickets, 1):
            inputs = {"ticket": ticket, "solution": HANDBOOK[team][topic]}
            cases.append(Case(f"{topic.replace(' ', '-')}-{number}", inputs))
    return tuple(cases)


CASES = _cases()

PIPELINES = (
    Pipeline(
        "quickstart",
        title="Help desk",
        summary="A help desk answers tickets with a line of its handbook: one step picks the team, one the line, "
        "one checks. Each samples its choice, as a language model does.",
        steps=[
            Step(
                "classify",
                classify,
                title="Classify",
                role="producer",
                fix=Fix(
                    "Show past tickets",
                    classify_with_examples,
                    diff=text_diff(
                        "Which team is this ticket for?",
                        "Which team is this ticket for?\nPast tickets and the teams that solved them: …",
                    ),
                ),
            ),
            Step(
                "answer",
                answer,
                title="Answer",
                role="producer",
                fix=Fix(
                    "Quote the closest line",
                    answer_quoting,
                    diff=text_diff(
                        "Answer with a line of the handbook.",
                        "Answer with the line of the handbook that shares most words with the ticket.",
                    ),
                ),
            ),
            Step(
                "check",
                check,
                title="Check",
                role="checker",
                fix=Fix.resample("Check once more", description="Run the same check again with fresh luck."),
            ),
        ],
        score=Score(solves_ticket, meaning="The customer gets the handbook line that solves the ticket"),
        cost_unit="model calls",
    ),
)
