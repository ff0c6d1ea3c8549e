import asyncio

import pytest

from analyzer import Case, Fix, PipelineError, Program, Step
from analyzer.budget import Budget, BudgetReached
from analyzer.coalitions import run_factual
from analyzer.commitment import commitment
from analyzer.engines import threads
from analyzer.memory import Memory
from analyzer.noise import World

CASE = Case("c", {})


def coin(draw):
    return draw.categorical("side", {"right": 0.0, "wrong": 0.0}) == "right"


def flipping(score, names):
    """A program that flips a coin at each of its steps."""

    def agent(case, step):
        return [step(name) for name in names]

    return Program("p", agent, [Step(name, coin, fix=Fix.resample()) for name in names], score)


def recorded(program, *outputs):
    """Return a seed under which the run is as wanted."""
    for seed in map(str, range(10_000)):
        trace = run_factual(program, CASE, World(f"{seed}/c"), Memory())
        if trace.outputs["output"].content == list(outputs):
            return seed
    raise AssertionError


def test_a_pivotal_call_is_the_point_of_commitment():
    program = flipping(lambda output: output[1], ["before", "pivot", "after"])
    found = commitment(program, CASE, seed=recorded(program, True, False, True), replays=64)
    assert found.point == "pivot[1]"
    before, pivot, after = found.turns
    assert pivot.low <= 0.5 <= pivot.high
    assert (after.rate, after.change) == (0, 0)
    assert before.change == 0
    assert found.sentence.startswith("pivot[1] commits the run: with new luck from it on the mean score is 0.")
    assert "64 replays" in found.sentence


def test_of_two_that_are_needed_together_the_first_that_went_wrong_commits():
    program = flipping(lambda output: all(output), ["one", "two"])
    found = commitment(program, CASE, seed=recorded(program, False, False), replays=128)
    assert found.point == "one[1]"
    assert found.turns[0].low <= 0.25 <= found.turns[0].high
    assert found.turns[1].rate == 0


def test_of_two_that_suffice_alone_the_last_that_went_wrong_commits():
    program = flipping(lambda output: any(output), ["one", "two"])
    found = commitment(program, CASE, seed=recorded(program, False, False), replays=128)
    assert found.point == "two[1]"
    assert found.turns[0].change_low > 0


def test_where_luck_changes_nothing_there_is_no_point():
    program = flipping(lambda output: False, ["one", "two"])
    found = commitment(program, CASE, replays=32)
    assert found.point is None
    assert found.sentence == "no call is known to commit the run, from 32 replays each (δ = 0.05)"


def test_too_few_replays_claim_nothing():
    program = flipping(lambda output: output[0], ["one"])
    found = commitment(program, CASE, seed=recorded(program, False), replays=2)
    assert found.point is None
    assert found.turns[0].change_low <= 0 <= found.turns[0].change_high


def test_settling_a_call_that_went_well_lowers_nothing():
    program = flipping(lambda output: output[0], ["one"])
    found = commitment(program, CASE, seed=recorded(program, True), replays=64)
    assert found.score == 1
    assert found.turns[0].change_high < 0
    assert found.point == "one[1]"


def test_claims_are_as_rarely_wrong_as_they_say():
    # The first call decides nothing, whatever the luck.
    program = flipping(lambda output: output[1], ["null", "pivot"])
    wrong = 0
    for seed in range(60):
        wrong += commitment(program, CASE, seed=f"s{seed}", replays=24, delta=0.2).turns[0].matters
    assert wrong == 0


def test_a_loop_of_any_length_is_replayed_from_each_turn():
    def agent(case, step):
        for turn in range(1, 7):
            if step("try"):
                return turn
        return None

    def tries(draw):
        return draw.uniform("u") < 0.3

    program = Program("p", agent, [Step("try", tries, fix=Fix.resample())], lambda output: output is not None)
    seed = next(str(s) for s in range(1000) if run_factual(program, CASE, World(f"{s}/c"), Memory()).score == 0)
    found = commitment(program, CASE, seed=seed, replays=64)
    assert [turn.call for turn in found.turns] == [f"try[{number}]" for number in range(1, 7)]
    rates = [turn.rate for turn in found.turns]
    assert rates == sorted(rates, reverse=True)
    assert all(turn.low <= 1 - 0.7 ** (6 - place) <= turn.high for place, turn in enumerate(found.turns))


def test_what_is_settled_is_not_executed_again():
    program = flipping(lambda output: output[1], ["before", "pivot", "after"])
    memory = Memory()
    commitment(program, CASE, memory, replays=10)
    # In each world each call is new once; the run itself made three.
    assert memory.executed == 3 + 3 * 10


def test_a_replay_without_a_score_is_left_out_and_counted():
    def risky(draw):
        value = draw.uniform("u")
        if value < 0.3:
            raise TimeoutError("slow")
        return value > 0.9

    program = Program("p", lambda case, step: step("ask"), [Step("ask", risky)], lambda output: output)
    seed = next(str(s) for s in range(1000) if run_factual(program, CASE, World(f"{s}/c"), Memory()).score == 0)
    found = commitment(program, CASE, seed=seed, replays=64)
    assert 30 < found.turns[0].replays < 64


def test_the_same_on_threads():
    program = flipping(lambda output: output[1], ["before", "pivot", "after"])
    with threads(4) as engine:
        assert commitment(program, CASE, Memory(engine=engine)) == commitment(program, CASE)


# Programs that do several things at a time.


async def searched(step, *names):
    return [await step(name) for name in names]


async def gathering(case, step):
    found = await asyncio.gather(searched(step, "a", "b"), searched(step, "c"))
    return await step("write", found)


def written(found, draw):
    """All that was found has to be right, and then the writing."""
    right = draw.categorical("side", {"right": 0.0, "wrong": 0.0}) == "right"
    return [*found[0], *found[1], right]


def any_right(output):
    return any(output)


def of_tasks(agent, score):
    steps = [Step(name, coin) for name in "abc"]
    return Program("p", agent, [*steps, Step("write", written)], score)


def test_a_call_that_reads_what_tasks_found_is_settled_after_them():
    program = of_tasks(gathering, any_right)
    found = commitment(program, CASE, seed=recorded(program, False, False, False, False), replays=128)
    assert [turn.call for turn in found.turns] == ["1/a[1]", "1/b[1]", "2/c[1]", "write[1]"]
    # One right one of four suffices, so with each that went wrong the chance halves what is left to go wrong.
    for turn, rate in zip(found.turns, (15 / 16, 7 / 8, 3 / 4, 1 / 2), strict=True):
        assert turn.low <= rate <= turn.high
    assert found.point == "write[1]"
    assert found.sentence.endswith("no later call is known to matter (δ = 0.05)")


def test_calls_that_may_run_at_the_same_time_are_told_from_those_that_wait():
    found = commitment(of_tasks(gathering, any_right), CASE, replays=1)
    overlaps = {turn.call: turn.overlaps for turn in found.turns}
    assert overlaps == {"1/a[1]": ("2/c[1]",), "1/b[1]": ("2/c[1]",), "2/c[1]": ("1/a[1]", "1/b[1]"), "write[1]": ()}


def test_a_point_among_calls_at_the_same_time_is_said_to_depend_on_a_convention():
    program = of_tasks(gathering, lambda output: output[2])
    found = commitment(program, CASE, seed=recorded(program, True, True, False, True), replays=64)
    assert found.point == "2/c[1]"
    assert found.sentence.endswith(
        "; it may run at the same time as 1/a[1], 1/b[1], and which of them comes first is a convention"
    )


def test_a_long_list_of_calls_at_the_same_time_is_cut():
    async def agent(case, step):
        return await asyncio.gather(*(step("a") for _ in range(6)))

    program = Program("p", agent, [Step("a", coin)], lambda output: output[5])
    found = commitment(program, CASE, seed=recorded(program, True, True, True, True, True, False), replays=64)
    assert "as a[1], a[2], a[3] and 2 more, and which" in found.sentence


@pytest.mark.parametrize("patience", [None, 60])
def test_calls_one_after_the_other_overlap_with_none(patience):
    async def agent(case, step):
        return [await asyncio.wait_for(step(name), patience) for name in "abc"]

    assert not any(turn.overlaps for turn in commitment(of_tasks(agent, any_right), CASE, replays=1).turns)


def test_a_task_that_waits_for_a_queue_does_not_overlap_with_what_fills_it():
    async def agent(case, step):
        queue = asyncio.Queue()

        async def reader():
            await queue.get()
            return await step("a")

        async def filler():
            await queue.put(await step("b"))
            return await step("c")

        return await asyncio.gather(reader(), filler())

    found = commitment(of_tasks(agent, any_right), CASE, replays=1)
    assert {turn.call: turn.overlaps for turn in found.turns} == {
        "2/b[1]": (), "2/c[1]": ("1/a[1]",), "1/a[1]": ("2/c[1]",),
    }  # fmt: skip


def test_where_the_first_of_two_wins_both_may_come_first():
    async def agent(case, step):
        tasks = [asyncio.create_task(searched(step, name)) for name in "ab"]
        done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(left) if left else None
        return [task in done for task in tasks]

    memory = Memory()
    program = of_tasks(agent, any_right)
    # As everything is known, the two are done at once.
    run_factual(program, CASE, World("0/c"), memory)
    found = commitment(program, CASE, memory, replays=1)
    assert [turn.overlaps for turn in found.turns] == [("2/b[1]",), ("1/a[1]",)]


def test_tasks_give_the_same_on_threads():
    program = of_tasks(gathering, any_right)
    with threads(4) as engine:
        assert commitment(program, CASE, Memory(engine=engine)) == commitment(program, CASE)


def test_nothing_executes_to_see_what_overlaps():
    async def agent(case, step):
        return await asyncio.gather(*(searched(step, name) for name in "abc"))

    memory = Memory()
    commitment(of_tasks(agent, any_right), CASE, memory, replays=10)
    assert memory.executed == 3 + 3 * 10


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda case, step: 1, "made no call"),
        (lambda case, step: step("a"), "no call of the run has any luck"),
        (lambda case, step: step("none"), "has no score: program: LookupError"),
    ],
)
def test_a_run_that_cannot_be_replayed_is_refused(run, message):
    program = Program("p", run, [Step("a", lambda: 1)], lambda output: output)
    with pytest.raises(PipelineError, match=message):
        commitment(program, CASE)


def test_a_cap_holds():
    memory = Memory(budget=Budget(calls=5))
    with pytest.raises(BudgetReached):
        commitment(flipping(lambda output: all(output), ["one", "two"]), CASE, memory)
    assert memory.executed == 5
