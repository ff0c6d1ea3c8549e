import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.gumbel import ImpossibleChoiceError, choose, gumbels, posterior

LOGITS = st.lists(
    st.one_of(st.floats(-700, 700), st.floats(-1e300, 1e300), st.sampled_from([-math.inf, -700.0, 700.0, 0.0])),
    min_size=1,
    max_size=8,
)
UNITS = st.floats(2.0**-60, 1 - 2.0**-53)


@given(st.data())
def test_posterior_noise_gives_the_observed_choice_back(data):
    logits = data.draw(LOGITS.filter(lambda values: max(values) > -math.inf))
    observed = data.draw(st.sampled_from([i for i, logit in enumerate(logits) if logit > -math.inf]))
    units = data.draw(st.lists(UNITS, min_size=len(logits), max_size=len(logits)))
    noise = posterior(logits, observed, units)
    assert choose(logits, noise) == observed
    assert np.isfinite(noise).all()


def test_posterior_noise_of_equal_logits_gives_each_observed_option_back():
    for observed in range(4):
        noise = posterior([1.0] * 4, observed, [0.5] * 4)
        assert choose([1.0] * 4, noise) == observed


def test_an_observed_impossible_option_is_an_error():
    with pytest.raises(ImpossibleChoiceError, match="option 1 was observed"):
        posterior([0.0, -math.inf], 1, [0.5, 0.5])


def test_impossible_options_keep_their_prior_noise():
    noise = posterior([0.0, -math.inf], 0, [0.3, 0.8])
    assert noise[1] == gumbels(np.array([0.8]))[0]


def test_a_single_option_keeps_its_prior_noise():
    assert posterior([0.0], 0, [0.3])[0] == gumbels(np.array([0.3]))[0]


def test_ties_go_to_the_first_option():
    assert choose([1.0, 1.0, 0.0], [0.5, 0.5, 1.5]) == 0


def test_posterior_takes_a_vocabulary():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=50_000)
    noise = posterior(logits, 4_321, rng.uniform(size=50_000))
    assert int(np.argmax(logits + noise)) == 4_321


@pytest.mark.parametrize(
    ("factual", "counterfactual", "observed"),
    [
        ([0.0, 0.5, -0.5], [1.0, 0.0, 0.0], 0),
        ([0.0, 0.5, -0.5], [1.0, 0.0, 0.0], 2),
        ([2.0, 0.0, 0.0, -1.0], [0.0, 0.0, 1.5, 1.0], 0),
    ],
)
def test_abduction_agrees_with_rejection_sampling(factual, counterfactual, observed):
    rng = np.random.default_rng(7)
    prior = gumbels(rng.uniform(size=(60_000, len(factual))))
    accepted = prior[np.argmax(factual + prior, axis=1) == observed]
    rejection = np.bincount(np.argmax(counterfactual + accepted, axis=1), minlength=len(factual)) / len(accepted)
    inferred = Counter(
        choose(counterfactual, posterior(factual, observed, units))
        for units in rng.uniform(size=(20_000, len(factual)))
    )
    for option, frequency in enumerate(rejection):
        assert abs(inferred[option] / 20_000 - frequency) < 0.02
