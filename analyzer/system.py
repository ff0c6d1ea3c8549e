"""Turns the two ways of declaring what is examined, a fixed list of steps and a program that calls them, into one type.

Both have an id and texts, nodes in the order they are shown, players, a score, and a fingerprint.
"""

from __future__ import annotations

from analyzer.pipeline import Pipeline
from analyzer.program import Program

System = Pipeline | Program
