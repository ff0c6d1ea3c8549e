import hashlib
import math
import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.gumbel import ImpossibleChoiceError, gumbel
from analyzer.noise import Address, DrawError, Draws, StepNoise, World, unit, units


def draws(seed: str = "0", step: str = "s", **overrides: object) -> Draws:
    return Draws(World(seed, **overrides).of_step(step))


def test_unit_is_the_blake2b_of_the_parts_with_half_a_step_of_offset():
    parts = ("0/case", "answer", ("categorical", "line", 0), "refund")
    message = b"".join(repr(part).encode() + b"\x1f" for part in parts)
    number = struct.unpack("<Q", hashlib.blake2b(message, digest_size=8).digest())[0]
    assert unit(*parts) == (2 * number + 1) / 2**65


def test_unit_is_the_same_number_in_every_release():
    assert unit("0", "answer", ("uniform", "u", 0), None).hex() == "0x1.b7bb15ae6092ep-1"
    assert units(3, "0", "answer", ("vocabulary", "v", 0))[2].hex() == "0x1.61fb62e30370bp-1"


@pytest.mark.parametrize("digest", [b"\x00" * 8, b"\xff" * 8, (2**64 - 1024).to_bytes(8, "little")])
def test_unit_is_strictly_inside_zero_and_one_at_both_ends(monkeypatch, digest):
    monkeypatch.setattr("analyzer.noise.digest", lambda *parts: digest)
    assert 0 < unit("any") < 1
    assert math.isfinite(gumbel(unit("any")))


def test_parts_cannot_run_into_each_other():
    assert unit("ab", "c") != unit("a", "bc")


def test_vector_elements_do_not_depend_on_how_many_are_asked():
    assert np.array_equal(units(10, "a")[:4], units(4, "a"))


def test_vector_units_stay_inside_zero_and_one_at_full_resolution():
    values = units(100_000, "a")
    assert values.min() > 0
    assert values.max() < 1


def test_choice_noise_belongs_to_the_label_not_to_the_position():
    first, second = draws(), draws()
    first.categorical("x", {"a": 0.0, "b": 1.0})
    second.categorical("x", {"c": 0.0, "b": 1.0, "a": 2.0})
    noise_of = [dict(zip(d.records[0].options, d.records[0].noise, strict=True)) for d in (first, second)]
    assert noise_of[0] == {label: noise_of[1][label] for label in "ab"}


def test_choices_follow_the_logits():
    counts = Counter(
        draws(str(k)).categorical("x", {"a": math.log(0.5), "b": math.log(0.3), "c": math.log(0.2)})
        for k in range(20_000)
    )
    for label, probability in {"a": 0.5, "b": 0.3, "c": 0.2}.items():
        standard_error = math.sqrt(probability * (1 - probability) / 20_000)
        assert abs(counts[label] / 20_000 - probability) < 4 * standard_error


def test_same_name_again_in_one_call_is_the_next_occurrence_with_its_own_noise():
    d = draws()
    values = [d.uniform("u"), d.uniform("u")]
    assert values[0] != values[1]
    assert [record.address for record in d.records] == [Address("uniform", "u", 0), Address("uniform", "u", 1)]


def test_an_extra_draw_shifts_no_other_draw():
    plain, chatty = draws(), draws()
    chatty.uniform("before")
    assert plain.normal("x") == chatty.normal("x")


def test_steps_have_noise_of_their_own():
    assert draws(step="a").uniform("u") != draws(step="b").uniform("u")


def test_override_wins_over_the_hash():
    address = Address("categorical", "x", 0)
    world = World("0", {"s": {address: {"b": 50.0}}})
    d = Draws(world.of_step("s"))
    assert d.categorical("x", {"a": 0.0, "b": 0.0}) == "b"
    assert d.records[0].noise[1] == 50.0
    assert d.records[0].noise[0] == World("0").of_step("s").at(address, "a")


def test_vector_override_wins_and_positions_beyond_it_keep_their_own_noise():
    address = Address("vocabulary", "t", 0)
    plain = World("0").of_step("s").of(address, range(5))
    noise = World("0", {"s": {address: np.array([9.0, 8.0])}}).of_step("s").of(address, range(5))
    assert noise.tolist() == [9.0, 8.0, *plain.tolist()[2:]]


def test_world_id_tells_worlds_with_different_overrides_apart():
    address = Address("uniform", "u", 0)
    worlds = [
        World("0"),
        World("1"),
        World("0", {"s": {address: {None: 0.5}}}),
        World("0", {"s": {address: {None: 0.25}}}),
    ]
    assert len({world.id for world in worlds}) == 4
    assert World(worlds[2].id).id != worlds[2].id
    assert worlds[0].id == World("0").id


def test_noise_of_a_step_is_known_by_a_key_that_ignores_overrides_of_other_steps():
    world = World("0", {"other": {Address("uniform", "u", 0): {None: 0.5}}})
    assert world.of_step("s").key == World("0").of_step("s").key
    assert world.of_step("other").key != World("0").of_step("other").key


def test_resampling_gives_fresh_noise_for_that_step_and_is_fixed_by_the_world():
    world = World("0")
    fresh = Draws(world.of_step("s", resampled=True)).uniform("u")
    assert fresh != Draws(world.of_step("s")).uniform("u")
    assert fresh == Draws(World("0").of_step("s", resampled=True)).uniform("u")


def test_resampling_ignores_what_was_recorded_for_the_step():
    address = Address("uniform", "u", 0)
    world = World("0", {"s": {address: {None: 0.5}}})
    assert Draws(world.of_step("s")).uniform("u") == 0.5
    assert Draws(world.of_step("s", resampled=True)).uniform("u") != 0.5


def test_draw_records_options_logits_noise_and_choice():
    d = draws()
    choice = d.categorical("x", {"a": 0.0, "b": 1.0})
    record = d.records[0]
    assert (record.step, record.address) == ("s", Address("categorical", "x", 0))
    assert (record.options, record.logits) == (["a", "b"], [0.0, 1.0])
    assert record.options[record.picked[0]] == record.choice == choice


def test_integer_covers_its_range_and_nothing_else():
    values = {draws(str(k)).integer("n", -2, 3) for k in range(200)}
    assert values == {-2, -1, 0, 1, 2}


@pytest.mark.parametrize(("low", "high"), [(3, 3), (4, 1), (0, 2**52 + 1)])
def test_integer_refuses_a_range_it_cannot_cover(low, high):
    with pytest.raises(DrawError, match="draw 'n'"):
        draws().integer("n", low, high)


def test_shuffle_is_a_permutation_and_keeps_relative_order_when_an_item_is_added():
    before = draws().shuffle("s", ["a", "b", "c", "d"])
    after = draws().shuffle("s", ["a", "x", "b", "c", "d"])
    assert sorted(before) == ["a", "b", "c", "d"]
    assert [item for item in after if item != "x"] == before


def test_shuffle_takes_equal_and_unhashable_items():
    assert sorted(draws().shuffle("s", ["a", "a", "b"])) == ["a", "a", "b"]
    assert len(draws().shuffle("s", [{"id": 1}, {"id": 1}, {"id": 2}])) == 3


def test_normal_has_the_mean_and_deviation_asked_for():
    values = np.array([draws(str(k)).normal("x", 3.0, 2.0) for k in range(4_000)])
    assert abs(values.mean() - 3.0) < 4 * 2.0 / math.sqrt(4_000)
    assert abs(values.std() - 2.0) < 4 * 2.0 / math.sqrt(8_000)


def test_vocabulary_choice_is_the_argmax_of_logits_plus_recorded_noise():
    d = draws()
    logits = np.linspace(-3, 3, 50_000)
    choice = d.vocabulary("token", logits)
    assert choice == int(np.argmax(logits + d.records[0].noise))


def test_impossible_options_are_never_chosen():
    logits = {"never": -math.inf, "a": -700.0, "b": -700.0}
    assert {draws(str(k)).categorical("x", logits) for k in range(100)} == {"a", "b"}


@pytest.mark.parametrize("logits", [{}, {"a": -math.inf}, {"a": math.nan}, {"a": math.inf, "b": 0.0}])
def test_logits_that_allow_no_choice_are_an_error(logits):
    with pytest.raises(ImpossibleChoiceError):
        draws().categorical("x", logits)


def test_labels_of_numpy_count_as_the_numbers_they_hold():
    assert draws().categorical("x", {np.int64(1): 0.0, np.int64(2): 0.0}) == draws().categorical("x", {1: 0.0, 2: 0.0})


def test_labels_that_compare_equal_and_are_not_the_same_have_their_own_noise():
    address = Address("categorical", "x", 0)
    luck = World("0", {"s": {address: {1: 50.0, 0: 0.0}}}).of_step("s")
    assert luck.at(address, 1) == 50.0
    assert luck.at(address, True) == World("0").of_step("s").at(address, True)


def test_a_kind_of_draw_that_is_not_there_names_those_that_are():
    with pytest.raises(AttributeError, match=r"no draw\.random; there are categorical, vocabulary"):
        draws().random("x")


def test_a_draw_is_named_by_text():
    with pytest.raises(DrawError, match="a draw is named by text"):
        draws().uniform(1)


def test_bounds_of_an_integer_are_integers_of_any_width():
    with pytest.raises(TypeError):
        draws().integer("n", 0, 2.5)
    with pytest.raises(DrawError):
        draws().integer("n", np.uint8(200), np.uint8(100))
    assert 0 <= draws().integer("n", np.uint8(0), np.uint8(200)) < 200


def test_a_label_without_a_stable_text_is_an_error():
    with pytest.raises(TypeError, match="no stable fingerprint"):
        draws().categorical("x", {object(): 0.0})


@given(st.text(), st.text(), st.text())
def test_noise_is_a_function_of_the_address_for_any_text(seed, step, name):
    luck = StepNoise(seed, seed, step)
    address = Address("uniform", name, 0)
    assert 0 < luck.at(address, None) == StepNoise(seed, seed, step).at(address, None) < 1
