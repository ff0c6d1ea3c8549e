"""One pipeline with everything that steps may be, on every engine: the same bytes, the same calls, the same end."""

import threading

import pytest

from analyzer.batch import analyze
from analyzer.dask_engine import dask
from analyzer.engines import Serial, processes, threads
from analyzer.game_file import dumps
from analyzer.memory import Memory
from analyzer.pipeline import Case, Codec, Fix, Pipeline, Score, Step
from analyzer.plan import Plan
from analyzer.workers.calls import Limit


def retrieve(case, draw):
    order = draw.shuffle("order", ["a", "b", "c"])
    return {"first": order[0], "hard": case["hard"]}


def retrieve_more(case, draw):
    # Other draws than the step's own, from the same place on.
    return {"first": draw.shuffle("order", ["a", "b", "c"])[int(draw.uniform("pick") * 2)], "hard": case["hard"]}


async def rewrite(retrieve, draw):
    return retrieve["first"] + draw.categorical("style", {"x": 0.0, "y": 0.3})


async def rewrite_well(retrieve):
    return retrieve["first"] + "x"


def embed(rewrite):
    return len(rewrite)


def embed_all(given):
    # An exception in a place is the error of that call alone.
    return [
        ValueError("b cannot be embedded") if one["rewrite"] == "by" else sum(map(ord, one["rewrite"])) for one in given
    ]


def judge(retrieve, embed):
    if retrieve["hard"] and embed % 3 == 1:
        raise RuntimeError(f"no judgement of {embed}")
    return embed % 2


def reply(judge, draw):
    return "yes" if draw.uniform("mood") + 0.4 * judge > 0.7 else "no"


PIPELINE = Pipeline(
    "every-kind",
    [
        Step("retrieve", retrieve, fix=Fix("more", retrieve_more)),
        Step("rewrite", rewrite, fix=Fix("well", rewrite_well)),
        Step("embed", embed, batch=embed_all),
        Step("judge", judge, fix=Fix.constant("fair", 1)),
        Step("reply", reply, fix=Fix.resample()),
    ],
    score=Score(lambda reply: reply == "yes", failure=lambda judge: f"judged {judge}"),
)
CASES = [Case(f"c{n}", {"hard": n % 2 == 0, "n": n}) for n in range(10)]
PLAN = Plan(worlds=4)


def outcome(engine, cases=CASES, plan=PLAN, pipeline=PIPELINE, told=None):
    """Return the files' bytes and what else is said of a run, which ends the engine."""
    with engine:
        batch = analyze(pipeline, cases, plan, Memory(engine), progress=told)
    return [dumps(file) for file in batch.files], batch.errored, batch.missing, batch.holes, batch.stopped


@pytest.fixture(scope="module")
def serial():
    return outcome(Serial())


def test_the_pipeline_holds_what_engines_might_do_differently(serial):
    _, errored, missing, holes, _ = serial
    assert errored
    assert missing > 0
    assert {hole.error.step for hole in holes} >= {"embed", "judge"}


ENGINES = {
    "one thread": lambda: threads(1),
    "two threads": lambda: threads(2),
    "four threads": lambda: threads(4),
    "sixteen threads": lambda: threads(16),
    "one call of a step at a time": lambda: threads(4, limits={"reply": Limit(concurrency=1)}),
    "retries": lambda: threads(4, retries=2),
    "processes": lambda: processes(2),
}


@pytest.mark.parametrize("make", ENGINES.values(), ids=ENGINES)
def test_files_and_errors_are_the_same_on_each_engine(serial, make):
    assert outcome(make()) == serial


def test_files_and_errors_are_the_same_on_a_cluster(serial):
    assert outcome(dask(None, 2)) == serial


class Page:
    """A plain object, which nothing but its codec tells from another."""

    def __init__(self, title):
        self.title = title


def read(case):
    return Page("abc"[case["n"] % 3])


def read_on(case):
    return Page("bcd"[case["n"] % 3])


def praise(read):
    return f"{read.title}!"


OBJECTS = Pipeline(
    "objects",
    [
        Step("read", read, fix=Fix("on", read_on), codec=Codec("page", lambda page: page.title, Page)),
        Step("praise", praise, fix=Fix.constant("well", "c!")),
    ],
    score=lambda praise: praise == "c!",
)


@pytest.mark.parametrize("make", [*ENGINES.values(), lambda: dask(None, 2)], ids=[*ENGINES, "cluster"])
def test_objects_that_only_a_codec_tells_apart_are_the_same_on_each_engine(make):
    found = outcome(make(), pipeline=OBJECTS)
    assert found == outcome(Serial(), pipeline=OBJECTS)
    assert found[1:3] == ((), 0)


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
def test_cases_are_told_in_their_order(make):
    told = []
    outcome(make(), told=lambda case, state, done: told.append((case.id, done)))
    assert told == [(case.id, number) for number, case in enumerate(CASES, 1)]


def executed(engine, pipeline=PIPELINE):
    with engine:
        return analyze(pipeline, CASES, PLAN, Memory(engine)).executed


@pytest.mark.parametrize("make", [lambda: threads(4), lambda: threads(16)], ids=["4", "16"])
def test_callers_beside_each_other_execute_no_call_twice(make):
    # Without errors: those are tried again in each world that happens not to wait for the first.
    calm = [Step(step.name, step.run, fix=step.fix) for step in PIPELINE.steps if step.name in ("retrieve", "rewrite")]
    pipeline = Pipeline("calm", calm, score=lambda rewrite: rewrite == "ax")
    assert executed(make(), pipeline) == executed(Serial(), pipeline)


# Ends before all cases are looked at, although some beyond have been by then.


def coin(case, draw):
    return draw.categorical("side", {"heads": 0.0, "tails": 0.0})


def weighed(case, draw):
    return draw.categorical("side", {"heads": 4.0, "tails": 0.0})


def name_of(toss, case):
    return f"{toss} {case['n'] % 2}"


COIN = Pipeline(
    "coin",
    [
        Step("toss", coin, fix=Fix("weigh it", weighed)),
        Step("name", name_of, fix=Fix("no number", name_of, version="2")),
    ],
    score=lambda name: name.startswith("heads"),
)
MANY = [Case(f"c{n}", {"n": n}) for n in range(120)]
ENDS = {"failures": Plan(worlds=2, max_failures=5), "separation": Plan(worlds=2, until_separated=True)}


@pytest.mark.parametrize("workers", [2, 8])
@pytest.mark.parametrize("plan", ENDS.values(), ids=ENDS)
def test_a_run_that_ends_early_ends_at_the_same_case_with_the_same_files(plan, workers):
    expected = outcome(Serial(), MANY, plan, COIN)
    assert outcome(threads(workers), MANY, plan, COIN) == expected
    assert expected[-1] != "all cases analysed"


def test_a_run_that_ended_early_leaves_nothing_running():
    before = threading.active_count()
    outcome(threads(8), MANY, ENDS["failures"], COIN)
    assert threading.active_count() == before
