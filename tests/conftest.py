"""What every test may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run: a failure seen once is a failure seen by everybody.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def forget_modules(folder: Path) -> None:
    """Forget what was imported from a folder, so that other modules of the same names can be.

    They are taken out rather than kept in a copy of `sys.modules`, as what looks functions up by name asks the
    interpreter itself.
    """
    for name, module in list(sys.modules.items()):
        if str(folder) in str(getattr(module, "__file__", None) or getattr(module, "__path__", "")):
            del sys.modules[name]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder, whose modules are found and forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield tmp_path
    forget_modules(tmp_path)
