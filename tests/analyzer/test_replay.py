"""Runs of programs: the order of their calls, what is refused since it could not be repeated, and runs not needed."""

import asyncio
import contextlib
import gc
import itertools
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer import Case, Fix, PipelineError, Program, Step, StepError
from analyzer.coalitions import run_coalitions, run_factual
from analyzer.commitment import commitment
from analyzer.engines import processes, threads
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.program_loop import MADE_IN_ANY_ORDER
from analyzer.program_runs import run_factual_program
from analyzer.replay import BELONGS_INTO_A_STEP, luck_of, not_waiting_for, run_once
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


# The order of calls.


async def napping(step, *numbers):
    return [await step("nap", number) for number in numbers]


async def gathered(case, step):
    await asyncio.gather(napping(step, 3, 2), napping(step, 0))
    await step("pick", 0)


async def grouped(case, step):
    async with asyncio.TaskGroup() as group:
        group.create_task(napping(step, 3, 2))
        group.create_task(napping(step, 0))
    await step("pick", 0)


async def awaited_later(case, step):
    slow = asyncio.create_task(napping(step, 3, 2))
    quick = asyncio.create_task(napping(step, 0))
    await quick
    await slow
    await step("pick", 0)


async def awaited_together(case, step):
    await asyncio.wait([asyncio.create_task(napping(step, *numbers)) for numbers in ((3, 2), (0,))])
    await step("pick", 0)


async def at_most_one(case, step):
    gate = asyncio.Semaphore(1)

    async def one(*numbers):
        async with gate:
            await napping(step, *numbers)

    await asyncio.gather(one(3, 2), one(0))
    await step("pick", 0)


async def as_they_come(case, step):
    for done in asyncio.as_completed([asyncio.create_task(napping(step, *numbers)) for numbers in ((3, 2), (0,))]):
        await done
    await step("pick", 0)


@pytest.mark.parametrize(
    "agent",
    [gathered, grouped, awaited_later, awaited_together, at_most_one, as_they_come],
    ids=lambda run: run.__name__,
)
@pytest.mark.parametrize("known", [False, True])
def test_a_call_comes_after_those_of_the_tasks_it_waited_for(agent, known):
    program = Program("p", agent, STEPS, lambda output: 0)
    with threads(4) as engine:
        memory = Memory(engine=engine)
        if known:
            run_factual_program(program, CASE, World("w"), memory)
        run = run_factual_program(program, CASE, World("w"), memory)[1]
    assert [call.id for call in run.made] == ["1/nap[1]", "1/nap[2]", "2/nap[1]", "pick[1]"]


def test_a_call_comes_after_those_of_tasks_in_tasks():
    async def boss(step, number):
        await asyncio.gather(napping(step, number), napping(step, 0))
        await step("pick", number)

    async def agent(case, step):
        await asyncio.wait_for(asyncio.create_task(boss(step, 1)), 60)
        await step("pick", 0)

    run = run_factual_program(Program("p", agent, STEPS, lambda output: 0), CASE, World("w"), Memory())[1]
    assert [call.id for call in run.made] == ["1.1/nap[1]", "1.2/nap[1]", "1/pick[1]", "pick[1]"]


def test_a_call_comes_after_those_whose_results_came_through_a_queue():
    async def agent(case, step):
        found = asyncio.Queue()

        async def reader():
            return await step("pick", await found.get())

        async def finder():
            await found.put(await step("nap", 1))

        return (await asyncio.gather(reader(), finder()))[0]

    run = run_factual_program(Program("p", agent, STEPS, lambda output: 0), CASE, World("w"), Memory())[1]
    assert [call.id for call in run.made] == ["2/nap[1]", "1/pick[1]"]


def note(label, knew):
    """Return its own label, after a while."""
    time.sleep(0.001 * (sum(map(ord, label)) % 4))
    return label


async def perform(plan, label, knew, step):
    """Do what a plan says, and tell every call the labels of the calls whose results are known; return all that are."""
    later = []
    for number, part in enumerate(plan):
        here = f"{label}.{number}"
        if part == "call":
            knew = {*knew, await step("note", here, sorted(knew))}
        elif part[0] == "gather":
            knew = knew.union(
                *await asyncio.gather(*(perform(one, f"{here}.{i}", knew, step) for i, one in enumerate(part[1])))
            )
        elif part[0] == "later":
            later.append(asyncio.create_task(perform(part[1], here, knew, step)))
    for task in later:
        knew = knew | await task
    return knew


async def planned(case, step):
    return len(await perform(case["plan"], "", set(), step))


calls = st.lists(st.just("call"), min_size=1, max_size=2)
plans = st.recursive(
    calls,
    lambda inner: st.lists(
        st.just("call")
        | st.tuples(st.just("gather"), st.lists(inner, min_size=1, max_size=3))
        | st.tuples(st.just("later"), inner),
        min_size=1,
        max_size=3,
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=40)
@given(plans)
def test_calls_come_after_all_that_they_knew_of_whoever_is_done_first(plan):
    program = Program("p", planned, [Step("note", note)], lambda output: 0)
    case = Case("c", {"plan": plan})
    with threads(4) as engine:
        one = run_factual_program(program, case, World("w"), Memory(engine=engine))[1]
    other = run_factual_program(program, case, World("w"), Memory())[1]
    assert [call.id for call in one.made] == [call.id for call in other.made]
    done = set()
    for call in one.made:
        label, knew = (value.content for value in call.request.inputs)
        assert done.issuperset(knew)
        done.add(label)


@settings(deadline=None, max_examples=40)
@given(plans)
def test_the_calls_that_do_not_wait_for_one_are_those_that_do_not_know_its_result(plan):
    program, memory = Program("p", planned, [Step("note", note)], lambda output: 0), Memory()
    case = Case("c", {"plan": plan})
    run = run_factual_program(program, case, World("w"), memory)[1]
    told = {call.id: [value.content for value in call.request.inputs] for call in run.made}
    executed = memory.executed
    for call, (label, _) in told.items():
        free = not_waiting_for(call, run, program, case, luck_of(World("w")), memory)
        assert free == {other for other, (_, knew) in told.items() if label not in knew} - {call}
    assert memory.executed == executed


def test_where_holding_a_result_back_changes_the_run_nothing_is_known():
    async def agent(case, step):
        notes = []

        async def note(number):
            notes.append(await step("pick", number))

        await asyncio.gather(note(1), note(2))
        return notes

    program, memory = Program("p", agent, STEPS, lambda output: 0), Memory()
    luck = luck_of(World("w"))
    run_once(program, CASE, luck, 0, memory)
    # As everything is known, the notes are in the order of the tasks.
    run = run_once(program, CASE, luck, 0, memory)
    free = [not_waiting_for(call.id, run, program, CASE, luck, memory) for call in run.made]
    assert free == [None, frozenset({"1/pick[1]"})]


def test_a_score_reads_outputs_in_the_order_of_the_calls():
    async def one(step, number):
        return await step("nap", number)

    async def agent(case, step):
        return await step("nap", sum(await asyncio.gather(one(step, 2), one(step, 1))))

    program = Program("p", agent, STEPS, lambda nap: nap == [2, 1, 3])
    with threads(4) as engine:
        assert run_coalitions(program, CASE, [World("w")], [0], Memory(engine=engine)).scores == ((1,),)


def test_the_calls_of_a_failed_run_are_in_the_order_of_their_addresses():
    async def agent(case, step):
        await gathered(case, step)
        raise LookupError("nothing found")

    with threads(4) as engine:
        run = run_factual_program(
            Program("p", agent, STEPS, lambda output: 0), CASE, World("w"), Memory(engine=engine)
        )[1]
    assert [call.id for call in run.made] == ["pick[1]", "1/nap[1]", "1/nap[2]", "2/nap[1]"]


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


def test_who_is_done_first_may_decide_nothing_under_a_fix_either():
    async def agent(case, step):
        notes = []

        async def note(number):
            notes.append(await step("nap", number))

        slow = await step("choose")
        await asyncio.gather(note(5 * slow), note(0))
        return notes

    steps = [Step("choose", lambda: 0, fix=Fix.constant("slow", 1)), *STEPS]
    with threads(4) as engine:
        memory = Memory(engine=engine)
        lattice = run_coalitions(Program("p", agent, steps, lambda output: 0), CASE, [World("w")], [0, 1], memory)
    assert list(lattice.errors) == [1]
    assert "returns something else" in lattice.errors[1][1]


def test_tasks_that_as_completed_makes_are_refused_with_the_remedy():
    async def agent(case, step):
        for done in asyncio.as_completed([napping(step, number) for number in range(2)]):
            await done

    assert error_of(agent) == ("program", MADE_IN_ANY_ORDER)


def test_tasks_within_tasks_that_as_completed_makes_are_refused():
    async def pair(step):
        return await asyncio.gather(napping(step, 0), napping(step, 1))

    async def agent(case, step):
        for done in asyncio.as_completed([pair(step)]):
            await done

    assert error_of(agent) == ("program", MADE_IN_ANY_ORDER)


def test_calls_themselves_may_be_taken_as_they_are_completed():
    async def agent(case, step):
        return sum([await done for done in asyncio.as_completed([step("nap", 1), step("nap", 0)])])

    assert error_of(agent) is None


@pytest.mark.parametrize("awaited", [True, False])
def test_no_task_whose_result_nobody_takes_is_logged(awaited, caplog):
    async def agent(case, step):
        lost = [asyncio.create_task(step("breaks", 1)), asyncio.gather(step("breaks", 2), step("breaks", 3))]
        if awaited:
            await asyncio.wait(lost)
        del lost
        return await step("nap", 1)

    error_of(agent)
    gc.collect()
    assert not caplog.records


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
