"""Turns a declared score into one that is checked, with what it reads, and its steps' variants into one fingerprint."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from typing import Any

from analyzer.steps import DRAW, IDEMPOTENCY_KEY, PipelineError, Score
from analyzer.wiring import Node, Variant, check_text, read_variant

# Far from where the sums that attribution takes would overflow.
_LARGEST_SCORE = 1e100


def resolve_score(
    where: str, declared: Score | Callable[..., Any], names: Sequence[str]
) -> tuple[Score, Variant, Variant | None]:
    """Return a score, and what it and its kinds of failure read.

    Parameters
    ----------
    where : str
        Begins every message.
    declared : Score or callable
    names : sequence of str
        What may be read, besides the case.

    Raises
    ------
    PipelineError
        If it cannot stand.
    """
    score = declared if isinstance(declared, Score) else Score(declared)
    where = f"{where}: score"
    check_text(f"{where}: meaning", score.meaning)
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
    return score, scorer, failure or None


def fingerprint_of(id: str, score: Score, nodes: Sequence[Node], *more: object) -> str:
    """Return 32 hex digits that change when a step's code, the score or a setting changes."""
    content = {
        "id": id,
        "score": [score.graded, score.low, score.high, score.threshold, score.code_version],
        "failure": None if score.failure is None else score.failure_version,
        "more": more,
        "steps": [
            {
                "name": node.step.name,
                "parents": node.parents,
                "variants": [node.factual.version, node.fixed.version],
                "fix": [node.fix.label, node.fix.kind] if node.fix else None,
                "costs": [None if math.isnan(cost) else cost for cost in (node.factual.cost, node.fixed.cost)],
                "samples_itself": [node.factual.samples_itself, node.fixed.samples_itself],
            }
            for node in nodes
        ],
    }
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
