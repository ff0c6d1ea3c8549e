import contextvars
import decimal
import threading

import numpy as np
import pytest

from analyzer.engines import Serial, threads
from analyzer.workers import pool
from analyzer.workers.limits import Gate
from tests.known_calls import calls_of, in_threads, values
from tests.waiting import PATIENCE

MODEL = contextvars.ContextVar("model", default="none")


def number(case):
    return case["n"]


# Contexts


def seen(case=None):
    return str(decimal.Decimal(1) / 3), str(np.array([1 / 3])), MODEL.get()


async def seen_async(case):
    return seen()


def seen_by_all(calls):
    return [seen() for _ in calls]


async def seen_by_all_async(calls):
    return [seen() for _ in calls]


def as_a_module_sets_it(work):
    """Do work in a context in which things are set as a pipeline's module may set them."""

    def set_up():
        decimal.setcontext(decimal.Context(prec=5))
        np.set_printoptions(precision=2)
        MODEL.set("chosen")
        return work()

    return contextvars.copy_context().run(set_up)


@pytest.mark.parametrize("make", [Serial, lambda: threads(2)], ids=["serial", "threads"])
@pytest.mark.parametrize(
    ("run", "batch"),
    [(seen, None), (seen_async, None), (seen, seen_by_all), (seen, seen_by_all_async)],
    ids=["plain", "async", "batch", "async batch"],
)
def test_what_a_module_sets_for_its_thread_holds_for_its_steps(make, run, batch):
    def work():
        with make() as engine:
            return values(engine, calls_of(lambda case: run(case), 2, batch=batch) if batch else calls_of(run, 2))

    assert as_a_module_sets_it(work) == [("0.33333", "[0.33]", "chosen")] * 2


def test_calls_run_in_the_context_of_the_thread_that_made_the_engine_whoever_asks():
    with as_a_module_sets_it(lambda: threads(2)) as engine:
        assert in_threads(2, lambda index: values(engine, calls_of(seen, 1))) == [[("0.33333", "[0.33]", "chosen")]] * 2


def test_what_a_step_sets_is_not_seen_by_others():
    before = seen()

    def run(case):
        found = seen()
        decimal.getcontext().prec = 7
        np.set_printoptions(precision=3)
        MODEL.set("its own")
        return found

    async def run_async(case):
        return run(case)

    with threads(1) as engine:
        assert values(engine, calls_of(run, 3)) == [before] * 3
        assert values(engine, calls_of(run_async, 3)) == [before] * 3
    assert seen() == before


# Batches of many callers


class Lists:
    """A batch function that remembers what it was given."""

    def __init__(self):
        self.lists = []

    def __call__(self, calls):
        self.lists.append([call["case"]["n"] for call in calls])
        return self.lists[-1]


def test_batch_calls_of_callers_that_come_together_go_out_as_one_list(monkeypatch):
    monkeypatch.setattr(pool, "_LINGER", 1.0)
    lists = Lists()
    with threads(20) as engine:
        calls = calls_of(number, 20, batch=lists)
        assert in_threads(20, lambda index: values(engine, [calls[index]])) == [[index] for index in range(20)]
    assert len(lists.lists) <= 2
    assert sorted(n for given in lists.lists for n in given) == list(range(20))


def test_batch_calls_that_wait_for_a_slot_go_out_with_those_of_other_callers(monkeypatch):
    monkeypatch.setattr(pool, "_LINGER", 0.0)
    lists, came, waiting, add = Lists(), [], threading.Event(), Gate.add

    def add_and_tell(gate, job, *departs):
        add(gate, job, *departs)
        came.append(job)
        if len(came) == 4:
            waiting.set()

    def run(case):
        # Holds the only slot until all others wait for it.
        assert waiting.wait(PATIENCE)

    monkeypatch.setattr(Gate, "add", add_and_tell)
    with threads(1) as engine:
        results = engine.run(calls_of(run, 1))
        holder = threading.Thread(target=lambda: list(results))
        holder.start()
        while not came:
            threading.Event().wait(0.005)
        calls = calls_of(number, 2, batch=lists)
        assert in_threads(3, lambda index: values(engine, calls)) == [[0, 1]] * 3
        holder.join(PATIENCE)
    assert lists.lists == [[0, 1] * 3]


def test_plain_calls_do_not_wait_for_a_batch_that_gathers(monkeypatch):
    monkeypatch.setattr(pool, "_LINGER", 1.0)
    lists = Lists()
    with threads(2) as engine:
        order = [index for index, _ in engine.run([*calls_of(number, 1, batch=lists), *calls_of(number, 3)])]
    assert order[-1] == 0


def test_halt_ends_the_gathering_of_a_batch(monkeypatch):
    monkeypatch.setattr(pool, "_LINGER", PATIENCE)
    added, add = threading.Event(), Gate.add
    lists = Lists()

    def add_and_tell(gate, job, *departs):
        add(gate, job, *departs)
        added.set()

    def work(index):
        if index:
            assert added.wait(PATIENCE)
            return engine.halt()
        return list(engine.run(calls_of(number, 3, batch=lists)))

    monkeypatch.setattr(Gate, "add", add_and_tell)
    with threads(2) as engine:
        assert in_threads(2, work)[0] == []
    assert lists.lists == []


def test_job_that_others_may_join_departs_when_the_last_of_them_allows():
    gate = Gate(2)
    jobs = [pool.Job("s", calls_of(number, 1)[0].limit, [index], joins="batch") for index in range(2)]
    gate.add(jobs[0], 1.0)
    assert gate.opens_in(0.0) == 1.0
    gate.add(jobs[1], 1.5)
    assert gate.start(1.0) == []
    assert gate.opens_in(1.0) == 0.5
    assert [job.members for job in gate.start(1.5)] == [[0, 1]]
