import functools

import pytest

from analyzer.pipeline import Fix, Pipeline, PipelineError, Score, Step, text_diff


def one(case):
    return 1


def after(a):
    return a


def always(**outputs):
    return True


def build(*steps, score=lambda: True, **options):
    return Pipeline("p", list(steps), score=score, **options)


def test_parents_are_the_parameters():
    pipeline = build(Step("a", one), Step("b", lambda case, a, draw: a))
    assert [node.parents for node in pipeline.nodes] == [("case",), ("case", "a")]
    assert pipeline.nodes[1].factual.draws


def test_run_order_follows_what_is_read_and_otherwise_the_order_given():
    pipeline = build(Step("c", lambda a, b: 0), Step("b", one), Step("a", one))
    assert [node.step.name for node in pipeline.nodes] == ["b", "a", "c"]


def test_players_are_the_steps_with_a_fix_in_run_order():
    pipeline = build(Step("b", after, fix=Fix.resample()), Step("a", one, fix=Fix("x", one)), Step("c", one))
    assert pipeline.players == ("a", "b")


def test_a_variant_reads_only_what_it_names():
    pipeline = build(Step("a", one), Step("b", lambda case, a: 0, fix=Fix("x", lambda a: 1)))
    assert pipeline.nodes[1].factual.reads == ("case", "a")
    assert pipeline.nodes[1].fixed.reads == ("a",)


def test_declared_parents_reach_a_function_that_takes_any_input():
    pipeline = build(Step("step one", one), Step("step two", always, parents=["case", "step one"]))
    assert pipeline.nodes[1].factual.reads == ("case", "step one")


def test_bound_and_defaulted_parameters_are_not_read():
    def run(case, a, model="small", *, temperature=0.5):
        return 0

    pipeline = build(Step("a", one), Step("b", functools.partial(run, temperature=1.0)))
    assert pipeline.nodes[1].parents == ("case", "a")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([], "has no steps"),
        ([Step("a", one), Step("a", one)], "step 'a': two steps have this name"),
        ([Step("case", one)], "step 'case': the name is taken"),
        ([Step(" ", one)], "a text that is not blank"),
        ([Step("a", lambda nothing: 0)], "step 'a': reads 'nothing', which is neither 'case', 'draw' nor a step"),
        ([Step("a", one, parents=["nothing"])], "step 'a': its parent 'nothing' is no step"),
        ([Step("a", one), Step("b", after, parents=["case"])], "step 'b': reads 'a', which its parents do not list"),
        ([Step("a", lambda c: 0), Step("b", after), Step("c", lambda b: 0)], "in a cycle: .*a → .*"),
        ([Step("a", lambda a: 0)], "step 'a': reads 'a'"),
        ([Step("a", one, fix=Fix("better"))], "step 'a': fix 'better' names no variant"),
        ([Step("a", one, fix=Fix("  ", one))], "step 'a': its fix has no label"),
        ([Step("a", one, fix=Fix("x", lambda other: 0))], "step 'a': fix 'x': reads 'other'"),
        ([Step("a", one, fix=one)], "step 'a': fix is a function"),
        ([Step("a", one, fix=Fix("x", one, kind="magic"))], "unknown kind 'magic'"),
        ([Step("a", one, role="judge")], "role 'judge' is not known"),
        ([Step("a", one, cost=-1.0)], "cost -1.0"),
        ([Step("a", one, cost=float("nan"))], "cost nan"),
        ([Step("a", lambda case, /: 0)], "parameter 'case' cannot be given by name"),
        ([Step("a", 3)], "3 is not a function"),
        ([Step(f"s{k}", one, fix=Fix.resample()) for k in range(21)], "more than 20 fixes"),
    ],
)
def test_a_pipeline_that_cannot_run_is_refused_with_the_culprit_named(steps, message):
    with pytest.raises(PipelineError, match=message):
        build(*steps)


def test_a_threshold_outside_the_range_is_refused():
    with pytest.raises(PipelineError, match="the threshold 2.0 lies outside 0.0 to 1.0"):
        build(Step("a", one), score=Score(lambda: 1, threshold=2.0))


def test_a_score_that_reads_no_step_is_refused():
    with pytest.raises(PipelineError, match="score: reads 'b'"):
        build(Step("a", one), score=lambda b: 1)


PROMPT = "be brief"


def prompted(case):
    return helper(PROMPT)


def helper(text):
    return text


def test_fingerprint_changes_with_code_and_with_what_the_code_reaches(monkeypatch):
    def mark():
        return build(Step("a", prompted)).fingerprint()

    before = mark()
    assert mark() == before
    monkeypatch.setitem(globals(), "PROMPT", "be thorough")
    assert mark() != before
    assert build(Step("a", one)).fingerprint() != before
    assert build(Step("a", prompted, cost=2.0)).fingerprint() != mark()


def test_fingerprint_tells_closures_over_different_values_apart():
    def make(model):
        return lambda case: model

    marks = {build(Step("a", make(model))).fingerprint() for model in ("small", "large")}
    assert len(marks) == 2


def test_text_diff_marks_removed_and_added_lines():
    assert text_diff("a\nb", "a\nc") == " a\n-b\n+c"
