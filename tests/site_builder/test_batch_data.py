"""What all games of a scenario and mode travel as: text that comes back bit for bit, in chunks of a size."""

from __future__ import annotations

import base64
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.game_file import CoalitionError, ScoreInfo
from site_builder import batch_data
from site_builder.batch_data import batch_chunks
from site_builder.over_all import OverAll, over_all
from site_builder.scenario_games import group
from tests.known_game_files import letters, plain_text
from tests.made_game_files import case_game, game_file, scenario

STEPS = letters(2)
GRADED = ScoreInfo("share of the rubric", True, -1.0, 1.0, 0.5)
BROKEN = CoalitionError(STEPS[0].id, "broke off")
#: Characters of a table of two fixes.
ONE_TABLE = 45


def graded(*tables: list[float | None]) -> OverAll:
    cases = [
        case_game(
            STEPS, f"case-{k}", table, None, plain_text,
            errors={mask: BROKEN for mask, worth in enumerate(table) if worth is None},
        )
        for k, table in enumerate(tables)
    ]  # fmt: skip
    return over_all(group([game_file(scenario("rubric", "Rubric", "", GRADED), STEPS, "replayed", 1, cases)])[0])


def doubles(text: str) -> list[float]:
    found = base64.b64decode(text.replace("|", ""), validate=True)
    return list(struct.unpack(f"<{len(found) // 8}d", found))


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4))
def test_graded_scores_come_back_bit_for_bit(table):
    (key, chunk), *rest = batch_chunks(graded(table))
    assert (key, rest) == ("batch.replayed", [])
    assert [one.hex() for one in doubles(chunk["worth"][0])] == [float(one).hex() for one in table]


def test_no_run_of_letters_is_as_long_as_a_key_of_a_service():
    (_, chunk), *_ = batch_chunks(graded([1 / 3, 1 / 7, 1 / 9, 1 / 11]))
    assert max(map(len, re.findall("[A-Za-z0-9+/]+", chunk["worth"][0]))) == 32


def test_hole_among_graded_scores_is_no_number():
    (_, chunk), *_ = batch_chunks(graded([0.25, None, 0.5, 0.75]))
    assert [one if one == one else None for one in doubles(chunk["worth"][0])] == [0.25, None, 0.5, 0.75]


def test_tables_that_do_not_fit_into_a_chunk_follow_in_the_next(monkeypatch):
    monkeypatch.setattr(batch_data, "LARGEST", 2 * ONE_TABLE + 3)
    over = graded(*([k / 8, 0.0, 0.5, 1.0] for k in range(5)))
    chunks = batch_chunks(over)
    assert [key for key, _ in chunks] == ["batch.replayed", "batch.replayed.1", "batch.replayed.2"]
    assert chunks[0][1]["more"] == 2
    assert [len(chunk["worth"]) for _, chunk in chunks] == [2, 2, 1]
    assert [doubles(text)[0] for _, chunk in chunks for text in chunk["worth"]] == [k / 8 for k in range(5)]
    assert chunks[0][1]["cases"] == [0, 1, 2, 3, 4]
    assert [set(chunk) for _, chunk in chunks[1:]] == [{"worth"}, {"worth"}]


@pytest.mark.parametrize("largest", [1, ONE_TABLE])
def test_table_larger_than_a_chunk_is_alone_in_one(monkeypatch, largest):
    monkeypatch.setattr(batch_data, "LARGEST", largest)
    chunks = batch_chunks(graded([0.0, 0.25, 0.5, 1.0], [1.0, 0.0, 0.0, 0.0]))
    assert [len(chunk["worth"]) for _, chunk in chunks] == [1, 1]
