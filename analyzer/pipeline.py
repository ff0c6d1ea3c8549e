"""Turns declared steps and a score into a pipeline whose every step can run as it did or with its fix applied."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analyzer.amounts import counts_calls
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
from analyzer.wiring import Node, Variant, check_steps, check_text, read_variant, resolve

__all__ = [
    "CASE", "DRAW", "IDEMPOTENCY_KEY", "Case", "Codec", "Fix", "Node", "Pipeline", "PipelineError", "Score", "Step",
    "Variant", "case_from", "text_diff",
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
        score = self.score if isinstance(self.score, Score) else Score(self.score)
        check_text("pipeline: id", self.id, blank=False)
        for name in ("title", "summary", "cost_unit"):
            check_text(f"pipeline {self.id!r}: {name}", getattr(self, name))
        check_text(f"pipeline {self.id!r}: score: meaning", score.meaning)
        check_steps(self.id, steps)
        # A price in calls is known; one in money is not, unless somebody says it.
        price = 1.0 if counts_calls(self.cost_unit) else math.nan
        nodes = resolve(self.id, steps, self.tried, price)
        where = f"pipeline {self.id!r}: score"
        names = [node.step.name for node in nodes]
        scorer = read_variant("score", score.run, 0.0, names, names, where)
        failure = score.failure and read_variant("failure", score.failure, 0.0, names, names, f"{where}: failure")
        for variant in filter(None, (scorer, failure)):
            if variant.draws or variant.keyed:
                given = DRAW if variant.draws else IDEMPOTENCY_KEY
                raise PipelineError(f"{where}: takes {given!r}, but a score is not random; draw in a step instead")
            if variant.is_async:
                raise PipelineError(f"{where}: is async; call it with asyncio.run in a plain function")
        if not score.graded and (score.low, score.high, score.threshold) != (0, 1, 1):
            raise PipelineError(f"{where}: has a range or threshold of its own, so it is graded: say graded=True")
        if score.low == score.high:
            raise PipelineError(f"{where}: a scale from {score.low} to {score.high} holds one number only")
        if not -_LARGEST_SCORE <= score.low <= score.threshold <= score.high <= _LARGEST_SCORE:
            raise PipelineError(
                f"{where}: the threshold {score.threshold} lies outside {score.low} to {score.high}, "
                f"or these outside ±{_LARGEST_SCORE:g}"
            )
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
        scoring = self.scoring
        content = {
            "id": self.id,
            "score": [scoring.graded, scoring.low, scoring.high, scoring.threshold, scoring.code_version],
            "failure": None if self.failure is None else scoring.failure_version,
            "steps": [
                {
                    "name": node.step.name,
                    "parents": node.parents,
                    "variants": [node.factual.version, node.fixed.version],
                    "fix": [node.fix.label, node.fix.kind] if node.fix else None,
                    "costs": [None if math.isnan(cost) else cost for cost in (node.factual.cost, node.fixed.cost)],
                    "samples_itself": [node.factual.samples_itself, node.fixed.samples_itself],
                }
                for node in self.nodes
            ],
        }
        return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
