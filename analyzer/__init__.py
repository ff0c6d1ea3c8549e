"""Turns a pipeline with fixes and its failing cases into game files: all coalitions of fixes, under the same noise."""

__version__ = "0.1.0"

from analyzer.noise import Draws
from analyzer.pipeline import Case, Codec, Fix, Pipeline, PipelineError, Score, Step, text_diff
from analyzer.program import Program, StepError

__all__ = [
    "Case", "Codec", "Draws", "Fix", "Pipeline", "PipelineError", "Program", "Score", "Step", "StepError", "text_diff",
]  # fmt: skip
