import asyncio
import decimal
import fractions
import random

import numpy as np
import pytest

from analyzer.abduction import abduct
from analyzer.examine import case_seed, worlds_of
from analyzer.fingerprint import fingerprint
from analyzer.lattice import run_factual, run_lattice
from analyzer.memory import Memory
from analyzer.noise import World
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step
from analyzer.plan import Plan
from tests.known_pipelines import Ledger, outputs_of, random_pipeline, run_plainly


def lattice_of(pipeline, case=None, worlds=None, memory=None, masks=None):
    case = case or Case("c", {"n": 1})
    memory = memory or Memory()
    worlds = worlds or [World("0")]
    masks = range(2 ** len(pipeline.players)) if masks is None else masks
    return run_lattice(pipeline, case, worlds, masks, memory), memory


@pytest.mark.parametrize("number", range(25))
def test_every_coalition_gives_what_running_it_plainly_gives(number):
    pipeline = random_pipeline(random.Random(number), Ledger(), steps=5)
    case, worlds = Case("c", {"n": number}), [World("a"), World("b"), World("c")]
    lattice, _ = lattice_of(pipeline, case, worlds)
    for world in range(3):
        for mask in lattice.masks:
            plain = run_plainly(pipeline, case, worlds[world], mask)
            del plain["case"]
            assert outputs_of(lattice, world, mask) == plain


@pytest.mark.parametrize("number", range(40))
def test_executed_steps_are_the_distinct_keys_over_cases_modes_and_worlds(number):
    ledger = Ledger()
    pipeline = random_pipeline(random.Random(number), ledger, steps=5)
    plan, memory = Plan(worlds=3), Memory()
    met: list[tuple[Case, World]] = []
    for n in range(3):
        case = Case(f"c{n}", {"n": n % 2})
        trace = run_factual(pipeline, case, World(case_seed(plan, case)), memory)
        for mode in plan.modes:
            worlds = worlds_of(mode, plan, case, trace)
            lattice_of(pipeline, case, worlds, memory)
            met += [(case, world) for world in worlds]
    assert len(ledger.calls) == len(set(ledger.calls))
    keys: set[tuple[object, ...]] = set()
    for case, world in met:
        for mask in range(2 ** len(pipeline.players)):
            run_plainly(pipeline, case, world, mask, keys)
    assert memory.executed == len(keys)


@pytest.mark.parametrize("number", range(10))
def test_a_game_counts_its_own_distinct_calls_whatever_ran_before(number):
    pipeline = random_pipeline(random.Random(number), Ledger(), steps=5)
    case, worlds, memory = Case("c", {"n": 1}), [World("a"), World("b")], Memory()
    first, _ = lattice_of(pipeline, case, worlds, memory)
    again, _ = lattice_of(pipeline, case, worlds, memory)
    assert len(first.calls) == memory.executed
    assert first.calls == again.calls
    assert first.cost == again.cost == memory.cost


def test_unchanged_logits_give_the_factual_choice_back():
    def prompt(case, draw):
        return draw.categorical("word", {"yes": 0.3, "no": 0.1, "maybe": -2.0})

    def same_odds_in_other_words(case, draw):
        odds = {"maybe": -2.0, "no": 0.1}
        odds["yes"] = 0.3
        return draw.categorical("word", odds)

    step = Step("a", prompt, fix=Fix("rewrite", same_odds_in_other_words))
    pipeline = Pipeline("p", [step], score=lambda a: a == "yes")
    lattice, _ = lattice_of(pipeline, worlds=[World(str(k)) for k in range(60)])
    assert (lattice.seen["a"][:, 0] == lattice.seen["a"][:, 1]).all()


@pytest.mark.parametrize("number", range(10))
def test_swapping_a_step_leaves_every_upstream_output_identical(number):
    pipeline = random_pipeline(random.Random(number), Ledger(), steps=5)
    lattice, _ = lattice_of(pipeline)
    for position, node in enumerate(pipeline.nodes):
        if node.player is not None:
            for upstream in pipeline.nodes[:position]:
                ids = lattice.seen[upstream.step.name][0]
                assert ids[0] == ids[1 << node.player]


@pytest.mark.parametrize("number", range(10))
def test_swapping_any_variant_leaves_the_noise_at_every_shared_address_identical(number):
    ledger = Ledger()
    pipeline = random_pipeline(random.Random(number), ledger, steps=5)
    lattice_of(pipeline)
    resampling = {node.step.name for node in pipeline.nodes if node.resamples}
    met: dict[object, set[object]] = {}
    for step, _, _, draws in ledger.calls:
        for address, noise in draws:
            met.setdefault((step, address), set()).add(noise)
    for (step, _), noises in met.items():
        assert len(noises) <= (2 if step in resampling else 1)


def test_coalitions_can_be_asked_for_in_any_order_and_number():
    pipeline = random_pipeline(random.Random(3), Ledger(), steps=5)
    whole, memory = lattice_of(pipeline)
    some, _ = lattice_of(pipeline, masks=[3, 0, 2], memory=memory)
    assert some.scores[0] == tuple(whole.scores[0][mask] for mask in (3, 0, 2))


def test_pipelines_share_the_calls_that_are_the_same_and_no_others():
    def double(case):
        return 2 * case["n"]

    def triple(case):
        return 3 * case["n"]

    one, same, other = (Pipeline("p", [Step("a", run)], score=lambda a: a > 0) for run in (double, double, triple))
    _, memory = lattice_of(one)
    lattice_of(same, memory=memory)
    assert memory.executed == 1
    lattice, _ = lattice_of(other, memory=memory)
    assert memory.executed == 2
    assert outputs_of(lattice, 0, 0) == {"a": 3}


def test_a_call_without_noise_is_shared_by_worlds_and_cases():
    ran = []

    def draw_free(case, draw):
        ran.append(case["q"])
        return case["q"]

    pipeline = Pipeline("p", [Step("a", draw_free)], score=lambda a: a)
    memory = Memory()
    for id_ in ("one", "two"):
        lattice_of(pipeline, Case(id_, {"q": 1}), [World("a"), World("b")], memory)
    assert ran == [1]


def test_a_step_that_samples_itself_runs_once_in_each_world():
    ran = []
    step = Step("a", lambda case: ran.append(1) or len(ran), samples_itself=True, fix=Fix.constant("right", 0))
    pipeline = Pipeline("p", [step], score=lambda a: a > 0)
    memory = Memory()
    for _ in range(2):
        lattice_of(pipeline, worlds=[World("a"), World("b"), World("c")], memory=memory)
    assert len(ran) == 3
    # The constant is no hosted model: it runs once.
    assert memory.executed == 4


def test_what_a_step_that_samples_itself_gave_holds_in_worlds_inferred_from_it():
    ran = []
    step = Step("a", lambda case: ran.append(1) or len(ran), samples_itself=True, fix=Fix.resample())
    pipeline = Pipeline("p", [step], score=lambda a: a > 0)
    case, factual, memory = Case("c", {}), World("f"), Memory()
    trace = run_factual(pipeline, case, factual, memory)
    lattice, _ = lattice_of(pipeline, case, [abduct(trace.draws, str(k), factual) for k in range(3)], memory)
    assert {lattice.values[id] for id in lattice.seen["a"][:, 0]} == {trace.outputs["a"]}
    assert len(set(lattice.seen["a"][:, 1].tolist())) == 3


@pytest.mark.parametrize("inferred_first", [True, False])
def test_new_luck_has_samples_of_its_own_whatever_ran_before_it(inferred_first):
    ran = []
    step = Step("a", lambda case: ran.append(1) or len(ran), samples_itself=True, fix=Fix.constant("right", 0))
    pipeline = Pipeline("p", [step], score=lambda a: a > 0)
    case, factual, memory = Case("c", {}), World("f"), Memory()
    trace = run_factual(pipeline, case, factual, memory)
    names = [str(k) for k in range(3)]
    inferred, fresh = [abduct(trace.draws, name, factual) for name in names], [World(name) for name in names]
    lattices = [lattice_of(pipeline, case, worlds, memory)[0]
                for worlds in ((inferred, fresh) if inferred_first else (fresh, inferred))]  # fmt: skip
    seen = [[lattice.values[id] for id in lattice.seen["a"][:, 0]] for lattice in lattices]
    of_inferred, of_fresh = seen if inferred_first else reversed(seen)
    assert set(of_inferred) == {trace.outputs["a"]}
    assert len({*of_fresh, trace.outputs["a"]}) == 4


def test_an_error_of_one_world_is_not_taken_for_the_others():
    ran = []

    def limited(case, draw):
        ran.append(1)
        if len(ran) == 1:
            raise RuntimeError("429")
        return draw.uniform("u") >= 0

    pipeline = Pipeline("p", [Step("a", limited)], score=lambda a: a)
    memory = Memory()
    lattice, _ = lattice_of(pipeline, worlds=[World(str(k)) for k in range(4)], memory=memory)
    assert [row[0] for row in lattice.scores] == [None, 1.0, 1.0, 1.0]
    lattice_of(pipeline, Case("other", {"n": 2}), [World("x")], memory)
    assert len(ran) == 5


def test_a_second_factual_run_samples_nothing_again():
    ran = []
    steps = [Step("a", lambda case: ran.append(1) or len(ran), samples_itself=True)]
    pipeline = Pipeline("p", steps, score=lambda a: a > 0)
    case, memory = Case("c", {}), Memory()
    traces = [run_factual(pipeline, case, World("f"), memory) for _ in range(2)]
    assert traces[0].outputs == traces[1].outputs
    assert len(ran) == 1


def test_an_interrupt_loses_only_the_call_that_was_running():
    ran = []

    def slow(case, draw):
        if draw.uniform("u") >= 0 and len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(1)
        return len(ran)

    pipeline = Pipeline("p", [Step("a", slow)], score=lambda a: a > 0)
    memory = Memory()
    with pytest.raises(KeyboardInterrupt):
        lattice_of(pipeline, worlds=[World(str(k)) for k in range(8)], memory=memory)
    assert memory.executed == 3


def test_resampling_a_step_that_draws_nothing_runs_nothing():
    pipeline = Pipeline("p", [Step("a", lambda case, draw: 1, fix=Fix.resample())], score=lambda a: a)
    _, memory = lattice_of(pipeline)
    assert memory.executed == 1


def with_fields(seen):
    """A pipeline whose steps are given some fields of the case, and note what they are given."""

    def ask(case):
        seen.append(case)
        return case.get("question", "")

    def ask_well(case):
        seen.append(case)
        return f"{case['question']}?"

    steps = [
        Step("ask", ask, fix=Fix("well", ask_well), case_fields=("hint", "question")),
        Step("answer", lambda ask: f"{ask}!", fix=Fix.constant("right", field="gold")),
    ]
    return Pipeline("p", steps, score=lambda answer, case: answer == case["gold"])


def test_a_step_and_its_fix_are_given_the_fields_of_the_case_that_it_names_and_no_others():
    seen = []
    lattice, _ = lattice_of(with_fields(seen), Case("c", {"gold": "q?!", "question": "q", "tags": ["new"]}))
    assert seen == [{"question": "q"}, {"question": "q"}]
    # What a constant takes from the case, and the score, is as it was.
    assert lattice.scores == ((0, 1, 1, 1),)


def test_what_a_step_does_not_read_of_the_case_runs_none_of_its_calls():
    seen, memory = [], Memory()
    pipeline = with_fields(seen)
    for inputs in (
        {"question": "q", "gold": "g"},
        {"question": "q", "gold": "g", "tags": ["new"]},
        {"gold": "g", "question": "q"},
        {"question": "q", "gold": "relabelled"},
    ):
        lattice_of(pipeline, Case("c", inputs), memory=memory)
    assert len(seen) == 2
    # Only what is put in place of an answer is new with another label.
    assert memory.executed == 2 + 2 + 2
    lattice_of(pipeline, Case("c", {"question": "q", "gold": "g", "hint": "h"}), memory=memory)
    assert seen[2:] == [{"hint": "h", "question": "q"}] * 2


def test_cost_is_charged_once_per_executed_call():
    steps = [
        Step("a", lambda case: 1, cost=2.0, fix=Fix("x", lambda case: 1, cost=5.0)),
        Step("b", lambda a: a, cost=0.5),
    ]
    pipeline = Pipeline("p", steps, score=lambda b: b)
    _, memory = lattice_of(pipeline)
    lattice_of(pipeline, memory=memory)
    assert memory.cost == 2.0 + 5.0 + 0.5


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_a_step_that_changes_its_input_changes_nobody_elses(order):
    def greedy(a, case):
        a.append("taken")
        case["list"].append("mine")
        return a

    steps = [
        Step("a", lambda case: list(case["list"]), fix=Fix("x", lambda case: [*case["list"], "fixed"])),
        Step("b", greedy, fix=Fix("x", lambda a: [*a, "better"])),
        Step("c", lambda a, b, case: [a, b, case["list"]]),
    ]
    pipeline = Pipeline("p", steps, score=lambda c: 1.0)
    case = Case("c", {"list": ["start"]})
    lattice, _ = lattice_of(pipeline, case, masks=order)
    seen = {mask: outputs_of(lattice, 0, column)["c"] for column, mask in enumerate(order)}
    assert seen[0] == [["start"], ["start", "taken"], ["start"]]
    assert seen[3] == [["start", "fixed"], ["start", "fixed", "better"], ["start"]]
    assert case.inputs == {"list": ["start"]}


def test_an_output_changed_after_it_was_returned_is_kept_as_returned():
    kept = []

    def keeps(case):
        kept.clear()
        kept.append("returned")
        return kept

    def meddles(a):
        kept.append("later")
        return list(a)

    pipeline = Pipeline("p", [Step("a", keeps), Step("b", meddles), Step("c", lambda a, b: [a, b])], score=lambda c: 1)
    lattice, _ = lattice_of(pipeline)
    assert outputs_of(lattice, 0, 0)["c"] == [["returned"], ["returned"]]


def failing(case):
    raise RuntimeError("rate\nlimit")


def test_a_step_that_raises_makes_its_coalitions_missing_and_the_others_go_on():
    ran = []
    steps = [
        Step("a", lambda case: 1, fix=Fix("x", failing)),
        Step("b", lambda a: ran.append(a) or a, fix=Fix("y", lambda a: a + 1)),
    ]
    lattice, _ = lattice_of(Pipeline("p", steps, score=lambda b: b == 2))
    assert lattice.scores == ((0.0, None, 1.0, None),)
    assert lattice.errors == {1: ("a", "RuntimeError: rate limit"), 3: ("a", "RuntimeError: rate limit")}
    assert ran == [1]


def test_a_failure_in_a_step_the_score_does_not_read_is_missing_all_the_same():
    steps = [Step("a", lambda case: 1), Step("side", lambda case: 0, fix=Fix("x", failing))]
    lattice, _ = lattice_of(Pipeline("p", steps, score=lambda a: a))
    assert lattice.scores == ((1.0, None),)


def test_a_failure_in_one_world_is_missing_in_that_world():
    def picky(case, draw):
        if draw.uniform("u") < 0.5:
            raise ValueError("no")
        return 1

    lattice, _ = lattice_of(
        Pipeline("p", [Step("a", picky)], score=lambda a: a), worlds=[World(str(k)) for k in range(8)]
    )
    assert {row[0] for row in lattice.scores} == {None, 1.0}


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (lambda a: float("nan"), "returned nan, which is no score"),
        (lambda a: float("inf"), "returned inf, which is no score"),
        (lambda a: 0.5, "returned 0.5, neither pass (1) nor fail (0); say graded=True"),
        (Score(lambda a: 1.5, graded=True), "returned 1.5, outside its range of 0.0 to 1.0"),
        (lambda a: "good", "returned a str, not a number"),
        (lambda a: a["missing"], "TypeError"),
    ],
)
def test_what_is_no_score_is_an_error_with_a_name(score, message):
    lattice, _ = lattice_of(Pipeline("p", [Step("a", lambda case: 1)], score=score))
    assert lattice.scores == ((None,),)
    step, text = lattice.errors[0]
    assert step == "score"
    assert message in text


def test_an_output_without_a_stable_fingerprint_is_an_error_naming_the_step():
    lattice, _ = lattice_of(Pipeline("p", [Step("a", lambda case: object())], score=lambda a: 1))
    step, text = lattice.errors[0]
    assert step == "a"
    assert "no stable fingerprint" in text


def test_a_case_without_a_stable_fingerprint_is_an_error_like_a_steps():
    pipeline = Pipeline("p", [Step("a", lambda case: 1)], score=lambda a: 1)
    lattice, memory = lattice_of(pipeline, Case("c", {"x": object()}))
    assert lattice.errors[0][0] == "case"
    assert "its inputs cannot be compared" in lattice.errors[0][1]
    assert memory.executed == 0


@pytest.mark.parametrize("raised", [SystemExit(3), asyncio.CancelledError(), GeneratorExit(), MemoryError()])
def test_whatever_a_step_raises_ends_the_step_and_not_the_run(raised):
    def ends(case):
        raise raised

    lattice, _ = lattice_of(Pipeline("p", [Step("a", lambda case: 1, fix=Fix("x", ends))], score=lambda a: a))
    assert lattice.scores == ((1.0, None),)


def test_an_interrupt_ends_the_run():
    def interrupted(case):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lattice_of(Pipeline("p", [Step("a", interrupted)], score=lambda a: a))


def test_a_score_may_take_every_step_by_name():
    steps = [Step("final answer", lambda case: 1), Step("other", lambda case: 0)]
    lattice, _ = lattice_of(Pipeline("p", steps, score=lambda **outputs: outputs["final answer"]))
    assert lattice.scores == ((1.0,),)


@pytest.mark.parametrize(
    "number", [True, 1, 1.0, np.float32(1), np.bool_(True), decimal.Decimal(1), fractions.Fraction(1)]
)
def test_any_kind_of_number_is_a_score(number):
    lattice, _ = lattice_of(Pipeline("p", [Step("a", lambda case: 1)], score=lambda a: number))
    assert lattice.scores == ((1.0,),)


def test_errors_read_the_same_in_every_process():
    def confused(case):
        raise ValueError(f"cannot use {object()}")

    lattice, _ = lattice_of(Pipeline("p", [Step("a", confused)], score=lambda a: a))
    assert lattice.errors[0][1] == "ValueError: cannot use <object object>"


def test_a_constant_from_the_case_fails_where_the_case_lacks_it():
    pipeline = Pipeline("p", [Step("a", lambda case: 0, fix=Fix.constant("gold", field="gold"))], score=lambda a: a)
    assert lattice_of(pipeline, Case("c", {"gold": 1}))[0].scores == ((0.0, 1.0),)
    assert "no field 'gold'" in lattice_of(pipeline, Case("c", {}))[0].errors[1][1]


def test_equal_outputs_of_different_steps_have_one_id():
    pipeline = Pipeline("p", [Step("a", lambda case: "same"), Step("b", lambda case: "same")], score=lambda a: 1)
    lattice, _ = lattice_of(pipeline)
    assert lattice.seen["a"][0, 0] == lattice.seen["b"][0, 0]
    assert lattice.values[lattice.seen["a"][0, 0]].fingerprint == fingerprint("same")


def test_a_factual_trace_lists_every_draw_in_run_order():
    steps = [
        Step("a", lambda case, draw: draw.uniform("u")),
        Step("b", lambda a, draw: [draw.normal("n"), draw.uniform("u")]),
    ]
    memory = Memory()
    trace = run_factual(Pipeline("p", steps, score=lambda a: 1), Case("c", {}), World("0"), memory)
    assert [(draw.step, draw.address.name) for draw in trace.draws] == [("a", "u"), ("b", "n"), ("b", "u")]
