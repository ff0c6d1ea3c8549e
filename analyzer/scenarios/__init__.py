"""Turns the name of a bundled scenario into its pipelines and cases."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

from analyzer.pipeline import Case, Pipeline

_MODULES = MappingProxyType(
    {
        "quickstart": "quickstart",
        "refund-policy": "refund_policy",
        "stochastic-rag": "stochastic_rag",
        "eight-step": "eight_step",
    }
)


@dataclass(frozen=True)
class Bundle:
    """A bundled scenario: its pipelines (one per mechanism examined) and the cases they all run on.

    Attributes
    ----------
    failures : int or None
        Failing cases that are analysed unless more are asked for; None for all.
    """

    name: str
    summary: str
    pipelines: tuple[Pipeline, ...]
    cases: Sequence[Case]
    failures: int | None


def names() -> Sequence[str]:
    """Return the names of the bundled scenarios."""
    return tuple(_MODULES)


def bundle(name: str) -> Bundle:
    """Return a bundled scenario.

    Raises
    ------
    KeyError
        If there is none of that name.
    """
    module = importlib.import_module(f"analyzer.scenarios.{_MODULES[name]}")
    summary = (module.__doc__ or "").strip().split("\n")[0]
    return Bundle(
        name,
        summary,
        cast("tuple[Pipeline, ...]", module.PIPELINES),
        cast("Sequence[Case]", module.CASES),
        cast("int | None", getattr(module, "FAILURES", None)),
    )
