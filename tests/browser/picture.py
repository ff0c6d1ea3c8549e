"""Turns the bundled stochastic-rag scenario into the picture in the README.

``python -m tests.browser.picture`` writes it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from analyzer.batch import analyze
from analyzer.scenarios import bundle
from site_builder import plan_site, write_site
from tests.browser.chromium import offline_context, running_chromium

PICTURE = Path(__file__).parents[2] / "examples" / "scenario.png"


def main() -> None:
    found = bundle("stochastic-rag")
    files = [file for pipeline in found.pipelines for file in analyze(pipeline, found.cases).files]
    with tempfile.TemporaryDirectory() as folder, running_chromium() as browser:
        write_site(plan_site(files), Path(folder) / "site")
        page = offline_context(browser, viewport={"width": 1180, "height": 1300}, color_scheme="light").new_page()
        page.goto((Path(folder) / "site" / "scenarios" / "stochastic-rag.html").as_uri())
        page.evaluate("AgentBlame.page.settled()")
        page.screenshot(path=PICTURE)


if __name__ == "__main__":
    main()
