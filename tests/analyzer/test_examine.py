import json

import pytest

from analyzer.batch import analyze
from analyzer.budget import Budget
from analyzer.game_file import GameFileError, case_verdict, check_arithmetic, dumps, read, write
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step
from analyzer.plan import Plan

PLAYERS = 40


def wide(score, *, worth=None):
    """Forty independent steps, each 0 as it ran and 1 when fixed; the score reads them all."""
    steps = [Step(f"s{n:02}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(PLAYERS)]
    return Pipeline("wide", steps, score=score)


def first_two(**outputs):
    """The first step repairs it, and so does the second together with the third."""
    bits = list(outputs.values())
    return bits[0] or (bits[1] and bits[2])


TRUTH = [2 / 3, 1 / 6, 1 / 6] + [0.0] * 37
PLAN = Plan(modes=("replayed",), max_coalitions=1500)


@pytest.fixture(scope="module")
def sampled():
    return analyze(wide(first_two), [Case("c", {})], PLAN).files[0]


def test_a_game_of_forty_fixes_is_sampled_and_says_who_comes_first(sampled):
    (case,) = sampled.cases
    found = case.sampled
    assert found.leader == 0
    assert found.evaluations <= 1500
    assert case.values["shapley"] == found.values
    for value, low, high, truth in zip(found.values, found.low, found.high, TRUTH, strict=True):
        assert low <= value <= high
        assert low <= truth <= high


def test_a_sampled_game_lists_the_coalitions_everything_else_is_read_from(sampled):
    (case,) = sampled.cases
    assert len(case.coalitions) == 2 * PLAYERS + 2
    assert case.values["fix_alone"] == (1.0,) + (0.0,) * 39
    assert case.values["leave_one_out"] == (0.0,) * 40
    assert case.values["last_touch"] == (0.0,) * 39 + (1.0,)
    assert case.values["banzhaf"] is None


def test_a_sampled_game_reads_back_equal_and_passes_the_checks(sampled, tmp_path):
    path = write(sampled, tmp_path)
    assert read(path) == sampled
    assert check_arithmetic(read(path)) == []


def test_its_verdict_claims_what_its_intervals_carry(sampled):
    said = case_verdict(sampled.header, sampled.cases[0])
    assert (said.kind, said.players, said.alone) == ("repairable", (0,), (0,))
    assert said.sentences[0].startswith("Fixing s00 helps most (0.")


def test_fixes_that_tie_are_not_told_apart():
    def twins(**outputs):
        bits = list(outputs.values())
        return bits[0] or bits[1]

    file = analyze(wide(twins), [Case("c", {})], PLAN).files[0]
    assert file.cases[0].sampled.leader is None
    assert "does not tell apart which helps most: s00 or s01" in case_verdict(file.header, file.cases[0]).sentences[0]


def test_graded_scores_are_sampled_within_their_range():
    def level(**outputs):
        return sum((n + 1) * bit for n, bit in enumerate(outputs.values()))

    score = Score(level, graded=True, low=0, high=1000, threshold=800)
    file = analyze(wide(score), [Case("c", {})], PLAN).files[0]
    (case,) = file.cases
    assert case.denominator is None
    # Additive, so known after the listed coalitions.
    assert case.values["shapley"] == pytest.approx([n + 1 for n in range(PLAYERS)])
    spans = zip(range(1, PLAYERS + 1), case.sampled.low, case.sampled.high, strict=True)
    assert all(low <= truth <= high for truth, low, high in spans)


def test_games_under_one_seed_are_equal_and_another_seed_draws_others():
    def rugged(**outputs):
        return sum(outputs.values()) % 3 == 1

    files = [
        dumps(analyze(wide(rugged), [Case("c", {})], Plan(modes=("replayed",), max_coalitions=120, seed=seed)).files[0])
        for seed in ("0", "0", "1")
    ]
    assert files[0] == files[1]
    values = [json.loads(file.splitlines()[1])["values"]["shapley"] for file in files]
    assert values[0] != values[2]


def test_a_coalition_that_was_drawn_and_raised_withholds_the_values():
    def breaks(**outputs):
        bits = list(outputs.values())
        if 2 <= sum(bits) <= 38:
            raise RuntimeError("no")
        return 0

    file = analyze(wide(breaks), [Case("c", {})], PLAN).files[0]
    (case,) = file.cases
    assert case.sampled is None
    assert len(case.coalitions) == 2 * PLAYERS + 3
    assert case.withheld.startswith("1 of 83 coalitions are missing; coalition ")
    assert case.withheld.endswith(": score: RuntimeError: no")
    assert set(case.values.values()) == {None}
    assert case_verdict(file.header, case).kind == "withheld"


def test_a_listed_coalition_that_raised_withholds_the_values_before_anything_is_drawn(tmp_path):
    calls = []

    def breaks(**outputs):
        calls.append(1)
        bits = list(outputs.values())
        return 0 if sum(bits) != 1 else 1 / 0

    file = analyze(wide(breaks), [Case("c", {})], PLAN).files[0]
    assert len(calls) == 2 * PLAYERS + 2
    assert "40 of 82 coalitions are missing; coalition 1: score: ZeroDivisionError" in file.cases[0].withheld
    assert read(write(file, tmp_path)) == file


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda case: case["coalitions"].reverse(), "coalitions: must be increasing"),
        (lambda case: case["coalitions"].__setitem__(2, 3), "must list no fix, .*; 2 is not there"),
        (lambda case: case["sampled"]["low"].pop(), "one value and one interval per player"),
        (lambda case: case["sampled"]["low"].__setitem__(0, 0.99), "a value lies outside its interval"),
        (lambda case: case["sampled"].update(leader=41), "sampled.leader: is not the player with the largest value"),
        (lambda case: case["sampled"].update(leader=1), "sampled.leader: is not the player with the largest value"),
        (lambda case: case["sampled"].update(evaluations=5), "sampled.evaluations: says 5; 82 of"),
        (lambda case: case["sampled"].update(delta=0.5), "sampled.delta: says 0.5, the header 0.05"),
        (lambda case: case["sampled"]["high"].__setitem__(3, 7), "an interval reaches beyond -1.0 to 1.0"),
        (lambda case: case["sampled"]["values"].__setitem__(39, 0.001), "sampled.values: must add up to 1.0"),
        (lambda case: case["values"].update(banzhaf=[0.0] * 40), "values.banzhaf: is null exactly when"),
        (lambda case: case.update(sampled=None), "withheld: says why exactly when"),
    ],
)
def test_a_sampled_game_that_makes_no_sense_is_refused(sampled, tmp_path, change, message):
    path = write(sampled, tmp_path)
    lines = path.read_text("utf-8").split("\n")
    content = json.loads(lines[1])
    change(content)
    lines[1] = json.dumps(content)
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(GameFileError, match=message):
        read(path)


def test_tags_and_the_kind_of_failure_travel_with_the_case():
    score = Score(lambda a: 0, failure=lambda case, a: f"{case['q']}: wrong {a}")
    pipeline = Pipeline("p", [Step("a", lambda case: "x")], score=score)
    (case,) = analyze(pipeline, [Case("c", {"q": "why", "tags": ["slow", "slow", "", 3, "hard"]})]).files[0].cases
    assert case.tags == ("slow", "hard")
    assert case.failure == "why: wrong x"


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (lambda a: 1 / 0, "kind unknown: ZeroDivisionError: division by zero"),
        (lambda a: 7, "kind unknown: a int, not a text"),
        (lambda a: "half \ud800", "half \ufffd"),
    ],
)
def test_a_kind_of_failure_that_cannot_be_told_spoils_no_case(failure, said):
    pipeline = Pipeline("p", [Step("a", lambda case: "x")], score=Score(lambda a: 0, failure=failure))
    (case,) = analyze(pipeline, [Case("c", {})]).files[0].cases
    assert case.failure == said


def test_only_failing_cases_are_asked_for_their_kind():
    asked = []
    score = Score(lambda case, a: case["ok"], failure=lambda case, a: asked.append(case["ok"]) or "no")
    analyze(Pipeline("p", [Step("a", lambda case: "x")], score=score), [Case("c", {"ok": 0}), Case("d", {"ok": 1})])
    assert asked == [0]


def test_a_cap_in_the_middle_of_sampling_keeps_what_was_learnt():
    steps = [Step(f"s{n:02}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(PLAYERS)]
    # One call for every coalition.
    steps.append(Step("sum", lambda **bits: first_two(**bits), parents=[step.name for step in steps]))
    pipeline = Pipeline("dear", steps, score=lambda sum: sum)
    plan = Plan(modes=("replayed",), budget=Budget(calls=2 * PLAYERS + 400), delta=1e-6)
    batch = analyze(pipeline, [Case("c", {}), Case("d", {"n": 1})], plan)
    (case,) = batch.files[0].cases
    assert batch.capped == "the cap of 480 calls"
    assert batch.executed <= 480
    assert case.sampled.stopped == "the cap of 480 calls was reached"
    assert 82 < case.sampled.evaluations <= 400
    spans = zip(TRUTH, case.sampled.low, case.sampled.high, strict=True)
    assert all(low <= truth <= high for truth, low, high in spans)
    assert batch.files[0].header.stopped == "the cap of 480 calls was reached after 1 of 2 cases"


def test_pass_and_fail_over_three_worlds_adds_up_exactly_along_orders():
    def lucky(case, draw):
        return draw.integer("n", 0, 2)

    steps = [Step(f"s{n:02}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(14)]
    steps.append(Step("luck", lucky))
    pipeline = Pipeline("p", steps, score=lambda luck, **bits: sum(bits.values()) > 6 + luck)
    plan = Plan(modes=("fresh",), worlds=3, estimator="permutation", max_coalitions=150)
    (case,) = analyze(pipeline, [Case("c", {})], plan).files[0].cases
    # Sums of whole worlds, and one division for the draws: nothing is lost on the way.
    totals = [round(value * 3 * case.sampled.draws) for value in case.sampled.values]
    assert [total / case.sampled.draws / 3 for total in totals] == list(case.sampled.values)
    assert sum(totals) == case.sampled.draws * (case.worth[-1] - case.worth[0])


@pytest.mark.parametrize("estimator", ["adjusted", "permutation", "antithetic"])
def test_no_more_coalitions_are_run_than_allowed(estimator):
    ran = set()

    def score(**bits):
        ran.add(tuple(bits.values()))
        return sum(bits.values()) % 3 == 1

    plan = Plan(modes=("replayed",), estimator=estimator, max_coalitions=200)
    steps = [Step(f"s{n:02}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(16)]
    (case,) = analyze(Pipeline("p", steps, score=score), [Case("c", {})], plan).files[0].cases
    assert len(ran) == case.sampled.evaluations <= 200


def test_calls_are_those_behind_the_whole_estimate():
    steps = [Step(f"s{n:02}", lambda case: 0, fix=Fix("f", lambda case: 1)) for n in range(14)]
    steps.append(Step("sum", lambda **bits: sum(bits.values()), parents=[step.name for step in steps]))
    plan = Plan(modes=("replayed",), max_coalitions=100)
    batch = analyze(Pipeline("p", steps, score=lambda sum: sum % 3 == 1), [Case("c", {})], plan)
    assert batch.files[0].cases[0].calls == batch.executed


def test_cases_are_sampled_apart():
    def rugged(**outputs):
        return sum(outputs.values()) % 3 == 1

    plan = Plan(modes=("replayed",), max_coalitions=120)
    first, second = analyze(wide(rugged), [Case("c", {}), Case("d", {})], plan).files[0].cases
    assert first.sampled.values != second.sampled.values
