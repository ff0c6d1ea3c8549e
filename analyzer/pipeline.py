"""Turns declared steps and a score into a pipeline whose every step can run as it did or with its fix applied."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analyzer.source import source_text
from analyzer.steps import CASE, DRAW, Case, Fix, PipelineError, Score, Step, case_from, text_diff
from analyzer.wiring import Node, Variant, check_steps, check_text, read_variant, resolve

__all__ = [
    "CASE", "DRAW", "Case", "Fix", "Node", "Pipeline", "PipelineError", "Score", "Step", "Variant", "case_from",
    "text_diff",
]  # fmt: skip


# Far from where the sums that attribution takes would overflow.
_LARGEST_SCORE = 1e100


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
    nodes: tuple[Node, ...] = field(init=False, repr=False, compare=False)
    scorer: Variant = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        steps = tuple(self.steps)
        score = self.score if isinstance(self.score, Score) else Score(self.score)
        check_text("pipeline: id", self.id, blank=False)
        for name in ("title", "summary", "cost_unit"):
            check_text(f"pipeline {self.id!r}: {name}", getattr(self, name))
        check_text(f"pipeline {self.id!r}: score: meaning", score.meaning)
        check_steps(self.id, steps)
        nodes = resolve(self.id, steps)
        where = f"pipeline {self.id!r}: score"
        names = [node.step.name for node in nodes]
        scorer = read_variant("score", score.run, 0.0, names, names, where)
        if scorer.draws:
            raise PipelineError(f"{where}: takes {DRAW!r}, but a score is not random; draw in a step instead")
        if not -_LARGEST_SCORE <= score.low <= score.threshold <= score.high <= _LARGEST_SCORE:
            raise PipelineError(
                f"{where}: the threshold {score.threshold} lies outside {score.low} to {score.high}, "
                f"or these outside ±{_LARGEST_SCORE:g}"
            )
        for name, content in {"steps": steps, "score": score, "nodes": nodes, "scorer": scorer}.items():
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

    def fingerprint(self) -> str:
        """Return 32 hex digits that change when a step's code or a setting changes."""
        content = {
            "id": self.id,
            "score": [self.scoring.low, self.scoring.high, self.scoring.threshold, source_text(self.scorer.run)],
            "steps": [
                {
                    "name": node.step.name,
                    "parents": node.parents,
                    "variants": [source_text(node.factual.run), source_text(node.fixed.run)],
                    "fix": [node.step.fix.label, node.step.fix.kind] if node.step.fix else None,
                    "costs": [node.factual.cost, node.fixed.cost],
                    "samples_itself": node.step.samples_itself,
                }
                for node in self.nodes
            ],
        }
        return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
