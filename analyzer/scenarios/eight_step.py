"""Eight agents answer finance questions, with some luck: intake → router → planner → search → … → guardrail.

Each passes a note on, and picks what it writes with odds that depend on what it reads, as a language model's sampled
answer does; a fix changes only the odds. Some fixes make up for others: a planner that reads the question itself also
corrects the intake's notes, and a guardrail that recomputes needs no careful drafter. One may do harm: the router's
goes by the verb, which misleads it where somebody asks “by how much did it grow” and wants dollars.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from analyzer.noise import Draws
from analyzer.pipeline import Fix, Pipeline, Score, Step, text_diff
from analyzer.scenarios.eight_step_filings import COMPANIES, COVERAGE, REPORTS, statement, table_text
from analyzer.scenarios.eight_step_notes import (
    CALENDAR,
    ROUTES,
    calculation_text,
    figures_of,
    fits,
    formula_of,
    notes,
    number_of,
    plan_text,
    sentence,
    term_meant,
    wanted,
    year_meant,
)
from analyzer.scenarios.eight_step_questions import GLOSSARY, Questions, answer_text, result

# Words that speak for a route, and how loudly; and what the fix adds: verbs, and the route each speaks for.
_CUES: tuple[tuple[str, str, float], ...] = (
    ("what was", "figure", 2.75),
    ("how much", "figure", 2.2),
    ("state", "figure", 2.75),
    ("report", "figure", 0.55),
    ("percent", "ratio", 1.1),
    ("percent of", "ratio", 3.3),
    ("relative to", "ratio", 3.3),
    ("share", "ratio", 1.65),
    ("by how much", "change", 3.3),
    ("from", "change", 1.65),
    ("higher", "change", 2.75),
    ("percentage", "growth", 2.75),
    ("how fast", "growth", 3.3),
    ("rate", "growth", 2.75),
    ("grow", "growth", 1.1),
)
_VERBS: Mapping[str, str] = MappingProxyType(
    {
        "report": "figure",
        "state": "figure",
        "make up": "ratio",
        "change": "change",
        "come out": "change",
        "grow": "growth",
        "rise": "growth",
    }
)


def _cues(question: str) -> dict[str, float]:
    """Weigh what the words of a question say about the kind of answer wanted."""
    text = question.lower()
    weights = dict.fromkeys(ROUTES, 0.0)
    for words, route, weight in _CUES:
        weights[route] += weight * (words in text)
    return weights


def _take_in(question: str, draw: Draws, register: float, calendar: float) -> str:
    companies = {
        name: 5.5 * (name.split()[0] in question) + 2.5 * (name in question) + register * fits(name, question)
        for name in COMPANIES
    }
    relative = "last year" in question
    years = {year: 5.0 * (str(year) in question) for year in CALENDAR}
    years[year_meant(question)] += calendar + 4.0 * relative
    company, year = draw.categorical("company", companies), draw.categorical("year", years)
    return f"Company: {company}\nYear: {year}\nQuestion: {question}"


def take_in(case: Mapping[str, Any], draw: Draws) -> str:
    """Note which company and year the question is about."""
    return _take_in(case["question"], draw, register=0.8, calendar=2.2)


def take_in_with_register(case: Mapping[str, Any], draw: Draws) -> str:
    """Look companies up by name and trade in a register, and work out which year is meant."""
    return _take_in(case["question"], draw, register=5.0, calendar=5.5)


def _route(intake: str, draw: Draws, verb_weight: float) -> str:
    question = notes(intake)["Question"]
    logits = _cues(question)
    for verb, route in _VERBS.items():
        logits[route] += verb_weight * (f" {verb} " in f" {question.lower()}")
    route = draw.categorical("route", logits)
    return f"{route}: {ROUTES[route]}"


def choose_route(intake: str, draw: Draws) -> str:
    """Say which kind of answer is wanted, by the words of the question."""
    return _route(intake, draw, verb_weight=0.0)


def choose_route_by_verb(intake: str, draw: Draws) -> str:
    """Ask a classifier that is sure of itself and goes by the question's verb."""
    return _route(intake, draw, verb_weight=3.5)


def _plan(intake: str, router: str, draw: Draws, own_reading: float) -> str:
    noted = notes(intake)
    question, route = noted["Question"], router.split(": ")[0]
    # Only two companies of one first word are ever confused so often that checking the note pays.
    companies = {
        name: 4.5 * (name == noted["Company"]) + (0.5 + own_reading) * fits(name, question)
        for name in COMPANIES
        if name.split()[0] == noted["Company"].split()[0]
    }
    meant = year_meant(question)
    years = {year: 5.0 * (str(year) == noted["Year"]) + (0.7 + own_reading) * (year == meant) for year in REPORTS}
    term, line_meant = term_meant(question)
    words = set(re.findall("[a-z]{3,}", term))
    lines = {
        line: 1.7 * len(words & set(line.lower().split())) + (2.2 + own_reading) * (line == line_meant)
        for line in GLOSSARY
    }
    formulas = {
        formula: 4.5 * (formula == route) + (0.3 + 0.25 * own_reading) * weight
        for formula, weight in _cues(question).items()
    }
    return plan_text(
        draw.categorical("company", companies),
        draw.categorical("line", lines),
        draw.categorical("year", years),
        draw.categorical("formula", formulas),
    )


def plan(intake: str, router: str, draw: Draws) -> str:
    """Say which figures are needed and what to do with them, by the notes so far."""
    return _plan(intake, router, draw, own_reading=0.0)


def plan_from_question(intake: str, router: str, draw: Draws) -> str:
    """Give the planner a glossary, and have it check the notes against the question."""
    return _plan(intake, router, draw, own_reading=4.0)


def _search(planner: str, draw: Draws, care: float) -> str:
    company, years = notes(planner)["Company"], [year for _, year in wanted(planner)]
    reports = {
        (name, year): (3.2 + 0.3 * care) * (name == company)
        + (1.0 + care) * (year == max(years))
        + (2.5 + care) * (year - 1 <= min(years) and max(years) <= year)
        for name in COMPANIES
        if name.split()[0] == company.split()[0]
        for year in REPORTS
    }
    parts = {covers: (2.15 + care) * (covers == "consolidated") for covers in COVERAGE}
    name, year = draw.categorical("report", reports)
    return table_text(name, draw.categorical("covers", parts), year)


def search(planner: str, draw: Draws) -> str:
    """Find an income statement by the words of the plan."""
    return _search(planner, draw, care=0.0)


def search_consolidated(planner: str, draw: Draws) -> str:
    """Filter for consolidated statements, in the report on the last year of the plan."""
    return _search(planner, draw, care=3.5)


def _extract(planner: str, search: str, draw: Draws, care: float) -> str:
    head, columns, *rows = search.splitlines()
    table = dict(row.split(" | ", 1) for row in rows)
    shown = columns.split(" | ")[1:]
    copied = []
    for line, year in wanted(planner):
        words = set(line.split())
        labels = {label: (4.0 + care) * (label == line) + len(words & set(label.split())) for label in table}
        # The newest year comes first, where the eye falls.
        headings = {each: (3.0 + care) * (each == str(year)) + 1.0 * (each == shown[0]) for each in shown}
        row, column = draw.categorical("row", labels), draw.categorical("column", headings)
        number = table[row].split(" | ")[shown.index(column)]
        copied.append(f"{line} {year} = {number} USD {head.split()[-1]} (row “{row}”, column {column})")
    return "\n".join(copied)


def extract(planner: str, search: str, draw: Draws) -> str:
    """Copy the figures of the plan out of the statement."""
    return _extract(planner, search, draw, care=0.0)


def extract_by_headings(planner: str, search: str, draw: Draws) -> str:
    """Compare the headings of each figure's row and column with the plan before copying it."""
    return _extract(planner, search, draw, care=3.0)


def _calculate(planner: str, extractor: str, draw: Draws, care: float) -> str:
    formula, (figures, unit) = formula_of(planner), figures_of(extractor)
    ways = {"as planned": 2.0 + care, "a carry too many": 0.0 if len(figures) > 1 else -1.5}
    if len(figures) > 1:
        ways["the other way round"] = -0.5
    way = draw.categorical("way", ways)
    if way == "the other way round":
        figures.reverse()
    number = result(formula, figures)
    if way == "a carry too many":
        number += 10 ** (len(str(abs(number))) - 1)
    return calculation_text(formula, figures, number, unit)


def calculate(planner: str, extractor: str, draw: Draws) -> str:
    """Work the plan out with the figures copied, in the head."""
    return _calculate(planner, extractor, draw, care=0.0)


def calculate_in_code(planner: str, extractor: str, draw: Draws) -> str:
    """Write the plan as a line of code and run it."""
    return _calculate(planner, extractor, draw, care=3.5)


def _draft(planner: str, calculator: str, draw: Draws, care: float) -> str:
    formula, number = formula_of(planner), number_of(calculator)
    wordings = {"as calculated": 2.1 + care, "without decimals": -0.3}
    if number < 0:
        wordings["without the sign"] = 0.5
    if calculator.endswith("thousand"):
        wordings["thousand read as million"] = 0.3
    wording = draw.categorical("wording", wordings)
    if wording == "without the sign":
        number = abs(number)
    if wording == "thousand read as million":
        number *= 1000
    answer = answer_text(formula, number)
    return sentence(planner, formula, re.sub(r"\.\d", "", answer) if wording == "without decimals" else answer)


def draft(planner: str, calculator: str, draw: Draws) -> str:
    """Tell the result in a sentence."""
    return _draft(planner, calculator, draw, care=0.0)


def draft_copying(planner: str, calculator: str, draw: Draws) -> str:
    """Copy the result with its sign, unit and decimals."""
    return _draft(planner, calculator, draw, care=3.5)


def _guard(intake: str, planner: str, extractor: str, drafter: str, draw: Draws, recompute: float) -> str:
    formula, cues = formula_of(planner), _cues(notes(intake)["Question"])
    asked = max(cues, key=cues.__getitem__)
    # The same two figures serve for both.
    if {asked, formula} == {"change", "growth"}:
        formula = asked
    number = result(formula, figures_of(extractor)[0])
    recomputed = sentence(planner, formula, answer_text(formula, number))
    differs = recomputed != drafter
    odd = formula in ("ratio", "growth") and abs(number) > 300
    verdicts = {
        "send": 2.4,
        "withhold": 0.7 * odd + 0.7 * differs - recompute,
        "recompute": -1.0 + 1.5 * recompute * differs,
    }
    verdict = draw.categorical("verdict", verdicts)
    if verdict == "withhold":
        return "Withheld: the figures found do not settle the question."
    return drafter if verdict == "send" else recomputed


def guard(intake: str, planner: str, extractor: str, drafter: str, draw: Draws) -> str:
    """Send the draft, or withhold it where it looks odd."""
    return _guard(intake, planner, extractor, drafter, draw, recompute=0.0)


def guard_recomputing(intake: str, planner: str, extractor: str, drafter: str, draw: Draws) -> str:
    """Answer anew from the figures copied where the draft is in doubt, rather than withhold it."""
    return _guard(intake, planner, extractor, drafter, draw, recompute=3.0)


def is_right(case: Mapping[str, Any], guardrail: str) -> bool:
    """Whether the answer sent is the one that the filings give."""
    return guardrail.endswith((f" was {case['answer']}.", f" showed {case['answer']}."))


def failure_kind(case: Mapping[str, Any], planner: str, extractor: str, calculator: str, guardrail: str) -> str:
    """Say where a failing run first left the right path, or that it was withheld at the end."""
    formula, figures = formula_of(planner), wanted(planner)
    copied = figures_of(extractor)[0]
    company, (_, year) = notes(planner)["Company"], figures[-1]
    if guardrail.startswith("Withheld"):
        return "withheld by the guardrail"
    if (company, year) != (case["company"], case["year"]):
        return "wrong company or year"
    if (figures[0][0], formula) != (case["measure"], case["formula"]):
        return "wrong plan"
    if copied != [statement(company, "consolidated", year)[line] for line, year in figures]:
        return "wrong figures"
    return "wrong arithmetic" if number_of(calculator) != result(formula, copied) else "wrong wording"


Agent = Callable[..., str]


def _step(name: str, run: Agent, label: str, fixed: Agent, prompt: str, added: str, role: str = "producer") -> Step:
    """Declare an agent whose fix adds a line to what it is told."""
    diff = text_diff(prompt, f"{prompt}\n{added}")
    return Step(name, run, title=name.capitalize(), role=role, fix=Fix(label, fixed, diff=diff))


CASES = Questions(range(1, 5001))

#: Failing cases that are analysed unless more are asked for.
FAILURES = 12

PIPELINES = (
    Pipeline(
        "eight-step",
        title="Finance questions, eight agents",
        summary="Eight agents answer questions about the filings of invented companies. They pass notes to each other; "
        "each samples what it writes, as a language model does.",
        steps=[
            _step(
                "intake",
                take_in,
                "Use the register of companies",
                take_in_with_register,
                "Note the company and the year that the question is about.",
                "Look companies up by name and trade in the register; “last year” is the year before today’s.",
            ),
            _step(
                "router",
                choose_route,
                "Route by the verb",
                choose_route_by_verb,
                "Which kind of answer is wanted: a figure, a ratio, a change or a growth rate?",
                "Go by the verb: “report”, “state” → figure; “make up” → ratio; “change” → change; “grow” → growth; …",
            ),
            _step(
                "planner",
                plan,
                "Plan from the question",
                plan_from_question,
                "Which figures are needed, and what is to be done with them?",
                "Check the notes against the question. Glossary: turnover = revenue; EBIT = operating income; …",
            ),
            _step(
                "search",
                search,
                "Filter for consolidated statements",
                search_consolidated,
                "query: the company, line and years of the plan",
                "filter: consolidated; annual report on the last of the years",
            ),
            _step(
                "extractor",
                extract,
                "Compare the headings",
                extract_by_headings,
                "Copy each figure of the plan out of the statement.",
                "Before you copy it, compare the headings of its row and column with the plan.",
            ),
            _step(
                "calculator",
                calculate,
                "Calculate in code",
                calculate_in_code,
                "Do what the plan says with the figures.",
                "Write it as one line of code, run that, and give what it prints.",
            ),
            _step(
                "drafter",
                draft,
                "Copy sign, unit and decimals",
                draft_copying,
                "Tell the result in one sentence.",
                "Copy the result as it is: its sign, its unit, its decimals.",
            ),
            _step(
                "guardrail",
                guard,
                "Recompute what is in doubt",
                guard_recomputing,
                "Withhold a draft that looks odd.",
                "Where the figures copied give another answer than the draft, send that answer instead.",
                role="checker",
            ),
        ],
        score=Score(is_right, meaning="The answer is the one that the filings give", failure=failure_kind),
        cost_unit="model calls",
    ),
)
