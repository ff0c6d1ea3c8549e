import asyncio
import importlib
import os
import random
import signal
import sys
import threading
import time
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.engines import Serial, processes, threads
from analyzer.noise import World
from analyzer.pipeline import Fix
from analyzer.workers.calls import Call, EngineError, Limit
from tests.known_calls import calls_of, in_threads, outcomes, values
from tests.known_pipelines import Ledger, random_pipeline
from tests.waiting import PATIENCE, is_alive, until


def number(case):
    return case["n"]


def drawing(case, draw):
    if case["n"] % 4 == 3:
        draw.uniform("before the error")
        raise ValueError(f"no. {case['n']} is refused")
    return {"n": case["n"], "u": draw.uniform("u"), "pick": draw.categorical("pick", {"a": 0.0, "b": 1.0})}


class Busy(Exception):
    status_code = 429
    retry_after = 250.0


class Gauge:
    """Counts how many are inside at a time, and lets them wait until so many have been."""

    def __init__(self, until=1):
        self.inside = self.most = self.entered = 0
        self._until, self._turn = until, threading.Condition()

    def __enter__(self):
        with self._turn:
            self.entered += 1
            self.inside += 1
            self.most = max(self.most, self.inside)
            self._turn.notify_all()
            self._turn.wait_for(lambda: self.entered >= self._until, PATIENCE)
        return self

    def __exit__(self, *error):
        with self._turn:
            self.inside -= 1


@pytest.fixture(params=["serial", "threads"])
def engine(request):
    with Serial() if request.param == "serial" else threads(4) as engine:
        yield engine


@pytest.fixture(scope="module")
def workers():
    with processes(2) as engine:
        yield engine


def test_every_call_gives_its_own_result(engine):
    assert values(engine, calls_of(number, 40)) == list(range(40))


def test_no_calls_give_no_results(engine):
    assert list(engine.run([])) == []


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 8))
def test_results_are_equal_in_threads_and_in_turn(seed, at_once):
    rng = random.Random(seed)
    pipeline = random_pipeline(rng, Ledger(), 4)
    calls = []
    for _ in range(20):
        node = rng.choice(pipeline.nodes)
        variant = rng.choice([node.factual, node.fixed])
        inputs = {name: {"n": rng.randrange(4)} if name == "case" else rng.randrange(4) for name in variant.reads}
        calls.append(Call(node.step.name, variant, inputs, World(str(rng.randrange(3))).of_step(node.step.name)))
    with threads(at_once) as engine:
        assert outcomes(engine, calls) == outcomes(Serial(), calls)


def test_results_are_equal_in_processes_and_in_turn(workers):
    calls = calls_of(drawing, 12)
    assert outcomes(workers, calls) == outcomes(Serial(), calls)


def test_calls_run_beside_each_other_in_threads():
    gauge = Gauge(until=4)

    def run(case):
        with gauge:
            return case["n"]

    with threads(4) as engine:
        assert values(engine, calls_of(run, 8)) == list(range(8))
    assert gauge.most == 4


def test_result_is_yielded_as_soon_as_it_is_there():
    release = threading.Event()

    def run(case):
        assert case["n"] or release.wait(PATIENCE)
        return case["n"]

    with threads(2) as engine:
        order = []
        for index, _ in engine.run(calls_of(run, 5)):
            order.append(index)
            if len(order) == 4:
                release.set()
    assert order == [1, 2, 3, 4, 0]


def test_slot_is_free_when_the_caller_asks_for_the_next_result_and_not_before():
    started, ended = [], [threading.Event() for _ in range(3)]

    def run(case):
        started.append(case["n"])
        ended[case["n"]].set()

    with threads(2) as engine:
        results = engine.run(calls_of(run, 3))
        next(results)
        assert ended[0].wait(PATIENCE)
        assert ended[1].wait(PATIENCE)
        assert len(started) == 2
        next(results)
        assert ended[2].wait(PATIENCE)
        assert len(list(results)) == 1


@pytest.mark.parametrize("at_once", [1, 3])
def test_callers_share_the_slots_and_each_gets_its_own(at_once):
    untaken, most, turn = set(), [], threading.Lock()

    def run(case):
        with turn:
            untaken.add(case["n"])
            most.append(len(untaken))
        return case["n"]

    def take(index):
        found = []
        calls = [replace(call, inputs={"case": {"n": (index, call.inputs["case"]["n"])}}) for call in calls_of(run, 10)]
        for _, result in engine.run(calls):
            found.append(result.value)
            with turn:
                untaken.discard(result.value)
        return sorted(found)

    with threads(at_once) as engine:
        assert in_threads(6, take) == [[(index, n) for n in range(10)] for index in range(6)]
    assert max(most) <= at_once


def test_serial_engine_runs_one_call_at_a_time_for_all_callers():
    gauge = Gauge()

    def run(case):
        with gauge:
            time.sleep(0.001)

    with Serial() as engine:
        in_threads(4, lambda index: values(engine, calls_of(run, 5)))
    assert (gauge.most, gauge.entered) == (1, 20)


@pytest.mark.parametrize("make", [Serial, lambda: threads(1)], ids=["serial", "threads"])
def test_closing_the_iterator_frees_the_slot_for_others(make):
    with make() as engine:
        results = engine.run(calls_of(number, 5))
        next(results)
        results.close()
        assert values(engine, calls_of(number, 3)) == [0, 1, 2]


def test_closing_the_iterator_frees_slots_of_calls_that_still_run_when_they_end():
    begun, release = threading.Event(), threading.Event()

    def run(case):
        begun.set()
        assert release.wait(PATIENCE)

    with threads(2) as engine:
        results = engine.run([*calls_of(number, 1), *calls_of(run, 3)])
        next(results)
        assert begun.wait(PATIENCE)
        results.close()
        release.set()
        assert values(engine, calls_of(number, 3)) == [0, 1, 2]


def test_interrupt_within_a_step_goes_to_the_caller_and_leaves_the_engine_usable(engine):
    def interrupted(case):
        raise KeyboardInterrupt

    async def interrupted_async(case):
        raise KeyboardInterrupt

    for run in (interrupted, interrupted_async):
        with pytest.raises(KeyboardInterrupt):
            list(engine.run(calls_of(run, 1)))
    assert values(engine, calls_of(number, 3)) == [0, 1, 2]


def test_interrupt_within_a_step_in_a_process_goes_to_the_caller_and_leaves_the_engine_usable(workers):
    def interrupted(case):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(workers.run(calls_of(interrupted, 1)))
    assert values(workers, calls_of(number, 3)) == [0, 1, 2]


def test_halt_lets_calls_under_way_end_and_starts_no_other():
    # Two calls, and who stops the engine meanwhile.
    gauge, release = Gauge(until=3), threading.Event()

    def run(case):
        with gauge:
            assert release.wait(PATIENCE)
        return case["n"]

    def stop(index):
        with gauge:
            engine.halt()
            release.set()

    with threads(2) as engine:
        found = in_threads(2, lambda index: stop(index) if index else list(engine.run(calls_of(run, 10))))[0]
        assert sorted(index for index, _ in found) == [0, 1]
        assert list(engine.run(calls_of(number, 3))) == []
        engine.resume()
        assert values(engine, calls_of(number, 3)) == [0, 1, 2]


def test_halt_ends_the_work_of_every_caller():
    with threads(1) as engine:
        started = Gauge(until=2)

        def run(case):
            with started:
                return case["n"]

        def work(index):
            if index == 3:
                with started:
                    engine.halt()
                return 0
            return len(list(engine.run(calls_of(run, 1_000))))

        # One call was under way, and with it perhaps one more that was let out before the order.
        assert 1 <= sum(in_threads(4, work)) < 1_000


def test_halt_holds_for_those_who_waited_also_when_it_is_lifted_right_away():
    busy, release = threading.Event(), threading.Event()

    def run(case):
        busy.set()
        assert release.wait(PATIENCE)
        return case["n"]

    def work(index):
        if index:
            assert busy.wait(PATIENCE)
            engine.halt()
            engine.resume()
            return release.set()
        return [number for number, _ in engine.run(calls_of(run, 3))]

    with threads(1) as engine:
        assert in_threads(2, work)[0] == [0]
        assert values(engine, calls_of(number, 2)) == [0, 1]


def test_serial_engine_halts_before_the_next_call():
    with Serial() as engine:
        found = []
        for index, _ in engine.run(calls_of(number, 10)):
            found.append(index)
            if index == 2:
                engine.halt()
        assert found == [0, 1, 2]
        engine.resume()
        assert values(engine, calls_of(number, 2)) == [0, 1]


@pytest.mark.parametrize("make", [Serial, lambda **manners: threads(2, **manners)], ids=["serial", "threads"])
@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
def test_halt_ends_the_wait_for_another_attempt_with_the_error(make, is_async):
    failed = threading.Event()

    def plain(case):
        failed.set()
        raise Busy("come again")

    async def awaited(case):
        plain(case)

    def work(index):
        if index:
            assert failed.wait(PATIENCE)
            return engine.halt()
        return outcomes(engine, calls_of(awaited if is_async else plain, 1))

    with make(retries=5) as engine:
        (result,) = in_threads(2, work)[0]
    assert (result.error, result.attempts) == ("Busy: come again", 1)


def test_halt_ends_the_wait_for_the_rate():
    for make in (Serial, lambda: threads(2)):
        with make() as engine:
            found = []
            for index, _ in engine.run(calls_of(number, 3, limit=Limit(per_minute=0.1))):
                found.append(index)
                engine.halt()
            assert found == [0]


def test_step_never_runs_more_calls_at_a_time_than_it_allows_and_holds_up_no_other():
    gauge, others_done = Gauge(), threading.Event()

    def careful(case):
        with gauge:
            assert others_done.wait(PATIENCE)

    def other(case):
        return case["n"]

    calls = [*calls_of(careful, 6, limit=Limit(concurrency=2)), *calls_of(other, 6, step="other")]
    with threads(4) as engine:
        seen = []
        for index, _ in engine.run(calls):
            seen.append(index)
            if len(seen) == 6:
                others_done.set()
    assert sorted(seen[:6]) == list(range(6, 12))
    assert gauge.most == 2


def test_limits_of_the_engine_win_over_those_of_the_step():
    gauge = Gauge()

    def run(case):
        with gauge:
            time.sleep(0.001)

    with threads(4, limits={"s": Limit(concurrency=1)}) as engine:
        values(engine, calls_of(run, 12, limit=Limit(concurrency=4)))
    assert gauge.most == 1


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
def test_starts_are_spread_over_the_minute(make):
    with make() as engine:
        before = time.monotonic()
        assert values(engine, calls_of(number, 5, limit=Limit(per_minute=1200))) == list(range(5))
        assert time.monotonic() - before >= 4 * 60 / 1200


def test_callers_that_wait_for_a_rate_are_served_although_the_others_left():
    with threads(4) as engine:
        limit = Limit(per_minute=3000)
        assert in_threads(5, lambda index: values(engine, calls_of(number, 3, limit=limit))) == [[0, 1, 2]] * 5


def test_async_calls_run_beside_each_other_on_one_loop_without_threads_of_their_own():
    inside, most, where = [0], [], set()

    async def run(case):
        inside[0] += 1
        most.append(inside[0])
        where.add((id(asyncio.get_running_loop()), threading.get_ident()))
        await asyncio.sleep(0.005)
        inside[0] -= 1
        return case["n"]

    with threads(16) as engine:
        assert values(engine, calls_of(run, 64)) == list(range(64))
        assert values(engine, calls_of(run, 4)) == list(range(4))
    assert max(most) == 16
    assert len(where) == 1


def test_async_calls_are_within_the_limits_of_their_step():
    inside, most = [0], []

    async def run(case):
        inside[0] += 1
        most.append(inside[0])
        await asyncio.sleep(0.001)
        inside[0] -= 1

    with threads(8) as engine:
        values(engine, calls_of(run, 12, limit=Limit(concurrency=3)))
    assert max(most) <= 3


def test_serial_engine_runs_async_calls_in_turn_on_one_loop():
    loops, inside = [], []

    async def run(case):
        inside.append(case["n"])
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        assert inside == [case["n"]]
        inside.clear()
        return case["n"]

    with Serial() as engine:
        assert values(engine, calls_of(run, 3)) == [0, 1, 2]
        assert values(engine, calls_of(run, 3)) == [0, 1, 2]
    assert len({id(loop) for loop in loops}) == 1


def test_async_calls_can_be_run_where_a_loop_runs_already(engine):
    async def run(case):
        return case["n"]

    async def notebook():
        return values(engine, calls_of(run, 3))

    assert asyncio.run(notebook()) == [0, 1, 2]


def test_async_calls_give_what_plain_ones_do(engine):
    async def awaited(case, draw):
        return drawing(case, draw)

    assert outcomes(engine, calls_of(awaited, 8)) == outcomes(Serial(), calls_of(drawing, 8))


def test_calls_of_a_batch_function_go_to_it_as_one_list(engine):
    lists = []

    def batch(calls):
        lists.append([call["case"]["n"] for call in calls])
        return [call["case"]["n"] for call in calls]

    async def batch_async(calls):
        return batch(calls)

    for function in (batch, batch_async):
        assert values(engine, calls_of(number, 5, batch=function)) == [0, 1, 2, 3, 4]
    assert lists == [[0, 1, 2, 3, 4]] * 2


@pytest.mark.parametrize("make", [threads, processes])
def test_engine_without_workers_is_refused(make):
    with pytest.raises(EngineError, match="0 workers were asked for; it takes at least 1"):
        make(0)


# In processes


@dataclass
class Note:
    text: str


def note(case):
    return Note(f"no. {case['n']}")


def pid(case):
    return os.getpid()


def test_calls_run_in_other_processes_and_no_more_of_them_than_asked_for(workers):
    pids = set(values(workers, calls_of(pid, 20)))
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= 2


def test_closures_and_lambdas_and_constants_go_to_processes(workers):
    added = 10
    assert values(workers, calls_of(lambda case: case["n"] + added, 3)) == [10, 11, 12]
    constant = Fix.constant("corrected", {"right": [1, 2]})
    assert values(workers, calls_of(number, 2, fix=constant)) == [{"right": [1, 2]}] * 2
    oracle = Fix.constant("from the case", field="n")
    assert values(workers, calls_of(number, 2, fix=oracle)) == [0, 1]


def test_types_of_ones_own_modules_come_back_as_themselves(workers):
    results = outcomes(workers, calls_of(note, 2))
    assert [result.value for result in results] == [Note("no. 0"), Note("no. 1")]
    assert all(type(result.value) is Note for result in results)
    assert results == outcomes(Serial(), calls_of(note, 2))


def test_inputs_of_types_of_ones_own_modules_go_to_processes(workers):
    calls = [replace(call, inputs={"case": Note("given")}) for call in calls_of(lambda case: case.text, 2)]
    assert values(workers, calls) == ["given", "given"]


def test_modules_that_import_each_other_go_to_processes(workers, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "ring_of_engines").mkdir()
    (tmp_path / "ring_of_engines" / "__init__.py").write_text("from ring_of_engines import step\nWORD = 'around'\n")
    (tmp_path / "ring_of_engines" / "step.py").write_text(
        "import ring_of_engines\ndef run(case):\n    return ring_of_engines.WORD\n"
    )
    module = importlib.import_module("ring_of_engines.step")
    assert values(workers, calls_of(module.run, 1)) == ["around"]


def test_process_keeps_the_functions_it_was_sent():
    def counting(case, seen=[]):  # noqa: B006
        seen.append(case["n"])
        return len(seen)

    with processes(1) as engine:
        assert values(engine, calls_of(counting, 3)) == [1, 2, 3]


def test_process_that_dies_once_costs_no_result(tmp_path):
    marks = tmp_path / "calls"

    def run(case):
        with marks.open("a") as file:
            file.write(f"{case['n']}\n")
        if case["n"] == 3 and marks.read_text().split().count("3") == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return case["n"]

    with processes(2) as engine:
        assert values(engine, calls_of(run, 8)) == list(range(8))
    assert sorted(marks.read_text().split()) == ["0", "1", "2", "3", "3", "4", "5", "6", "7"]


def test_processes_that_died_while_they_had_nothing_to_do_are_replaced(tmp_path):
    def run(case):
        (tmp_path / str(case["n"])).touch()
        # Each waits for the other, so there are two.
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        return os.getpid()

    with processes(2) as engine:
        pids = values(engine, calls_of(run, 2))
        assert len(set(pids)) == 2
        for one in pids:
            os.kill(one, signal.SIGKILL)
        until(lambda: not any(map(is_alive, pids)))
        assert values(engine, calls_of(number, 4)) == [0, 1, 2, 3]


def test_call_that_costs_each_process_its_life_is_an_error_and_others_go_on(tmp_path):
    marks = tmp_path / "calls"

    def run(case):
        with marks.open("a") as file:
            file.write(f"{case['n']}\n")
        if case["n"] % 4 == 1:
            os._exit(7)
        return case["n"]

    with processes(2) as engine:
        results = outcomes(engine, calls_of(run, 8))
    died = "the worker that ran it died (exit code 7), and so did the one that ran it again"
    assert [result.error for result in results] == [None, died, None, None, None, died, None, None]
    assert sorted(marks.read_text().split()) == ["0", "1", "1", "2", "3", "4", "5", "5", "6", "7"]


def test_what_a_process_prints_goes_to_standard_error(capfd):
    def run(case):
        print("printed by Python")
        os.write(1, b"written to the descriptor\n")
        return sys.stdin.read()

    with processes(1) as engine:
        assert values(engine, calls_of(run, 1)) == [""]
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed by Python" in err
    assert "written to the descriptor" in err


def test_process_outlives_ctrl_c():
    def run(case):
        os.kill(os.getpid(), signal.SIGINT)
        return os.getpid()

    with processes(1) as engine:
        assert len(set(values(engine, calls_of(run, 3)))) == 1


class Stubborn(dict):
    def __reduce__(self):
        raise TypeError("a Stubborn stays where it is")


def test_output_that_cannot_be_sent_back_is_an_error_that_says_so(workers):
    (result,) = outcomes(workers, calls_of(lambda case: Stubborn(), 1))
    expected = outcomes(Serial(), calls_of(lambda case: 1, 1))[0]
    assert expected.error is None
    assert result.error == "TypeError: a Stubborn stays where it is"


class Sticky(str):
    def __reduce__(self):
        raise TypeError("a Sticky stays where it is")

    def __deepcopy__(self, memo):
        return self


def test_output_that_can_be_copied_and_not_sent_is_an_error_that_says_so(workers):
    (result,) = outcomes(workers, calls_of(lambda case: Sticky("a"), 1))
    assert result.error == "its output cannot be sent back from the worker: TypeError: a Sticky stays where it is"


def test_inputs_that_cannot_be_sent_are_an_error_that_says_so(workers):
    calls = [replace(call, inputs={"case": {"n": Sticky("a")}}) for call in calls_of(number, 1)]
    (result,) = outcomes(workers, calls)
    assert result.error == "its inputs cannot be sent to a worker: TypeError: a Sticky stays where it is"


def test_function_that_cannot_be_sent_ends_the_run_with_a_remedy(workers):
    lock = threading.Lock()
    with pytest.raises(EngineError, match="step 's' cannot be sent to a worker.*run the calls in threads"):
        list(workers.run(calls_of(lambda case: lock.locked(), 2)))
    assert values(workers, calls_of(number, 2)) == [0, 1]


def test_process_that_cannot_start_ends_the_run_with_what_happened(monkeypatch):
    monkeypatch.setattr("sys.path", [])
    with processes(1) as engine, pytest.raises(EngineError, match="a worker process cannot start \\(exit code 1\\)"):
        list(engine.run(calls_of(number, 1)))


def test_halt_ends_the_wait_for_another_attempt_in_a_process(tmp_path):
    marks = tmp_path / "failed"

    def run(case):
        marks.touch()
        raise Busy("come again")

    def work(index):
        if index:
            until(marks.exists)
            return engine.halt()
        return outcomes(engine, calls_of(run, 1))

    with processes(1, retries=5) as engine:
        (result,) = in_threads(2, work)[0]
    assert (result.error, result.attempts) == ("Busy: come again", 1)


def test_async_calls_and_batches_stay_in_this_process(workers):
    async def awaited(case):
        return os.getpid()

    def batch(calls):
        return [os.getpid()] * len(calls)

    assert values(workers, calls_of(awaited, 2)) == [os.getpid()] * 2
    assert values(workers, calls_of(pid, 2, batch=batch)) == [os.getpid()] * 2
