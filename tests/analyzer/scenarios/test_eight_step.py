import itertools
import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.lattice import Trace, kind_of_failure, run_factual, run_lattice
from analyzer.memory import Memory
from analyzer.noise import Draws, World
from analyzer.pipeline import Case
from analyzer.rules import shapley
from analyzer.scenarios.eight_step import CASES, FAILURES, PIPELINES, failure_kind, is_right
from analyzer.scenarios.eight_step_filings import COMPANIES, COVERAGE, REPORTS, YEARS, reports_in, statement, table_text
from analyzer.scenarios.eight_step_notes import (
    ROUTES,
    calculation_text,
    figures_of,
    formula_of,
    number_of,
    plan_text,
    sentence,
    wanted,
)
from analyzer.scenarios.eight_step_questions import GLOSSARY, answer_text, figures_needed, question, result

(PIPELINE,) = PIPELINES
PLAYERS = PIPELINE.players
MASKS = range(2 ** len(PLAYERS))
FAILING = 300


@dataclass(frozen=True)
class Run:
    """The first questions up to the 300th that fails, and the games of those that do."""

    looked_at: int
    cases: list[Case]
    traces: list[Trace]
    errors: list[dict]
    worth: np.ndarray
    values: np.ndarray

    def of(self, player: str) -> np.ndarray:
        return self.values[:, PLAYERS.index(player)]

    def alone(self, player: str) -> np.ndarray:
        return self.worth[:, 1 << PLAYERS.index(player)]


def world_of(case: Case) -> World:
    return World(f"test/{case.id}")


@pytest.fixture(scope="module")
def run() -> Run:
    cases, traces, errors, worth = [], [], [], []
    for number, case in enumerate(CASES, 1):
        memory, world = Memory(), world_of(case)
        trace = run_factual(PIPELINE, case, world, memory)
        if trace.score == 0:
            lattice = run_lattice(PIPELINE, case, [world], MASKS, memory)
            cases.append(case)
            traces.append(trace)
            errors.append(dict(lattice.errors))
            worth.append([int(score) for score in lattice.scores[0]])
        if len(cases) == FAILING:
            return Run(number, cases, traces, errors, np.array(worth), shapley(worth, 1))
    raise AssertionError("too few questions fail")


def test_no_run_is_missing(run):
    assert not any(run.errors)


def test_most_questions_fail_but_not_nearly_all(run):
    assert 0.5 <= FAILING / run.looked_at <= 0.85


def test_search_is_worth_most_and_the_planner_second(run):
    means = dict(zip(PLAYERS, run.values.mean(axis=0), strict=True))
    assert sorted(means, key=means.__getitem__, reverse=True)[:2] == ["search", "planner"]


def test_the_top_step_leads_by_little_enough_that_a_dozen_failures_cannot_tell(run):
    lead = run.of("search") - run.of("planner")
    assert 0.05 <= lead.mean() <= 0.15
    assert lead.mean() < 2 * lead.std(ddof=1) / np.sqrt(FAILURES)


def test_no_step_holds_most_of_the_repair(run):
    assert run.values.mean(axis=0).max() < 0.5 * run.worth[:, -1].mean()


def test_every_step_carries_some_of_the_repair_on_average(run):
    assert (run.values.mean(axis=0) > 0).all()


def test_some_failures_need_several_fixes_together(run):
    alone = run.worth[:, [1 << player for player in range(len(PLAYERS))]]
    assert (run.worth.any(axis=1) & ~alone.any(axis=1)).any()


def test_some_failures_outlast_all_fixes_together(run):
    assert (run.worth[:, -1] == 0).any()


def test_some_failures_share_the_repair_unevenly(run):
    assert max(len(set(values[values != 0])) for values in run.values) >= 4


def test_the_router_fix_helps_on_average_and_harms_in_some_failures(run):
    assert run.of("router").mean() > 0
    assert run.of("router").min() < 0


def test_the_router_fix_harms_where_the_verb_says_growth_and_dollars_are_wanted(run):
    harmed = [case.inputs for case, value in zip(run.cases, run.of("router"), strict=True) if value < 0]
    assert {inputs["formula"] for inputs in harmed} == {"change"}
    assert all(" grow " in inputs["question"] or " rise " in inputs["question"] for inputs in harmed)


@pytest.mark.parametrize(("careful", "checking"), [("drafter", "guardrail"), ("calculator", "guardrail")])
def test_a_guardrail_that_recomputes_can_stand_in_for_a_careful_step(run, careful, checking):
    assert (run.alone(careful) & run.alone(checking)).any()


def test_a_planner_that_reads_the_question_can_stand_in_for_a_better_intake(run):
    assert (run.alone("planner") & run.alone("intake")).any()


def test_failures_are_of_six_kinds(run):
    assert {kind_of_failure(PIPELINE, case, trace) for case, trace in zip(run.cases, run.traces, strict=True)} == {
        "withheld by the guardrail",
        "wrong company or year",
        "wrong plan",
        "wrong figures",
        "wrong arithmetic",
        "wrong wording",
    }


@pytest.mark.parametrize("node", PIPELINE.nodes, ids=PLAYERS)
def test_a_fix_only_shifts_logits(node, run):
    shifted = False
    for case in run.cases[:40]:
        memory, world = Memory(), world_of(case)
        trace = run_factual(PIPELINE, case, world, memory)
        seen = {name: value.content for name, value in trace.outputs.items()} | {"case": case.inputs}
        draws = [Draws(world.of_step(node.step.name)) for _ in range(2)]
        for variant, draw in zip((node.factual, node.fixed), draws, strict=True):
            variant.run(**{name: seen[name] for name in variant.reads}, draw=draw)
        factual, fixed = ([(record.address, record.options, record.noise) for record in draw.records] for draw in draws)
        assert factual == fixed
        shifted |= [r.logits for r in draws[0].records] != [r.logits for r in draws[1].records]
    assert shifted


def test_no_step_sees_the_answer(run):
    for case in run.cases[:10]:
        other = Case(
            case.id,
            {"question": case.inputs["question"], "answer": "-", "company": "-", "measure": "-", "formula": "-"},
        )
        outputs = []
        for each in (case, other):
            lattice = run_lattice(PIPELINE, each, [world_of(case)], MASKS, Memory())
            outputs.append(
                {name: [lattice.values[id].content for id in ids.flat] for name, ids in lattice.seen.items()}
            )
        assert outputs[0] == outputs[1]


# The questions.


def test_there_are_enough_questions_for_thousands_of_failures():
    assert len(CASES) == 5_000


def test_ids_are_distinct_and_say_what_is_asked():
    ids = [case.id for case in CASES]
    assert len(set(ids)) == len(ids)
    assert all(
        id.startswith(f"q{number:04d}-{case.inputs['company'].split()[0].lower()}-")
        and id.endswith(f"-{case.inputs['formula']}-{case.inputs['year']}")
        for number, (id, case) in enumerate(zip(ids, CASES, strict=True), 1)
    )


def test_a_slice_of_the_questions_holds_the_same_questions():
    assert list(CASES[10:13]) == [CASES[10], CASES[11], CASES[12]]
    assert CASES[-1] == question(5_000)


def test_beyond_the_last_question_there_is_none():
    with pytest.raises(IndexError):
        CASES[5_000]


def test_another_process_makes_the_same_questions():
    code = "from analyzer.scenarios.eight_step import CASES; print([(c.id, dict(c.inputs)) for c in CASES[:50]])"
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, encoding="utf-8", check=True)
    assert told.stdout.strip() == str([(case.id, dict(case.inputs)) for case in CASES[:50]])


def test_tags_name_the_kind_of_question_and_how_it_is_put():
    assert {case.tags for case in CASES[:200]} == set(itertools.product(ROUTES, ("plain", "indirect")))


def test_a_plain_question_names_company_measure_and_year():
    for case in CASES[:200]:
        if "plain" in case.tags:
            asked = case.inputs["question"]
            assert case.inputs["company"] in asked
            assert GLOSSARY[case.inputs["measure"]][0] in asked
            assert str(case.inputs["year"]) in asked


@pytest.mark.parametrize(
    ("formula", "figures", "number", "text"),
    [
        ("figure", [85_200], 85_200, "USD 85.2 million"),
        ("ratio", [85_200, 1_204_000], 71, "7.1 %"),
        ("change", [1_204_000, 85_200], -1_118_800, "a fall of USD 1,118.8 million"),
        ("growth", [100_000, 112_500], 125, "a rise of 12.5 %"),
    ],
)
def test_answers_are_worked_out_and_told(formula, figures, number, text):
    assert result(formula, figures) == number
    assert answer_text(formula, number) == text


# The filings.

STATEMENTS = list(itertools.product(COMPANIES, COVERAGE, YEARS))


def test_the_lines_of_every_statement_add_up():
    for place in STATEMENTS:
        lines = statement(*place)
        assert lines["Gross profit"] == lines["Revenue"] - lines["Cost of revenue"]
        assert (
            lines["Operating income"]
            == lines["Gross profit"] - lines["Research and development"] - lines["Selling and administration"]
        )
        assert lines["Income before tax"] == lines["Operating income"] - lines["Interest expense"]
        assert lines["Net income"] == lines["Income before tax"] - lines["Income tax"]


def test_every_figure_is_positive_so_that_it_can_be_divided_by():
    assert min(min(statement(*place).values()) for place in STATEMENTS) > 0


def test_figures_printed_in_millions_lose_nothing():
    for company, covers, year in STATEMENTS:
        if reports_in(company) == "million":
            assert all(figure % 100 == 0 for figure in statement(company, covers, year).values())


def test_a_part_earns_less_than_the_whole_company():
    for company, covers, year in STATEMENTS:
        if covers != "consolidated":
            assert statement(company, covers, year)["Revenue"] < statement(company, "consolidated", year)["Revenue"]


def test_both_units_occur():
    assert {reports_in(company) for company in COMPANIES} == {"million", "thousand"}


def test_a_table_shows_its_year_and_the_year_before():
    head, columns, revenue, *rest = table_text("Halden Foods", "consolidated", 2022).splitlines()
    assert head.startswith("Halden Foods, annual report 2022, income statement (consolidated), USD ")
    assert columns == "Line | 2022 | 2021"
    assert revenue.startswith("Revenue | ")
    assert len(rest) == 9


# The notes.

plans = st.tuples(
    st.sampled_from(sorted(COMPANIES)),
    st.sampled_from(sorted(GLOSSARY)),
    st.sampled_from(REPORTS),
    st.sampled_from(sorted(ROUTES)),
)


@given(plans)
def test_a_plan_is_read_as_it_was_written(parts):
    _, line, year, formula = parts
    assert wanted(plan_text(*parts)) == figures_needed(formula, line, year)
    assert formula_of(plan_text(*parts)) == formula


@pytest.mark.parametrize(
    ("formula", "figures", "number", "unit", "text"),
    [
        ("figure", [97_300], 97_300, "million", "97.3 = 97.3 USD million"),
        ("ratio", [97_300, 1_204_000], 81, "million", "97.3 / 1,204.0 = 8.1 %"),
        ("change", [98_765, 1_000], -97_765, "thousand", "1,000 - 98,765 = -97,765 USD thousand"),
        ("growth", [85_200, 97_300], 142, "million", "97.3 / 85.2 - 1 = 14.2 %"),
    ],
)
def test_a_calculation_is_written_as_on_paper_and_read_back(formula, figures, number, unit, text):
    assert calculation_text(formula, figures, number, unit) == text
    assert number_of(text) == number


def test_figures_copied_are_read_in_thousands_with_their_unit():
    copied = "Revenue 2021 = 1,204.5 USD million (row “Revenue”, column 2021)\nRevenue 2022 = 7.0 USD million (row …)"
    assert figures_of(copied) == ([1_204_500, 7_000], "million")


# What an answer without any mistake looks like, to break it in one place at a time.
ASKED = next(case for case in CASES if case.inputs["formula"] == "change").inputs


def perfect(asked):
    plan = plan_text(asked["company"], asked["measure"], asked["year"], asked["formula"])
    figures = [statement(asked["company"], "consolidated", year)[line] for line, year in wanted(plan)]
    number = result(asked["formula"], figures)
    return {
        "planner": plan,
        "extractor": "\n".join(f"a figure = {figure:,} USD thousand (row “…”, column …)" for figure in figures),
        "calculator": f"signs = {number:,} USD thousand",
        "guardrail": sentence(plan, asked["formula"], answer_text(asked["formula"], number)),
    }


def test_an_answer_without_any_mistake_is_right():
    assert all(is_right(case.inputs, perfect(case.inputs)["guardrail"]) for case in CASES[:200])


def test_an_answer_withheld_is_not_right():
    assert not is_right(ASKED, "Withheld: the figures found do not settle the question.")


def test_a_number_that_only_ends_like_the_answer_is_not_right():
    assert not is_right({"answer": "8.1 %"}, "In 2022, the net income of Halden Foods was 18.1 %.")


@pytest.mark.parametrize(
    ("kind", "broken"),
    [
        ("withheld by the guardrail", {"guardrail": "Withheld: …"}),
        ("wrong company or year", {"planner": perfect({**ASKED, "company": "Orrin Steel"})["planner"]}),
        ("wrong company or year", {"planner": perfect({**ASKED, "year": ASKED["year"] % 5 + 2019})["planner"]}),
        ("wrong plan", {"planner": perfect({**ASKED, "formula": "growth"})["planner"]}),
        ("wrong plan", {"planner": perfect({**ASKED, "measure": "Income tax"})["planner"]}),
        ("wrong figures", {"extractor": "a = 1 USD thousand\nb = 2 USD thousand"}),
        ("wrong arithmetic", {"calculator": "signs = 1 USD thousand"}),
        ("wrong wording", {"guardrail": "In 2022, something else was something else."}),
    ],
)
def test_the_kind_of_failure_is_where_the_run_first_went_wrong(kind, broken):
    assert failure_kind(ASKED, **{**perfect(ASKED), **broken}) == kind
