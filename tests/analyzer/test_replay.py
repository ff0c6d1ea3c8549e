"""Runs of programs: what is refused since it could not be repeated, calls that fail, and runs that are not needed."""

import asyncio
import contextlib
import itertools
import threading
import time

import pytest

from analyzer import Case, Fix, PipelineError, Program, Step, StepError
from analyzer.coalitions import run_coalitions, run_factual
from analyzer.commitment import commitment
from analyzer.engines import processes, threads
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.program_runs import run_factual_program
from analyzer.replay import BELONGS_INTO_A_STEP
from analyzer.workers.calls import EngineError

CASE = Case("c", {})


def pick(number, draw):
    return number + draw.uniform("u")


def nap(number):
    time.sleep(0.02 * number)
    return number


def breaks(number):
    raise ValueError("no such page")


STEPS = [Step("pick", pick, fix=Fix.resample()), Step("nap", nap), Step("breaks", breaks)]


def error_of(run, engine=None):
    """Return why a program's run has no score."""
    memory = Memory() if engine is None else Memory(engine=engine)
    return run_factual(Program("p", run, STEPS, lambda output: 0), CASE, World("w"), memory).error


# What is not deterministic.


def test_a_program_that_draws_by_itself_is_told_by_the_first_call_that_differs():
    numbers = itertools.count()

    def agent(case, step):
        step("nap", 0)
        return step("pick", next(numbers))

    where, message = error_of(agent)
    assert where == "program"
    assert message.startswith("run again with the same luck, it gives pick[1] other inputs")
    assert message.endswith(f"its runs cannot be compared; {BELONGS_INTO_A_STEP}")


@pytest.mark.parametrize(
    ("calls", "said"),
    [((1, 2), "calls pick[2], which it had no result of before"), ((2, 1), "does not call pick[2]")],
)
def test_a_program_that_branches_by_itself_is_told(calls, said):
    left = list(calls)

    def agent(case, step):
        for number in range(left.pop(0)):
            step("pick", number)

    assert said in error_of(agent)[1]


def test_a_program_that_returns_something_else_is_told():
    numbers = itertools.count()
    assert "returns something else" in error_of(lambda case, step: next(numbers))[1]


def test_a_program_that_fails_the_second_time_is_told():
    numbers = itertools.count()
    assert "fails (ZeroDivisionError" in error_of(lambda case, step: 1 // (1 - next(numbers)))[1]


def test_the_second_run_executes_nothing_even_where_it_differs():
    numbers, memory = itertools.count(), Memory()

    def agent(case, step):
        for _ in range(3):
            step("pick", next(numbers))

    run_factual(Program("p", agent, STEPS, lambda output: 0), CASE, World("w"), memory)
    assert memory.executed == 3


def test_who_is_done_first_may_decide_nothing():
    async def agent(case, step):
        notes = []

        async def note(number):
            notes.append(await step("nap", number))

        await asyncio.gather(note(2), note(0))
        return notes

    with threads(4) as engine:
        assert "returns something else" in error_of(agent, engine)[1]


def test_a_time_out_of_the_program_is_told():
    async def agent(case, step):
        try:
            async with asyncio.timeout(0.01):
                return await step("nap", 5)
        except TimeoutError:
            return "late"

    assert "calls nap[1], which it had no result of before" in error_of(agent)[1]


def test_a_program_that_changes_its_mind_between_coalitions_is_told():
    numbers = itertools.count()

    def agent(case, step):
        step("choose")
        return step("nap" if next(numbers) == 0 else "pick", 0)

    steps = [Step("choose", lambda: 1, fix=Fix.constant("the same", 1)), *STEPS]
    program = Program("p", agent, steps, lambda output: 0)
    errors = run_coalitions(program, CASE, [World("w")], [0, 1], Memory()).errors
    assert list(errors) == [1]
    where, message = errors[1]
    assert where == "program"
    assert message.startswith("after its steps gave the same, it once called nap[1] and once called pick[1]; ")


def test_a_run_that_cannot_be_repeated_cannot_be_replayed():
    numbers = itertools.count()
    program = Program("p", lambda case, step: step("pick", next(numbers)), STEPS, lambda output: 0)
    with pytest.raises(PipelineError, match="run again with the same luck"):
        commitment(program, CASE)


# Calls that are none.


def test_a_call_that_is_never_awaited_is_told():
    async def agent(case, step):
        step("pick", 1)
        return 1

    assert error_of(agent) == ("program", "pick[1] was called but never awaited; write await step(…)")


def test_what_comes_of_a_call_that_is_not_awaited_names_the_call():
    async def agent(case, step):
        return step("pick", 1)["page"]

    assert error_of(agent)[1].endswith(
        "is not subscriptable; pick[1] was called but never awaited; write await step(…)"
    )


def test_calls_from_other_threads_are_refused_even_where_the_program_hides_it():
    def agent(case, step):
        def work():
            with contextlib.suppress(Exception):
                step("pick", 1)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return 1

    assert "step was called from another thread, where calls have no order" in error_of(agent)[1]


def test_a_step_cannot_be_called_after_its_run():
    kept = []
    program = Program("p", lambda case, step: kept.append(step), STEPS, lambda output: 0)
    run_factual(program, CASE, World("w"), Memory())
    with pytest.raises(RuntimeError, match="the run is over"):
        kept[0]("pick", 1)


async def awaited(case, step):
    return await step("pick", 1)


class Agent:
    async def __call__(self, case, step):
        return await step("pick", 1)


def test_an_async_object_is_a_program():
    assert error_of(Agent()) is None


def test_a_plain_function_that_returns_a_coroutine_is_told():
    assert "make the program itself async" in error_of(lambda case, step: awaited(case, step))[1]


def test_a_generator_is_no_program():
    def agent(case, step):
        yield step("pick", 1)

    with pytest.raises(PipelineError, match="is a generator, so calling it runs nothing"):
        Program("p", agent, STEPS, lambda output: 0)


@pytest.mark.parametrize(("given", "named"), [((), {}), ((1, 2), {}), ((), {"page": 1}), ((1,), {"draw": 1})])
def test_a_call_that_does_not_fit_names_the_call(given, named):
    message = error_of(lambda case, step: step("pick", *given, **named))[1]
    assert message.startswith("TypeError: pick[1] is called with what does not fit it: ")


@pytest.mark.parametrize("end", [SystemExit(3), asyncio.CancelledError(), RecursionError("too deep"), MemoryError()])
def test_what_a_program_raises_ends_its_run_and_no_other(end):
    def agent(case, step):
        raise end

    where, message = error_of(agent)
    assert where == "program"
    assert message.startswith(type(end).__name__)


def test_a_step_that_cannot_be_sent_to_a_process_ends_the_analysis():
    lock = threading.Lock()

    def agent(case, step):
        with contextlib.suppress(Exception):
            step("locked")

    program = Program("p", agent, [Step("locked", lambda: lock.locked())], lambda output: 0)
    with processes(1) as engine, pytest.raises(EngineError, match="step 'locked' cannot be sent to a worker"):
        run_factual(program, CASE, World("w"), Memory(engine=engine))


def test_a_call_that_fails_in_a_group_of_tasks_is_the_one_that_is_named():
    async def agent(case, step):
        async with asyncio.TaskGroup() as group:
            group.create_task(step("nap", 1))
            group.create_task(step("breaks", 1))

    assert error_of(agent) == ("breaks[1]", "ValueError: no such page")


# Calls that fail, and are put up with.


def looking(case, step):
    try:
        return step("breaks", 1)
    except StepError:
        return step("pick", 1)


def test_a_call_that_failed_is_a_call_of_the_run():
    program = Program("p", looking, STEPS, lambda output, breaks, pick: (len(breaks), len(pick)) == (0, 1))
    trace, run = run_factual_program(program, CASE, World("w"), Memory())
    assert [call.id for call in run.made] == ["breaks[1]", "pick[1]"]
    assert run.made[0].output.error == "ValueError: no such page"
    # The score reads what steps gave, and it gave nothing.
    assert trace.score == 1


def test_a_tool_that_fails_by_luck_can_commit_a_run():
    def flaky(draw):
        if draw.uniform("u") < 0.5:
            raise TimeoutError("slow")
        return True

    def agent(case, step):
        try:
            found = step("flaky")
        except StepError:
            found = False
        step("nap", 0)
        return found

    program = Program("p", agent, [Step("flaky", flaky), STEPS[1]], lambda output: output)
    seed = next(
        seed for seed in map(str, range(99)) if run_factual(program, CASE, World(f"{seed}/c"), Memory()).score == 0
    )
    found = commitment(program, CASE, seed=seed, replays=64)
    assert found.point == "flaky[1]"
    assert found.turns[1].change == 0


# Coalitions that need no run of their own.


def counted(agent):
    """Return a program's function that counts its runs, and the list that it counts in."""
    ran = []

    def run(case, step):
        ran.append(1)
        return agent(case, step)

    return run, ran


def wrong(name, right):
    return Step(name, lambda: 0, fix=Fix.constant("right", right))


def test_a_fix_that_changes_no_output_needs_no_further_run():
    agent, ran = counted(lambda case, step: [step(f"s{number}") for number in range(6)])
    # Only the last of the fixes puts out something else than the step.
    program = Program("p", agent, [wrong(f"s{number}", int(number == 5)) for number in range(6)], lambda output: 0)
    lattice = run_coalitions(program, CASE, [World("w")], range(2**6), Memory())
    assert len(set(lattice.seen["output"][0])) == 2
    # Each fix was tried once, which showed that it changes nothing.
    assert len(ran) <= 2 + 6


def test_worlds_that_steps_do_not_tell_apart_need_no_further_run():
    agent, ran = counted(lambda case, step: step("a") or step("b"))
    program = Program("p", agent, [wrong("a", 1), wrong("b", 1)], lambda output: output)
    run_coalitions(program, CASE, [World(str(number)) for number in range(20)], range(4), Memory())
    assert len(ran) == 3


@pytest.mark.parametrize("seed", range(8))
def test_what_is_known_of_a_program_gives_what_running_it_gives(seed):
    def agent(case, step):
        found = []
        while len(found) < 5 and step("more", len(found)):
            found.append(step("pick", sum(found) > 2))
        return [step("write", found), len(found)]

    often = Fix("often", lambda count, draw: draw.uniform("u") < 0.9)
    steps = [
        Step("more", lambda count, draw: draw.uniform("u") < 0.7, fix=often),
        Step("pick", lambda high, draw: draw.integer("n", 0, 2), fix=Fix.observation("one more", edit=lambda n: n + 1)),
        Step("write", lambda found: sum(found), fix=Fix.context("shorter", lambda it: {"found": it["found"][:2]})),
    ]  # fmt: skip
    program = Program("p", agent, steps, lambda output: output[0] > 2, fixes={
        "more": steps[0].fix, "pick": steps[1].fix, "write": steps[2].fix, "pick[2]": Fix.action("seven", 7),
    })  # fmt: skip
    worlds = [World(f"{seed}/{number}") for number in range(3)]
    together = run_coalitions(program, CASE, worlds, range(16), Memory())
    for number, world in enumerate(worlds):
        for mask in range(16):
            alone = run_coalitions(program, CASE, [world], [mask], Memory())
            assert alone.scores[0][0] == together.scores[number][mask]
            for name in together.seen:
                ids = together.seen[name][number, mask], alone.seen[name][0, 0]
                assert together.values[ids[0]].fingerprint == alone.values[ids[1]].fingerprint
