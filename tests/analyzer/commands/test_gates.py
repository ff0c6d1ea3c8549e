from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.commands.gates import GateError, gate_of
from analyzer.commands.show import table_of
from analyzer.game_file import MODES, CoalitionError, Counts, ScoreInfo
from tests.known_sampled_files import sampled_files
from tests.made_game_files import PASS_FAIL, case_game, fix, game_file, scenario, step

STEPS = (step("plan", fix=fix("f"), title="Planner"), step("look up", fix=fix("f")), step("answer"))
BOTH, FIRST, EITHER, NEVER = [0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 1], [0, 0, 0, 0]
WORSE = [0, 0, 1, 0]
HOLE = [0, None, 0, 1]


def text(name, mask):
    return f"{name} under {mask}"


def file(worths, mode="replayed", *, seen=None, errored=0, failed=None, denominator=1, score=PASS_FAIL):
    errors = {1: CoalitionError("plan", "TimeoutError: slow")}
    cases = [
        case_game(STEPS, f"c{n}", worth, denominator, text, errors=errors if None in worth else None)
        for n, worth in enumerate(worths)
    ]
    made = game_file(scenario("bot", "Bot", "", score), STEPS, mode, denominator or 1, cases)
    failed = len(cases) if failed is None else failed
    seen = failed + errored if seen is None else seen
    counts = Counts(seen, seen - failed - errored, failed, errored, len(cases))
    return replace(made, header=replace(made.header, counts=counts))


def judged(condition, *files):
    return gate_of(condition).judge(files)


def refused(condition):
    with pytest.raises(GateError) as raised:
        gate_of(condition)
    return str(raised.value)


@pytest.mark.parametrize(
    ("condition", "parts"),
    [
        ("mean(plan) > 0.3", ("mean", "plan", "", ">", 0.3)),
        ("  share( plan )>=30%  ", ("share", "plan", "", ">=", 0.3)),
        ("low(eight-step_2.b, fresh) < -2", ("low", "eight-step_2.b", "fresh", "<", -2.0)),
        ("high('look up') <= .5", ("high", "look up", "", "<=", 0.5)),
        ('alone("it\'s, (a) > b") == 1.', ("alone", "it's, (a) > b", "", "==", 1.0)),
        ("mean('it''s \"new\"') != 0", ("mean", 'it\'s "new"', "", "!=", 0.0)),
        ("failed > 10", ("failed", "", "", ">", 10.0)),
        ("repaired(abducted) < 33.3%", ("repaired", "", "abducted", "<", 0.333)),
    ],
)
def test_a_condition_is_read_as_it_is_written(condition, parts):
    gate = gate_of(condition)
    assert (gate.figure, gate.step, gate.mode, gate.comparison, gate.number) == parts


@given(st.text(min_size=1), st.sampled_from("'\""))
def test_any_name_can_be_quoted(name, quote):
    assert gate_of(f"mean({quote}{name.replace(quote, quote * 2)}{quote}) > 0").step == name


@given(st.integers(0, 10_000))
def test_a_percentage_is_the_number_nearest_to_it(hundredths):
    assert gate_of(f"share(a) > {hundredths // 100}.{hundredths % 100:02}%").number == hundredths / 10_000


@given(st.text("mean(failed plan,'\" )<>=!0.3%-é\n", max_size=30))
def test_no_text_ends_in_another_error(condition):
    try:
        found = gate_of(condition)
    except GateError as error:
        found = error
    assert str(found).startswith("gate ") or found.figure in condition


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("", "it does not begin with a figure; write mean(STEP) > 0.3 or failed > 10"),
        ("0.3 < mean(a)", "it does not begin with a figure"),
        ("maen(a) > 0.3", "figure maen is unknown; did you mean mean? (known: mean, low, high, share, alone, failed,"),
        ("mean > 0.3", "mean is a figure of a step; write mean(STEP)"),
        ("mean() > 0.3", "a name is missing in the parentheses"),
        ("mean(a,) > 0.3", "a name is missing in the parentheses"),
        ("mean(a > 0.3", "a parenthesis is not closed after a; if > is part of the name, put the name in quotes"),
        ("mean(look up) > 0.3", "not closed after look; if up is part of the name, put the name in quotes"),
        ("mean('look up) > 0.3", "a quote is not closed"),
        ("mean(a, frsh) > 0.3", "mode frsh is unknown; did you mean fresh? (known: replayed, abducted, fresh)"),
        ("mean(a, fresh, b) > 0.3", "b is one name too many"),
        ("failed(fresh) > 3", "failed is over all cases, whatever the step or mode; write failed alone"),
        ("mean(a)", "no comparison follows the figure; there are < <= > >= == !="),
        ("mean(a) = 0.3", "= is no comparison"),
        ("mean(a) => 0.3", "=> is no comparison"),
        ("mean(a) 0.3", "0.3 is no comparison"),
        ("mean(a) >", "no number follows >"),
        ("mean(a) > b", "b is no number; write one such as 0.3, -2 or 30%"),
        ("mean(a) > nan", "nan is no number"),
        ("mean(a) > " + "9" * 400, "99999999999999999999… is too large a number"),
        ("mean(a) > 0.3 and failed > 1", "and follows the number; give one condition to each --fail-on"),
        ("failed > 10%", "failed is a count, not a fraction; write failure_rate for their fraction"),
        ("share(a) > 30", "share lies between 0 and 1; write 30% for a percentage"),
        ("failure_rate > -1", "failure_rate lies between 0 and 1."),
    ],
)
def test_what_is_no_condition_is_refused_with_what_is_wrong(condition, why):
    said = refused(condition)
    assert said.startswith(f"gate {condition!r}: ")
    assert why in said


def test_a_step_without_a_fix_is_refused_before_anything_runs():
    with pytest.raises(GateError) as raised:
        gate_of("mean(answer) > 0.3").check(("plan", "answers"), MODES)
    said = "step 'answer' is unknown; did you mean answers? (steps with a fix: plan, answers)."
    assert str(raised.value) == f"gate 'mean(answer) > 0.3': {said}"


def test_a_title_is_no_name():
    with pytest.raises(GateError, match="step 'Planner' is unknown"):
        gate_of("mean(Planner) > 0.3").check(("plan", "look up"), MODES)


def test_a_mode_that_is_not_analysed_is_refused_before_anything_runs():
    with pytest.raises(GateError, match=r"mode fresh is not analysed here \(analysed: replayed\)"):
        gate_of("repaired(fresh) < 1").check(("plan",), ("replayed",))


def test_a_mean_that_no_score_allows_is_refused_before_anything_runs():
    gate = gate_of("mean(plan) > 30")
    gate.check(("plan",), MODES, spread=100.0)
    with pytest.raises(GateError, match="mean lies between -1 and 1 here"):
        gate.check(("plan",), MODES, spread=1.0)


@pytest.mark.parametrize("condition", ["mean(plan) > 0.3", "failed > 3", "missing > 0", "repaired(fresh) < 1"])
def test_what_an_analysis_will_give_is_let_through(condition):
    assert gate_of(condition).check(("plan",), MODES) is None


def test_a_condition_that_holds_fails_the_gate_and_shows_its_figure():
    one = file([FIRST] * 30, seen=40)
    found = judged("mean(plan) > 0.3", one)
    low, high = (f"{end:.3f}" for end in (table_of(one).fixes[0].low, table_of(one).fixes[0].high))
    interval = f"95 % interval {low} to {high.removesuffix('.000')}"
    assert found.met is False
    assert found.sentence == f"mean(plan) > 0.3 holds: 1 ({interval}), replayed, 30 failing cases"


def test_a_condition_that_does_not_hold_meets_the_gate():
    found = judged("mean('look up') > 0.3", file([FIRST] * 30))
    assert found.met is True
    assert found.sentence.startswith("mean('look up') > 0.3 does not hold: 0 (95 % interval")


@pytest.mark.parametrize(
    ("comparison", "holds"), [("<", False), ("<=", True), (">", False), (">=", True), ("==", True), ("!=", False)]
)
def test_each_comparison_is_the_one_it_looks_like(comparison, holds):
    found = judged(f"mean(plan) {comparison} 0.5", file([FIRST, NEVER]))
    assert found.met is not holds


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ("mean(plan) > 0", "0.500"),
        ("share(plan) > 0", "0.667, replayed, 4 failing cases"),
        ("alone(plan) > 0", "0.500 (2 of 4), replayed, 4 failing cases"),
        ("alone('look up') > 0", "0.250 (1 of 4), replayed, 4 failing cases"),
        ("repaired > 0", "0.750 (3 of 4), replayed, 4 failing cases"),
        ("failed > 0", "4 of 10 cases"),
        ("errored > 0", "2 of 10 cases"),
        ("failure_rate > 0", "0.500 (4 of 8 cases)"),
    ],
)
def test_each_figure_is_what_it_says(condition, shown):
    found = judged(condition, file([EITHER, BOTH, FIRST, NEVER], seen=10, errored=2))
    assert found.sentence.startswith(f"{condition} holds: {shown}")


@pytest.mark.parametrize("figure", ["low", "high"])
def test_the_ends_of_an_interval_are_those_of_the_table(figure):
    one = file([EITHER, FIRST, NEVER] * 10)
    fix = table_of(one).fixes[0]
    end = getattr(fix, figure)
    assert judged(f"{figure}(plan) == {end!r}", one).met is False
    assert judged(f"{figure}(plan) == 0.3", one).sentence.endswith(
        f"{end:.3f} (mean 0.500, 95 % interval {fix.low:.3f} to {fix.high:.3f}), replayed, 30 failing cases"
    )


def test_the_first_mode_that_was_analysed_counts_unless_one_is_named():
    files = [file([NEVER], "fresh"), file([FIRST], "abducted")]
    assert judged("mean(plan) > 0.3", *files).sentence.endswith("abducted, 1 failing case")
    assert judged("mean(plan, fresh) > 0.3", *files).sentence.endswith("fresh, 1 failing case")
    assert judged("mean(plan) > 0.3", *files).met is False
    assert judged("mean(plan, fresh) > 0.3", *files).met is True


def test_missing_coalitions_are_counted_over_all_modes_unless_one_is_named():
    files = [file([HOLE, FIRST]), file([HOLE, HOLE], "fresh")]
    assert judged("missing > 0", *files).sentence == "missing > 0 holds: 3 of 16 coalitions"
    assert judged("missing(replayed) > 0", *files).sentence.endswith("holds: 1 of 8 coalitions, replayed")
    assert judged("missing > 0", file([FIRST])).met is True


@pytest.mark.parametrize("condition", ["mean(plan) < 0.3", "share(plan) >= 0", "repaired < 1", "high(plan) > 0"])
def test_nothing_is_to_blame_where_no_case_failed(condition):
    found = judged(condition, file([], seen=5))
    assert found.met is True
    assert found.sentence == f"{condition} does not hold: no case failed, so nothing is to blame"


def test_cases_that_could_not_be_run_are_no_passes():
    found = judged("mean(plan) > 0.3", file([], seen=5, errored=2))
    assert "no case of 3 that could be run failed" in found.sentence


@pytest.mark.parametrize("condition", ["failed > 3", "failure_rate > 0.5", "missing > 0", "mean(plan) > 0.3"])
def test_nothing_can_be_told_where_no_case_could_be_run(condition):
    assert judged(condition, file([], seen=0)).sentence == f"{condition} cannot be told: no case was run"
    found = judged(condition, file([], seen=2, errored=2))
    assert (found.met, found.sentence) == (None, f"{condition} cannot be told: no case could be run as it is")


def test_cases_that_could_not_be_run_can_be_counted_also_where_they_are_all():
    assert judged("errored > 1", file([], seen=2, errored=2)).met is False


@pytest.mark.parametrize("worths", [[], [HOLE, HOLE]])
def test_nothing_can_be_told_where_no_failing_case_has_values(worths):
    found = judged("mean(plan) > 0.3", file(worths, failed=2))
    said = "mean(plan) > 0.3 cannot be told: replayed, none of 2 failing cases has values"
    assert (found.met, found.sentence) == (None, said)


def test_cases_without_values_are_left_out_and_told():
    found = judged("mean(plan) > 0.3", file([FIRST, FIRST, HOLE], failed=5))
    assert found.met is False
    assert found.sentence.endswith("replayed, 2 of 5 failing cases")


@pytest.mark.parametrize("worths", [[NEVER], [WORSE]])
def test_no_share_can_be_told_where_there_is_none(worths):
    found = judged("share(plan) > 0.3", file(worths))
    assert found.met is None
    assert "there is no repair to share, or a fix makes things worse on average" in found.sentence


def test_estimates_have_a_mean_but_no_interval_over_cases():
    sampled = next(one for one in sampled_files() if one.header.scenario.id == "mixed-night-run")
    name = sampled.header.players[0]
    assert judged(f"mean('{name}') > 0.2", sampled).sentence.endswith("holds: 0.250, replayed, 2 failing cases")
    found = judged(f"low('{name}') > 0.2", sampled)
    assert found.met is None
    assert "some cases are estimates, so their mean has no interval" in found.sentence


def test_a_step_whose_name_is_another_in_the_file_cannot_be_told():
    found = judged("mean(secret) > 0.3", file([FIRST]))
    assert (found.met, found.sentence) == (
        None, "mean(secret) > 0.3 cannot be told: no step of this name is in bot.replayed.jsonl",
    )  # fmt: skip


def test_a_figure_that_looks_like_the_number_but_is_not_is_told_in_full():
    graded = ScoreInfo("marks", True, 0.0, 1.0, 0.9)
    one = file([[0.0, 0.1 + 0.2, 0.0, 0.1 + 0.2]], denominator=None, score=graded)
    assert "holds: 0.30000000000000004 (" in judged("mean(plan) > 0.3", one).sentence
    assert "does not hold: 0.300 (" in judged("mean(plan) > 0.30000000000000004", one).sentence


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=5), st.floats(-1, 1))
def test_a_gate_is_met_unless_its_condition_holds_of_the_tables_mean(worths, number):
    one = file(worths, denominator=4)
    bound = f"{number:.6f}"
    assert judged(f"mean(plan) >= {bound}", one).met is not (table_of(one).fixes[0].mean >= float(bound))


def test_a_condition_on_several_lines_is_told_on_one():
    assert "\n" not in judged("failed\n>\n3", file([FIRST])).sentence
