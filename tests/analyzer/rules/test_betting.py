import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.rules import BadTable, NotFinite, TableTooLarge, betting_interval, capital, mean_and_deviation
from analyzer.rules.betting import BETS, LARGEST_CAPITAL, bet, mean_capital, start

STEP = 2.0**-32  # how finely candidates are tried, as a part of the range

thresholds = st.floats(1.5, 1e4)


def some_values(low=-1.0, high=1.0, max_size=40):
    """Draw values in a range; some take few different values, as counts over worlds do."""
    few = st.sampled_from([low, high, (low + high) / 2, low + (high - low) / 3])
    return st.lists(few | st.floats(low, high), max_size=max_size)


def scaled(mantissa, exponent):
    """Bring a mantissa that one step took out of bounds back."""
    if mantissa >= 2.0**500:
        return mantissa / 2.0**500, exponent + 1
    return (mantissa * 2.0**500, exponent - 1) if mantissa < 1 else (mantissa, exponent)


def plain_loop(values, low, high, mean):
    """Compute a capital one product at a time, each scaled at once."""
    part = (mean - low) / (high - low)
    counts = sorted(Counter(min(max(value, low), high) for value in values).items())
    digits = max((count for _, count in counts), default=0).bit_length()
    ends = []
    for fraction in BETS.tolist():
        mantissa, exponent = 1.0, 0
        for digit in reversed(range(digits)):
            mantissa, exponent = scaled(mantissa * mantissa, 2 * exponent)
            for value, count in counts:
                if count >> digit & 1:
                    factor = (1 - fraction) + fraction * ((value - low) / (high - low) / part)
                    mantissa, exponent = scaled(mantissa * factor, exponent)
        ends.append((mantissa, exponent))
    largest = max(exponent for _, exponent in ends)
    if largest > 1:
        return 2.0**1000
    unit = 2.0**500 if largest == 1 else 1.0
    total = 0.0
    for mantissa, exponent in ends:
        if exponent >= -1:
            total += mantissa * 2.0 ** (500 * exponent) / unit
    return total / len(ends) * unit


def bits(values):
    return [float(value).hex() for value in np.ravel(values)]


def test_fractions_have_the_mean_one_half_and_leave_something_to_bet():
    assert sum(map(Fraction, BETS.tolist())) / len(BETS) == Fraction(1, 2)
    assert 0 < BETS.min() <= BETS.max() < 1


@given(some_values(), st.floats(-0.9, 1.0))
def test_capital_has_the_bits_of_a_plain_loop(values, mean):
    assert bits(capital(values, -1, 1, mean)) == bits(plain_loop(values, -1, 1, mean))


@pytest.mark.parametrize("mean", [STEP, 0.25, 0.9])
@pytest.mark.parametrize("chance", [0.001, 0.2, 0.9])
def test_capital_of_long_batches_has_the_bits_of_a_plain_loop(chance, mean):
    rng = random.Random(3)
    values = [float(rng.random() < chance) for _ in range(3000)]
    assert bits(capital(values, 0, 1, mean)) == bits(plain_loop(values, 0, 1, mean))


@given(st.lists(st.sampled_from([0, 1, 2, 4]), max_size=3))
def test_capital_is_the_mean_of_products_of_fair_bets(quarters):
    total = Fraction(0)
    for fraction in map(Fraction, BETS.tolist()):
        product = Fraction(1)
        for quarter in quarters:
            product *= 1 + fraction * (Fraction(quarter, 4) / Fraction(1, 2) - 1)
        total += product
    assert capital([quarter / 4 for quarter in quarters], 0, 1, 0.5) == float(total / len(BETS))


@given(st.integers(0, 50), st.integers(1, 8))
def test_nobody_wins_on_values_at_the_candidate(count, eighths):
    assert capital([eighths / 8] * count, 0, 1, eighths / 8) == 1


@given(some_values(), st.lists(st.floats(-0.9, 1.0), min_size=2, max_size=2))
def test_capital_decreases_in_the_candidate(values, means):
    assert capital(values, -1, 1, min(means)) >= capital(values, -1, 1, max(means))


@given(some_values(0.0, 1.0), st.integers(1, 300), st.integers(1, 2**32 - 1))
def test_capital_as_computed_never_rises_from_one_candidate_to_the_next(values, times, number):
    one, next_one = (capital(values * times, 0, 1, (number + more) * STEP) for more in (0, 1))
    assert one >= next_one


@pytest.mark.parametrize(("losses", "wins"), [(77, 550), (0, 504), (85, 600), (73, 1004)])
def test_capital_as_computed_never_rises_where_its_unit_changes(losses, wins):
    values = [0.0] * losses + [1.0] * wins
    candidates = np.linspace(0.45, 0.55, 400).tolist()
    capitals = [float(capital(values, 0, 1, mean)) for mean in candidates]
    assert capitals == sorted(capitals, reverse=True)
    assert len(set(capitals)) > 1


@given(some_values(), st.floats(-0.9, 1.0), st.randoms(use_true_random=False))
def test_order_of_cases_makes_no_difference_to_the_capital(values, mean, rng):
    assert bits(capital(rng.sample(values, len(values)), -1, 1, mean)) == bits(capital(values, -1, 1, mean))


def test_capital_stays_finite():
    assert capital([1] * 5000, 0, 1, 0.5) == LARGEST_CAPITAL
    assert capital([0] * 100_000, 0, 1, 0.5) == 0


@given(some_values(), thresholds)
def test_interval_contains_the_mean_of_the_values(values, threshold):
    lower, upper = betting_interval(values, -1, 1, threshold)
    if values:
        mean = mean_and_deviation([[value] for value in values])[0][0]
        assert lower <= mean <= upper
    else:
        assert (lower, upper) == (-1, 1)


@given(some_values(), thresholds, thresholds)
def test_smaller_threshold_gives_a_narrower_interval(values, one, other):
    narrow = betting_interval(values, -1, 1, min(one, other))
    wide = betting_interval(values, -1, 1, max(one, other))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


@given(some_values(), thresholds)
def test_mirrored_values_have_the_mirrored_interval(values, threshold):
    lower, upper = betting_interval(values, -1, 2, threshold)
    mirrored = betting_interval([-value for value in values], -2, 1, threshold)
    assert mirrored.tolist() == [-upper, -lower]


@given(some_values(), thresholds, st.randoms(use_true_random=False))
def test_order_of_cases_makes_no_difference_but_for_the_rounding_of_the_mean(values, threshold, rng):
    shuffled = rng.sample(values, len(values))
    moved = betting_interval(shuffled, -1, 1, threshold) - betting_interval(values, -1, 1, threshold)
    assert np.abs(moved).max() <= 2.0**-50  # of the mean, where a bound is set to it


@given(some_values(0.0, 1.0), thresholds)
def test_bound_is_where_the_capital_reaches_the_threshold(values, threshold):
    lower, _ = betting_interval(values, 0, 1, threshold)
    if lower > 0:
        assert capital(values, 0, 1, lower) >= threshold
    assert capital(values, 0, 1, lower + STEP) < threshold


@given(st.lists(st.floats(-1, 1, width=32), max_size=20), thresholds, st.integers(-20, 20))
def test_unit_of_the_values_makes_no_difference(values, threshold, exponent):
    unit = 2.0**exponent
    scaled = betting_interval([value * unit for value in values], -unit, unit, threshold)
    assert scaled.tolist() == (betting_interval(values, -1, 1, threshold) * unit).tolist()


@settings(max_examples=30)
@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[st.floats(-1, 1)] * n), min_size=1, max_size=20)))
def test_players_together_have_the_bits_of_players_alone(rows):
    together = betting_interval(rows, -1, 1, 40)
    capitals = capital(rows, -1, 1, 0.25)
    for player, column in enumerate(zip(*rows, strict=True)):
        assert bits(betting_interval(column, -1, 1, 40)) == bits(together[:, player])
        assert bits(capital(column, -1, 1, 0.25)) == bits(capitals[player])


def test_batch_of_no_cases_or_no_players_keeps_its_shape():
    assert betting_interval(np.zeros((0, 3)), -1, 2, 40).tolist() == [[-1.0] * 3, [2.0] * 3]
    assert betting_interval(np.zeros((4, 0)), -1, 2, 40).shape == (2, 0)
    assert capital(np.zeros((0, 3)), -1, 2, 0).tolist() == [1.0] * 3
    assert capital([], -1, 2, 0).shape == ()


STREAMS = {
    "rare": (0.0, 1.0, np.array([0.0, 1.0]), [0.95, 0.05]),
    "even": (0.0, 1.0, np.array([0.0, 1.0]), [0.5, 0.5]),
    "twelfths": (-1.0, 1.0, np.array([-1.0, 0.0, 1 / 12, 5 / 12, 1.0]), [0.05, 0.5, 0.2, 0.15, 0.1]),
}


def streams(kind, cases):
    """Return the range, the true mean, and 400 streams of one kind, in columns."""
    low, high, values, chances = STREAMS[kind]
    drawn = np.random.default_rng(6).choice(values, p=chances, size=(cases, 400))
    return low, high, float(values @ chances), drawn


def at_most(rate, chance):
    """Say whether a miss rate over 400 streams is at most a probability, but for three standard errors."""
    return rate <= chance + 3 * math.sqrt(chance * (1 - chance) / 400)


@pytest.mark.parametrize("kind", STREAMS)
def test_interval_looked_at_after_every_value_rarely_misses_the_mean_even_once(kind):
    low, high, mean, drawn = streams(kind, 40)
    missed = np.zeros(400, dtype=bool)
    for count in range(1, 41):
        lower, upper = betting_interval(drawn[:count], low, high, 8)
        missed |= (mean < lower) | (mean > upper)
    assert at_most(missed.mean(), 2 / 8)


@pytest.mark.parametrize("kind", STREAMS)
def test_capital_rarely_ever_reaches_the_threshold_at_the_true_mean(kind):
    low, _, mean, drawn = streams(kind, 1000)
    ratios = (drawn - low) / (mean - low)
    mantissas, exponents = start((400,))
    highest = np.zeros(400)
    for case in ratios:
        bet(mantissas, exponents, case[None])
        highest = np.maximum(highest, mean_capital(mantissas, exponents))
    assert highest.max() > 2
    assert at_most((highest >= 10).mean(), 1 / 10)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("count", [10, 100, 1000])
def test_interval_is_narrower_than_the_one_of_empirical_bernstein_at_a_single_count(kind, count):
    low, high, _, drawn = streams(kind, count)
    lower, upper = betting_interval(drawn[:, :20], low, high, 2 / 0.05)
    logarithm = math.log(4 / 0.05)  # Maurer and Pontil 2009, theorem 4, for both sides
    deviation = drawn[:, :20].std(axis=0, ddof=1)
    radius = deviation * math.sqrt(2 * logarithm / count) + 7 * (high - low) * logarithm / (3 * (count - 1))
    assert (upper - lower).mean() < np.minimum(2 * radius, high - low).mean()


@settings(max_examples=20)
@given(st.floats(0, 2.0**-40), st.floats(0, 2.0**-40))
def test_values_past_the_range_by_rounding_count_as_its_ends(below, above):
    moved = betting_interval([-1 - below, 1 + above, 1], -1, 1, 2)
    assert moved.tolist() == betting_interval([-1, 1, 1], -1, 1, 2).tolist()


@pytest.mark.parametrize("values", [[0.5, 1.1], [0.5, -1e-9], [[0.5, 0.5], [0.5, 2.0]]], ids=str)
def test_value_outside_the_range_is_named_by_its_case(values):
    for call in (lambda: betting_interval(values, 0, 1, 40), lambda: capital(values, 0, 1, 0.5)):
        with pytest.raises(BadTable, match="case 1 lies outside"):
            call()


@pytest.mark.parametrize(
    ("low", "high", "error"),
    [
        (1, 1, BadTable),
        (1, 0, BadTable),
        (0, math.nan, NotFinite),
        (-math.inf, 0, NotFinite),
        (-1e308, 1e308, TableTooLarge),
    ],
    ids=str,
)
def test_what_is_no_range_is_refused(low, high, error):
    with pytest.raises(error):
        betting_interval([], low, high, 40)
    with pytest.raises(error):
        capital([], low, high, 0.5)


@pytest.mark.parametrize("threshold", [1, 0, -40, math.nan, math.inf, 2.0**1001])
def test_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(BadTable, match="threshold"):
        betting_interval([0.5], 0, 1, threshold)


@pytest.mark.parametrize("mean", [0, STEP / 2, -1, 1.5])
def test_candidate_outside_the_range_is_refused(mean):
    with pytest.raises(BadTable, match="candidate"):
        capital([0.5], 0, 1, mean)


def test_candidate_that_is_not_finite_is_refused():
    with pytest.raises(NotFinite, match="candidate"):
        capital([0.5], 0, 1, math.nan)


@pytest.mark.parametrize("values", [0.5, [[[0.5]]]], ids=str)
def test_values_have_one_axis_or_two(values):
    with pytest.raises(BadTable, match="axis"):
        betting_interval(values, 0, 1, 40)
