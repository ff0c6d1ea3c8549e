"""Turns logits and noise into a choice (Gumbel-max), and an observed choice back into noise that explains it.

References
----------
C. J. Maddison, D. Tarlow, T. Minka. A* Sampling. NeurIPS 2014.
M. Oberst, D. Sontag. Counterfactual Off-Policy Evaluation with Gumbel-Max Structural Causal Models. ICML 2019.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class ImpossibleChoiceError(ValueError):
    """No option is possible, or the option said to have been observed is not."""


def gumbel(unit: float) -> float:
    """Return the standard Gumbel quantile of a number strictly inside (0, 1)."""
    return -math.log(-math.log(unit))


def gumbels(units: Floats) -> Floats:
    """Return the standard Gumbel quantiles of an array of numbers strictly inside (0, 1)."""
    return np.asarray(-np.log(-np.log(units)))


def check_logits(logits: Sequence[float] | Floats) -> None:
    """Raise `ImpossibleChoiceError` unless every logit is finite or ``-inf`` and at least one is finite."""
    if not isinstance(logits, np.ndarray):
        finite = 0
        for logit in logits:
            if logit != logit or logit == math.inf:
                break
            finite += logit != -math.inf
        else:
            if finite:
                return
    array = np.asarray(logits, dtype=np.float64)
    if np.isnan(array).any() or (array == np.inf).any():
        raise ImpossibleChoiceError("a logit is NaN or +inf; logits are finite, or -inf for an impossible option")
    if not (array > -np.inf).any():
        raise ImpossibleChoiceError("no option is possible: every logit is -inf, or there are no options")


def choose(logits: Sequence[float] | Floats, noise: Sequence[float] | Floats) -> int:
    """Return the index of the largest ``logit + noise``; the first of equals.

    Parameters
    ----------
    logits, noise : sequence of float
        One entry per option. An option whose logit is ``-inf`` is never chosen.
    """
    best, winner = -math.inf, -1
    for index, (logit, extra) in enumerate(zip(logits, noise, strict=True)):
        if logit + extra > best:
            best, winner = logit + extra, index
    return winner


def posterior(logits: Sequence[float] | Floats, observed: int, units: Sequence[float] | Floats) -> Floats:
    r"""Draw Gumbel noise from its distribution given that an option was chosen.

    Top-down sampling: the winner's perturbed value is :math:`Z \sim \mathrm{Gumbel}(\mathrm{logsumexp}(\ell))`; every
    other option's is a Gumbel at its logit truncated below :math:`Z`. Options with logit ``-inf`` keep their prior
    noise: the observation says nothing about them.

    Parameters
    ----------
    logits : sequence of n floats
        Finite, or ``-inf`` for impossible options. Stable for magnitudes up to 1e300.
    observed : int
        Index of the chosen option.
    units : sequence of n floats
        Uniforms strictly inside (0, 1), one per option; the same uniforms give the same noise.

    Returns
    -------
    ndarray of n floats
        Noise for which `choose` returns `observed`, exactly, also after rounding.

    Raises
    ------
    ImpossibleChoiceError
        If the observed option has logit ``-inf``, or the logits are not valid.

    Notes
    -----
    O(n). Maddison, Tarlow & Minka (2014), section 3; Oberst & Sontag (2019), section 3.3.

    Examples
    --------
    >>> noise = posterior([0.0, 2.0, -1.0], observed=2, units=[0.3, 0.6, 0.5])
    >>> choose([0.0, 2.0, -1.0], noise)
    2
    """
    check_logits(logits)
    levels = np.asarray(logits, dtype=np.float64)
    if levels[observed] == -np.inf:
        raise ImpossibleChoiceError(
            f"option {observed} was observed, but its logit is -inf: it cannot have been chosen"
        )
    prior = gumbels(np.asarray(units, dtype=np.float64))
    possible = levels > -np.inf
    top = float(np.logaddexp.reduce(levels[possible])) + float(prior[observed])
    noise = prior.copy()
    others = possible.copy()
    others[observed] = False
    noise[others] = -np.logaddexp(-top, -(levels[others] + prior[others])) - levels[others]
    noise[observed] = top - levels[observed]
    return _settle(levels, noise, observed)


def _settle(levels: Floats, noise: Floats, observed: int) -> Floats:
    """Lower losers that rounding lifted to the winner's value, or above it, by as little as rounding allows."""
    best = levels[observed] + noise[observed]
    coarse = np.maximum(
        np.abs(levels), np.maximum(np.abs(noise), abs(best)), where=levels > -np.inf, out=np.ones(len(levels))
    )
    step = np.spacing(coarse)
    while True:
        total = levels + noise
        lifted = total >= best
        # The first of equals wins, so an equal value behind the winner is harmless.
        lifted[observed:] = total[observed:] > best
        if not lifted.any():
            return noise
        noise[lifted] = np.minimum(noise[lifted], best - levels[lifted]) - step[lifted]
        # Where the winner's own value was rounded away (an observed logit of -1e20), a step or two is not enough.
        step *= 2
