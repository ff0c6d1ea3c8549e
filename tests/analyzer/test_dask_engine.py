import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from analyzer.dask_engine import dask
from analyzer.engines import Serial
from analyzer.workers.calls import EngineError
from tests.known_calls import calls_of, outcomes, values
from tests.waiting import PATIENCE, until


@pytest.fixture(scope="module")
def cluster():
    with dask(None, 2) as engine:
        yield engine


@dataclass
class Note:
    text: str


def drawing(case, draw):
    if case["n"] % 4 == 3:
        draw.uniform("before the error")
        raise ValueError(f"no. {case['n']} is refused")
    return {"note": Note(f"no. {case['n']}"), "u": draw.uniform("u"), "pick": draw.categorical("p", {"a": 0, "b": 1})}


def address_of(engine):
    return engine._place._client.scheduler.address


def write_line(path, text):
    """Append a line in one write, so that lines of several processes stay whole."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(file, f"{text}\n".encode())
    os.close(file)


def test_results_are_equal_on_a_cluster_and_in_turn(cluster):
    calls = calls_of(drawing, 12)
    assert outcomes(cluster, calls) == outcomes(Serial(), calls)


def test_calls_run_in_other_processes(cluster):
    pids = set(values(cluster, calls_of(lambda case: os.getpid(), 20)))
    assert os.getpid() not in pids
    assert len(pids) <= 2
    assert cluster.at_once == 2


def test_worker_keeps_the_functions_it_was_sent(cluster):
    def counting(case, seen=[]):  # noqa: B006
        seen.append(case["n"])
        return os.getpid(), len(seen)

    counts = values(cluster, calls_of(counting, 40))
    calls_by_worker = Counter(pid for pid, _ in counts)
    assert sorted(counts) == sorted((pid, n + 1) for pid, calls in calls_by_worker.items() for n in range(calls))


def test_cluster_of_this_machine_cannot_be_reached_by_others(cluster):
    assert address_of(cluster).startswith("tcp://127.0.0.1:")


def test_engine_joins_a_cluster_that_is_there(cluster):
    with dask(address_of(cluster)) as engine:
        assert engine.at_once == 2
        assert values(engine, calls_of(lambda case: case["n"], 4)) == [0, 1, 2, 3]
    assert values(cluster, calls_of(lambda case: case["n"], 2)) == [0, 1]


def test_what_a_worker_prints_goes_to_standard_error(capfd):
    def run(case):
        print("printed by Python")
        os.write(1, b"written to the descriptor\n")

    with dask(None, 1) as engine:
        values(engine, calls_of(run, 1))
    out, err = capfd.readouterr()
    assert out == ""
    assert "printed by Python" in err
    assert "written to the descriptor" in err


def test_async_calls_and_batches_stay_in_this_process(cluster):
    async def awaited(case):
        return os.getpid()

    def batch(calls):
        return [os.getpid()] * len(calls)

    assert values(cluster, calls_of(awaited, 2)) == [os.getpid()] * 2
    assert values(cluster, calls_of(lambda case: None, 2, batch=batch)) == [os.getpid()] * 2


def test_worker_outlives_ctrl_c(cluster):
    def run(case):
        os.kill(os.getpid(), signal.SIGINT)
        return os.getpid()

    assert len(set(values(cluster, calls_of(run, 12)))) <= 2


def test_worker_killed_in_the_middle_loses_nothing_and_repeats_only_what_it_had_under_way(tmp_path):
    lines, stop = tmp_path / "calls", tmp_path / "stop"

    def run(case):
        write_line(case["lines"], f"{case['n']} {os.getpid()}")
        # What the two workers have under way when one of them is killed.
        while case["n"] in (10, 11) and not os.path.exists(case["stop"]):
            time.sleep(0.01)
        return case["n"]

    def noted():
        return [tuple(map(int, line.split())) for line in lines.read_text().splitlines()] if lines.exists() else []

    def kill():
        until(lambda: {n for n, _ in noted()} >= {10, 11})
        killed.append(next(pid for n, pid in noted() if n == 10))
        os.kill(killed[0], signal.SIGKILL)
        stop.touch()

    killed = []
    calls = calls_of(run, 30, lines=str(lines), stop=str(stop))
    with dask(None, 2) as engine:
        killer = threading.Thread(target=kill)
        killer.start()
        assert values(engine, calls) == list(range(30))
        killer.join(PATIENCE)
    times = Counter(n for n, _ in noted())
    assert sorted(times) == list(range(30))
    repeated = {n for n, count in times.items() if count > 1}
    assert repeated == {10}
    assert times[10] == 2
    assert (10, killed[0]) in noted()


def test_call_that_costs_each_worker_its_life_is_an_error_and_others_go_on(tmp_path):
    lines = tmp_path / "calls"

    def run(case):
        write_line(case["lines"], case["n"])
        if case["n"] == 1:
            os._exit(7)
        return case["n"]

    with dask(None, 2) as engine:
        results = outcomes(engine, calls_of(run, 6, lines=str(lines)))
    assert [result.value for result in results] == [0, None, 2, 3, 4, 5]
    assert "the worker that ran it died" in results[1].error
    assert lines.read_text().split().count("1") == 2


def test_cluster_that_is_lost_ends_the_run(monkeypatch):
    monkeypatch.setattr("analyzer.dask_engine._PATIENCE", 1.0)
    with dask(None, 1) as owner, dask(address_of(owner)) as engine:
        assert values(engine, calls_of(lambda case: case["n"], 1)) == [0]
        owner.close()
        with pytest.raises(EngineError, match="the Dask cluster was lost or refused a call"):
            list(engine.run(calls_of(lambda case: case["n"], 1)))


def test_scheduler_that_does_not_answer_is_named_with_a_remedy():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(EngineError, match=f"at {address} cannot be reached: .*Check the address, or leave it out"):
            dask(address)


@pytest.mark.parametrize("address", ["pigeon://127.0.0.1:1", "no address", ""])
def test_what_is_no_address_is_named_with_a_remedy(address):
    with pytest.raises(EngineError, match=f"at {address} cannot be reached: .*Check the address"):
        dask(address)


def test_missing_package_is_named_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match="pip install 'agent-blame-site\\[dask\\]'"):
        dask(None, 1)


def test_cluster_without_workers_is_refused():
    with pytest.raises(EngineError, match="0 workers were asked for"):
        dask(None, 0)
