"""Turns declared steps and a score into a pipeline whose every step can run as it did or with its fix applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analyzer.scoring import fingerprint_of, resolve_score
from analyzer.steps import (
    CASE,
    DRAW,
    IDEMPOTENCY_KEY,
    Case,
    Codec,
    Fix,
    PipelineError,
    Score,
    Step,
    case_from,
    text_diff,
)
from analyzer.wiring import Node, Variant, check_steps, check_text, price_of_a_call, resolve

__all__ = [
    "CASE", "DRAW", "IDEMPOTENCY_KEY", "Case", "Codec", "Fix", "Node", "Pipeline", "PipelineError", "Score", "Step",
    "Variant", "case_from", "text_diff",
]  # fmt: skip


@dataclass(frozen=True)
class Pipeline:
    """Steps, in any order, and a score.

    Parameters
    ----------
    id : str
        Names game files and pages.
    steps : sequence of Step
        Run in an order in which each comes after what it reads; as given, where that is possible.
    score : Score or callable
        See `Score`.
    title, summary : str, optional
        As shown.
    cost_unit : str
        What costs are counted in.
    tried : mapping of str to str, optional
        By step, the label of the fix to try, for steps that have several; see `trying`.

    Raises
    ------
    PipelineError
        For duplicate, reserved or unknown names, a cycle, a fix that names no variant, too many fixes.

    Examples
    --------
    >>> def guess(case, draw):
    ...     return draw.categorical("word", {"yes": 0.0, "no": 1.0})
    >>> bot = Pipeline("bot", [Step("guess", guess, fix=Fix.resample())], score=lambda guess: guess == "yes")
    >>> bot.players
    ('guess',)
    """

    id: str
    steps: Sequence[Step]
    score: Score | Callable[..., Any]
    title: str = ""
    summary: str = ""
    cost_unit: str = "calls"
    tried: Mapping[str, str] = field(default_factory=dict)
    nodes: tuple[Node, ...] = field(init=False, repr=False, compare=False)
    scorer: Variant = field(init=False, repr=False, compare=False)
    failure: Variant | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        check_text("pipeline: id", self.id, blank=False)
        where = f"pipeline {self.id!r}"
        for name in ("title", "summary", "cost_unit"):
            check_text(f"{where}: {name}", getattr(self, name))
        check_steps(where, steps)
        nodes = resolve(self.id, steps, self.tried, price_of_a_call(self.cost_unit))
        score, scorer, failure = resolve_score(where, self.score, [node.step.name for node in nodes])
        resolved = {"steps": steps, "score": score, "nodes": nodes, "scorer": scorer, "failure": failure}
        for name, content in resolved.items():
            object.__setattr__(self, name, content)

    @property
    def scoring(self) -> Score:
        """The score, with its meaning and range."""
        assert isinstance(self.score, Score)
        return self.score

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the steps that have a fix, in run order."""
        return tuple(node.step.name for node in self.nodes if node.player is not None)

    def trying(self, choices: Mapping[str, str]) -> Pipeline:
        """Return this pipeline with other fixes tried: by step, the label of one of its fixes.

        Raises
        ------
        PipelineError
            If there is no such step, or it has no fix of that label.
        """
        return replace(self, tried={**self.tried, **choices})

    def fingerprint(self) -> str:
        """Return 32 hex digits that change when a step's code or a setting changes."""
        variants = (variant for node in self.nodes for variant in node.variants)
        return fingerprint_of(self.id, self.scoring, self.nodes, *(variant.case_fields for variant in variants))
