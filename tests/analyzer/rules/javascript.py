"""Turns the shipped rule scripts and the vectors into a verdict of each JavaScript engine at hand."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.vectors.regenerate import FILES, file_of

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "static" / "js"
ANSWERS = ROOT / "tests" / "vectors" / "answers.js"

# Shells that may be at hand besides Chromium: JavaScriptCore's (libjavascriptcoregtk-4.0-bin or 4.1-bin),
# SpiderMonkey's (libmozjs-102-dev or 128-dev), and Node.
SHELLS = ("jsc", "js102", "js128", "node")


def rule_scripts() -> list[Path]:
    """Return the shipped scripts in the order a page loads them."""
    return [SCRIPTS / "namespace.js", *sorted((SCRIPTS / "rules").glob("*.js")), SCRIPTS / "freeze.js"]


def found_shells() -> list[str]:
    """Return the shells installed here."""
    return [name for name in SHELLS if shutil.which(name)]


def vectors_script(rules: list[str]) -> str:
    """Return a script that defines VECTORS, as ASCII."""
    parsed = {rule: json.loads(file_of(rule).read_text("ascii")) for rule in rules}
    return f"globalThis.VECTORS = {json.dumps(parsed)};\n"


def run_in_shell(shell: str, folder: Path) -> dict[str, Any]:
    """Run all vectors in a shell, against the shipped files where they lie."""
    vectors = folder / "vectors.js"
    vectors.write_text(vectors_script(list(FILES)), "ascii")
    files = json.dumps([str(path) for path in (*rule_scripts(), ANSWERS, vectors)])
    runner = folder / "runner.js"
    # node has no load(), and its scripts must run in the global scope as a page's do
    runner.write_text(
        "var loadScript = typeof load === 'function' ? load : (path) =>"
        " require('vm').runInThisContext(require('fs').readFileSync(path, 'utf8'), path);\n"
        "var show = typeof print === 'function' ? print : console.log;\n"
        f"{files}.forEach((path) => loadScript(path));\n"
        "show(runVectors(VECTORS));\n",
        "utf-8",
    )
    finished = subprocess.run([shell, str(runner)], capture_output=True, text=True, timeout=120, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    report: dict[str, Any] = json.loads(finished.stdout)
    return report


def open_page(page: Page, folder: Path, rules: list[str], changed: dict[str, str] | None = None) -> None:
    """Open a page from disk that loads the shipped scripts, except that `changed` gives some another text."""
    sources = []
    for path in rule_scripts():
        if changed and path.name in changed:
            copy = folder / path.name
            copy.write_text(changed[path.name], "utf-8")
            sources.append(copy)
        else:
            sources.append(path)
    vectors = folder / "vectors.js"
    vectors.write_text(vectors_script(rules), "ascii")
    tags = "".join(f'<script src="{path.as_uri()}"></script>\n' for path in (*sources, ANSWERS, vectors))
    html = folder / "rules.html"
    html.write_text(f'<!doctype html>\n<meta charset="utf-8">\n<title>Rules</title>\n{tags}', "utf-8")
    page.goto(html.as_uri())


def run_in_page(page: Page) -> dict[str, Any]:
    """Run the vectors that the open page has loaded."""
    report: dict[str, Any] = json.loads(page.evaluate("runVectors(VECTORS)"))
    return report
