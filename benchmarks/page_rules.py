"""Turns the page's own Shapley rule into a table of times beside a bare double loop in the same browser.

``python benchmarks/page_rules.py`` needs Chromium. Both loops are warm, take the same games and take turns;
medians and ratios are of one run on one machine.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.chromium import offline_context, running_chromium

SCRIPTS = Path(__file__).parents[1] / "static" / "js"

MEASURE = """
({ games, players, repeats }) => {
  const rule = AgentBlame.rules.shapley;
  const length = 2 ** players;
  const weights = [];
  const sizes = [];
  const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
  for (let s = 0; s < players; s++) {
    weights.push(factorial(s) * factorial(players - s - 1) / factorial(players));
  }
  for (let mask = 0; mask < length; mask++) {
    sizes.push(mask.toString(2).split("1").length - 1);
  }
  function bareLoop(worth) {
    const values = new Array(players).fill(0);
    for (let player = 0; player < players; player++) {
      const bit = 1 << player;
      for (let mask = 0; mask < length; mask++) {
        if (!(mask & bit)) {
          values[player] += weights[sizes[mask]] * (worth[mask | bit] - worth[mask]);
        }
      }
    }
    return values;
  }
  const tables = (draw) => Array.from({ length: games }, () => Array.from({ length }, draw));
  const kinds = {
    "pass/fail": [tables(() => (Math.random() < 0.5 ? 1 : 0)), 1],
    "real": [tables(Math.random), null],
  };
  const seconds = (call, batch) => {
    const start = performance.now();
    let checksum = 0;
    for (const worth of batch) { checksum += call(worth)[0]; }
    return [(performance.now() - start) / 1000, checksum];
  };
  const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
  return Object.keys(kinds).map((kind) => {
    const [batch, denominator] = kinds[kind];
    const bare = [], ours = [];
    for (let turn = 0; turn < repeats + 2; turn++) {
      const first = seconds(bareLoop, batch), second = seconds((worth) => rule(worth, denominator), batch);
      if (Math.abs(first[1] - second[1]) > 1e-6) { throw new Error("the two loops disagree"); }
      if (turn >= 2) { bare.push(first[0]); ours.push(second[0]); }
    }
    return { kind, bare: median(bare), ours: median(ours) };
  });
}
"""


def main() -> None:
    scripts = [SCRIPTS / "namespace.js", *sorted((SCRIPTS / "rules").glob("*.js")), SCRIPTS / "freeze.js"]
    tags = "".join(f'<script src="{path.resolve().as_uri()}"></script>\n' for path in scripts)
    with tempfile.TemporaryDirectory() as folder, running_chromium() as browser:
        html = Path(folder) / "rules.html"
        html.write_text(f"<!doctype html>\n<meta charset=utf-8>\n<title>Rules</title>\n{tags}", "utf-8")
        page = offline_context(browser).new_page()
        page.goto(html.as_uri())
        print(f"10,000 games of 8 fixes, median of 15 runs, Chromium {browser.version}\n")
        print("| scores | bare double loop | the page's rule | ratio |")
        print("|---|---:|---:|---:|")
        for row in page.evaluate(MEASURE, {"games": 10_000, "players": 8, "repeats": 15}):
            bare, ours = row["bare"], row["ours"]
            print(f"| {row['kind']} | {bare * 1e3:.1f} ms | {ours * 1e3:.1f} ms | {ours / bare:.2f} |")


if __name__ == "__main__":
    main()
