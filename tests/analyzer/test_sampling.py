import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import shapley
from analyzer.sampling import ESTIMATORS, RANKING, TOP, HaltError, SamplingError, Target, _settled, sample

each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS)


def recorded(worths, calls=None):
    """Return a table's worths by mask, noting the coalitions of each call."""

    def evaluate(masks):
        if calls is not None:
            calls.append(list(masks))
        return [float(worths[mask]) for mask in masks]

    return evaluate


def unanimity(*carrier):
    needed = sum(1 << player for player in carrier)
    return lambda masks: [float(mask & needed == needed) for mask in masks]


def near(values):
    return pytest.approx(values, abs=1e-9)


@st.composite
def games(draw, least=5, most=6):
    players = draw(st.integers(least, most))
    return players, [worth / 8 for worth in draw(st.lists(st.integers(0, 8), min_size=2**players, max_size=2**players))]


def test_additive_game_is_exact_after_the_fewest_evaluations():
    parts = np.linspace(-1, 2, 15) / 16
    sampled = sample(
        lambda masks: [0.5 + sum(part for i, part in enumerate(parts) if mask >> i & 1) for mask in masks],
        15,
        -1.0,
        3.0,
        max_evaluations=32,
        target=None,
    )
    assert sampled.evaluations == 32
    assert sampled.values == near(parts)


def test_two_players_needed_together_are_exact_after_the_fewest_evaluations():
    sampled = sample(unanimity(2, 5), 12, 0.0, 1.0, max_evaluations=26, target=None)
    assert sampled.values == near([0.5 if player in (2, 5) else 0.0 for player in range(12)])


def test_three_players_needed_together_are_found_after_few_evaluations():
    sampled = sample(unanimity(2, 5, 7), 16, 0.0, 1.0, max_evaluations=200, target=None)
    assert sampled.values == pytest.approx([1 / 3 if player in (2, 5, 7) else 0.0 for player in range(16)], abs=0.01)


@each_estimator
@given(games(), st.integers(12, 31), st.integers(0, 99))
def test_values_are_efficient_and_lie_within_their_intervals(estimator, game, budget, seed):
    players, worths = game
    options = {"max_evaluations": budget + 2, "target": None, "estimator": estimator, "seed": str(seed)}
    sampled = sample(recorded(worths), players, 0.0, 1.0, **options)
    assert sum(sampled.values) == near(worths[-1] - worths[0])
    for low, value, high in zip(sampled.lows, sampled.values, sampled.highs, strict=True):
        assert low - 1e-9 <= value <= high + 1e-9


@each_estimator
def test_without_a_single_draw_intervals_are_what_is_certain(estimator):
    worths = np.random.default_rng(0).random(2**6)
    sampled = sample(recorded(worths), 6, 0.0, 1.0, max_evaluations=14, target=None, estimator=estimator)
    exact = shapley(worths, None)
    for low, value, high in zip(sampled.lows, exact, sampled.highs, strict=True):
        assert -1 <= low <= value <= high <= 1


@given(
    st.lists(st.tuples(st.floats(-2, 2), st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6)
)
def test_estimates_are_moved_into_their_intervals_without_changing_their_sum(players):
    values, lows, widths, parts = map(np.array, zip(*players, strict=True))
    highs = lows + widths
    total = (lows + parts * widths).sum()
    settled = _settled(values, lows, highs, total)
    assert ((lows <= settled) & (settled <= highs)).all()
    inside = ((lows <= values) & (values <= highs)).all()
    assert settled.sum() == near(values.sum() if inside else total)


@each_estimator
@given(games(), st.integers(14, 31))
def test_each_coalition_is_asked_for_once_and_no_more_than_allowed(estimator, game, budget):
    players, worths = game
    calls = []
    sampled = sample(
        recorded(worths, calls), players, 0.0, 1.0, max_evaluations=budget, target=None, estimator=estimator
    )
    asked = [mask for call in calls for mask in call]
    assert len(asked) == len(set(asked)) == sampled.evaluations <= budget
    assert {mask: worths[mask] for mask in asked} == sampled.worths


@each_estimator
@pytest.mark.parametrize("largest", [1, 3, 1000])
def test_size_of_a_batch_changes_nothing_else(estimator, largest):
    worths = np.random.default_rng(2).random(2**8)
    calls = []
    options = {"max_evaluations": 90, "target": TOP, "estimator": estimator, "seed": "a"}
    whole = sample(recorded(worths), 8, 0.0, 1.0, **options)
    assert sample(recorded(worths, calls), 8, 0.0, 1.0, largest_batch=largest, **options) == whole
    assert max(map(len, calls)) <= largest


PROGRAM = """
from analyzer.sampling import sample
for estimator in ("adjusted", "permutation"):
    sampled = sample(
        lambda masks: [(mask * 2654435761 % 1024) / 1024 for mask in masks],
        9, 0, 1, max_evaluations=60, target=None, estimator=estimator,
    )
    print(sampled.values, sampled.lows, list(sampled.worths))
"""


def test_another_process_gives_the_same():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hashes in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs != {""}


@each_estimator
def test_intervals_hold_together_as_often_as_they_claim(estimator):
    delta, runs = 0.3, 200
    rng = np.random.default_rng(9)
    held = 0
    for run in range(runs):
        worths = ((np.arange(2**6) & 6 == 6) | (rng.random(2**6) < 0.2)).astype(float)
        sampled = sample(
            recorded(worths),
            6,
            0.0,
            1.0,
            max_evaluations=int(rng.integers(20, 60)),
            target=None,
            estimator=estimator,
            delta=delta,
            seed=str(run),
        )
        exact = shapley(worths, None)
        held += all(
            low - 1e-9 <= value <= high + 1e-9
            for low, value, high in zip(sampled.lows, exact, sampled.highs, strict=True)
        )
    assert held / runs >= 1 - delta - 3 * math.sqrt(delta * (1 - delta) / runs)


@pytest.mark.parametrize("interval", ["hoeffding", "empirical-bernstein"])
def test_intervals_at_checkpoints_hold_together_as_often_as_they_claim(interval):
    delta, runs, worths = 0.3, 200, np.random.default_rng(1).random(2**6)
    exact = shapley(worths, None)
    held = 0
    for run in range(runs):
        sampled = sample(
            recorded(worths),
            6,
            0.0,
            1.0,
            max_evaluations=58,
            target=None,
            estimator="permutation",
            interval=interval,
            delta=delta,
            seed=str(run),
        )
        held += all(low <= value <= high for low, value, high in zip(sampled.lows, exact, sampled.highs, strict=True))
    assert held / runs >= 1 - delta - 3 * math.sqrt(delta * (1 - delta) / runs)


@each_estimator
def test_players_that_tie_at_the_top_are_rarely_told_apart(estimator):
    delta, runs = 0.3, 100
    masks = np.arange(2**6)
    worths = 0.5 * (masks & 1) + 0.5 * (masks >> 1 & 1)
    claims = sum(
        sample(
            recorded(worths), 6, 0.0, 1.0, max_evaluations=60, estimator=estimator, delta=delta, seed=str(run)
        ).leader
        is not None
        for run in range(runs)
    )
    assert claims / runs <= delta + 3 * math.sqrt(delta * (1 - delta) / runs)


def test_top_of_forty_players_is_separated_within_a_budget():
    def evaluate(masks):
        return [float(bool(mask >> 3 & 1) or mask & 0b110000 == 0b110000) for mask in masks]

    sampled = sample(evaluate, 40, 0.0, 1.0, max_evaluations=800)
    assert sampled.leader == 3
    assert sampled.evaluations < 800
    assert sampled.values[3] == pytest.approx(2 / 3, abs=0.02)


def test_adjusted_estimates_err_less_than_permutation_sampling():
    rng = np.random.default_rng(3)
    masks = np.arange(2**10)
    worths = rng.random(2**10) * 0.2 + 0.4 * (masks & 6 == 6) + 0.4 * (masks & 24 != 0)
    exact = shapley(worths, None)

    def error(estimator):
        options = {"max_evaluations": 100, "target": None, "estimator": estimator}
        runs = [sample(recorded(worths), 10, 0.0, 1.0, seed=str(seed), **options).values for seed in range(8)]
        return math.sqrt(np.mean((np.array(runs) - exact) ** 2))

    assert error("adjusted") <= 0.4 * error("permutation")


def test_null_player_gets_zero_from_orderings():
    worths = np.random.default_rng(4).random(2**7)[np.arange(2**7) & ~8]
    for estimator in ("permutation", "antithetic"):
        assert sample(recorded(worths), 7, 0, 1, max_evaluations=60, estimator=estimator).values[3] == 0.0


@each_estimator
def test_top_is_reached_when_one_player_is_separated(estimator):
    masks = np.arange(2**8)
    worths = 0.9 * (masks & 1) + 0.1 * (masks >> 4 & 1)
    sampled = sample(recorded(worths), 8, 0.0, 1.0, max_evaluations=250, target=TOP, estimator=estimator)
    assert sampled.stopped == "the top fix is separated from all others"
    assert sampled.leader == 0
    assert sampled.ranking is None
    assert not sampled.exact


@pytest.mark.parametrize("estimator", ["adjusted", "permutation"])
def test_ranking_is_reached_when_every_player_is_separated(estimator):
    parts = np.array([-3, 4, 1, 2, 0, -1, -4, 3, -2, 5])
    worths = [sum(part for i, part in enumerate(parts) if mask >> i & 1) for mask in range(2**10)]
    sampled = sample(
        recorded(worths), 10, -10.0, 15.0, max_evaluations=1023, target=RANKING, estimator=estimator, delta=0.1
    )
    assert sampled.stopped == "every fix is separated from every other"
    assert sampled.ranking == (9, 1, 7, 3, 2, 4, 5, 8, 0, 6)
    assert sampled.leader == 9
    assert not sampled.exact


@each_estimator
def test_width_is_reached_when_every_interval_is_narrow(estimator):
    worths = np.random.default_rng(5).random(2**8)
    target = Target("width", 1.2)
    sampled = sample(recorded(worths), 8, 0.0, 1.0, max_evaluations=250, target=target, estimator=estimator)
    assert sampled.stopped == "every interval is at most 1.2 wide"
    assert max(high - low for low, high in zip(sampled.lows, sampled.highs, strict=True)) <= 1.2
    assert not sampled.exact


@each_estimator
def test_what_is_not_reached_takes_the_whole_budget(estimator):
    worths = np.zeros(2**9)
    sampled = sample(recorded(worths), 9, 0.0, 1.0, max_evaluations=100, target=TOP, estimator=estimator)
    assert sampled.stopped == "no more than 100 coalitions were to be evaluated"
    assert 100 - 2 * 8 < sampled.evaluations <= 100
    assert sampled.leader is None


def test_game_that_may_be_run_in_full_is_exact_without_a_target():
    worths = np.random.default_rng(6).random(2**7)
    calls = []
    sampled = sample(recorded(worths, calls), 7, 0.0, 1.0, max_evaluations=128, target=None)
    assert sampled.exact
    assert len(calls) == 1
    assert sampled.values == sampled.lows == sampled.highs == tuple(shapley(worths, None).tolist())
    assert sampled.ranking == tuple(np.argsort(-np.array(sampled.values)).tolist())


@each_estimator
def test_game_that_keeps_its_target_open_to_the_end_is_exact(estimator):
    worths = (np.arange(2**6) & 3 != 0).astype(float)  # the first two tie
    sampled = sample(recorded(worths), 6, 0.0, 1.0, max_evaluations=64, target=TOP, estimator=estimator)
    assert sampled.exact
    assert sampled.stopped == "every coalition was evaluated"
    assert sampled.values == tuple(shapley(worths, None).tolist())
    assert sampled.leader is None


@pytest.mark.parametrize("players", range(5))
def test_small_game_is_run_in_full_whatever_the_target(players):
    sampled = sample(lambda masks: [float(mask & 1) for mask in masks], players, 0, 1, max_evaluations=2**players)
    assert sampled.exact
    assert sampled.evaluations == 2**players
    assert sampled.values == tuple(float(player == 0) for player in range(players))
    assert sampled.leader == (0 if players else None)


def test_single_player_that_does_harm_leads_nobody():
    assert sample(lambda masks: [1.0 - mask for mask in masks], 1, 0, 1, max_evaluations=2).leader is None


def test_what_evaluate_raises_goes_through():
    def evaluate(masks):
        raise LookupError("coalition without an outcome")

    with pytest.raises(LookupError, match="without an outcome"):
        sample(evaluate, 9, 0.0, 1.0, max_evaluations=100)


def test_worth_rounded_out_of_its_range_is_none_outside_it():
    sampled = sample(lambda masks: [(0.1 + 0.1 + 0.1) / 3] * len(masks), 9, 0.0, 0.1, max_evaluations=100)
    assert sampled.values == tuple([0.0] * 9)


@each_estimator
@pytest.mark.parametrize("after", [1, 2, 5])
def test_halt_ends_with_what_was_observed_until_then(estimator, after):
    worths = np.random.default_rng(7).random(2**9)
    calls = []

    def evaluate(masks):
        if len(calls) == after:
            raise HaltError("no money left")
        return recorded(worths, calls)(masks)

    options = {"target": None, "estimator": estimator}
    halted = sample(evaluate, 9, 0.0, 1.0, max_evaluations=400, **options)
    assert halted.stopped == "no money left"
    assert halted.evaluations == sum(map(len, calls))
    assert sum(halted.values) == near(worths[-1] - worths[0])
    if after > 1:
        enough = sample(recorded(worths), 9, 0.0, 1.0, max_evaluations=halted.evaluations, **options)
        assert (halted.draws, halted.values, halted.lows) == (enough.draws, enough.values, enough.lows)


def test_halt_before_anything_is_known_goes_through():
    def evaluate(masks):
        raise HaltError("no money left")

    for players in (2, 4, 9):
        with pytest.raises(HaltError, match="no money left"):
            sample(evaluate, players, 0.0, 1.0, max_evaluations=600)


def test_halt_of_a_full_run_leaves_an_estimate():
    def evaluate(masks):
        if 3 in masks:
            raise HaltError("no money left")
        return [float(mask & 1) for mask in masks]

    halted = sample(evaluate, 4, 0.0, 1.0, max_evaluations=16)
    assert not halted.exact
    assert halted.values == near([1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("worth", [1.5, -0.1, math.nan, math.inf])
def test_worth_outside_its_range_is_an_error_with_its_coalition(worth):
    with pytest.raises(SamplingError, match=f"coalition 8 is {worth}"):
        sample(lambda masks: [worth if mask == 8 else 0.5 for mask in masks], 9, 0.0, 1.0, max_evaluations=100)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"players": 54}, "from 0 to 53"),
        ({"low": 1.0}, "a range goes from"),
        ({"high": math.inf}, "a range goes from"),
        ({"max_evaluations": 19}, "need at least 20"),
        ({"estimator": "kernelshap"}, "the estimators are adjusted, permutation, antithetic"),
        ({"interval": "bootstrap"}, "the intervals are betting"),
        ({"interval": "hoeffding"}, "adjusted ones take betting"),
        ({"delta": 0.0}, "no probability"),
        ({"largest_batch": 0}, "at least 1"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_says_what_to_change(change, message):
    options = {"players": 9, "low": 0.0, "high": 1.0, "max_evaluations": 100, **change}
    with pytest.raises(SamplingError, match=message):
        sample(unanimity(0), **options)


@pytest.mark.parametrize(("kind", "width"), [("best", None), ("width", None), ("top", 0.1), ("width", 0.0)])
def test_target_that_means_nothing_is_an_error(kind, width):
    with pytest.raises(SamplingError):
        Target(kind, width)
