import re

import pytest

from analyzer.slug import LONGEST, slug
from site_builder.slugs import slugs
from tests.known_game_files import ODD_IDS


@pytest.mark.parametrize("name", ["refund-policy-a", "a-1", "0", "x" * LONGEST])
def test_safe_name_is_its_own_slug(name):
    assert slug(name) == name


@pytest.mark.parametrize("name", [*ODD_IDS, "", "\ud800", "a--b", "-a", "a-"])
def test_slug_of_any_id_holds_safe_characters_only(name):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(name))


def test_long_id_gets_sixty_characters_and_a_hash():
    assert re.fullmatch(r"i{60}-[0-9a-f]{8}", slug("i" * 400))


@pytest.mark.parametrize("name", ["con", "nul", "aux", "prn", "com1", "lpt9", "NUL", "Con"])
def test_device_names_of_windows_are_no_slugs(name):
    assert slug(name) not in {"con", "nul", "aux", "prn", "com1", "lpt9"}


def test_slugs_of_odd_ids_differ_also_where_case_does_not_count():
    found = slugs(ODD_IDS)
    assert len({short.casefold() for short in found.values()}) == len(ODD_IDS)


def test_slug_depends_on_the_id_alone():
    assert slugs(["x", "a#1", "b"])["a#1"] == slugs(["a#1"])["a#1"] == slug("a#1")


def test_id_made_to_look_like_a_slug_takes_nobodys_place():
    made = [slug("a#1"), "a#1"]
    found = slugs(made)
    assert found[made[0]] == made[0]
    assert found["a#1"] not in made
