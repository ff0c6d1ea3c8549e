import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import Case, Fix, Program, Step, StepError
from analyzer.coalitions import run_coalitions, run_factual
from analyzer.memory import Memory
from analyzer.noise import World

SEARCH = Step("search", lambda word="", page=0: [word, page])


def told(agent, steps=(SEARCH,), fixes=None, masks=(0,), name="search"):
    """Return what a step's calls are told to be under each coalition, and whether all those are the same."""
    program = Program("p", agent, steps, lambda output: 0, fixes=fixes or {})
    lattice = run_coalitions(program, Case("c", {}), [World("w")], masks, Memory())
    assert not lattice.errors
    numbers = lattice.seen[name][0].tolist()
    return [lattice.values[number].content for number in numbers], len(set(numbers)) == 1


def test_each_call_is_told_with_its_address_what_it_was_given_and_gave():
    (text,), _ = told(lambda case, step: [step("search", "what"), step("search", "why", page=2)])
    assert text == 'search[1]\nword: "what"\n→ ["what", 0]\n\nsearch[2]\nword: "why", page: 2\n→ ["why", 2]'


def test_a_single_call_that_returns_a_list_is_one_call():
    (text,), _ = told(lambda case, step: step("search"))
    assert text == 'search[1]\n→ ["", 0]'


def test_calls_in_tasks_have_the_task_before_them():
    async def agent(case, step):
        async def ask(word):
            return await step("search", word)

        return await asyncio.gather(ask("a"), ask("b"))

    (text,), _ = told(agent)
    assert [line for line in text.split("\n") if "[1]" in line] == ["1/search[1]", "2/search[1]"]


def test_what_was_not_called_says_so():
    assert told(lambda case, step: 0)[0] == ["not called"]


def test_a_forced_output_has_no_inputs():
    texts, _ = told(lambda case, step: step("search", "x"), fixes={"search": Fix.action("y", "y")}, masks=(0, 1))
    assert texts == ['search[1]\nword: "x"\n→ ["x", 0]', "search[1]\n→ y"]


def test_a_call_that_failed_says_why():
    def agent(case, step):
        try:
            return step("search")
        except StepError:
            return 0

    (text,), _ = told(agent, [Step("search", lambda: 1 / 0)])
    assert text == "search[1]\n→ failed: ZeroDivisionError: division by zero"


def test_a_long_input_is_left_out_whole():
    secret = "sk-ant-api03-" + "a1B2" * 500
    (text,), _ = told(lambda case, step: len(step("search", secret)), [Step("search", lambda word: "short")])
    assert text == "search[1]\nword: … (2,015 characters)\n→ short"


def test_calls_differ_where_their_inputs_do_though_they_give_the_same():
    steps = [Step("plan", lambda: 1, fix=Fix.constant("2", 2)), Step("search", lambda word: "same")]
    texts, same = told(lambda case, step: step("search", step("plan")), steps, {"plan": steps[0].fix}, (0, 1))
    assert not same
    assert [text.rpartition("→ ")[2] for text in texts] == ["same", "same"]


@given(st.integers(0, 2), st.integers(0, 2))
def test_calls_that_are_told_alike_are_the_same_and_others_are_not(one, other):
    plan = Step("plan", lambda: one, fix=Fix.constant("other", other))
    steps = [plan, Step("search", lambda word: word)]
    texts, same = told(lambda case, step: step("search", step("plan")), steps, {"plan": plan.fix}, (0, 1))
    assert same == (texts[0] == texts[1]) == (one == other)


def test_all_calls_of_a_run_are_listed_and_those_of_the_coalitions_besides():
    def agent(case, step):
        return step("search") if step("plan") else 0

    plan = Step("plan", lambda: 0, fix=Fix.constant("on", 1))
    program = Program("p", agent, [plan, SEARCH], lambda output: 0)
    memory, case = Memory(), Case("c", {})
    assert run_factual(program, case, World("w"), memory).made == {"plan[1]"}
    assert run_coalitions(program, case, [World("w")], [0, 1], memory).made == {"plan[1]", "search[1]"}


@pytest.mark.parametrize("is_async", [False, True])
def test_which_calls_an_error_cut_off_is_claimed_only_where_they_have_an_order(is_async):
    def agent(case, step):
        return step("search", no_such_parameter=1)

    async def later(case, step):
        return await step("search", no_such_parameter=1)

    program = Program("p", later if is_async else agent, [SEARCH], lambda output: 0)
    made = run_coalitions(program, Case("c", {}), [World("w")], [0], Memory()).made
    assert made == (None if is_async else {"search[1]"})
