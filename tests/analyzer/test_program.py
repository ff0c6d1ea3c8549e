import asyncio
import random
import re
from dataclasses import replace

import pytest

from analyzer import Case, Codec, Fix, Pipeline, PipelineError, Program, Score, Step, StepError
from analyzer.batch import analyze
from analyzer.budget import Budget
from analyzer.coalitions import run_coalitions, run_factual
from analyzer.commands.show import table_of
from analyzer.engines import threads
from analyzer.game_file import case_verdict
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.plan import Plan

REPLAYED = Plan(modes=("replayed",))
CASE = Case("c", {})


def values(program, case=CASE, **options):
    """Return the Shapley values of the recorded game."""
    (file,) = analyze(program, [case], REPLAYED, **options).files
    (game,) = file.cases
    return game.values["shapley"]


def wrong(name, right=1, fix=True):
    """A step that returns 0, and the right output when it is fixed."""
    return Step(name, lambda: 0, fix=Fix.constant("right", right) if fix else None)


def passes(output):
    return bool(output)


# Planted systems.


def test_a_pivotal_step_takes_all_the_blame():
    def agent(case, step):
        step("warm_up")
        return step("decide") and step("act") is not None

    program = Program("p", agent, [wrong("warm_up"), wrong("decide"), wrong("act")], passes)
    assert values(program) == (0, 1, 0)


def test_two_steps_that_are_needed_together_share_it():
    def agent(case, step):
        return [step("one"), step("two"), step("idle")][:2] == [1, 1]

    assert values(Program("p", agent, [wrong("one"), wrong("two"), wrong("idle")], passes)) == (0.5, 0.5, 0)


def test_either_of_two_that_suffice_alone_gets_half():
    def agent(case, step):
        return step("one") or step("two")

    assert values(Program("p", agent, [wrong("one"), wrong("two")], passes)) == (0.5, 0.5)


def test_a_step_that_nothing_depends_on_gets_none():
    def agent(case, step):
        step("log")
        return step("decide")

    assert values(Program("p", agent, [wrong("log"), wrong("decide")], passes)) == (0, 1)


def looping(turns_of, **options):
    """An agent that works until its planner says that it is done, as often as the planner says."""

    def agent(case, step):
        found = []
        for _ in range(10):
            action = step("plan", case["task"], found)
            if action == "done":
                break
            found.append(step("search", action))
        return step("answer", found)

    def plan(task, found):
        return "done" if len(found) >= turns_of(task) else f"{task} {len(found)}"

    def thorough(task, found):
        return "done" if len(found) >= 4 else f"{task} {len(found)}"

    def search(query, draw):
        return draw.categorical("page", {f"{query}: right": 0.0, f"{query}: wrong": 0.0})

    def answer(found):
        return len(found)

    steps = [Step("plan", plan, fix=Fix("plan on", thorough)), Step("search", search), Step("answer", answer)]
    return Program("loop", agent, steps, lambda output: output >= 4, **options)


def test_a_loop_may_take_another_number_of_turns_under_a_fix():
    program = looping(lambda task: 2)
    assert values(program, Case("c", {"task": "x"})) == (1,)


def test_only_what_changed_is_executed():
    memory = Memory()
    program = looping(lambda task: 2)
    case = Case("c", {"task": "x"})
    run_factual(program, case, World("w"), memory)
    assert memory.executed == 3 + 2 + 1
    run_coalitions(program, case, [World("w")], [0, 1], memory)
    # The better planner's five plans, the two searches that are new, and the answer from four.
    assert memory.executed == 6 + 5 + 2 + 1


def test_a_call_keeps_its_luck_whatever_is_called_before_it():
    def agent(case, step):
        if step("more"):
            step("search", "something else")
            step("other", 1)
        return step("pick", "x")

    def draws(query, draw):
        return draw.uniform("u")

    steps = [
        Step("more", lambda: False, fix=Fix.constant("yes", True)),
        Step("search", draws),
        Step("other", draws),
        Step("pick", draws),
    ]
    lattice = run_coalitions(Program("p", agent, steps, lambda output: 0), CASE, [World("w")], [0, 1], Memory())
    assert lattice.seen["pick"][0, 0] == lattice.seen["pick"][0, 1]
    assert lattice.seen["search"][0, 0] != lattice.seen["search"][0, 1]


def test_equal_calls_in_a_run_have_luck_of_their_own():
    def agent(case, step):
        return [step("pick") for _ in range(20)]

    def throws(draw):
        return draw.integer("die", 0, 1_000_000)

    trace = run_factual(Program("p", agent, [Step("pick", throws)], lambda output: 0), CASE, World("w"), Memory())
    assert len(set(trace.outputs["output"].content)) == 20


def test_a_step_that_samples_itself_is_sampled_at_every_call():
    ran = []

    def agent(case, step):
        return [step("ask", "same") for _ in range(3)]

    program = Program(
        "p", agent, [Step("ask", lambda q: ran.append(q) or len(ran), samples_itself=True)], lambda output: 0
    )
    memory = Memory()
    first = run_factual(program, CASE, World("w"), memory)
    again = run_factual(program, CASE, World("w"), memory)
    assert first.outputs["output"].content == again.outputs["output"].content == [1, 2, 3]


def test_a_deterministic_call_made_twice_runs_once():
    ran = []

    def agent(case, step):
        return [step("double", 2), step("double", 2), step("double", 3)]

    program = Program("p", agent, [Step("double", lambda n: ran.append(n) or 2 * n)], lambda output: 0)
    assert run_factual(program, CASE, World("w"), Memory()).outputs["output"].content == [4, 4, 6]
    assert ran == [2, 3]


# Interventions at single calls.


def counting(**fixes):
    """An agent that adds up what four calls of a step return."""

    def agent(case, step):
        total = 0
        for number in range(4):
            total += step("add", number, total)
        return total

    return Program(
        "p",
        agent,
        [Step("add", lambda number, total: 0)],
        Score(lambda output: output, graded=True, high=100.0, threshold=100.0),
        fixes=fixes.pop("fixes"),
    )


def worth(fix, target="add"):
    program = counting(fixes={target: fix})
    lattice = run_coalitions(program, CASE, [World("w")], [0, 1], Memory())
    assert lattice.errors == {}
    assert lattice.scores[0][0] == 0
    return lattice.scores[0][1]


@pytest.mark.parametrize(
    ("fix", "target", "total"),
    [
        (Fix.action("one", 1), "add", 4),
        (Fix.action("one", 1), "add[3]", 1),
        (Fix.observation("five", 5), "add[1]", 5),
        (Fix.observation("and two", edit=lambda result: result + 2), "add", 8),
        (Fix.policy("number", lambda number, total: number), "add", 0 + 1 + 2 + 3),
        (Fix.policy("number", lambda number, total: number, since=3), "add", 2 + 3),
        (Fix("number", lambda number, total: number), "add[4]", 3),
    ],
)
def test_a_fix_changes_the_calls_it_is_meant_for(fix, target, total):
    assert worth(fix, target) == total


def test_an_edited_input_reaches_the_step_itself():
    def agent(case, step):
        return step("judge", "nonsense", strict=True)

    def judge(text, strict):
        return text == "sense" and strict

    fix = Fix.context("say it well", lambda inputs: {**inputs, "text": "sense"})
    program = Program("p", agent, [Step("judge", judge, fix=fix)], passes)
    assert values(program) == (1,)


def test_resampling_a_single_call_leaves_the_others_their_luck():
    def agent(case, step):
        return [step("pick") for _ in range(3)]

    program = Program(
        "p", agent, [Step("pick", lambda draw: draw.uniform("u"))], lambda output: 0, fixes={"pick[2]": Fix.resample()}
    )
    lattice = run_coalitions(program, CASE, [World("w")], [0, 1], Memory())
    before, after = (lattice.values[id].content.split("\n\n") for id in lattice.seen["pick"][0])
    assert [one == other for one, other in zip(before, after, strict=True)] == [True, False, True]


def test_single_calls_of_the_run_can_be_the_players():
    def agent(case, step):
        return [step("guess", number) for number in range(3)] == [0, 1, 0]

    program = Program("p", agent, [Step("guess", lambda n: 0, fix=Fix("count", lambda n: n % 2))], passes)
    at_calls = program.at_calls(["guess[1]", "guess[2]", "guess[3]"])
    assert at_calls.players == ("guess[1]", "guess[2]", "guess[3]")
    assert values(at_calls) == (0, 1, 0)


# Asynchronous programs.


def research(order):
    """Two researchers at the same time, each of whom searches twice; `order` says who is slow."""

    async def researcher(topic, step):
        first = await step("search", topic)
        return [first, await step("search", first)]

    async def agent(case, step):
        topics = await asyncio.gather(step("topic", 0), step("topic", 1))
        found = await asyncio.gather(*(researcher(topic, step) for topic in topics))
        return [page for pages in found for page in pages]

    async def search(query, draw):
        await asyncio.sleep(0.002 if query.startswith(order) else 0)
        return query[0] + draw.categorical("page", {"x": 0.0, "y": 0.0, "z": 0.0})

    steps = [Step("topic", lambda number: "ab"[number]), Step("search", search, fix=Fix.resample())]
    return Program("p", agent, steps, lambda output: "".join(output).count("x") >= 2)


@pytest.mark.parametrize("seed", range(6))
def test_calls_at_the_same_time_have_addresses_that_do_not_depend_on_who_is_first(seed):
    outputs = []
    for order in ("a", "b"):
        with threads(4) as engine:
            trace = run_factual(research(order), CASE, World(str(seed)), Memory(engine=engine))
        outputs.append([trace.outputs[name].content for name in ("output", "search", "topic")])
    assert outputs[0] == outputs[1]


def test_calls_at_the_same_time_run_at_the_same_time():
    running, most = [], []

    async def slow(number):
        running.append(number)
        most.append(len(running))
        await asyncio.sleep(0.02)
        running.remove(number)

    async def agent(case, step):
        await asyncio.gather(*(step("slow", number) for number in range(4)))

    with threads(4) as engine:
        run_factual(
            Program("p", agent, [Step("slow", slow)], lambda output: 0), CASE, World("w"), Memory(engine=engine)
        )
    assert max(most) > 1


# What goes wrong.


def test_a_call_that_fails_is_missing_never_a_failure():
    def agent(case, step):
        return step("tool")

    def breaks():
        raise ValueError("rate limit")

    program = Program("p", agent, [Step("tool", breaks, fix=Fix.constant("right", 1))], passes)
    lattice = run_coalitions(program, CASE, [World("w")], [0, 1], Memory())
    assert lattice.scores == ((None, 1.0),)
    assert lattice.errors == {0: ("tool[1]", "ValueError: rate limit")}


def test_a_program_may_handle_a_call_that_fails():
    def agent(case, step):
        try:
            return step("tool")
        except StepError as error:
            return error.message

    def breaks():
        raise ValueError("no such page")

    program = Program("p", agent, [Step("tool", breaks)], lambda output: output == "ValueError: no such page")
    assert run_factual(program, CASE, World("w"), Memory()).score == 1


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda case, step: step("nothing"), "LookupError: step 'nothing' is not declared; there are 'a'"),
        (lambda case, step: step("a", 1, 2), "TypeError"),
        (lambda case, step: 1 / 0, "ZeroDivisionError"),
        (lambda case, step: object(), "its output cannot be compared"),
        (lambda case, step: step("a", object()), "no stable fingerprint"),
    ],
)
def test_a_program_that_fails_is_an_error_with_a_name(run, message):
    trace = run_factual(Program("p", run, [Step("a", lambda n: n)], lambda output: 1), CASE, World("w"), Memory())
    assert trace.score is None
    assert trace.error[0] == "program"
    assert message in trace.error[1]


def test_a_cap_ends_a_program_that_catches_everything():
    def agent(case, step):
        found = []
        for number in range(50):
            try:
                found.append(step("a", number))
            except Exception:
                found.append(None)
        return found

    program = Program("p", agent, [Step("a", lambda n: n)], lambda output: 0)
    batch = analyze(program, [CASE], Plan(budget=Budget(calls=10)))
    assert batch.executed == 10
    assert "the cap of 10 calls was reached" in batch.stopped


def test_a_program_cannot_change_what_a_step_returned_or_was_given():
    def agent(case, step):
        first = step("list", [1])
        first.append("mine")
        case["mine"] = 1
        return [first, step("list", [1])]

    program = Program("p", agent, [Step("list", lambda seen: [*seen, 2])], lambda output: 0)
    trace = run_factual(program, CASE, World("w"), Memory())
    assert trace.outputs["output"].content == [[1, 2, "mine"], [1, 2]]
    assert CASE.inputs == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fixes": {"b": Fix.resample()}}, "'b' is no step and no call of one; the steps are 'a'"),
        ({"fixes": {"b[1]": Fix.resample()}}, "is no step and no call of one"),
        ({"fixes": {"a": Fix.policy("p", lambda n: n, since=0)}}, "since 0 is no call"),
        ({"fixes": {"a": Fix("empty")}}, "names no variant"),
        ({"fixes": {"a[1]": "b"}}, "'a[1]': fix is a str"),
        ({"fixes": {"a": Fix.resample()}}, "'a': fix 'Run it again' runs it again with fresh luck, but it has none"),
        ({"fixes": {"a[2]": Fix.resample("again")}}, "'a[2]': fix 'again' runs it again"),
        ({"steps": [Step("a", lambda n: n, case_fields=["n"])]}, "a program says itself what it gives a step"),
        ({"fixes": {"a": Fix("x", lambda n: n, case_fields=["n"])}}, "a program says itself what it gives a step"),
        ({"steps": [Step("a", lambda n: n, fix=Fix.resample())]}, "step 'a': fix 'Run it again' runs it again"),
        ({"steps": [Step("output", lambda n: n)]}, "the name is taken"),
        ({"steps": [Step("a[1]", lambda n: n)]}, "the address of a single call"),
        ({"steps": [Step("a", lambda *n: n)]}, "parameter 'n' cannot be given by name"),
        ({"steps": []}, "has no steps"),
        ({"run": 3}, "3 is not a function"),
        ({"score": lambda unknown: 1}, "reads 'unknown'"),
    ],
)
def test_a_program_that_cannot_run_is_refused_with_the_culprit_named(change, message):
    content = {"id": "p", "run": lambda case, step: 0, "steps": [Step("a", lambda n: n)], "score": lambda output: 1}
    with pytest.raises(PipelineError, match=re.escape(message)):
        Program(**{**content, **change})


def test_fixes_of_single_calls_have_versions_of_their_own_also_where_their_code_looks_the_same():
    def guesses(seed):
        generator = random.Random(seed)
        return lambda: generator.random()

    fixes = {f"a[{n}]": Fix(f"seed {n}", guesses(n)) for n in (1, 2)}
    program = Program("p", lambda case, step: step("a"), [Step("a", guesses(0))], lambda output: 0, fixes=fixes)
    assert len({node.fixed.version for node in program.nodes}) == 3


def test_fixes_for_single_calls_are_refused_in_a_pipeline():
    with pytest.raises(PipelineError, match="for single calls, which only a Program makes"):
        Pipeline("p", [Step("a", lambda case: 1, fix=Fix.context("x", dict))], score=lambda a: 1)


class Page:
    """A plain object, which nothing but its codec tells from another."""

    def __init__(self, title):
        self.title = title


PAGE = Codec("page", lambda page: page.title, Page)


def reads_pages(**changes):
    """A program that hands on objects, alone and in a list, and returns one; a fix puts another in place of one."""

    def agent(case, step):
        pages = [step("read", name) for name in "ab"]
        return step("choose", pages, pages[0])

    steps = [
        Step("read", Page, codec=PAGE),
        Step("choose", lambda pages, best: best, codec=PAGE, fix=Fix.action("the right one", Page("c"))),
    ]
    steps = [replace(step, **changes) for step in steps]
    return Program("p", agent, steps, lambda output: output.title == "c")


def test_a_program_hands_on_objects_that_only_a_codec_tells_apart():
    assert values(reads_pages()) == (1,)
    trace = run_factual(reads_pages(), CASE, World("w"), Memory())
    assert trace.error is None
    assert trace.outputs["output"].content.title == "a"


def test_the_page_shows_what_the_codec_makes_of_objects():
    (file,) = analyze(reads_pages(), [CASE], REPLAYED).files
    shown = {step.id: [output.text for output in step.outputs] for step in file.cases[0].steps}
    assert shown["output"] == ["a", "c"]
    assert shown["choose"][0].endswith("→ a")
    assert 'pages: ["a", "b"]' in shown["choose"][0]
    steps = [Step("read", lambda case: Page("a"), codec=PAGE, fix=Fix.constant("right", Page("c")))]
    (file,) = analyze(Pipeline("p", steps, lambda read: read.title == "c"), [CASE], REPLAYED).files
    assert [output.text for output in file.cases[0].steps[0].outputs] == ["a", "c"]


def test_objects_without_a_codec_are_an_error_of_their_call():
    trace = run_factual(reads_pages(codec=None), CASE, World("w"), Memory())
    assert trace.error[0] == "read[1]"
    assert "has no stable fingerprint" in trace.error[1]


# Games.


def test_a_game_says_what_each_step_and_call_gave():
    program = looping(
        lambda task: 2,
        fixes={"plan": Fix("plan on", lambda task, found: "done"), "search[2]": Fix.action("right", "right")},
    )
    (file,) = analyze(program, [Case("c", {"task": "x"})], REPLAYED).files
    assert [step.id for step in file.header.steps] == ["plan", "search", "search[2]", "answer", "output"]
    assert file.header.players == ("plan", "search[2]")
    (game,) = file.cases
    seen = {step.id: [step.outputs[index].text for index in step.index] for step in game.steps}
    assert seen["search[2]"][2] == "search[2]\n→ right"
    assert [text.rpartition("→ ")[2] for text in seen["answer"]] == ["2", "0", "2", "0"]


def test_last_touch_is_nobodys_in_a_program_however_its_steps_are_declared():
    def agent(case, step):
        return step("look", step("ask"))

    steps = [Step("ask", lambda: 0, fix=Fix.constant("1", 1)), Step("look", lambda n: n, fix=Fix("2", lambda n: n + 2))]
    values = []
    for declared in (steps, steps[::-1]):
        (file,) = analyze(Program("p", agent, declared, lambda output: output == 3), [CASE], REPLAYED).files
        (game,) = file.cases
        assert game.values["last_touch"] is None
        assert [fix.last_touch for fix in table_of(file).fixes] == [None, None]
        assert not any("Last-step" in sentence for sentence in case_verdict(file.header, game).sentences)
        values.append(dict(zip(file.header.players, game.values["shapley"], strict=True)))
    assert values == [{"ask": 0.5, "look": 0.5}] * 2


def test_a_pipeline_keeps_its_last_touch():
    step = Step("a", lambda case: 0, fix=Fix.constant("1", 1))
    (file,) = analyze(Pipeline("p", [step], score=lambda a: a), [CASE], REPLAYED).files
    assert file.header.ordered
    assert file.cases[0].values["last_touch"] == (1,)


def test_the_modes_agree_on_what_they_must():
    program = looping(lambda task: 2)
    batch = analyze(program, [Case("c", {"task": "x"})], Plan(worlds=3))
    for file in batch.files:
        assert file.cases[0].worth[0] == 0
        assert file.cases[0].worth[1] == file.header.worlds


def test_the_result_is_the_same_on_threads():
    program, cases = looping(lambda task: len(task)), [Case(f"c{n}", {"task": "x" * (n % 5 + 1)}) for n in range(8)]
    plain = analyze(program, cases, Plan(worlds=2)).files
    with threads(4) as engine:
        assert analyze(program, cases, Plan(worlds=2), Memory(engine=engine)).files == plain


def test_coalitions_that_agree_on_the_players_asked_for_are_one_run():
    ran = []

    def agent(case, step):
        ran.append(1)
        return step("first") and [step(f"s{n}") for n in range(6)] == [1] * 6

    steps = [wrong("first"), *(wrong(f"s{n}") for n in range(6))]
    run_coalitions(Program("p", agent, steps, passes), CASE, [World("w")], range(2**7), Memory())
    # Half of the coalitions do not fix the first step, and ask for nobody else.
    assert len(ran) == 1 + 2**6


def test_another_program_is_another_fingerprint():
    marks = {looping(lambda task: 2).fingerprint(), looping(lambda task: 3).fingerprint()}
    assert len(marks) == 2
