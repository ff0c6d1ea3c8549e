import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import BadTable, set_outcome, shapley
from tests.strategies import games_of_any_kind, rational_games, scores


@given(rational_games(), st.data())
def test_every_multiple_of_a_world_stays_rational(game, data):
    worth, denominator = game
    mask = data.draw(st.integers(0, len(worth) - 1))
    k = data.draw(st.integers(-10_000, 10_000))
    edited, kept = set_outcome(worth, denominator, mask, k / denominator)
    assert (edited[mask], kept) == (k, denominator)


@pytest.mark.parametrize("denominator", range(1, 130))
def test_every_number_of_worlds_has_its_multiples(denominator):
    for k in range(denominator + 1):
        assert set_outcome([0, 1], denominator, 0, k / denominator) == ([k, 1], denominator)


@given(games_of_any_kind(), st.data(), scores())
def test_only_the_edited_score_changes(game, data, value):
    worth, denominator = game
    mask = data.draw(st.integers(0, len(worth) - 1))
    edited, kept = set_outcome(worth, denominator, mask, value)
    before = [outcome / (denominator or 1) for outcome in worth]
    after = [outcome / (kept or 1) for outcome in edited]
    before[mask] = value
    assert after == before


@given(games_of_any_kind(), st.data())
def test_setting_the_score_it_has_changes_no_value(game, data):
    worth, denominator = game
    mask = data.draw(st.integers(0, len(worth) - 1))
    edited, kept = set_outcome(worth, denominator, mask, worth[mask] / (denominator or 1))
    assert shapley(edited, kept).tolist() == shapley(worth, denominator).tolist()


def test_holes_stay_holes():
    assert set_outcome([None, 1, None, 1], 1, 2, 0.5) == ([None, 1.0, 0.5, 1.0], None)


@pytest.mark.parametrize("worth", [np.array([0, 8]), np.array([0.0, 8.0]), [0, 8.0], np.array([0, 8], dtype=np.int8)])
def test_edit_returns_plain_numbers(worth):
    assert json.dumps(set_outcome(worth, 8, 0, 0.25)) == "[[2, 8], 8]"


def test_passes_given_as_truth_values_become_integers():
    assert json.dumps(set_outcome([True, False], 1, 0, 0.0)) == "[[0, 0], 1]"


def test_edit_leaves_the_table_alone():
    worth = [0, 1]
    set_outcome(worth, 1, 0, 1.0)
    assert worth == [0, 1]


@pytest.mark.parametrize("mask", [2, -1, 0.5])
def test_mask_outside_the_table_is_refused(mask):
    with pytest.raises(BadTable, match="from 0 to 1"):
        set_outcome([0, 1], 1, mask, 1.0)
