"""Turns addresses into exogenous noise, and noise into choices: the only door through which a step gets randomness.

No draw pulls from a running stream. Its noise is a hash of its address (world, step, place within the step, element),
so swapping one step never shifts another step's luck. An explicit override, recorded or inferred, wins over the hash.
"""

from __future__ import annotations

import functools
import hashlib
import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from analyzer.fingerprint import fingerprint
from analyzer.gumbel import Floats, check_logits, choose, gumbel, gumbels

Item = TypeVar("Item")
Label = Hashable
_LARGEST_BELOW_ONE = math.nextafter(1.0, 0.0)
_STANDARD_NORMAL = NormalDist()


class DrawError(ValueError):
    """A draw that was asked for in a way that cannot be answered; the message says what to change."""


class Address(NamedTuple):
    """A place within one step call: the kind of draw, its name, and how often that name was asked before."""

    kind: str
    name: str
    occurrence: int


def digest(*parts: object) -> bytes:
    """Hash the ``repr`` of each part, each followed by 0x1f, into 8 bytes of BLAKE2b."""
    state = hashlib.blake2b(digest_size=8)
    for part in parts:
        state.update(repr(part).encode("utf-8", "backslashreplace"))
        state.update(b"\x1f")
    return state.digest()


def unit(*parts: object) -> float:
    """Return the uniform at an address: the double nearest to ``(digest + 1/2) / 2**64``, strictly inside (0, 1).

    Parameters
    ----------
    *parts : object
        The address, outermost part first; each must have a repr that is the same in every process.

    Notes
    -----
    The 8 digest bytes are read as a little-endian integer. The 1,024 largest of the ``2**64`` digests would round to
    1 and give the largest double below it.
    """
    number = int.from_bytes(digest(*parts), "little")
    return min((2 * number + 1) / 2**65, _LARGEST_BELOW_ONE)


def units(count: int, *parts: object) -> Floats:
    """Return the uniforms of elements ``0 … count - 1`` at an address in one vectorised call.

    The address keys a counter-based generator (Philox 4x64) and the element is its counter: element ``k`` is the same
    number whatever `count` is. 52 bits each, with half a step of offset, strictly inside (0, 1).
    """
    raw = np.random.Philox(key=int.from_bytes(digest(*parts), "little")).random_raw(count)
    return np.asarray(((raw >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)


#: From the uniform of an element to its noise, by kind of draw.
_NOISE_OF: Mapping[str, Callable[[float], float]] = MappingProxyType(
    {"categorical": gumbel, "normal": _STANDARD_NORMAL.inv_cdf}
)

#: Noise per element at one address: by label, or by position for a vocabulary.
Override = Mapping[Label, float] | Floats


@dataclass(frozen=True)
class StepNoise:
    """One step's share of a world's exogenous noise: the door.

    Attributes
    ----------
    key : str
        Identifies this noise; two shares with equal keys hold the same noise at every address.
    seed, step : str
        Outer parts of every address.
    overrides : mapping of Address to noise per element
        Recorded or inferred noise, which wins over the hash. By the repr of the label, as in the hash: 1 and True are
        two labels.
    observed_in : str or None
        Key of the noise under which the factual run was observed, where this world was inferred from it. A step that
        samples itself gave there what it gives here.
    """

    key: str
    seed: str
    step: str
    overrides: Mapping[Address, Mapping[str, float] | Floats] = field(default_factory=dict)
    observed_in: str | None = None

    def of(self, address: Address, options: Sequence[Label]) -> Sequence[float] | Floats:
        """Return the noise of a draw: one number per option, or a single one where there are no options.

        Parameters
        ----------
        address : Address
        options : sequence of label
            Of a choice or shuffle; the positions ``range(n)`` of a vocabulary; empty for a single number.
        """
        if address.kind == "vocabulary":
            return self._vector(address, len(options))
        return [self.at(address, option) for option in (options or (None,))]

    def at(self, address: Address, element: Label) -> float:
        """Return the noise of one element at one address."""
        override = self.overrides.get(address)
        if isinstance(override, Mapping) and (label := repr(element)) in override:
            return override[label]
        uniform = unit(self.seed, self.step, tuple(address), element)
        transform = _NOISE_OF.get(address.kind)
        return transform(uniform) if transform else uniform

    def _vector(self, address: Address, count: int) -> Floats:
        noise = gumbels(units(count, self.seed, self.step, tuple(address)))
        override = self.overrides.get(address)
        if isinstance(override, np.ndarray):
            known = min(count, len(override))
            noise[:known] = override[:known]
        return noise


def _by_text(noise: Override) -> Mapping[str, float] | Floats:
    return {repr(label): value for label, value in noise.items()} if isinstance(noise, Mapping) else noise


@dataclass(frozen=True)
class World:
    """One realisation of all exogenous noise: a seed, and overrides where noise was recorded or inferred.

    Attributes
    ----------
    seed : str
        Outermost part of every address.
    overrides : mapping of str to mapping of Address to noise per element
        By step.
    observed_in : World or None
        The world in which the factual run was observed, where this one was inferred from it.
    """

    seed: str
    overrides: Mapping[str, Mapping[Address, Override]] = field(default_factory=dict)
    observed_in: World | None = None

    @functools.cached_property
    def id(self) -> str:
        """Text that identifies this world in a cache key: equal ids, equal noise at every address of every step."""
        return _identity(self.seed, self.overrides)

    @functools.cached_property
    def _shares(self) -> dict[tuple[str, bool], StepNoise]:
        return {}

    def of_step(self, step: str, *, resampled: bool = False) -> StepNoise:
        """Return one step's share of this world.

        Parameters
        ----------
        step : str
            The step's name.
        resampled : bool
            Give fresh noise for this step, independent of this world's but fixed by it.
        """
        if (step, resampled) not in self._shares:
            own = {} if resampled else self.overrides.get(step, {})
            seed = f"{self.seed}/resampled" if resampled else self.seed
            observed = None if resampled or self.observed_in is None else self.observed_in.of_step(step).key
            noise = {address: _by_text(override) for address, override in own.items()}
            self._shares[step, resampled] = StepNoise(_identity(seed, own), seed, step, noise, observed)
        return self._shares[step, resampled]


def _identity(seed: str, overrides: Mapping[Any, Any]) -> str:
    plain = {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in overrides.items()}
    return fingerprint([seed, plain])


@dataclass(frozen=True)
class Draw:
    """A draw as it happened.

    Attributes
    ----------
    step : str
    address : Address
    options : sequence
        Labels of the elements, in the order asked: the options of a choice, the items of a shuffle; empty otherwise.
    logits : sequence of float
        Of a choice, one per option; empty otherwise.
    noise : sequence of float
        One per element: Gumbel noise of a choice, a standard normal, uniforms otherwise.
    bounds : tuple of float
        ``(low, high)`` of a uniform or integer, ``(mean, sd)`` of a normal; empty otherwise.
    picked : tuple of int
        Positions in `options` of what the step received, in order; empty where there are no options.
    choice : object
        What the step received.
    """

    step: str
    address: Address
    options: Sequence[Label]
    logits: Sequence[float] | Floats
    noise: Sequence[float] | Floats
    bounds: tuple[float, ...]
    picked: tuple[int, ...]
    choice: Any


class Draws:
    """What a step draws with: every method names its draw, returns a value, and records how it came about.

    The same kind and name asked again within one step call is the next occurrence, with an address of its own: a loop
    may draw ``"token"`` as often as it likes, and the third token of two variants shares its noise.
    """

    def __init__(self, noise: StepNoise) -> None:
        self._noise = noise
        self._asked: Counter[tuple[str, str]] = Counter()
        self._records: list[Draw] = []

    @property
    def records(self) -> tuple[Draw, ...]:
        """The draws made so far, in order."""
        return tuple(self._records)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"there is no draw.{name}; there are categorical, vocabulary, uniform, normal, integer and shuffle"
        )

    def categorical(self, name: str, logits: Mapping[Item, float]) -> Item:
        """Choose one of a few options by Gumbel-max.

        Parameters
        ----------
        name : str
            Names this draw within the step.
        logits : mapping of label to float
            Unnormalised log-probabilities; ``-inf`` for an impossible option. The noise belongs to the label, so
            adding, removing or reordering options leaves the luck of the others alone.

        Returns
        -------
        label
            The option with the largest logit plus noise; the first of equals.

        Raises
        ------
        UnstableValueError
            If a label has no stable text.
        ImpossibleChoiceError
            If no option is possible or a logit is NaN or ``+inf``.
        """
        address = self._next("categorical", name)
        options = [_stable(label) for label in logits]
        levels = [float(logit) for logit in logits.values()]
        check_logits(levels)
        noise = self._noise.of(address, options)
        picked = choose(levels, noise)
        return self._record(address, options, levels, noise, (), (picked,), list(logits)[picked])

    def vocabulary(self, name: str, logits: npt.ArrayLike) -> int:
        """Choose a position of a large array of logits by Gumbel-max, in one vectorised call.

        Parameters
        ----------
        name : str
            Names this draw within the step.
        logits : array of n floats
            As for `categorical`; the noise belongs to the position.

        Returns
        -------
        int
            The chosen position, ``0 … n - 1``.
        """
        address = self._next("vocabulary", name)
        levels = np.array(logits, dtype=np.float64).ravel()
        check_logits(levels)
        options = range(len(levels))
        noise = self._noise.of(address, options)
        picked = int(np.argmax(levels + noise))
        return self._record(address, options, levels, noise, (), (picked,), picked)

    def uniform(self, name: str, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number between `low` and `high`."""
        address = self._next("uniform", name)
        (noise,) = self._noise.of(address, ())
        return self._record(address, (), (), (noise,), (low, high), (), low + (high - low) * noise)

    def normal(self, name: str, mean: float = 0.0, sd: float = 1.0) -> float:
        """Return a normally distributed number."""
        address = self._next("normal", name)
        (noise,) = self._noise.of(address, ())
        return self._record(address, (), (), (noise,), (mean, sd), (), mean + sd * noise)

    def integer(self, name: str, low: int, high: int) -> int:
        """Return a whole number from ``low … high - 1``, each equally likely.

        Raises
        ------
        DrawError
            If the range is empty or holds more than ``2**52`` numbers.
        """
        low, high = operator.index(low), operator.index(high)
        count = high - low
        if not 0 < count <= 2**52:
            raise DrawError(f"draw {name!r}: a range of {count} whole numbers was asked for; it must hold 1 to 2**52")
        address = self._next("integer", name)
        (noise,) = self._noise.of(address, ())
        return self._record(address, (), (), (noise,), (low, high), (), low + integer_below(count, noise))

    def shuffle(self, name: str, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order.

        The noise belongs to the item (and, among equal items, to how many came before), so adding one leaves the
        relative order of the others alone.
        """
        address = self._next("shuffle", name)
        before: Counter[Label] = Counter()
        options: list[Label] = []
        for item in items:
            label = _stable(item)
            options.append((label, before[label]))
            before[label] += 1
        noise = self._noise.of(address, options)
        order = tuple(sorted(range(len(items)), key=noise.__getitem__))
        return self._record(address, options, (), noise, (), order, [items[index] for index in order])

    def _next(self, kind: str, name: str) -> Address:
        if not isinstance(name, str):
            raise DrawError(f"draw {name!r}: a draw is named by text")
        occurrence = self._asked[kind, name]
        self._asked[kind, name] += 1
        return Address(kind, name, occurrence)

    def _record(
        self,
        address: Address,
        options: Sequence[Label],
        logits: Sequence[float] | Floats,
        noise: Sequence[float] | Floats,
        bounds: tuple[float, ...],
        picked: tuple[int, ...],
        choice: Item,
    ) -> Item:
        self._records.append(Draw(self._noise.step, address, options, logits, noise, bounds, picked, choice))
        return choice


def integer_below(count: int, noise: float) -> int:
    """Return the whole number below `count` that a uniform falls on."""
    return min(int(noise * count), count - 1)


def _stable(label: object) -> Label:
    """Return a label whose repr is its value's, in every process."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, tuple):
        return tuple(map(_stable, label))
    if label is None or type(label) in (str, int, float, bool, bytes):
        return label
    return fingerprint(label)
