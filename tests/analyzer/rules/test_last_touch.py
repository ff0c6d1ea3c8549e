import numpy as np
import pytest

from analyzer.rules import BadTable, MissingWorth, last_touch


def test_last_player_whose_output_changed_is_named():
    assert last_touch(np.array([[0, 1, 0, 1], [0, 1, 2, 3]])).tolist() == [0.0, 1.0]


def test_later_player_that_shows_the_same_again_is_not_named():
    assert last_touch([[0, 1, 0, 1], [0, 1, 2, 0]]).tolist() == [1.0, 0.0]


def test_nobody_is_named_when_no_output_changed():
    assert last_touch([[0, 1, 0, 0], [4, 1, 2, 4]]).tolist() == [0.0, 0.0]


def test_holes_of_other_coalitions_do_not_matter():
    assert last_touch([[0, None, None, 1], [0, None, None, 0]]).tolist() == [1.0, 0.0]


def test_hole_in_the_factual_run_withholds_the_answer():
    with pytest.raises(MissingWorth) as caught:
        last_touch([[None, 1, 0, 1], [0, 1, 2, 3]])
    assert caught.value.masks == (0,)


@pytest.mark.parametrize("index", [-1, 0.5, "a"])
def test_what_is_no_index_is_refused(index):
    with pytest.raises(BadTable, match="index"):
        last_touch([[index, 1]])
