from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from analyzer.rules import BadTable, MissingWorth, leave_one_out, necessity
from tests.analyzer.rules.probabilities import counts, pass_tables, real_probabilities, worlds


def share_that_needs(tables, player):
    """Return the share of the worlds passing with every fix that fail without one."""
    passing = [table for table in tables if table[-1]]
    failing_without = [table for table in passing if not table[len(table) - 1 - (1 << player)]]
    return Fraction(len(failing_without), len(passing))


@given(worlds())
def test_bounds_hold_whatever_passes_in_which_world(tables):
    passes = counts(tables)
    assume(passes[-1] > 0)
    for player, (lower, upper) in enumerate(necessity(passes, len(tables)).tolist()):
        assert lower <= float(share_that_needs(tables, player)) <= upper


@given(st.integers(1, 12), st.data())
def test_worlds_that_pass_together_or_apart_reach_both_bounds(count, data):
    with_fix, without = data.draw(st.integers(1, count)), data.draw(st.integers(0, count))
    with_first = [world < with_fix for world in range(count)]
    without_first = [world < without for world in range(count)]
    without_last = [world >= count - without for world in range(count)]
    together = list(zip(without_first, with_first, strict=True))
    apart = list(zip(without_last, with_first, strict=True))
    reached = [[float(share_that_needs(together, 0)), float(share_that_needs(apart, 0))]]
    assert necessity([without, with_fix], count).tolist() == reached


@given(pass_tables())
def test_one_world_leaves_nothing_open(worth):
    assume(worth[-1])
    needed = np.maximum(leave_one_out(worth, 1), 0.0)
    assert necessity(worth, 1).tolist() == np.stack([needed, needed], axis=-1).tolist()


@given(worlds())
def test_fixes_that_always_pass_together_leave_nothing_open(tables):
    passes = counts(tables)
    passes[-1] = len(tables)
    bounds = necessity(passes, len(tables))
    assert bounds[:, 0].tolist() == bounds[:, 1].tolist() == leave_one_out(passes, len(tables)).tolist()


@given(real_probabilities())
def test_real_bounds_are_probabilities_in_order(worth):
    assume(worth[-1] > 0)
    bounds = necessity(worth, None)
    assert (bounds[:, 0] >= 0).all()
    assert (bounds[:, 0] <= bounds[:, 1]).all()
    assert (bounds[:, 1] <= 1).all()


@given(worlds(), st.integers(1, 9))
def test_expanding_the_fraction_changes_nothing(tables, factor):
    passes = counts(tables)
    assume(passes[-1] > 0)
    expanded = [outcome * factor for outcome in passes]
    assert necessity(expanded, len(tables) * factor).tolist() == necessity(passes, len(tables)).tolist()


def test_bounds_are_correctly_rounded():
    assert necessity([13, 31], 49).tolist() == [[18 / 31, 1.0]]


@pytest.mark.parametrize(("worth", "denominator"), [([3, 0], 4), ([0.5, 0.0], None), ([0.5, -0.0], None), ([0], 1)])
def test_fixes_that_never_pass_together_leave_nothing_to_ask(worth, denominator):
    assert necessity(worth, denominator) is None


def test_nobody_has_no_bounds():
    assert necessity([1], 1).shape == (0, 2)


@pytest.mark.parametrize(
    ("worth", "denominator", "mask"),
    [([0, 9], 8, 1), ([-1, 8], 8, 0), ([0.0, 0.5, 1.0000000000000002, 1.0], None, 2), ([0.0, -5e-324], None, 1)],
)
def test_outcome_that_is_no_probability_is_refused_by_name(worth, denominator, mask):
    with pytest.raises(BadTable, match=f"coalition {mask} is no probability"):
        necessity(worth, denominator)


def test_hole_withholds_the_bounds():
    with pytest.raises(MissingWorth):
        necessity([0, None, 1, 1], 1)


def test_batch_is_refused():
    with pytest.raises(BadTable, match="not a batch"):
        necessity([[0, 1], [0, 1]], 1)
