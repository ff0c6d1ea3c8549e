import pytest

from analyzer.batch import analyze
from analyzer.plan import Plan
from analyzer.scenarios import bundle

A, B = bundle("refund-policy").pipelines
CASES = bundle("refund-policy").cases


def values(pipeline, mode):
    return analyze(pipeline, CASES, Plan(modes=(mode,))).files[0].cases[0].values


@pytest.mark.parametrize("mode", ["replayed", "abducted", "fresh"])
def test_mechanism_a_splits_the_repair_five_five_one_one_twelfths(mode):
    assert values(A, mode) == {
        "shapley": (5 / 12, 5 / 12, 1 / 12, 1 / 12),
        "banzhaf": (3 / 8, 3 / 8, 1 / 8, 1 / 8),
        "fix_alone": (1.0, 1.0, 0.0, 0.0),
        "leave_one_out": (0.0, 0.0, 0.0, 0.0),
        "last_touch": (0.0, 0.0, 0.0, 1.0),
    }


@pytest.mark.parametrize("mode", ["replayed", "abducted", "fresh"])
def test_mechanism_b_splits_the_repair_in_thirds_without_the_writer(mode):
    found = values(B, mode)
    assert found["shapley"] == (1 / 3, 1 / 3, 0.0, 1 / 3)
    assert found["last_touch"] == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("pipeline", [A, B])
def test_eighteen_step_runs_answer_all_modes_and_worlds(pipeline):
    assert analyze(pipeline, CASES).executed == 18


def test_the_factual_answer_quotes_the_superseded_window_and_the_repaired_one_the_current():
    case = analyze(A, CASES).files[0].cases[0]
    reviewer = case.steps[-1]
    assert "within 30 days" in reviewer.outputs[reviewer.index[0]].text
    assert "within 14 days" in reviewer.outputs[reviewer.index[-1]].text
