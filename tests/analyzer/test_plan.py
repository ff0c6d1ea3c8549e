import math
import random

import pytest

from analyzer.batch import analyze
from analyzer.budget import Budget
from analyzer.lattice import run_lattice
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import Case, Fix, Pipeline, PipelineError, Step
from analyzer.plan import Plan, estimate
from tests.known_pipelines import Ledger, chain, random_pipeline


def test_estimate_of_a_chain_whose_every_fix_tells_is_what_runs():
    pipeline = chain(4)
    most = estimate(pipeline, 1, Plan())
    batch = analyze(pipeline, [Case("c", {"n": 0})])
    assert most.factual_calls == 4
    assert most.failure_calls == batch.executed == 2 + 4 + 8 + 16
    assert most.coalitions == 16


def test_estimate_counts_every_world_where_something_is_random():
    still, random_one = chain(2), chain(2, draws=True)
    plan = Plan(worlds=5)
    assert estimate(still, 1, plan).failure_calls == 2 + 4
    # One recorded world and twice five; the fix of the first step is not random.
    assert estimate(random_one, 1, plan).failure_calls == (1 * 11 + 1) + 2 * 11 + 2 * 11


def test_estimate_costs_each_variant():
    step = Step("a", lambda case: 0, fix=Fix("x", lambda case: 0, cost=3.0), cost=0.5)
    most = estimate(Pipeline("p", [step], score=lambda a: 0), 10, Plan())
    assert (most.factual_cost, most.failure_cost) == (5.0, 3.5)


def test_an_unknown_price_is_not_estimated_as_nothing():
    step = Step("a", lambda case: 0, fix=Fix("x", lambda case: 0, cost=3.0))
    most = estimate(Pipeline("p", [step], score=lambda a: 0, cost_unit="USD"), 10, Plan())
    assert math.isnan(most.factual_cost)
    assert math.isnan(most.failure_cost)
    assert (most.factual_calls, most.failure_calls) == (10, 2)


def test_steps_make_up_the_estimate():
    most = estimate(chain(3, draws=True), 1, Plan(worlds=5))
    assert [(step.factual, step.fixed) for step in most.steps] == [(11, 1), (22, 22), (44, 44)]
    assert most.failure_calls == 11 + 1 + 22 + 22 + 44 + 44


def test_the_factual_call_is_known_where_its_world_is_looked_at_or_all_are_alike():
    def known(pipeline, *modes):
        return [step.known for step in estimate(pipeline, 1, Plan(modes=modes)).steps]

    assert known(chain(2, draws=True), "replayed", "fresh") == [1, 1]
    assert known(chain(2, draws=True), "fresh") == [0, 0]
    assert known(chain(2), "fresh") == [1, 1]


@pytest.mark.parametrize("seed", range(12))
def test_no_case_takes_more_than_the_estimate(seed):
    pipeline = random_pipeline(random.Random(seed), Ledger(), 5)
    most = estimate(pipeline, 1, Plan(modes=("fresh",), worlds=3))
    memory = Memory()
    worlds = [World(f"w{number}") for number in range(3)]
    run_lattice(pipeline, Case("c", {"x": 1}), worlds, range(2 ** len(pipeline.players)), memory)
    assert memory.executed <= most.failure_calls


def test_a_sampled_game_is_estimated_by_the_coalitions_it_may_run():
    most = estimate(chain(40), 1, Plan(max_coalitions=500))
    assert most.coalitions == 500
    assert most.failure_calls <= 2 * 500 * 40


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (Plan(delta=0.0), "delta: 0.0 is no error probability"),
        (Plan(delta=1.0), "delta: 1.0 is no error probability"),
        (Plan(exact_up_to=21), "exact_up_to: 21 was asked for; it may be 0 to 20"),
        (Plan(estimator="guess"), "estimator 'guess' is not known"),
        (Plan(exact_up_to=3, max_coalitions=9), "max_coalitions: 9 were allowed; with 4 fixes at least 10"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(plan, message):
    with pytest.raises(PipelineError, match=message):
        analyze(chain(4), [Case("c", {})], plan)


def test_more_fixes_than_masks_can_name_are_refused_before_anything_runs():
    steps = [Step(f"s{k}", lambda case, draw: 1 / 0, fix=Fix.resample()) for k in range(54)]
    with pytest.raises(PipelineError, match="has 54 fixes; at most 53"):
        analyze(Pipeline("p", steps, score=lambda s0: s0), [Case("c", {})])


def test_a_cap_ends_the_run_before_the_calls_that_would_pass_it():
    cases = [Case(f"c{n}", {"n": n}) for n in range(10)]
    steps = [Step("a", lambda case: case["n"], fix=Fix("x", lambda case: -case["n"]))]
    pipeline = Pipeline("p", steps, score=lambda a: 0)
    for cap in range(21):
        batch = analyze(pipeline, cases, Plan(budget=Budget(calls=cap or None)) if cap else Plan())
        if not cap:
            assert (batch.capped, batch.executed) == ("", 20)
            continue
        assert batch.executed <= cap
        counts = batch.files[0].header.counts
        assert counts.analysed == len(batch.files[0].cases) == cap // 2
        assert (batch.capped == "") == (cap == 20)
        if cap < 20:
            assert (
                batch.files[0].header.stopped
                == f"the cap of {cap} calls was reached after {(cap + 1) // 2} of 10 cases"
            )


def test_a_cap_on_cost_counts_the_variants_price():
    steps = [Step("a", lambda case: 0, fix=Fix("x", lambda case: 1, cost=5.0), cost=1.0)]
    pipeline = Pipeline("p", steps, score=lambda a: 0)
    assert analyze(pipeline, [Case("c", {})], Plan(budget=Budget(cost=5.5))).capped == "the cap of 5.5 on the cost"
    assert analyze(pipeline, [Case("c", {})], Plan(budget=Budget(cost=6.0))).capped == ""


@pytest.mark.parametrize("fix", [None, Fix("x", lambda case: 1, cost=2.0)])
def test_a_cap_on_the_cost_is_refused_where_a_step_has_no_price(fix):
    pipeline = Pipeline("p", [Step("a", lambda case: 0, fix=fix)], score=lambda a: 0, cost_unit="USD")
    with pytest.raises(PipelineError) as raised:
        Plan(budget=Budget(cost=5.0)).check(pipeline, [])
    assert str(raised.value) == (
        "pipeline 'p': step 'a': what a call costs is not known, so a cap on the cost (--max-cost) cannot be kept: "
        "give the step a cost in USD, or cap the calls (--max-calls)"
    )
    assert Plan(budget=Budget(calls=5)).check(pipeline, []) is None


def test_a_cap_on_the_cost_is_kept_where_every_step_has_a_price():
    step = Step("a", lambda case: 0, fix=Fix("x", lambda case: 1), cost=0.0)
    pipeline = Pipeline("p", [step], score=lambda a: 0, cost_unit="USD")
    assert Plan(budget=Budget(cost=5.0)).check(pipeline, []) is None
