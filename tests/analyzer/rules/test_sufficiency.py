from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analyzer.rules import BadTable, MissingWorth, fix_alone, necessity, sufficiency
from tests.analyzer.rules.probabilities import counts, pass_tables, real_probabilities, worlds


def share_that_it_repairs(tables, player):
    """Return the share of the worlds failing without any fix that pass with one alone."""
    failing = [table for table in tables if not table[0]]
    repaired = [table for table in failing if table[1 << player]]
    return Fraction(len(repaired), len(failing))


@given(worlds())
def test_bounds_hold_whatever_passes_in_which_world(tables):
    passes = counts(tables)
    assume(passes[0] < len(tables))
    for player, (lower, upper) in enumerate(sufficiency(passes, len(tables)).tolist()):
        assert lower <= float(share_that_it_repairs(tables, player)) <= upper


@given(st.integers(1, 12), st.data())
def test_worlds_that_pass_together_or_apart_reach_both_bounds(count, data):
    without, alone = data.draw(st.integers(0, count - 1)), data.draw(st.integers(0, count))
    without_first = [world < without for world in range(count)]
    alone_first = [world < alone for world in range(count)]
    alone_last = [world >= count - alone for world in range(count)]
    together = list(zip(without_first, alone_first, strict=True))
    apart = list(zip(without_first, alone_last, strict=True))
    reached = [[float(share_that_it_repairs(together, 0)), float(share_that_it_repairs(apart, 0))]]
    assert sufficiency([without, alone], count).tolist() == reached


@given(pass_tables())
def test_one_world_leaves_nothing_open(worth):
    assume(not worth[0])
    enough = fix_alone(worth, 1)
    assert sufficiency(worth, 1).tolist() == np.stack([enough, enough], axis=-1).tolist()


@given(worlds())
def test_case_that_never_passes_without_a_fix_leaves_nothing_open(tables):
    passes = counts(tables)
    passes[0] = 0
    bounds = sufficiency(passes, len(tables))
    assert bounds[:, 0].tolist() == bounds[:, 1].tolist() == fix_alone(passes, len(tables)).tolist()


@given(worlds())
def test_fix_is_enough_where_it_is_needed_with_pass_and_fail_and_in_and_out_exchanged(tables):
    passes = counts(tables)
    assume(passes[0] < len(tables))
    mirrored = [len(tables) - outcome for outcome in reversed(passes)]
    assert sufficiency(passes, len(tables)).tolist() == necessity(mirrored, len(tables)).tolist()


@given(real_probabilities())
def test_real_bounds_are_probabilities_in_order(worth):
    assume(worth[0] < 1)
    bounds = sufficiency(worth, None)
    assert (bounds[:, 0] >= 0).all()
    assert (bounds[:, 0] <= bounds[:, 1]).all()
    assert (bounds[:, 1] <= 1).all()


def test_bounds_are_correctly_rounded():
    assert sufficiency([18, 41], 49).tolist() == [[23 / 31, 1.0]]


@pytest.mark.parametrize(("worth", "denominator"), [([4, 0], 4), ([1.0, 0.5], None), ([1], 1)])
def test_case_that_always_passes_leaves_nothing_to_ask(worth, denominator):
    assert sufficiency(worth, denominator) is None


def test_no_bound_is_a_negative_zero():
    assert [bound.hex() for bound in sufficiency([0.0, -0.0], None)[0].tolist()] == [(0.0).hex()] * 2


def test_nobody_has_no_bounds():
    assert sufficiency([0], 1).shape == (0, 2)


def test_outcome_that_is_no_probability_is_refused():
    with pytest.raises(BadTable, match="coalition 3 is no probability"):
        sufficiency([0, 1, 1, 2], 1)


def test_hole_withholds_the_bounds():
    with pytest.raises(MissingWorth):
        sufficiency([0, 1, 1, None], 1)


def test_batch_is_refused():
    with pytest.raises(BadTable, match="not a batch"):
        sufficiency([[0, 1], [0, 1]], 1)
