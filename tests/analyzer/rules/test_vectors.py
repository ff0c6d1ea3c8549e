import json
import re

import pytest

from analyzer import rules
from tests.vectors.answers import RULES, answer
from tests.vectors.regenerate import FILES, FOLDER, content_of, file_of

VECTORS = [(rule, vector) for rule in FILES for vector in json.loads(file_of(rule).read_text("ascii"))]


@pytest.mark.parametrize(("rule", "vector"), VECTORS, ids=[f"{rule}-{vector['id']}" for rule, vector in VECTORS])
def test_python_rule_gives_the_expected_bits(rule, vector):
    assert answer(rule, vector["inputs"]) == vector["expected"]


@pytest.mark.parametrize("rule", FILES)
def test_vector_file_is_what_the_generator_writes(rule):
    assert file_of(rule).read_bytes() == content_of(rule)


def test_every_public_rule_has_vectors():
    public = {name for name in rules.__all__ if not isinstance(getattr(rules, name), type)}
    assert public == set(FILES) == set(RULES)


def test_no_vector_file_is_left_over():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FILES)


@pytest.mark.parametrize("rule", FILES)
def test_vector_ids_are_unique_and_plain(rule):
    ids = [vector["id"] for vector in json.loads(file_of(rule).read_text("ascii"))]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]+", id) for id in ids)
