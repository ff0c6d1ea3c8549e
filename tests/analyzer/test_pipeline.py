import functools
import math
import random
import re

import pytest

from analyzer.pipeline import Codec, Fix, Pipeline, PipelineError, Score, Step, text_diff


def one(case):
    return 1


def drawn(case, draw):
    return draw.uniform("u")


def after(a):
    return a


def always(**outputs):
    return True


async def later(case):
    return 1


def yielding(case):
    yield 1


async def later_yielding(case):
    yield 1


class LaterToo:
    async def __call__(self, case):
        return 1


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
    pipeline = build(Step("b", after, fix=Fix("x", after)), Step("a", one, fix=Fix("x", one)), Step("c", one))
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
        ([Step("a", later_yielding)], "step 'a': is an async generator"),
        ([Step("a", yielding)], "step 'a': is a generator"),
        ([Step("a\ud800", one)], "lone surrogate"),
        ([Step("a", one, title=None)], "title: None is no text"),
        ([Step("a", one, fix=Fix("x", yielding))], "fix 'x': is a generator"),
        ([Step("a", one, version=2)], "step 'a': version: 2 is no text"),
        ([Step("a", one, fix=Fix("x", one, version=2))], "fix 'x': version: 2 is no text"),
        ([Step("a", one, concurrency=0)], "step 'a': concurrency 0 is not a whole number from 1 up"),
        ([Step("a", one, concurrency=1.5)], "step 'a': concurrency 1.5 is not a whole number from 1 up"),
        ([Step("a", one, per_minute=0)], "step 'a': per_minute 0 is not a number above 0"),
        ([Step("a", one, per_minute=math.inf)], "step 'a': per_minute inf is not a number above 0"),
        ([Step("a", one, per_minute="60")], "step 'a': per_minute '60' is not a number above 0"),
        ([Step("a", one, codec=str)], r"step 'a': codec is a type; write Codec\('name', encode, decode\)"),
        ([Step("a", one, batch=3)], "step 'a': batch: 3 is not a function"),
        ([Step("a", one, fix=Fix("x", one, batch=3))], "fix 'x': batch: 3 is not a function"),
        ([Step("a", one, stub=3)], "step 'a': 3 is not a function"),
        ([Step("a", one, stub=lambda other: 0)], "step 'a': reads 'other'"),
        ([Step("a", one, case_fields="q")], r"step 'a': case_fields is the text 'q'; write a list, \['q'\]"),
        ([Step("a", one, case_fields=3)], "step 'a': case_fields is a int; write a list of names"),
        ([Step("a", one, case_fields=["q", 3])], "step 'a': case_fields: 3 is no text"),
        ([Step("a", one, fix=Fix("x", one, case_fields="q"))], "fix 'x': case_fields is the text 'q'"),
        (
            [Step("a", one), Step("b", after, case_fields=["q"])],
            "step 'b': case_fields says what it reads of 'case', but",
        ),
    ],
)
def test_a_pipeline_that_cannot_run_is_refused_with_the_culprit_named(steps, message):
    with pytest.raises(PipelineError, match=message):
        build(*steps)


@pytest.mark.parametrize("run", [later, LaterToo(), LaterToo().__call__, functools.partial(later)])
def test_a_step_and_a_fix_may_be_async(run):
    (node,) = build(Step("a", run, fix=Fix("x", run))).nodes
    assert node.factual.is_async
    assert node.fixed.is_async
    assert not build(Step("a", one)).nodes[0].factual.is_async


def test_an_async_score_is_refused():
    async def passed(a):
        return True

    with pytest.raises(PipelineError, match="score: is async; call it with asyncio.run in a plain function"):
        build(Step("a", one), score=passed)
    with pytest.raises(PipelineError, match="score: is async"):
        build(Step("a", one), score=Score(lambda a: True, failure=passed))


def test_an_idempotency_key_is_given_to_whoever_names_it_and_is_no_parent():
    def send(case, idempotency_key):
        return idempotency_key

    (node,) = build(Step("a", one, fix=Fix("x", send))).nodes
    assert (node.factual.keyed, node.fixed.keyed) == (False, True)
    assert node.parents == ("case",)


def test_a_score_is_given_no_idempotency_key():
    with pytest.raises(PipelineError, match="score: takes 'idempotency_key'"):
        build(Step("a", one), score=lambda a, idempotency_key: True)


def test_no_step_is_called_as_the_key_of_a_call():
    with pytest.raises(PipelineError, match="step 'idempotency_key': the name is taken"):
        build(Step("idempotency_key", one))


def test_a_stub_runs_instead_of_the_step_and_reads_what_it_names():
    def send(case, a):
        raise AssertionError("the mail is sent")

    def sent(a):
        return a

    pipeline = build(Step("a", one), Step("b", send, stub=sent, batch=lambda calls: [], fix=Fix("x", after)))
    node = pipeline.nodes[1]
    assert node.factual.run is sent
    assert node.factual.batch is None
    assert node.factual.reads == ("a",)
    assert node.fixed.run is after


def test_a_step_with_a_stub_is_known_by_the_stub():
    def mark(run, stub):
        return build(Step("a", run, stub=stub)).fingerprint()

    assert mark(one, another) == mark(after, another)
    assert mark(one, another) != mark(one, one)


def test_a_batch_endpoint_belongs_to_the_variant_it_is_given_with():
    def many(calls):
        return []

    (node,) = build(Step("a", one, batch=many, fix=Fix("x", one))).nodes
    assert (node.factual.batch, node.fixed.batch) == (many, None)


@pytest.mark.parametrize(
    ("unit", "step", "cost"),
    [
        ("USD", Step("a", one), math.nan),
        ("USD", Step("a", one, cost=0.0), 0.0),
        ("USD", Step("a", one, cost=0.25), 0.25),
        ("calls", Step("a", one), 1.0),
        ("calls", Step("a", one, cost=3), 3.0),
    ],
)
def test_a_price_that_nobody_says_is_unknown_in_money_and_one_in_calls(unit, step, cost):
    (node,) = build(step, cost_unit=unit).nodes
    assert str(node.factual.cost) == str(cost)


def test_a_fix_costs_what_its_step_does_unless_it_says_so():
    fixes = [Fix("x", one), Fix("y", one, cost=2.0), Fix.constant("z", 1), Fix.resample("again")]
    steps = [Step(name, drawn, fix=fix) for name, fix in zip("abcd", fixes, strict=True)]
    costs = [node.fixed.cost for node in build(*steps, cost_unit="USD").nodes]
    assert [str(cost) for cost in costs] == ["nan", "2.0", "0.0", "nan"]


def test_a_pipeline_of_unknown_price_has_a_fingerprint_of_its_own():
    unknown, free = (build(Step("a", one, cost=cost), cost_unit="USD").fingerprint() for cost in (None, 0.0))
    assert unknown == build(Step("a", one), cost_unit="USD").fingerprint()
    assert unknown != free


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
    return build(Step("a", drawn, fix=[Fix("first", another), Fix("second", lambda case: 3), Fix.resample("third")]))


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


def test_a_declared_version_decides_the_fingerprint_and_the_code_does_not(monkeypatch):
    def mark(run, version):
        return build(Step("a", run, version=version)).fingerprint()

    before = mark(prompted, "1")
    monkeypatch.setitem(globals(), "PROMPT", "be thorough")
    assert mark(prompted, "1") == mark(one, "1") == before
    assert mark(prompted, "2") != before
    assert mark(one, "") != before


def test_the_version_of_a_fix_is_its_own():
    def mark(run, version):
        return build(Step("a", one, version="1", fix=Fix("x", run, version=version))).fingerprint()

    assert mark(another, "1") == mark(prompted, "1")
    assert mark(another, "1") != mark(another, "2")
    assert mark(another, "") != mark(prompted, "")


def guesses(generator):
    """A function that reaches what shows nothing of what it keeps."""
    return lambda case: generator.random()


def versions(*fixes, run=one):
    """Versions of the step and of its fixes, each tried in its turn."""
    pipeline = build(Step("a", run, fix=list(fixes)))
    tried = (pipeline.trying({"a": fix.label}).nodes[0].fixed.version for fix in fixes)
    return [pipeline.nodes[0].factual.version, *tried]


def test_the_label_of_a_fix_is_no_part_of_its_version():
    assert versions(Fix("x", another)) == versions(Fix("in other words", another))
    assert versions(Fix.constant("x", 1)) == versions(Fix.constant("in other words", 1))


@pytest.mark.parametrize(
    "fixes",
    [
        [Fix("x", guesses(random.Random(1))), Fix("y", guesses(random.Random(2)))],
        [Fix("x", another, version="1"), Fix("y", prompted, version="1")],
        [Fix.constant("x", 1), Fix.constant("y", 2)],
        [Fix.constant("x", field="x"), Fix.constant("y", field="y")],
        [Fix("x", another, batch=lambda calls: [1]), Fix("y", another, batch=lambda calls: [2])],
    ],
)
def test_a_step_and_its_fixes_have_versions_of_their_own_also_where_their_code_looks_the_same(fixes):
    assert len(set(versions(*fixes, run=guesses(random.Random(0))))) == 3


def test_a_fix_that_takes_the_place_of_another_with_the_same_declared_version_has_its_own():
    assert versions(Fix("x", another, version="1")) != versions(Fix("y", prompted, version="1"))


def test_fresh_luck_is_refused_where_there_is_none():
    with pytest.raises(PipelineError, match="fix 'Run it again' runs it again .* take 'draw' .* samples_itself=True"):
        build(Step("a", one, fix=Fix.resample()))
    with pytest.raises(PipelineError, match="fix 'second' runs it again with fresh luck, but it has none"):
        build(Step("a", one, fix=[Fix("first", another), Fix.resample("second")]))
    with pytest.raises(PipelineError, match="but it has none"):
        build(Step("a", drawn, stub=one, fix=Fix.resample()))
    for step in (Step("a", drawn, fix=Fix.resample()), Step("a", one, samples_itself=True, fix=Fix.resample())):
        assert build(step).nodes[0].resamples


def test_fields_of_the_case_are_those_of_the_step_and_of_its_fixes_unless_these_have_their_own():
    fixes = [Fix("x", another), Fix("y", another, case_fields=["q", "hint"]), Fix.constant("z", field="gold")]
    pipeline = build(Step("a", one, case_fields=["q"], fix=fixes))
    read = [pipeline.trying({"a": label}).nodes[0].fixed.case_fields for label in "xyz"]
    assert pipeline.nodes[0].factual.case_fields == ("q",)
    assert read == [("q",), ("q", "hint"), ("gold",)]


def test_a_pipeline_whose_steps_are_given_other_fields_has_another_fingerprint():
    marks = {build(Step("a", one, case_fields=fields)).fingerprint() for fields in (None, [], ["q"], ["q", "hint"])}
    assert len(marks) == 4


def test_a_declared_version_is_no_code():
    code_version = build(Step("a", one)).nodes[0].factual.version
    assert build(Step("a", one, version=code_version)).fingerprint() != build(Step("a", one)).fingerprint()


@pytest.mark.parametrize(
    "manners", [{"concurrency": 2}, {"per_minute": 60}, {"codec": Codec("c", str, int)}, {"title": "A"}]
)
def test_how_a_step_is_called_and_stored_is_no_part_of_what_it_does(manners):
    assert build(Step("a", one, **manners)).fingerprint() == build(Step("a", one)).fingerprint()


def test_fingerprint_changes_with_the_code_of_a_batch_endpoint():
    endpoints = [None, lambda calls: [1 for _ in calls], lambda calls: [2 for _ in calls]]
    assert len({build(Step("a", one, batch=batch)).fingerprint() for batch in endpoints}) == 3


def test_a_step_and_a_fix_on_one_line_have_versions_of_their_own():
    (node,) = build(Step("a", lambda case: 1, fix=Fix("x", lambda case: 2))).nodes
    assert node.factual.version != node.fixed.version


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
