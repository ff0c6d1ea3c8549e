"""Measures one draw from a vocabulary of 50,000 beside the bare numpy work it cannot do without.

python benchmarks/noise.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from analyzer.noise import Draws, World

WORDS = 50_000
ROUNDS = 41


def median_ms(run: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


def main() -> None:
    logits = np.random.default_rng(0).normal(size=WORDS)
    luck = World("0").of_step("step")
    generator = np.random.Generator(np.random.Philox(key=1))
    choices = {str(number): 0.1 * number for number in range(8)}

    def bare() -> int:
        return int(np.argmax(logits - np.log(-np.log(generator.random(WORDS)))))

    rows = {
        "bare numpy: uniforms, two logarithms, argmax": median_ms(bare),
        f"vocabulary of {WORDS:,}": median_ms(lambda: Draws(luck).vocabulary("word", logits)),
        "choice among 8 labels": median_ms(lambda: Draws(luck).categorical("label", choices)),
    }
    base = next(iter(rows.values()))
    print(f"| one draw | median of {ROUNDS} | ratio |")
    print("|---|---:|---:|")
    for name, milliseconds in rows.items():
        print(f"| {name} | {milliseconds:.3f} ms | {milliseconds / base:.2f} |")


if __name__ == "__main__":
    main()
