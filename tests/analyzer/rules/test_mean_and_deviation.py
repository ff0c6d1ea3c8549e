import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import BadTable, NotFinite, TableTooLarge, mean_and_deviation


def in_case_order(values):
    """Run the documented sums in plain Python."""
    total = 0.0
    for value in values:
        total += value
    mean = total / len(values)
    squares = 0.0
    for value in values:
        squares += (value - mean) * (value - mean)
    return mean, math.sqrt(squares / (len(values) - 1)) if len(values) > 1 else None


small = st.floats(-1e140, 1e140)  # whose squares don't overflow


def bits(values):
    return [float(value).hex() for value in values]


def test_mean_and_deviation_by_hand():
    means, deviations = mean_and_deviation([[2, 0], [4, 0], [6, 0]])
    assert means.tolist() == [4.0, 0.0]
    assert deviations.tolist() == [2.0, 0.0]


def test_one_case_has_no_deviation():
    means, deviations = mean_and_deviation([[0.5, 0.25]])
    assert means.tolist() == [0.5, 0.25]
    assert deviations is None


@given(st.lists(small, min_size=1, max_size=40))
def test_sums_run_in_case_order(values):
    mean, deviation = in_case_order(values)
    means, deviations = mean_and_deviation([[value] for value in values])
    assert bits(means) == bits([mean])
    assert deviations is None if deviation is None else bits(deviations) == bits([deviation])


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[small] * n), min_size=2, max_size=20)))
def test_player_among_others_has_the_bits_of_a_player_alone(rows):
    means, deviations = mean_and_deviation(rows)
    for player in range(len(rows[0])):
        alone = mean_and_deviation([[row[player]] for row in rows])
        assert bits(alone[0]) == bits(means[[player]])
        assert bits(alone[1]) == bits(deviations[[player]])


def test_long_batch_of_one_player_is_added_in_case_order():
    values = np.random.default_rng(1).normal(size=5000)
    assert mean_and_deviation(values[:, None])[0].tolist() == [in_case_order(values.tolist())[0]]


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=20), st.integers(-1000, 1000))
def test_constant_added_to_every_value_moves_the_mean_only(values, constant):
    values = [*values, -sum(values)]  # with a mean of 0, so that no mean is rounded
    _, deviations = mean_and_deviation([[value] for value in values])
    moved, same = mean_and_deviation([[value + constant] for value in values])
    assert moved.tolist() == [constant]
    assert same.tolist() == deviations.tolist()


def test_batch_without_cases_is_refused():
    for rows in ([], np.zeros((0, 3))):
        with pytest.raises(BadTable, match="without cases"):
            mean_and_deviation(rows)


@pytest.mark.parametrize("rows", [[[1, 2], [1]], [1, 2], [[[1]]]], ids=str)
def test_rows_of_different_shape_are_no_batch(rows):
    with pytest.raises(BadTable, match="each of the same players"):
        mean_and_deviation(rows)


@pytest.mark.parametrize("wrong", [None, "1", 1j], ids=str)
def test_what_is_no_number_is_refused(wrong):
    with pytest.raises(BadTable, match="not a number"):
        mean_and_deviation([[0.5], [wrong]])


def test_value_that_is_not_finite_is_named_by_its_case():
    with pytest.raises(NotFinite, match="case 1 "):
        mean_and_deviation([[0.5, 0.5], [0.5, math.inf], [math.nan, 0.5]])


@pytest.mark.parametrize("rows", [[[1.7e308]] * 2, [[1e200], [-1e200]]], ids=["sum", "squares"])
def test_overflow_is_an_error(rows):
    with pytest.raises(TableTooLarge):
        mean_and_deviation(rows)
