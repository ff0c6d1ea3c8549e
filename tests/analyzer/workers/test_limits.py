import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.noise import World
from analyzer.wiring import Variant
from analyzer.workers.calls import Call, Limit
from analyzer.workers.limits import Gate, Job, jobs_of


def job(step, name="", *, concurrency=None, per_minute=None, owner=None, joins=None):
    return Job(step, Limit(concurrency, per_minute), [name], owner, joins)


def names(jobs):
    return [name for job in jobs for name in job.members]


def test_jobs_start_in_the_order_in_which_they_came_as_far_as_there_are_slots():
    gate = Gate(3)
    for step, name in ["a1", "b2", "a3", "b4"]:
        gate.add(job(step, step + name))
    started = gate.start(0.0)
    assert names(started) == ["a1", "b2", "a3"]
    assert gate.start(0.0) == []
    gate.end(started[1])
    assert names(gate.start(0.0)) == ["b4"]


def test_step_at_its_concurrency_holds_up_no_other_step():
    gate = Gate(10)
    for name in "123":
        gate.add(job("slow", name, concurrency=1))
    gate.add(job("other", "4"))
    started = gate.start(0.0)
    assert names(started) == ["1", "4"]
    gate.end(started[0])
    assert names(gate.start(0.0)) == ["2"]


def test_step_that_waits_for_its_rate_holds_up_no_other_step():
    gate = Gate(10)
    for name in "123":
        gate.add(job("limited", name, per_minute=6))
    gate.add(job("other", "4"))
    assert names(gate.start(100.0)) == ["1", "4"]
    assert gate.opens_in(103.0) == 7.0
    assert gate.start(109.9) == []
    assert names(gate.start(110.0)) == ["2"]


def test_nothing_waits_for_time_alone_while_slots_or_concurrency_are_lacking():
    full = Gate(1)
    full.add(job("s", per_minute=6))
    full.add(job("s", per_minute=6))
    full.start(0.0)
    assert full.opens_in(0.0) is None
    busy = Gate(9)
    busy.add(job("s", concurrency=1, per_minute=6))
    busy.add(job("s", concurrency=1, per_minute=6))
    busy.start(0.0)
    assert busy.opens_in(0.0) is None
    assert Gate(9).opens_in(0.0) is None


@given(st.lists(st.floats(0, 5), min_size=1, max_size=60), st.floats(1, 600))
def test_starts_are_never_closer_than_the_rate_says(gaps, per_minute):
    gate, now, starts = Gate(1_000), 0.0, []
    for _ in gaps:
        gate.add(job("s", per_minute=per_minute))
    for gap in gaps:
        now += gap
        starts += [now] * len(gate.start(now))
    assert all(later - earlier >= 60 / per_minute * (1 - 1e-9) for earlier, later in itertools.pairwise(starts))


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([None, 1, 2])), max_size=30),
    st.randoms(use_true_random=False),
)
def test_all_jobs_start_once_and_never_more_than_allowed(at_once, steps, rng):
    concurrency = {}
    gate, out, done = Gate(at_once), [], []
    for number, (step, most) in enumerate(steps):
        gate.add(job(step, number, concurrency=concurrency.setdefault(step, most)))
    for _ in steps:
        out += gate.start(0.0)
        assert 1 <= len(out) <= at_once
        for step, most in concurrency.items():
            assert most is None or sum(one.step == step for one in out) <= most
        one = out.pop(rng.randrange(len(out)))
        gate.end(one)
        done += one.members
    assert sorted(done) == list(range(len(steps)))


def test_limits_of_the_gate_win_where_they_say_something():
    gate = Gate(10, {"s": Limit(concurrency=2)})
    for name in "123":
        gate.add(job("s", name, concurrency=1, per_minute=60))
    assert names(gate.start(0.0)) == ["1"]
    assert names(gate.start(1.0)) == ["2"]
    assert gate.start(2.0) == []


def test_withdrawn_jobs_never_start():
    gate, owner = Gate(1), object()
    gate.add(job("s", "out", owner=owner))
    (out,) = gate.start(0.0)
    for name, whose in [("gone", owner), ("stays", None)]:
        gate.add(job("s", name, owner=whose))
    gate.withdraw(owner)
    gate.end(out)
    assert names(gate.start(0.0)) == ["stays"]


def test_waiting_jobs_of_one_batch_function_go_out_as_one():
    gate = Gate(2)
    for name, joins in [("1", "batch"), ("2", None), ("3", "batch"), ("4", "another")]:
        gate.add(job("s", name, joins=joins))
    assert [started.members for started in gate.start(0.0)] == [["1", "3"], ["2"]]


def variant(batch=None):
    return Variant("as it ran", lambda case: case, ("case",), False, 1.0, batch=batch)


def test_calls_of_a_batch_function_are_one_job_and_all_others_jobs_of_their_own():
    plain, first, second = variant(), variant(len), variant(max)
    calls = [Call("s", each, {}, World("0").of_step("s")) for each in (plain, first, second, first, plain)]
    assert [made.members for made in jobs_of(range(5), calls, None)] == [[0], [1, 3], [2], [4]]


@pytest.mark.parametrize("step", ["s", "t"])
def test_one_batch_function_of_two_steps_is_called_for_each(step):
    each = variant(len)
    calls = [Call(name, each, {}, World("0").of_step("s")) for name in ("s", step)]
    assert len(jobs_of(range(2), calls, None)) == len({"s", step})
