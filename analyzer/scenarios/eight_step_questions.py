"""Turns numbers into questions about filings, with the answers: an endless supply, the same in every process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar, overload

from analyzer.noise import unit
from analyzer.scenarios.eight_step_filings import COMPANIES, REPORTS, statement
from analyzer.steps import Case

Item = TypeVar("Item")

#: What people call each line of a statement; the first is its own name.
GLOSSARY: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Revenue": ("revenue", "sales", "turnover"),
        "Cost of revenue": ("cost of revenue", "cost of goods sold", "production costs"),
        "Gross profit": ("gross profit", "gross earnings", "profit before overheads"),
        "Research and development": ("research and development", "laboratory budget", "innovation spending"),
        "Selling and administration": ("selling and administration", "overheads", "running costs"),
        "Operating income": ("operating income", "operating profit", "EBIT"),
        "Interest expense": ("interest expense", "cost of debt", "borrowing costs"),
        "Income before tax": ("income before tax", "pre-tax profit", "profit before taxes"),
        "Income tax": ("income tax", "tax bill", "fiscal charge"),
        "Net income": ("net income", "bottom line", "profit after tax"),
    }
)
#: Lines that are asked for as a share of revenue.
_SHARES = ("Gross profit", "Research and development", "Selling and administration", "Operating income", "Net income")

_WORDINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "figure": (
            "What was the {measure} of {company} {year}?",
            "How much {measure} did {company} report {year}?",
            "State the {measure} of {company} {year}.",
        ),
        "ratio": (
            "What was the {measure} of {company} {year}, in percent of revenue?",
            "What share of revenue did the {measure} of {company} make up {year}?",
            "How large was the {measure} of {company} relative to revenue {year}?",
        ),
        "change": (
            "By how much did the {measure} of {company} change {years}?",
            "By how much did the {measure} of {company} grow {years}?",
            "By how much did the {measure} of {company} rise {years}?",
            "How much higher or lower did the {measure} of {company} come out {years}?",
        ),
        "growth": (
            "By what percentage did the {measure} of {company} grow {years}?",
            "How fast did the {measure} of {company} rise {years}?",
            "What was the growth rate of the {measure} of {company} {years}?",
        ),
    }
)


def figures_needed(formula: str, line: str, year: int) -> list[tuple[str, int]]:
    """Return the figures that an answer takes, line and year of each, in the order in which `result` takes them."""
    if formula == "figure":
        return [(line, year)]
    return [(line, year), ("Revenue", year)] if formula == "ratio" else [(line, year - 1), (line, year)]


def result(formula: str, figures: Sequence[int]) -> int:
    """Work a formula out: thousand dollars for a figure or change, tenths of a percent for a ratio or growth.

    Parameters
    ----------
    formula : {"figure", "ratio", "change", "growth"}
    figures : sequence of int
        In thousand dollars, as `figures_needed` names them.
    """
    if formula == "figure":
        return figures[0]
    first, second = figures
    if formula == "change":
        return second - first
    return round(1000 * first / second if formula == "ratio" else 1000 * (second - first) / first)


def answer_text(formula: str, number: int) -> str:
    """Return a result in words."""
    size = f"{abs(number) / 10:,.1f} %" if formula in ("ratio", "growth") else f"USD {abs(number) / 1000:,.1f} million"
    if formula in ("change", "growth"):
        return f"a {'fall' if number < 0 else 'rise'} of {size}"
    return size


def _one_of(items: Sequence[Item], *address: object) -> Item:
    return items[int(unit("question", *address) * len(items))]


def question(number: int) -> Case:
    """Return the question of a number, as a case.

    Parameters
    ----------
    number : int
        From 1 up.
    """
    formula = _one_of(tuple(_WORDINGS), number, "formula")
    line = _one_of(_SHARES if formula == "ratio" else tuple(GLOSSARY), number, "line")
    company = _one_of(tuple(COMPANIES), number, "company")
    year = _one_of(REPORTS, number, "year")
    jargon, indirect, dated = (unit("question", number, part) < 0.25 for part in ("jargon", "indirect", "dated"))
    dated = dated and formula in ("figure", "ratio")
    text = _one_of(_WORDINGS[formula], number, "wording").format(
        measure=_one_of(GLOSSARY[line][1:], number, "term") if jargon else GLOSSARY[line][0],
        company=f"the {COMPANIES[company]} {company.split()[0]}" if indirect else company,
        year="last year" if dated else f"in {year}",
        years=f"from {year - 1} to {year}",
    )
    figures = [statement(company, "consolidated", when)[what] for what, when in figures_needed(formula, line, year)]
    inputs = {
        "question": f"It is March {year + 1}. {text}" if dated else text,
        "answer": answer_text(formula, result(formula, figures)),
        "company": company,
        "measure": line,
        "formula": formula,
        "year": year,
        "tags": [formula, "indirect" if jargon or indirect or dated else "plain"],
    }
    words = (f"q{number:04d}", company.split()[0], line.replace(" ", "-"), formula, str(year))
    return Case("-".join(words).lower(), inputs)


@dataclass(frozen=True)
class Questions(Sequence[Case]):
    """The questions of consecutive numbers, each made when it is looked at."""

    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> Case: ...
    @overload
    def __getitem__(self, index: slice) -> Questions: ...
    def __getitem__(self, index: int | slice) -> Case | Questions:
        found = self.numbers[index]
        return Questions(found) if isinstance(found, range) else question(found)
