import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import BadTable, MissingWorth, TableTooLarge, best_fix_sets
from analyzer.rules.worth import coalition_sizes


@st.composite
def counts(draw):
    players = draw(st.integers(0, 5))
    top = draw(st.sampled_from([1, 5, 10**6]))
    return draw(st.lists(st.integers(0, top), min_size=2**players, max_size=2**players)), players


@given(counts())
def test_no_coalition_of_the_size_repairs_more(batch):
    repaired, players = batch
    for size, best in enumerate(best_fix_sets(repaired, players)):
        assert best.coalition.bit_count() == size
        assert best.repaired == repaired[best.coalition]
        assert best.repaired == max(count for mask, count in enumerate(repaired) if mask.bit_count() == size)


@given(counts())
def test_ties_are_counted_and_the_smallest_mask_is_named(batch):
    repaired, players = batch
    for size, best in enumerate(best_fix_sets(repaired, players)):
        equal = [
            mask for mask, count in enumerate(repaired) if mask.bit_count() == size and count == best.repaired
        ]  # fmt: skip
        assert (best.coalition, best.tied) == (equal[0], len(equal))


def test_best_pair_may_go_without_the_best_single_fix():
    best = best_fix_sets([0, 4, 3, 5, 3, 5, 6, 6], 3)
    assert [one.coalition for one in best] == [0b000, 0b001, 0b110, 0b111]


def test_best_of_a_size_unpacks():
    assert [tuple(one) for one in best_fix_sets([0, 2, 2, 3], 2)] == [(0, 0, 1), (1, 2, 2), (3, 3, 1)]


def test_game_without_players_has_the_empty_coalition():
    assert best_fix_sets([7], 0) == ((0, 7, 1),)


def test_twenty_players_are_looked_through_completely():
    rng = np.random.default_rng(4)
    repaired = rng.integers(0, 100, size=2**20)
    planted = [int(rng.choice(np.flatnonzero(coalition_sizes(20) == size))) for size in range(21)]
    repaired[planted] = 100 + np.arange(21)
    assert best_fix_sets(repaired, 20) == tuple((mask, 100 + size, 1) for size, mask in enumerate(planted))


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int32, np.float64])
def test_width_of_the_array_makes_no_difference(dtype):
    best = best_fix_sets(np.array([0, 1, 0, 1], dtype=dtype), 2)
    assert best == best_fix_sets([0, 1, 0, 1], 2)
    assert all(type(number) is int for one in best for number in one)


@pytest.mark.parametrize(
    ("repaired", "players"), [([0, 1, 1], 2), ([0, 1], 2), ([0, -1], 1), ([0, 0.5], 1), ([[0, 1], [0, 1]], 1)], ids=str
)
def test_what_is_no_table_of_counts_is_refused(repaired, players):
    with pytest.raises(BadTable):
        best_fix_sets(repaired, players)


def test_coalition_without_a_count_is_named():
    with pytest.raises(MissingWorth, match="coalition 2"):
        best_fix_sets([0, 1, None, 1], 2)


def test_count_beyond_exact_arithmetic_is_refused():
    with pytest.raises(TableTooLarge):
        best_fix_sets([0, 2**52], 1)
