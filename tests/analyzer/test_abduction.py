import random
from collections import Counter

import numpy as np
import pytest

from analyzer.abduction import abduct
from analyzer.lattice import run_factual, run_lattice
from analyzer.memory import Memory
from analyzer.noise import Draws, World
from analyzer.pipeline import Case
from tests.known_pipelines import Ledger, random_pipeline


def test_abducted_worlds_reproduce_the_factual_run_on_random_pipelines():
    reproduced = 0
    for number in range(60):
        pipeline = random_pipeline(random.Random(number), Ledger(), steps=5)
        case, memory = Case("c", {"n": number}), Memory()
        trace = run_factual(pipeline, case, World(f"{number}"), memory)
        worlds = [abduct(trace.draws, f"{number}/world-{k}") for k in range(4)]
        again = run_lattice(pipeline, case, worlds, [0], memory)
        for name, ids in again.seen.items():
            assert {again.values[id] for id in ids[:, 0]} == {trace.outputs[name]}
        reproduced += bool(trace.draws)
    assert reproduced >= 40


def everything(draw: Draws) -> list[object]:
    return [
        draw.categorical("c", {"x": 0.0, "y": 700.0, "z": 699.5}),
        draw.uniform("u", 2.0, 5.0),
        draw.normal("n", 1.0, 3.0),
        draw.integer("i", -5, 12),
        draw.integer("wide", 0, 2**52),
        draw.integer("odd", 0, 2**52 - 3),
        draw.shuffle("s", ["a", "b", "b", "c", "d"]),
        draw.vocabulary("v", np.linspace(0, 2, 300)),
        draw.uniform("u"),
    ]


@pytest.mark.parametrize("number", range(20))
def test_every_kind_of_draw_is_explained(number):
    factual = Draws(World(f"f{number}").of_step("s"))
    values = everything(factual)
    world = abduct(factual.records, f"w{number}")
    assert everything(Draws(world.of_step("s"))) == values


def test_abducted_noise_differs_between_worlds_where_the_choice_leaves_it_open():
    factual = Draws(World("f").of_step("s"))
    everything(factual)
    worlds = [abduct(factual.records, f"w{k}") for k in range(2)]
    again = [Draws(world.of_step("s")) for world in worlds]
    for draw in again:
        everything(draw)
    open_kinds = {"categorical", "integer", "shuffle", "vocabulary"}
    for one, other in zip(*(draw.records for draw in again), strict=True):
        assert (list(one.noise) != list(other.noise)) == (one.address.kind in open_kinds)


def test_an_observed_integer_leaves_its_uniform_uniform_within_its_interval():
    factual = Draws(World("f").of_step("s"))
    value = factual.integer("i", 0, 4)
    halves = Counter()
    for k in range(2_000):
        halves[Draws(abduct(factual.records, f"{k}").of_step("s")).integer("i", 0, 8)] += 1
    assert set(halves) == {2 * value, 2 * value + 1}
    assert abs(halves[2 * value] - 1_000) < 4 * 2_000**0.5 / 2


def test_draws_that_did_not_happen_keep_the_prior_noise_of_the_world():
    factual = Draws(World("f").of_step("s"))
    factual.uniform("u")
    world = abduct(factual.records, "w")
    assert Draws(world.of_step("s")).normal("other") == Draws(World("w").of_step("s")).normal("other")
    assert world.of_step("untouched").key == World("w").of_step("untouched").key
