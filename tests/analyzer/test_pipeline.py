import functools
import re

import pytest

from analyzer.pipeline import Fix, Pipeline, PipelineError, Score, Step, text_diff


def one(case):
    return 1


def after(a):
    return a


def always(**outputs):
    return True


async def later(case):
    return 1


def yielding(case):
    yield 1


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
        ([Step(" ", one)], "name: is blank"),
        ([Step("a", lambda nothing: 0)], "step 'a': reads 'nothing', which is neither 'case', 'draw' nor a step"),
        ([Step("a", one, parents=["nothing"])], "step 'a': its parent 'nothing' is no step"),
        ([Step("a", one), Step("b", after, parents=["case"])], "step 'b': reads 'a', which its parents do not list"),
        ([Step("a", lambda c: 0), Step("b", after), Step("c", lambda b: 0)], "in a cycle: .*a → .*"),
        ([Step("a", lambda a: 0)], "step 'a': reads 'a'"),
        ([Step("a", one, fix=Fix("better"))], "step 'a': fix 'better' names no variant"),
        ([Step("a", one, fix=Fix("  ", one))], "step 'a': its fix's label: is blank"),
        ([Step("a", one, fix=Fix("x", lambda other: 0))], "step 'a': fix 'x': reads 'other'"),
        ([Step("a", one, fix=one)], "step 'a': fix is a function"),
        ([Step("a", one, fix=Fix("x", one, kind="magic"))], "unknown kind 'magic'"),
        ([Step("a", one, role="judge")], "role 'judge' is not known"),
        ([Step("a", one, cost=-1.0)], "cost -1.0"),
        ([Step("a", one, cost=float("nan"))], "cost nan"),
        ([Step("a", lambda case, /: 0)], "parameter 'case' cannot be given by name"),
        ([Step("a", 3)], "3 is not a function"),
        ([Step("score", one)], "step 'score': the name is taken"),
        ([Step("a", always)], r"takes \*\*outputs, so say what it reads with parents"),
        ([Step("a", one), Step("b", after, parents="a")], r"parents is the text 'a'; write a list"),
        ([Step("a", later)], "step 'a': is async"),
        ([Step("a", yielding)], "step 'a': is a generator"),
        ([Step("a\ud800", one)], "lone surrogate"),
        ([Step("a", one, title=None)], "title: None is no text"),
        ([Step("a", one, fix=Fix("x", later))], "fix 'x': is async"),
    ],
)
def test_a_pipeline_that_cannot_run_is_refused_with_the_culprit_named(steps, message):
    with pytest.raises(PipelineError, match=message):
        build(*steps)


def test_a_threshold_outside_the_range_is_refused():
    with pytest.raises(PipelineError, match="the threshold 2.0 lies outside 0.0 to 1.0"):
        build(Step("a", one), score=Score(lambda: 1, graded=True, threshold=2.0))


@pytest.mark.parametrize("options", [{"title": 5}, {"summary": None}, {"cost_unit": None}])
def test_a_text_that_is_none_is_refused_before_anything_runs(options):
    with pytest.raises(PipelineError, match="is no text"):
        build(Step("a", one), **options)


def test_a_random_score_and_an_endless_range_are_refused():
    with pytest.raises(PipelineError, match="a score is not random"):
        build(Step("a", one), score=lambda a, draw: 1)
    with pytest.raises(PipelineError, match="outside ±1e"):
        build(Step("a", one), score=Score(lambda a: 1, graded=True, high=float("inf")))


def test_a_threshold_of_its_own_makes_a_score_graded():
    with pytest.raises(PipelineError, match="say graded=True"):
        build(Step("a", one), score=Score(lambda a: 1, threshold=0.5))


def another(case):
    return 2


def several():
    return build(Step("a", one, fix=[Fix("first", another), Fix("second", lambda case: 3), Fix.resample("third")]))


def test_the_first_of_several_fixes_is_tried_unless_another_is_asked_for():
    assert several().nodes[0].fix.label == "first"
    assert several().trying({"a": "second"}).nodes[0].fixed.name == "fix: second"
    assert several().trying({"a": "third"}).nodes[0].resamples
    assert several().players == several().trying({"a": "third"}).players == ("a",)


def test_trying_another_fix_is_another_fingerprint():
    assert several().fingerprint() != several().trying({"a": "second"}).fingerprint()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"a": "none"}, "step 'a' has no fix 'none'; it has 'first', 'second', 'third'"),
        ({"b": "first"}, "step 'b', whose fix was asked for, is no step"),
    ],
)
def test_a_fix_that_is_not_there_cannot_be_tried(choices, message):
    with pytest.raises(PipelineError, match=message):
        several().trying(choices)


def test_every_alternative_is_checked():
    with pytest.raises(PipelineError, match="fix 'second': reads 'nothing'"):
        build(Step("a", one, fix=[Fix("first", another), Fix("second", lambda nothing: 1)]))
    with pytest.raises(PipelineError, match="two of its fixes have one label"):
        build(Step("a", one, fix=[Fix("same", another), Fix("same", one)]))


def test_a_score_that_reads_no_step_is_refused():
    with pytest.raises(PipelineError, match="score: reads 'b'"):
        build(Step("a", one), score=lambda b: 1)


PROMPT = "be brief"


def prompted(case):
    return helper(PROMPT)


def prompted_with(prompt, case):
    return prompt


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


class Client:
    __slots__ = ("prompt",)

    def __init__(self, prompt):
        self.prompt = prompt

    def answer(self, case):
        return self.prompt

    def __call__(self, case):
        return self.prompt


def nested(case):
    return [(lambda: PROMPT)() for _ in range(2)]


@pytest.mark.parametrize(
    ("one_way", "other_way"),
    [
        (Client("a").answer, Client("b").answer),
        (Client("a"), Client("b")),
        (functools.partial(prompted_with, "a"), functools.partial(prompted_with, "b")),
    ],
)
def test_fingerprint_follows_what_an_object_is_bound_to(one_way, other_way):
    assert build(Step("a", one_way)).fingerprint() != build(Step("a", other_way)).fingerprint()
    assert build(Step("a", one_way)).fingerprint() == build(Step("a", one_way)).fingerprint()


TABLE = {"answer": helper}
PATTERNS = [re.compile("a+")]


class Reader:
    def read(self, case):
        return PROMPT


def through_a_table(case):
    return TABLE["answer"](1)


def through_patterns(case):
    return [pattern.sub("", "a") for pattern in PATTERNS]


def through_a_class(case):
    return Reader().read(case)


@pytest.mark.parametrize(
    ("run", "name", "value"),
    [
        (through_a_table, "TABLE", {"answer": lambda text: text + text}),
        (through_patterns, "PATTERNS", [re.compile("b+")]),
        (through_a_class, "PROMPT", "be thorough"),
    ],
)
def test_fingerprint_follows_tables_patterns_and_classes(monkeypatch, run, name, value):
    before = build(Step("a", run)).fingerprint()
    assert build(Step("a", run)).fingerprint() == before
    monkeypatch.setitem(globals(), name, value)
    assert build(Step("a", run)).fingerprint() != before


def test_fingerprint_follows_nested_code(monkeypatch):
    before = build(Step("a", nested)).fingerprint()
    monkeypatch.setitem(globals(), "PROMPT", "be thorough")
    assert build(Step("a", nested)).fingerprint() != before


def test_fingerprint_survives_a_closure_that_is_not_filled_yet():
    def unfilled():
        def run(case):
            return missing

        pipeline = build(Step("a", run))
        mark = pipeline.fingerprint()
        missing = 1
        return mark, missing

    assert len(unfilled()[0]) == 32


def test_text_diff_marks_removed_and_added_lines():
    assert text_diff("a\nb", "a\nc") == " a\n-b\n+c"
