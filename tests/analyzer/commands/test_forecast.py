import math

import pytest

from analyzer.batch import analyze
from analyzer.commands.forecast import forecast
from analyzer.pipeline import Case, Fix, Pipeline, Step
from analyzer.plan import Plan
from tests.known_pipelines import chain

SECONDS = {"s0": 0.5, "s1": 0.5, "s2": 0.5}


def one(**options):
    return Pipeline("one", [Step("a", lambda case: 0, **options)], score=lambda a: 0, cost_unit="USD")


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("modes", [("replayed",), ("fresh",), ("replayed", "abducted", "fresh")])
def test_forecast_where_every_fix_tells_is_what_runs_after_the_factual_calls(draws, modes):
    pipeline, plan = chain(draws=draws), Plan(modes=modes, worlds=3)
    cases = [Case(f"c{n}", {"n": n}) for n in range(4)]
    batch = analyze(pipeline, cases, plan)
    found = forecast(pipeline, plan, 4, 4, SECONDS, 1)
    # The fix of the first step is not random, so that its runs are one in all worlds, whichever was counted.
    assert batch.executed - 4 * 3 <= found.calls
    if not draws:
        assert batch.executed - 4 * 3 == found.calls


def test_only_failing_cases_are_forecast():
    pipeline = chain(cost=0.01)
    whole, some = (forecast(pipeline, Plan(), 200, failed, SECONDS, 1) for failed in (200, 38))
    assert some.calls * 200 == whole.calls * 38
    assert some.calls == 38 * (2 + 4 + 8 - 3)
    assert some.cost == pytest.approx(0.01 * some.calls)
    assert some.seconds == pytest.approx(0.5 * some.calls)


def test_the_sentence_says_calls_cost_and_time():
    found = forecast(chain(cost=0.01), Plan(), 200, 38, SECONDS, 8)
    assert found.sentence == (
        "38 of 200 cases fail: at most 418 calls more (4.18 USD), about 26 s at 0.5 s a call, 8 at a time"
    )


def test_calls_one_after_another_are_not_said_to_be_side_by_side():
    assert forecast(chain(cost=0.01), Plan(), 1, 1, SECONDS, 1).sentence == (
        "1 of 1 case fails: at most 11 calls more (0.11 USD), about 6 s at 0.5 s a call"
    )


def test_no_more_failing_cases_are_forecast_than_are_asked_for():
    found = forecast(chain(cost=0.01), Plan(max_failures=10), 200, 38, SECONDS, 8)
    assert found.calls == 110
    assert found.sentence.startswith("38 of 200 cases fail, 10 of which are examined: at most 110 calls more")


def test_nothing_is_to_come_where_no_case_failed():
    found = forecast(one(), Plan(), 200, 0, {}, 8)
    assert (found.calls, found.cost, found.seconds) == (0, 0.0, 0.0)
    assert found.sentence == "none of 200 cases fails: there is nothing to examine"


def test_an_unknown_price_is_not_nothing():
    found = forecast(chain(), Plan(), 200, 38, SECONDS, 8)
    assert math.isnan(found.cost)
    assert "(cost unknown)" in found.sentence


def test_a_step_without_a_price_costs_nothing_where_none_of_its_calls_is_to_come():
    found = forecast(one(fix=Fix("x", lambda case: 1, cost=2.0)), Plan(), 1, 1, {"a": 1.0}, 1)
    assert (found.calls, found.cost) == (1, 2.0)


def test_an_unknown_duration_leaves_the_time_unsaid():
    found = forecast(chain(cost=0.01), Plan(), 200, 38, {"s0": 0.5}, 8)
    assert math.isnan(found.seconds)
    assert found.sentence == "38 of 200 cases fail: at most 418 calls more (4.18 USD)"


def test_a_constant_takes_no_time():
    found = forecast(one(fix=Fix.constant("right", 1)), Plan(), 1, 1, {"a": 60.0}, 1)
    assert (found.calls, found.seconds) == (1, 0.0)
    assert found.sentence.endswith("at most 1 call more (0 USD)")


def test_a_step_that_allows_fewer_calls_at_a_time_takes_longer():
    free, bound = (forecast(chain(concurrency=limit), Plan(), 9, 9, SECONDS, 8).seconds for limit in (None, 2))
    assert bound == 4 * free


def test_a_step_with_a_rate_limit_takes_as_long_as_that_asks_for():
    fix = Fix("x", lambda case: 1)
    assert forecast(one(fix=fix, per_minute=6.0), Plan(), 9, 9, {"a": 1.0}, 8).seconds == 90.0
    assert forecast(one(fix=fix, per_minute=6000.0), Plan(), 9, 9, {"a": 8.0}, 8).seconds == 9.0
    assert math.isnan(forecast(one(fix=fix, per_minute=6.0), Plan(), 9, 9, {}, 8).seconds)
