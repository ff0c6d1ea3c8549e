"""What holds for the repository as a whole: its layers, its wheel, its docs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from site_builder.cli import main

ROOT = Path(__file__).parent.parent


def run(*command: object, **options: object) -> str:
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, encoding="utf-8", check=False, **options
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_imports_keep_to_the_layers():
    assert "0 broken" in run(Path(sys.executable).parent / "lint-imports", "--no-cache", cwd=ROOT)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT)
    (path,) = out.glob("agent_blame_site-*.whl")
    return path


def test_wheel_holds_templates_static_files_schema_and_type_marker(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for needed in (
        "analyzer/py.typed",
        "site_builder/py.typed",
        "analyzer/game_file.schema.json",
        "analyzer/starter/my_bot.py",
        "analyzer/starter/cases.jsonl",
    ):
        assert needed in names
    for folder in ("templates", "static"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                assert f"site_builder/{path.relative_to(ROOT).as_posix()}" in names


def tree(folder: Path) -> dict[str, bytes]:
    """Return all that is handed on; a store holds when calls ran and how long they took."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if not name.startswith(".agentblame/")}


def make(command: list[object], folder: Path, **environment: str) -> dict[str, bytes]:
    folder.mkdir(parents=True)
    options = {"cwd": folder, "env": {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}}
    for target in ("quickstart", "refund-policy", "stochastic-rag", "eight-step"):
        run(*command, "analyze", target, "--out", "games", **options)
    run(*command, "build", "games", "--out", "site", **options)
    run(*command, "report", "games", "--out", "report.html", **options)
    return tree(folder)


@pytest.fixture(scope="module")
def made_here(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("here") / "made"
    return make([sys.executable, "-m", "site_builder"], folder, TZ="UTC", PYTHONHASHSEED="1")


def test_another_time_zone_hash_seed_and_folder_make_the_same_bytes(made_here, tmp_path):
    command = [sys.executable, "-m", "site_builder"]
    assert make(command, tmp_path / "ein Ordner", TZ="Pacific/Kiritimati", PYTHONHASHSEED="2") == made_here


def test_wheel_in_a_clean_environment_makes_the_same_bytes(made_here, wheel, tmp_path):
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    run(scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    assert make([scripts / "agentblame"], tmp_path / "made") == made_here


def test_readme_mentions_every_command():
    readme = (ROOT / "README.md").read_text("utf-8")
    for name in main.commands:
        assert f"agentblame {name}" in readme


def test_readme_links_lead_somewhere():
    readme = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", readme):
        assert (ROOT / target).exists(), target
