import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.batch_table import batch_table, case_figures
from analyzer.game import Game
from site_builder.cards import best_fixes
from site_builder.site import plan_site
from tests.known_game_files import graded_files, refund_files, triage_files


def repaired_by(*sets, players=3):
    """Return the outcomes of a case that any of these sets of fixes repairs, and whatever holds one."""
    return [int(any(mask & one == one for one in sets)) for mask in range(2**players)]


A, B, C, AB, AC, BC = 1, 2, 4, 3, 5, 6
NEVER, ALWAYS = repaired_by(), repaired_by(0)


def figures_of(worth, denominator=1, level=1.0):
    players = len(worth).bit_length() - 1
    outputs = tuple(tuple(mask >> player & 1 for mask in range(len(worth))) for player in range(players))
    game = Game(tuple(map(str, range(players))), tuple(worth), denominator, outputs)
    return case_figures(game, level, graded=denominator is None)


def listing_some(figures):
    return replace(figures, necessity=None, sufficiency=None, interactions=None, repairing=None, minimal=None)


def said(figures, titles=("Ask", "Find", "Check")):
    return best_fixes(batch_table(figures, len(titles), 1.0, 0.05), titles)


def best(*worths, titles=("Ask", "Find", "Check")):
    return said([figures_of(worth) for worth in worths], titles)


def test_best_fix_and_best_pair_are_named_with_what_they_repair():
    assert best(*[repaired_by(A)] * 4, *[repaired_by(BC)] * 5, NEVER) == (
        "Ask alone repairs 4 of these 10 failures; the best pair, Find + Check, repairs 5."
    )


def test_fixes_that_repair_as_many_alone_are_all_named():
    assert best(repaired_by(A), repaired_by(B), repaired_by(AC)) == (
        "Ask or Find alone repairs 1 of these 3 failures; the best pair, Ask + Find or one other pair, repairs 2."
    )


def test_pairs_that_repair_as_many_are_counted():
    assert best(repaired_by(A), repaired_by(B), repaired_by(C)).endswith(
        "; the best pair, Ask + Find or another of 3 such pairs, repairs 2."
    )


@pytest.mark.parametrize("worth", [repaired_by(A), [0, 1, 0, 0, 0, 0, 0, 1]])
def test_it_is_said_that_no_pair_repairs_more(worth):
    assert best(worth, worth) == "Ask alone repairs 2 of these 2 failures; no pair repairs more."


def test_pair_may_repair_what_no_fix_does_alone():
    assert best(repaired_by(AB), NEVER) == (
        "No fix alone repairs any of these 2 failures; the best pair, Ask + Find, repairs 1."
    )


def test_it_is_said_that_neither_one_fix_nor_two_repair_anything():
    assert best(repaired_by(7), NEVER) == "No fix alone and no two together repair any of these 2 failures."


def test_of_two_fixes_the_only_pair_is_both():
    two = ("Ask", "Find")
    assert best([0, 1, 0, 1], [0, 0, 1, 1], titles=two) == (
        "Ask or Find alone repairs 1 of these 2 failures; both fixes together repair 2."
    )
    assert best([0, 1, 0, 1], [0, 0, 0, 0], titles=two).endswith("; both fixes together repair no more.")


def test_of_a_single_fix_no_pair_is_spoken_of():
    assert best([0, 1], [0, 0], titles=("Ask",)) == "Ask alone repairs 1 of these 2 failures."
    assert best([0, 0], [0, 0], titles=("Ask",)) == "No fix alone repairs any of these 2 failures."


def test_what_passes_without_a_fix_is_not_said_to_be_repaired():
    assert best(repaired_by(A), ALWAYS, repaired_by(BC)) == (
        "With the best fix alone, Ask, 2 of these 3 failures pass; with the best pair, Ask + Find or another of 3 such "
        "pairs, 2; without any fix, 1."
    )
    assert best([0, 1], [1, 1], titles=("Ask",)) == (
        "With the one fix, Ask, 2 of these 2 failures pass; without any fix, 1."
    )


def test_best_pair_is_unknown_where_a_case_lists_only_some_combinations():
    figures = [figures_of(repaired_by(A)), listing_some(figures_of(repaired_by(A))), figures_of(repaired_by(BC))]
    assert said(figures) == (
        "Ask alone repairs 2 of these 3 failures; the best pair is unknown, as not every combination was run."
    )
    alone = [listing_some(figures_of([0, 1])), figures_of([0, 0])]
    assert said(alone, ("Ask",)) == "Ask alone repairs 1 of these 2 failures."


def test_graded_scores_repair_from_their_level():
    figures = [figures_of([0.1, 0.5, 0.2, 0.8], None, 0.5), figures_of([0.1, 0.4, 0.2, 0.8], None, 0.5)]
    assert said(figures, ("Ask", "Find")) == ("Ask alone repairs 1 of these 2 failures; both fixes together repair 2.")


@pytest.mark.parametrize("figures", [[], [None], [figures_of(repaired_by(A))], [figures_of(repaired_by(A)), None]])
def test_nothing_is_said_of_less_than_two_failures(figures):
    assert said(figures) == ""


def test_nothing_is_said_where_no_fix_was_tried():
    assert best([0], [0], titles=()) == ""


tables = st.lists(st.lists(st.integers(0, 1), min_size=15, max_size=15), min_size=2, max_size=8)


@given(tables)
def test_numbers_are_those_of_a_search_through_all_sets(rests):
    worths = [[0, *rest] for rest in rests]
    most = [
        max(sum(worth[mask] for worth in worths) for mask in range(16) if mask.bit_count() == size) for size in (1, 2)
    ]
    text = best(*worths, titles=tuple("abcd"))
    found = [int(number) for number in re.findall(r"repairs (\d+)", text)]
    expected = [most[0]] if most[0] else []
    if most[1] > most[0]:
        expected.append(most[1])
    assert found == expected


def card_lines(files):
    index = plan_site(files)["index.html"].decode("utf-8")
    return re.findall(r'class="tile-best"><bdi>(.*?)</bdi>', index)


def test_index_says_it_of_many_failures_and_not_of_one():
    (line,) = card_lines(triage_files({"replayed": 1}))
    assert re.fullmatch(r".+ alone repairs \d+ of these 30 failures; the best pair, .+ \+ .+, repairs \d+\.", line)
    assert card_lines(refund_files("a", {"replayed": 1})) == []


def test_index_says_it_of_graded_scores():
    (line,) = card_lines(graded_files())
    assert " of these 2 failures" in line
