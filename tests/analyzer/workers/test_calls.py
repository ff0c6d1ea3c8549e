import asyncio
from dataclasses import replace

import pytest

from analyzer.fingerprint import fingerprint
from analyzer.noise import World
from analyzer.pipeline import Codec, Pipeline, Step
from analyzer.workers.calls import (
    Call,
    describe,
    execute,
    execute_async,
    execute_batch,
    execute_batch_async,
    is_awaited,
)
from analyzer.workers.halt import Halt


def call_of(run, *, batch=None, seed="0", key="", **inputs):
    """A call of a step as a pipeline makes it."""
    inputs = inputs or {"case": {"n": 1}}
    steps = [Step("s", run, batch=batch)]
    variant = Pipeline("p", steps, score=lambda s: True).nodes[0].factual
    return Call("s", variant, inputs, World(seed).of_step("s"), key)


class BusyError(Exception):
    status_code = 429


class Flaky:
    """A step that fails so many times before it answers; keeps what it was given and drew."""

    def __init__(self, failures):
        self.failures, self.given = failures, []

    def __call__(self, case, draw):
        self.given.append((dict(case), draw.uniform("u"), len(draw.records)))
        case["n"] = "spoilt"
        if len(self.given) <= self.failures:
            raise BusyError("come again")
        return "an answer"


async def no_wait(seconds):
    pass


def test_output_and_its_fingerprint_and_draws_are_the_result():
    result = execute(call_of(lambda case, draw: [case["n"], draw.uniform("u")]))
    assert result.fingerprint == fingerprint(result.value)
    assert result.value == [1, result.draws[0].choice]
    assert (result.error, result.attempts) == (None, 1)


def test_step_that_changes_its_inputs_changes_its_own_copy():
    inputs = {"case": {"n": [1]}}
    execute(call_of(lambda case: case["n"].append(2), **inputs))
    assert inputs == {"case": {"n": [1]}}


def test_output_is_a_copy_that_the_step_cannot_change_afterwards():
    kept = []

    def run(case):
        kept.append([1])
        return kept[0]

    result = execute(call_of(run))
    kept[0].append(2)
    assert result.value == [1]


@pytest.mark.parametrize("error", [ValueError("bad\n prompt"), SystemExit(3), asyncio.CancelledError("c"), Exception()])
def test_what_a_step_raises_is_its_error_as_one_line(error):
    def run(case):
        raise error

    result = execute(call_of(run))
    assert result.error == describe(error)
    assert "\n" not in result.error
    assert (result.value, result.fingerprint) == (None, "")


def test_exception_that_a_step_returns_is_an_output_that_cannot_be_compared():
    result = execute(call_of(lambda case: ValueError("returned")))
    assert result.error.startswith("its output cannot be compared: a builtins.ValueError")


def test_draws_made_before_an_error_are_kept():
    def run(case, draw):
        draw.uniform("u")
        raise ValueError("after it")

    assert [draw.address.name for draw in execute(call_of(run)).draws] == ["u"]


def test_interrupt_is_no_result():
    def run(case):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(call_of(run), 5)


def test_variant_that_asks_for_it_is_given_the_key_of_the_call():
    result = execute(call_of(lambda case, idempotency_key: idempotency_key, key="case-7/s"))
    assert result.value == "case-7/s"


def test_each_attempt_has_fresh_inputs_and_the_same_noise_from_the_start():
    run = Flaky(2)
    result = execute(call_of(run), 2, lambda seconds: None)
    assert (result.value, result.attempts) == ("an answer", 3)
    assert run.given == [run.given[0]] * 3
    assert len(result.draws) == 1


def test_error_after_the_last_attempt_is_the_result():
    result = execute(call_of(Flaky(9)), 2, lambda seconds: None)
    assert (result.error, result.attempts) == ("BusyError: come again", 3)


def test_no_retries_unless_asked_for():
    assert execute(call_of(Flaky(1))).attempts == 1


def test_order_to_stop_between_attempts_makes_the_error_the_result():
    halt = Halt()
    halt.tell()
    result = execute(call_of(Flaky(1)), 5, halt.pause)
    assert (result.error, result.attempts) == ("BusyError: come again", 1)


def test_seconds_are_those_of_all_attempts_and_waits(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("analyzer.workers.calls.time.perf_counter", lambda: clock[0])

    def run(case):
        clock[0] += 2.0
        if clock[0] < 105:
            raise BusyError("come again")

    def pause(seconds):
        clock[0] += 10.0

    assert execute(call_of(run), 1, pause).seconds == 14.0


def test_async_function_gives_what_a_plain_one_does():
    def plain(case, draw):
        return [case["n"], draw.uniform("u")]

    async def awaited(case, draw):
        await asyncio.sleep(0)
        return plain(case, draw)

    expected, found = execute(call_of(plain)), asyncio.run(execute_async(call_of(awaited)))
    assert replace(found, seconds=0) == replace(expected, seconds=0)
    assert is_awaited(call_of(awaited))
    assert not is_awaited(call_of(plain))


def test_async_function_is_tried_again_as_a_plain_one_is():
    flaky = Flaky(1)

    async def awaited(case, draw):
        return flaky(case, draw)

    result = asyncio.run(execute_async(call_of(awaited), 1, no_wait))
    assert (result.value, result.attempts) == ("an answer", 2)


def test_cancelling_an_async_call_from_outside_is_no_error_of_the_step():
    async def cancelled_midway():
        async def forever(case):
            await asyncio.Event().wait()

        task = asyncio.ensure_future(execute_async(call_of(forever)))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled_midway())


class Page:
    """A plain object, which nothing but its codec tells from another."""

    def __init__(self, title):
        self.title = title


def returning(title, codec):
    call = call_of(lambda case: Page(title))
    return replace(call, variant=replace(call.variant, codec=codec))


def test_an_object_is_told_from_others_by_the_codec_of_its_step():
    codec = Codec("page", lambda page: page.title, Page)
    results = [execute(returning(title, codec)) for title in "aab"]
    assert [result.value.title for result in results] == ["a", "a", "b"]
    assert results[0].fingerprint == results[1].fingerprint != results[2].fingerprint


def test_an_object_that_its_codec_cannot_encode_is_an_error():
    result = execute(returning("a", Codec("page", lambda page: page.text, Page)))
    assert (result.value, result.fingerprint) == (None, "")
    assert result.error.startswith("its output cannot be compared: codec 'page': a ")


def test_batch_function_is_given_what_run_would_be_in_order():
    given = []

    def batch(calls):
        given.extend(calls)
        return [call["draw"].uniform("u") + call["case"]["n"] for call in calls]

    def run(case, draw, idempotency_key):
        return draw.uniform("u") + case["n"]

    calls = [call_of(run, batch=batch, seed=str(n), key=f"k{n}", case={"n": n}) for n in range(3)]
    results = execute_batch(calls)
    assert [sorted(one) for one in given] == [["case", "draw", "idempotency_key"]] * 3
    assert [one["idempotency_key"] for one in given] == ["k0", "k1", "k2"]
    alone = [execute(call) for call in calls]
    assert [(r.fingerprint, r.draws) for r in results] == [(r.fingerprint, r.draws) for r in alone]


def test_exception_in_a_place_of_a_batch_is_the_error_of_that_call():
    calls = [call_of(lambda case: None, batch=lambda calls: [1, ValueError("refused"), 3])] * 3
    assert [(r.value, r.error) for r in execute_batch(calls)] == [(1, None), (None, "ValueError: refused"), (3, None)]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1], "BatchError: it was given 2 calls and returned 1 outputs"),
        ({"a": 1, "b": 2}, "BatchError: it returned a dict, not a list of 2 outputs"),
        (None, "BatchError: it returned a NoneType, not a list of 2 outputs"),
    ],
)
def test_batch_that_gives_no_output_for_each_call_is_an_error_of_all(returned, message):
    results = execute_batch([call_of(lambda case: None, batch=lambda calls: returned)] * 2)
    assert [result.error for result in results] == [message] * 2


def test_batch_that_raises_is_tried_again_as_a_whole_with_fresh_copies():
    given = []

    def batch(calls):
        given.append([call["case"]["n"] for call in calls])
        for call in calls:
            call["case"]["n"] = "spoilt"
        if len(given) == 1:
            raise BusyError("come again")
        return given[-1]

    results = execute_batch([call_of(lambda case: None, batch=batch)] * 2, 1, lambda seconds: None)
    assert given == [[1, 1], [1, 1]]
    assert [(result.value, result.attempts) for result in results] == [(1, 2)] * 2


def test_seconds_of_a_batch_are_shared_out(monkeypatch):
    clock = iter([100.0, 106.0])
    monkeypatch.setattr("analyzer.workers.calls.time.perf_counter", lambda: next(clock))
    results = execute_batch([call_of(lambda case: None, batch=lambda calls: [1, 2, 3])] * 3)
    assert [result.seconds for result in results] == [2.0] * 3


def test_batch_function_may_be_async():
    async def batch(calls):
        await asyncio.sleep(0)
        return [call["case"]["n"] for call in calls]

    calls = [call_of(lambda case: None, batch=batch, case={"n": n}) for n in range(3)]
    assert [result.value for result in asyncio.run(execute_batch_async(calls))] == [0, 1, 2]
    assert is_awaited(calls[0])


def test_plain_batch_function_of_an_async_step_is_plain():
    async def run(case):
        return case

    assert not is_awaited(call_of(run, batch=lambda calls: calls))
