import dataclasses
import decimal
import gc
import time

import pytest

from analyzer.batch import analyze
from analyzer.budget import Budget
from analyzer.engines import threads
from analyzer.examine import case_seed, worlds_of
from analyzer.game_file import MODES, dumps
from analyzer.lattice import run_factual
from analyzer.memory import Memory
from analyzer.noise import Draw, World
from analyzer.pipeline import Case, Fix, Pipeline, PipelineError, Score, Step
from analyzer.plan import Plan
from analyzer.store import Store


def coin(case, draw):
    return draw.categorical("side", {"heads": case["bias"], "tails": 0.0})


def pipeline(**options):
    step = Step(
        "toss",
        coin,
        fix=Fix("Weigh the coin", lambda case, draw: draw.categorical("side", {"heads": 3.0, "tails": 0.0})),
    )
    return Pipeline("coin", [step], score=lambda toss: toss == "heads", **options)


CASES = [Case(f"c{n}", {"bias": 0.0}) for n in range(20)]


def test_cases_are_counted_and_only_failing_ones_are_analysed():
    counts = analyze(pipeline(), CASES).files[0].header.counts
    assert counts.seen == 20
    assert counts.passed + counts.failed == 20
    assert counts.analysed == counts.failed == len(analyze(pipeline(), CASES).files[0].cases)


def test_every_failing_case_goes_through_every_mode_asked_for():
    batch = analyze(pipeline(), CASES)
    assert tuple(file.header.mode for file in batch.files) == MODES
    assert len({tuple(case.id for case in file.cases) for file in batch.files}) == 1
    assert [file.header.worlds for file in batch.files] == [1, 8, 8]


def test_replayed_and_abducted_games_start_from_the_failure():
    batch = analyze(pipeline(), CASES)
    for file in batch.files[:2]:
        assert all(case.worth[0] == 0 for case in file.cases)


def test_fresh_games_show_how_often_luck_alone_repairs():
    fresh = analyze(pipeline(), CASES, Plan(worlds=50)).files[2]
    repaired = sum(int(case.worth[0] or 0) for case in fresh.cases) / (50 * len(fresh.cases))
    assert 0.35 < repaired < 0.65


def test_the_reference_world_supplies_the_shown_outputs_and_scores():
    fresh = analyze(pipeline(), CASES).files[2]
    for case in fresh.cases:
        for mask in range(2):
            shown = case.steps[0].outputs[case.steps[0].index[mask]].text
            assert case.shown_scores[mask] == (1.0 if shown == "heads" else 0.0)


def test_passing_cases_cost_one_run():
    batch = analyze(
        Pipeline("p", [Step("a", lambda case: 1, fix=Fix("x", lambda case: 2))], score=lambda a: 1), CASES[:3]
    )
    assert batch.executed == 1
    assert batch.files[0].cases == ()


def test_a_case_that_raises_as_it_is_counts_as_errored_and_the_rest_goes_on():
    def picky(case):
        return 1 / case["n"]

    cases = [Case("bad", {"n": 0}), Case("good", {"n": 1})]
    batch = analyze(Pipeline("p", [Step("a", picky, fix=Fix("x", picky))], score=lambda a: 0), cases)
    assert batch.errored == (("bad", "a: ZeroDivisionError: division by zero"),)
    assert dataclasses.astuple(batch.files[0].header.counts) == (2, 0, 1, 1, 1)


def test_a_case_whose_score_is_no_number_counts_as_errored():
    batch = analyze(Pipeline("p", [Step("a", lambda case: 1)], score=lambda a: float("nan")), CASES[:1])
    assert "score: returned nan" in batch.errored[0][1]


def test_holes_are_counted():
    def fails(case):
        raise RuntimeError("no")

    batch = analyze(Pipeline("p", [Step("a", lambda case: 1, fix=Fix("x", fails))], score=lambda a: 0), CASES[:1])
    assert batch.missing == 3
    assert batch.files[1].cases[0].evaluations == (8, 0)


def test_cost_of_a_game_is_that_of_its_own_distinct_calls():
    step = Step("a", lambda case: 0, fix=Fix("x", lambda case: 0, cost=3.0), cost=1.0)
    batch = analyze(Pipeline("p", [step], score=lambda a: 0), [Case("c", {}), Case("d", {})])
    assert [[case.cost for case in file.cases] for file in batch.files] == [[4.0, 4.0], [4.0, 4.0], [4.0, 4.0]]
    assert batch.cost == 4.0


def test_a_game_file_does_not_depend_on_which_modes_were_asked_for():
    whole = {file.header.mode: dumps(file) for file in analyze(pipeline(), CASES).files}
    for mode in MODES:
        (alone,) = analyze(pipeline(), CASES, Plan(modes=(mode,))).files
        assert dumps(alone) == whole[mode]


def test_the_threshold_decides_what_failed():
    steps = [Step("a", lambda case: case["n"] / 10)]
    scored = Pipeline("p", steps, score=Score(lambda a: a, graded=True, threshold=0.5))
    batch = analyze(scored, [Case(str(n), {"n": n}) for n in range(10)])
    assert [case.id for case in batch.files[0].cases] == ["0", "1", "2", "3", "4"]


def test_same_seed_same_bytes_another_seed_another_luck():
    files = [[dumps(file) for file in analyze(pipeline(), CASES, Plan(seed=seed)).files] for seed in ("0", "0", "1")]
    assert files[0] == files[1] != files[2]


def test_order_of_cases_changes_no_game():
    def games(cases):
        return {case.id: case.worth for case in analyze(pipeline(), cases).files[2].cases}

    assert games(CASES) == games(CASES[::-1])


def test_no_two_cases_share_a_seed_or_a_world():
    plan, seeds = Plan(), set()
    cases = [Case(id_, {"bias": 0.0}) for id_ in ("a", "a/world-0", "a%2Fworld-0", "b")]
    for case in cases:
        trace = run_factual(pipeline(), case, World(case_seed(plan, case)), Memory())
        seeds |= {world.id for mode in ("replayed", "fresh") for world in worlds_of(mode, plan, case, trace)}
    assert len(seeds) == len(cases) * 9


@pytest.mark.parametrize(
    ("cases", "plan", "message"),
    [
        ([Case("a", {}), Case("a", {})], Plan(), "case 'a': two cases have this id"),
        ([], Plan(modes=("guess",)), "mode 'guess' is not known"),
        ([], Plan(modes=()), "the modes are replayed, abducted, fresh"),
        ([], Plan(worlds=0), "at least 1 is needed"),
        ([Case("", {})], Plan(), "case '': id: is blank"),
        ([Case("\ud800", {})], Plan(), "lone surrogate"),
        ([Case(5, {})], Plan(), "case 5: id: 5 is no text"),
        ([], Plan(seed=7), "seed: 7 is no text"),
        ([], Plan(seed="\udcff"), "seed: .* lone surrogate"),
    ],
)
def test_what_cannot_be_analysed_is_refused(cases, plan, message):
    with pytest.raises(PipelineError, match=message):
        analyze(pipeline(), cases, plan)


def test_a_case_that_cannot_be_compared_is_errored_and_the_rest_goes_on():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]
    cases = [Case("deep", {"x": deep}), Case("odd", {"x": object()}), Case("good", {"x": 1})]
    batch = analyze(Pipeline("p", [Step("a", lambda case: 0)], score=lambda a: a), cases)
    assert [id for id, _ in batch.errored] == ["deep", "odd"]
    assert all("case: its inputs cannot be compared" in reason for _, reason in batch.errored)
    assert batch.files[0].header.counts.analysed == 1


def test_a_range_of_scores_wider_than_pass_and_fail_is_never_taken_for_counts():
    graded = Score(lambda a: a, graded=True, low=0, high=10, threshold=5)
    batch = analyze(Pipeline("p", [Step("a", lambda case: 0, fix=Fix("x", lambda case: 1))], score=graded), CASES[:1])
    assert [file.cases[0].denominator for file in batch.files] == [None, None, None]
    assert [file.cases[0].worth for file in batch.files] == [(0.0, 1.0)] * 3


def test_draws_are_not_kept_beyond_their_case():
    memory = Memory()

    def choose(case, draw):
        return draw.vocabulary("word", [0.0] * 1_000) > case["bias"]

    gc.collect()
    before = sum(isinstance(kept, Draw) for kept in gc.get_objects())
    analyze(Pipeline("p", [Step("a", choose, fix=Fix.resample())], score=lambda a: not a), CASES, memory=memory)
    gc.collect()
    assert sum(isinstance(kept, Draw) for kept in gc.get_objects()) <= before


def test_text_that_no_file_can_hold_is_mended_not_lost():
    steps = [Step("a", lambda case: "lone \ud800 surrogate", fix=Fix("x", lambda case: "\ud83d\ude00"))]
    batch = analyze(Pipeline("p", steps, score=lambda a: 0), [Case("c", {"q": "\ud800"})])
    case = batch.files[0].cases[0]
    assert case.steps[0].outputs[0].text == "lone \ufffd surrogate"
    assert case.steps[0].outputs[1].text == "\U0001f600"
    dumps(batch.files[0]).encode("utf-8")


def test_an_interventional_step_is_marked():
    steps = [Step("a", lambda case: 0, samples_itself=True)]
    header = analyze(Pipeline("p", steps, score=lambda a: 0), CASES[:1]).files[0].header
    assert header.steps[0].interventional


def biased(chance):
    """A case fails unless its first fix is on; the second helps with some chance, by the case's luck."""
    steps = [
        Step("first", lambda case: 0, fix=Fix("x", lambda case: 1)),
        Step("second", lambda case, draw: 0, fix=Fix("y", lambda case, draw: int(draw.uniform("luck") < chance))),
    ]
    return Pipeline("biased", steps, score=lambda first, second: first or second)


MANY = [Case(f"c{n:03}", {"n": n}) for n in range(400)]


def test_a_batch_stops_once_a_fix_is_separated_and_says_so():
    batch = analyze(biased(0.3), MANY, Plan(until_separated=True))
    counts = batch.files[0].header.counts
    assert 5 < counts.failed < 200
    assert {file.header.stopped for file in batch.files} == {
        "first (replayed), first (abducted), first (fresh) separated from every other fix, at δ = 0.05, "
        f"after {counts.failed} failing cases"
    }
    assert counts.seen == counts.failed == counts.analysed


def test_a_batch_whose_fixes_tie_never_stops_early():
    batch = analyze(biased(1.0), MANY[:100], Plan(modes=("replayed",), until_separated=True))
    assert batch.files[0].header.counts.seen == 100
    assert batch.files[0].header.stopped == "all cases analysed"


def test_a_smaller_error_probability_takes_more_failures():
    failed = [
        analyze(biased(0.5), MANY, Plan(("replayed",), delta=delta, until_separated=True)).files[0].header.counts.failed
        for delta in (0.2, 0.05, 0.001)
    ]
    assert failed[0] < failed[1] < failed[2] < 400


def test_kinds_of_luck_share_the_error_probability():
    alone = analyze(biased(0.5), MANY, Plan(("replayed",), until_separated=True)).files[0].header.counts.failed
    # Without random steps before the score every mode sees the same games here.
    fixed = Step("b", lambda first: 0, fix=Fix.constant("x", 0))
    certain = Pipeline("c", [biased(1.0).steps[0], fixed], lambda first: first)
    one = analyze(certain, MANY, Plan(("replayed",), until_separated=True)).files[0].header.counts.failed
    three = analyze(certain, MANY, Plan(until_separated=True)).files[0].header.counts.failed
    assert one <= alone
    assert one < three


def test_without_fixes_there_is_nothing_to_separate():
    batch = analyze(Pipeline("p", [Step("a", lambda case: 0)], score=lambda a: a), CASES, Plan(until_separated=True))
    assert batch.files[0].header.counts.failed == 20


def test_estimates_stop_no_batch():
    with pytest.raises(PipelineError, match="estimates support no claim over many cases"):
        analyze(biased(0.5), MANY, Plan(until_separated=True, exact_up_to=0))


def test_a_batch_stops_after_the_failures_asked_for():
    batch = analyze(biased(0.3), MANY, Plan(max_failures=7))
    assert [len(file.cases) for file in batch.files] == [7, 7, 7]
    assert batch.files[0].header.stopped == "7 failing cases were asked for"
    assert batch.capped == ""


def test_another_assignment_of_fixes_shares_the_calls_that_are_the_same():
    ran = []

    def run(name, value):
        return lambda case: ran.append(name) or value

    steps = [
        Step("a", run("a", 0), fix=[Fix("one", run("a one", 1)), Fix("two", run("a two", 2))]),
        Step("b", lambda a: a, fix=Fix("x", lambda a: a + 1)),
    ]
    pipeline, memory = Pipeline("p", steps, score=lambda b: b > 2), Memory()
    first = analyze(pipeline, [Case("c", {})], memory=memory)
    second = analyze(pipeline.trying({"a": "two"}), [Case("c", {})], memory=memory)
    assert ran == ["a", "a one", "a two"]
    headers = [batch.files[0].header for batch in (first, second)]
    assert [header.scenario.id for header in headers] == ["p", "p + a=two"]
    assert [header.scenario.pipeline for header in headers] == ["p", "p"]
    assert [batch.files[0].cases[0].worth for batch in (first, second)] == [(0, 0, 0, 0), (0, 0, 0, 1)]


def test_an_interrupt_keeps_the_cases_that_are_complete():
    def stops(case):
        if case["n"] == 3:
            raise KeyboardInterrupt
        return 0

    batch = analyze(Pipeline("p", [Step("a", stops)], score=lambda a: a), [Case(f"c{n}", {"n": n}) for n in range(9)])
    assert batch.interrupted
    assert [case.id for case in batch.files[0].cases] == ["c0", "c1", "c2"]
    assert batch.files[0].header.stopped == "an interrupt came after 3 of 9 cases"


@pytest.mark.parametrize("cap", range(40, 130, 6))
def test_a_cap_that_was_reached_is_never_forgotten(cap):
    steps = [Step(f"s{n}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(6)]
    steps.append(Step("sum", lambda **bits: sum(bits.values()), parents=[step.name for step in steps]))
    pipeline = Pipeline("p", steps, score=lambda sum: sum % 3 == 1)
    plan = Plan(worlds=2, exact_up_to=0, max_coalitions=60, budget=Budget(calls=cap))
    batch = analyze(pipeline, [Case("c", {}), Case("d", {"n": 1})], plan)
    cut = [case for file in batch.files for case in file.cases if case.sampled and "cap" in case.sampled.stopped]
    assert batch.executed <= cap
    assert not cut or (batch.capped and "was reached" in batch.files[0].header.stopped)
    assert all(case.sampled.draws for case in cut)


@pytest.mark.parametrize("cap", [25, 60, 95])
def test_beside_each_other_cases_use_a_cap_up(cap):
    fixes = [Fix("right", lambda case: (time.sleep(0.001), case["n"])[1]) for _ in range(3)]
    steps = [Step(f"s{n}", lambda case: (time.sleep(0.001), -1)[1], fix=fix) for n, fix in enumerate(fixes)]
    steps.append(Step("last", lambda **read: min(read.values()), parents=[step.name for step in steps]))
    pipeline = Pipeline("p", steps, score=lambda last, case: last == case["n"])
    cases, plan = [Case(f"c{n}", {"n": n}) for n in range(20)], Plan(modes=("replayed",), budget=Budget(calls=cap))
    with threads(8) as engine:
        batch = analyze(pipeline, cases, plan, Memory(engine))
    assert batch.executed == cap
    assert batch.capped == f"the cap of {cap} calls"
    assert batch.counts["replayed"].seen < 20


def test_labels_are_short_distinct_and_on_one_line():
    case = Case("c", {"tags": ["\ud800", "\ud801", "a\nb", "x" * 5000]})
    score = Score(lambda a: 0, failure=lambda: "long " * 5000)
    (game,) = analyze(Pipeline("p", [Step("a", lambda case: 0)], score=score), [case]).files[0].cases
    assert game.tags[:2] == ("\ufffd", "a b")
    assert [len(tag) for tag in game.tags] == [1, 3, 200]
    assert len(game.failure) == 200


def test_time_that_is_up_ends_scoring_too():
    def slow(a):
        time.sleep(0.01)
        return 0

    steps = [Step("a", lambda case: case["n"], fix=Fix("x", lambda case: -case["n"]))]
    cases = [Case(f"c{n}", {"n": n}) for n in range(1, 400)]
    batch = analyze(Pipeline("p", steps, slow), cases, Plan(budget=Budget(seconds=0.2)))
    assert "the cap of 0.2 s on the time was reached" in batch.stopped
    assert batch.counts["replayed"].seen < 100


def test_a_number_of_failures_is_examined_in_no_more_calls_on_threads():
    steps = [Step("a", lambda case: 0, fix=Fix("x", lambda case: case["n"]), samples_itself=True)]
    cases = [Case(f"c{n}", {"n": n}) for n in range(40)]
    pipeline, plan = Pipeline("p", steps, lambda a: a), Plan(max_failures=2)
    plain = analyze(pipeline, cases, plan)
    with threads(4) as engine:
        batch = analyze(pipeline, cases, plan, Memory(engine=engine))
    assert batch.files == plain.files
    # Cases ahead may have run as they happened; none was examined.
    assert batch.executed - plain.executed <= 2 * 4


def test_scores_are_computed_in_the_context_of_who_asks():
    def score(a):
        return str(decimal.Decimal(1) / decimal.Decimal(3)) == "0.333"

    steps = [Step("a", lambda case: case["n"], fix=Fix("x", lambda case: -1))]
    cases = [Case(f"c{n}", {"n": n}) for n in range(8)]
    with decimal.localcontext() as context, threads(4) as engine:
        context.prec = 3
        batch = analyze(Pipeline("p", steps, score), cases, memory=Memory(engine=engine))
    assert batch.counts["replayed"].passed == 8


def test_a_kind_of_failure_that_could_not_be_told_is_asked_for_again(tmp_path):
    down = [True]

    def kind(a):
        if down[0]:
            raise OSError("the judge is down")
        return "wrong"

    steps = [Step("a", lambda case: 0, fix=Fix("x", lambda case: 1))]
    kinds = []
    for _ in range(2):
        with Store.open(tmp_path / "run.sqlite") as store:
            score = Score(lambda a: a, failure=kind)
            batch = analyze(Pipeline("p", steps, score), [Case("c", {})], memory=Memory(store=store))
            kinds.append(batch.files[0].cases[0].failure)
        down[0] = False
    assert kinds == ["kind unknown: OSError: the judge is down", "wrong"]
