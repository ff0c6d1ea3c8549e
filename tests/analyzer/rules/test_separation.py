import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.rules import BadTable, NotFinite, Separation, TableTooLarge, capital, mean_and_deviation, separation


@st.composite
def batches(draw, min_players=0):
    """Draw rows in which one player tends to be ahead, so that some are separated."""
    players = draw(st.integers(min_players, 4))
    plain = st.sampled_from([0.0, 0.25, 1 / 3, 0.5]) | st.floats(0, 0.5)
    lead = draw(st.sampled_from([0.0, 0.25, 0.5]))
    rows = draw(st.lists(st.lists(plain, min_size=players, max_size=players), max_size=25))
    favourite = draw(st.integers(0, max(0, players - 1)))
    return [[value + lead * (player == favourite) for player, value in enumerate(row)] for row in rows]


def streamed(rows, players, spread, threshold):
    stream = Separation(players, spread, threshold)
    for row in rows:
        stream.add(row)
    return stream.leader


def test_clear_leader_is_claimed():
    assert separation([[0, 1, 0]] * 20, 1, 60) == 1


def test_claim_needs_cases():
    assert separation([], 1, 60) is None
    assert separation([[0, 1, 0]] * 3, 1, 60) is None


def test_leader_has_to_beat_every_other_player():
    rows = [[1.0, 0.99, 0.0]] * 20
    assert separation(rows, 1, 40) is None
    assert separation([[first, third] for first, _, third in rows], 1, 40) == 0


def test_claim_is_made_at_the_threshold_and_not_before():
    reached = float(capital([1] * 7, -1, 1, 0))
    assert separation([[0, 1]] * 7, 1, reached) == 1
    assert separation([[0, 1]] * 7, 1, math.nextafter(reached, math.inf)) is None


@given(batches(min_players=2), st.floats(1.5, 100))
def test_claim_is_the_largest_mean_with_enough_capital_over_each_rival(rows, threshold):
    leader = separation(rows, 1, threshold)
    if not rows:
        assert leader is None
        return
    first = int(np.argmax(mean_and_deviation(rows)[0]))
    leads = [[row[first] - row[rival] for row in rows] for rival in range(len(rows[0])) if rival != first]
    enough = all(capital(lead, -1, 1, 0) >= threshold for lead in leads)
    assert leader == (first if enough else None)


@given(batches(), st.floats(1.5, 100))
def test_stream_says_the_same_after_every_case(rows, threshold):
    players = len(rows[0]) if rows else 3
    stream = Separation(players, 1, threshold)
    for count, row in enumerate(rows):
        assert stream.leader == separation(rows[:count], 1, threshold)
        stream.add(row)
    assert stream.leader == separation(rows, 1, threshold)


def test_long_stream_says_the_same_as_the_rule():
    rng = np.random.default_rng(2)
    rows = rng.choice([0.0, 1 / 3, 1.0], size=(3000, 3)) * [1.0, 0.9, 0.8]
    for count in (1, 50, 400, 3000):
        assert streamed(rows[:count], 3, 1, 60) == separation(rows[:count], 1, 60)
    assert separation(rows, 1, 60) == 0


@given(batches(min_players=2), st.data())
def test_what_moves_all_values_of_a_case_alike_makes_no_difference(rows, data):
    eighths = [[round(8 * value) for value in row] for row in rows]
    shifts = data.draw(st.lists(st.integers(-99, 99), min_size=len(rows), max_size=len(rows)))
    shifts[-1:] = [-sum(shifts[:-1])] if shifts else []  # the means stay, so rounding makes no other leader
    moved = [[value + shift for value in row] for row, shift in zip(eighths, shifts, strict=True)]
    assert separation(moved, 8, 10) == separation(eighths, 8, 10)


@given(batches(min_players=2))
def test_renamed_players_have_the_renamed_leader(rows):
    leader = separation(rows, 1, 10)
    renamed = separation([row[::-1] for row in rows], 1, 10)
    assert renamed == (None if leader is None else len(rows[0]) - 1 - leader)


def test_single_player_has_to_beat_doing_nothing():
    assert separation([[1]] * 20, 1, 20) == 0
    assert separation([[0]] * 20, 1, 20) is None
    assert separation([[-1]] * 20, 1, 20) is None


def test_nobody_is_claimed_where_there_is_nobody():
    assert separation([[], []], 1, 40) is None
    assert streamed([[], []], 0, 1, 40) is None


@pytest.mark.parametrize("means", [(0, 0), (0, 0, 0, 0), (0.2, 0.2, 0)], ids=str)
def test_no_unique_largest_is_rarely_ever_claimed(means):
    rng = np.random.default_rng(9)
    delta, runs = 0.2, 100
    wrong = 0
    for _ in range(runs):
        stream = Separation(len(means), 1, len(means) / delta)
        for row in (rng.random((40, len(means))) < 0.4 + np.array(means)).astype(float):
            stream.add(row)
            if stream.leader is not None:
                wrong += 1
                break
    assert wrong / runs <= delta + 3 * math.sqrt(delta * (1 - delta) / runs)


def test_wrong_player_is_rarely_ever_claimed_and_the_right_one_in_the_end():
    rng = np.random.default_rng(10)
    delta, runs = 0.2, 100
    first_claims = []
    for _ in range(runs):
        stream = Separation(3, 1, 3 / delta)
        while stream.leader is None:
            stream.add((rng.random(3) < [0.3, 0.3, 0.6]).astype(float))
        first_claims.append(stream.leader)
    assert first_claims.count(2) / runs >= 1 - delta - 3 * math.sqrt(delta * (1 - delta) / runs)


def test_refused_case_does_not_count():
    stream = Separation(2, 1, 40)
    stream.add([0, 1])
    for row, error in [
        ([0, 1.5], BadTable), ([0, math.nan], NotFinite), ([0], BadTable), ([0, None], BadTable), (1, BadTable),
    ]:  # fmt: skip
        with pytest.raises(error):
            stream.add(row)
    for _ in range(8):
        stream.add([0, 1])
    assert stream.leader == separation([[0, 1]] * 9, 1, 40) == 1


def test_refused_case_is_named_by_its_place_in_the_stream():
    stream = Separation(2, 1, 40)
    stream.add([0, 1])
    with pytest.raises(BadTable, match="case 1 lie further apart"):
        stream.add([0, 1.5])
    with pytest.raises(NotFinite, match="case 1 "):
        stream.add([0, math.inf])


@pytest.mark.parametrize("row", [[0, 1.001], [-0.6, 0.6], [0, 0.5, -0.75]], ids=str)
def test_values_further_apart_than_the_spread_are_refused(row):
    with pytest.raises(BadTable, match="case 0 lie further apart"):
        separation([row], 1, 40)


@pytest.mark.parametrize(
    ("spread", "error"),
    [(0, BadTable), (-1, BadTable), (math.nan, NotFinite), (math.inf, NotFinite), (1e308, TableTooLarge)],
)
def test_what_is_no_spread_is_refused(spread, error):
    with pytest.raises(error):
        separation([[0, 0]], spread, 40)
    with pytest.raises(error):
        Separation(2, spread, 40)


@pytest.mark.parametrize("threshold", [1, math.nan, math.inf])
def test_threshold_that_is_none_is_refused(threshold):
    with pytest.raises(BadTable, match="threshold"):
        separation([[0, 0]], 1, threshold)
    with pytest.raises(BadTable, match="threshold"):
        Separation(2, 1, threshold)


def test_overflowing_sum_is_an_error():
    with pytest.raises(TableTooLarge):
        separation([[1.7e308, 1.7e308]] * 2, 1, 40)
    with pytest.raises(TableTooLarge):
        streamed([[1.7e308, 1.7e308]] * 2, 2, 1, 40)
