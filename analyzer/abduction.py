"""Turns the draws of a factual run into worlds that explain it: noise from its distribution given what was chosen."""

from __future__ import annotations

import math
from collections.abc import Iterable

from analyzer.gumbel import posterior
from analyzer.noise import Address, Draw, Override, World, integer_below, unit, units


def abduct(draws: Iterable[Draw], seed: str, observed_in: World | None = None) -> World:
    """Return a world drawn from the posterior over noise given the observed choices.

    Parameters
    ----------
    draws : iterable of Draw
        Of one factual run. What each step received and what it chose from is used, not the noise it was chosen with,
        except where the choice determines the noise (uniform, normal).
    seed : str
        Of the world; another seed gives an independent draw from the posterior.
    observed_in : World, optional
        The world of the factual run. What a step that samples itself returned there is what it returns here, as long
        as its inputs are the same.

    Returns
    -------
    World
        Running the same steps in it gives the factual choices exactly. Draws that the factual run did not make keep
        the prior noise of `seed`.
    """
    overrides: dict[str, dict[Address, Override]] = {}
    for draw in draws:
        overrides.setdefault(draw.step, {})[draw.address] = _explain(draw, seed)
    return World(seed, overrides, observed_in)


def _explain(draw: Draw, seed: str) -> Override:
    where = (seed, draw.step, tuple(draw.address))
    if draw.address.kind == "categorical":
        noise = posterior(draw.logits, draw.picked[0], [unit(*where, option) for option in draw.options])
        return dict(zip(draw.options, noise.tolist(), strict=True))
    if draw.address.kind == "vocabulary":
        return posterior(draw.logits, draw.picked[0], units(len(draw.options), *where))
    if draw.address.kind == "integer":
        low, high = (int(bound) for bound in draw.bounds)
        return {None: _unit_of_integer(high - low, draw.choice - low, unit(*where, None))}
    if draw.address.kind == "shuffle":
        # The order observed is the order of the uniforms: sorted ones, dealt out in that order.
        fresh = sorted(unit(*where, option) for option in draw.options)
        return {draw.options[index]: uniform for index, uniform in zip(draw.picked, fresh, strict=True)}
    # A uniform or normal value determines its noise.
    return {None: float(draw.noise[0])}


def _unit_of_integer(count: int, value: int, fraction: float) -> float:
    """Return a uniform from the interval that falls on `value`, as far into it as `fraction` says."""
    noise = (value + fraction) / count
    # Rounding can carry it just over an edge of the interval.
    while (landed := integer_below(count, noise)) != value:
        noise = math.nextafter(noise, 1.0 if landed < value else 0.0)
    return noise
