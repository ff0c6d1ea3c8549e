"""Turns what the eight agents write to each other into what they read out of it, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analyzer.scenarios.eight_step_filings import COMPANIES, YEARS, amount_text
from analyzer.scenarios.eight_step_questions import GLOSSARY, figures_needed

#: What each kind of answer is, as the router says it.
ROUTES: Mapping[str, str] = MappingProxyType(
    {
        "figure": "one figure, in dollars",
        "ratio": "a share of revenue, in percent",
        "change": "the difference between two years, in dollars",
        "growth": "the growth from one year to the next, in percent",
    }
)
#: What it takes, as a plan says it.
THEN: Mapping[str, str] = MappingProxyType(
    {
        "figure": "state the figure",
        "ratio": "divide the first figure by the second",
        "change": "subtract the first figure from the second",
        "growth": "divide the second figure by the first and subtract one",
    }
)
_SIGNS: Mapping[str, str] = MappingProxyType(
    {"figure": "{0}", "ratio": "{0} / {1}", "change": "{1} - {0}", "growth": "{1} / {0} - 1"}
)
#: Years that a question may name: it is asked in the year after the last report at the latest.
CALENDAR = (*YEARS, YEARS[-1] + 1)


def notes(text: str) -> dict[str, str]:
    """Read a note line by line: a key and what it says."""
    return dict(line.split(": ", 1) for line in text.splitlines())


def fits(company: str, question: str) -> bool:
    """Whether a question can only mean this company: it names it in full, or by what it is."""
    return company in question or f"the {COMPANIES[company]} " in question


def year_meant(question: str) -> int:
    """Return the year a question is about: the last one it names, or the one before that if it says “last year”."""
    return max(year for year in CALENDAR if str(year) in question) - ("last year" in question)


def term_meant(question: str) -> tuple[str, str]:
    """Return the longest term of the glossary in a question, and the line that it means."""
    found = [(len(term), term, line) for line, terms in GLOSSARY.items() for term in terms if term in question]
    _, term, line = max(found)
    return term, line


def plan_text(company: str, line: str, year: int, formula: str) -> str:
    """Say which figures of a company are needed, and what to do with them."""
    figures = "; ".join(f"{what} {when}" for what, when in figures_needed(formula, line, year))
    return f"Company: {company}\nFigures: {figures}\nThen: {THEN[formula]}"


def wanted(plan: str) -> list[tuple[str, int]]:
    """Return the figures that a plan names: line and year of each."""
    named = (figure.rsplit(" ", 1) for figure in notes(plan)["Figures"].split("; "))
    return [(line, int(year)) for line, year in named]


def formula_of(plan: str) -> str:
    """Return the kind of answer that a plan leads to."""
    return next(formula for formula, then in THEN.items() if plan.endswith(f"\nThen: {then}"))


def figures_of(copied: str) -> tuple[list[int], str]:
    """Return the figures copied from a statement, in thousand dollars, and the unit in which it prints them."""
    found = re.findall(r" = ([\d,.]+) USD (\w+)", copied)
    unit = found[0][1]
    scale = 1000 if unit == "million" else 1
    return [round(float(number.replace(",", "")) * scale) for number, _ in found], unit


def calculation_text(formula: str, figures: Sequence[int], number: int, unit: str) -> str:
    """Say what was calculated from figures, and the number it came to, in a statement's unit or in percent."""
    told = f"{number / 10:,.1f} %" if formula in ("ratio", "growth") else f"{amount_text(number, unit)} USD {unit}"
    return f"{_SIGNS[formula].format(*(amount_text(figure, unit) for figure in figures))} = {told}"


def number_of(calculation: str) -> int:
    """Return the number a calculation comes to: in thousand dollars, or in tenths of a percent."""
    told = calculation.split(" = ")[1]
    number = float(re.sub(r"[^\d.-]", "", told))
    return round(number * (1 if told.endswith("thousand") else 10 if told.endswith("%") else 1000))


def sentence(plan: str, formula: str, answer: str) -> str:
    """Tell the answer to a plan, worked out by a formula, in a sentence."""
    line, year = wanted(plan)[0 if formula == "ratio" else -1]
    subject = f"the {line.lower()} of {notes(plan)['Company']}"
    if formula in ("change", "growth"):
        return f"From {year - 1} to {year}, {subject} showed {answer}."
    if formula == "ratio":
        return f"In {year}, {subject}, as a share of revenue, was {answer}."
    return f"In {year}, {subject} was {answer}."
