import pytest

from analyzer.rules import NotFinite, rank


def test_largest_value_comes_first():
    assert rank([0.1, 0.7, -0.2]).tolist() == [1, 0, 2]


def test_ties_are_in_step_order():
    assert rank([0.25, 0.5, 0.25, 0.5]).tolist() == [1, 3, 0, 2]


def test_signed_zeros_tie():
    assert rank([-0.0, 0.0, -0.0]).tolist() == [0, 1, 2]


def test_batch_is_ranked_game_by_game():
    assert rank([[0.0, 1.0], [1.0, 0.0]]).tolist() == [[1, 0], [0, 1]]


def test_nobody_has_no_rank():
    assert rank([]).tolist() == []


def test_nan_is_an_error():
    with pytest.raises(NotFinite):
        rank([0.0, float("nan")])
