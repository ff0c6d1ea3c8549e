"""Game files whose values were sampled: forty and fifty-three fixes, of which only the coalitions listed were run.

The estimates and intervals are written down here, near the games' true values, so that a page can be held to them
without sampling anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from analyzer.game_file import CaseGame, CoalitionError, GameFile, SampledValues, ScoreInfo, Shown, StepInfo
from tests.made_game_files import case_game, fix, game_file, scenario, step

_VERBS = ("read", "clean", "match", "check", "post")
_NOUNS = (
    "orders", "customers", "prices", "stock", "refunds", "taxes", "parcels", "invoices", "claims", "accounts",
    "tariffs",
)  # fmt: skip


def stages(count: int) -> tuple[StepInfo, ...]:
    """Return a chain of up to 55 steps with a fix each."""
    names = [f"{verb} {noun}" for noun, verb in product(_NOUNS, _VERBS)][:count]
    return tuple(
        step(name, names[k - 1 : k] if k else (), title=name.capitalize(), fix=fix(f"a stricter {name}"))
        for k, name in enumerate(names)
    )


def listed(players: int) -> tuple[int, ...]:
    """Return no fix, each fix alone, all but each fix and all fixes, increasing."""
    grand = 2**players - 1
    singles = [1 << player for player in range(players)]
    return tuple(sorted({0, grand, *singles, *(grand - single for single in singles)}))


def sampled_case(
    steps: Sequence[StepInfo],
    name: str,
    worth: Callable[[int], int | float | None],
    denominator: int | None,
    sampled: SampledValues | None,
    *,
    failure: str = "",
    tags: Sequence[str] = (),
) -> CaseGame:
    """Return a case of which the coalitions in `listed` are shown, with the estimates given."""
    masks = listed(len(steps))
    table = [worth(mask) for mask in masks]
    bits = {one.id: 1 << k for k, one in enumerate(steps)}

    def text(name: str, mask: int) -> str:
        done = "after its fix" if mask & bits[name] else "as it is"
        return f"{name}, {done}: {mask.bit_count()} fixes in all" if name == steps[-1].id else f"{name}, {done}"

    errors = {
        mask: CoalitionError(steps[-1].id, "TimeoutError: no answer within 30 s")
        for mask, value in zip(masks, table, strict=True)
        if value is None
    }
    return case_game(
        steps, name, table, denominator, text, inputs=[Shown("batch", f"The night run of {name}.")],
        errors=errors, coalitions=masks, sampled=sampled, failure=failure, tags=tags,
    )  # fmt: skip


def estimates(
    values: Sequence[float], radius: float, leader: int | None, *, stopped: str, evaluations: int = 1_486
) -> SampledValues:
    """Return estimates with intervals of one radius, cut to -1 and 1."""
    return SampledValues(
        estimator="adjusted",
        draws=2 * evaluations // 3,
        evaluations=evaluations,
        delta=0.05,
        values=tuple(values),
        low=tuple(max(-1.0, value - radius) for value in values),
        high=tuple(min(1.0, value + radius) for value in values),
        leader=leader,
        stopped=stopped,
    )


def _wobbled(truth: Sequence[float]) -> list[float]:
    """Return numbers near those given, as estimates are, with the same sum but for rounding."""
    return [value + (k % 5 - 2) / 1_500 for k, value in enumerate(truth)]


def _night_run(mode: str, worlds: int) -> GameFile:
    steps = stages(40)
    grand = 2**40 - 1

    def led(mask: int) -> int:
        return worlds if mask >> 7 & 1 or mask.bit_count() >= 30 else 0

    def shared(mask: int) -> int:
        return worlds if mask >> 3 & 1 or mask >> 38 & 1 else 0

    def joint(mask: int) -> int:
        return worlds if mask & 0b111 == 0b111 else 0

    def torn(mask: int) -> int | None:
        return None if mask == grand - 2 else led(mask)

    separated, spent = "the first fix is separated from all others", "2000 coalitions were run, the most allowed"
    cases = [
        sampled_case(
            steps, "leader", led, worlds,
            estimates(_wobbled([0.75 if k == 7 else 1 / 156 for k in range(40)]), 0.08, 7, stopped=separated),
            failure="lost lines", tags=["nightly"],
        ),
        sampled_case(
            steps, "two alike", shared, worlds,
            estimates(
                _wobbled([0.5 if k in (3, 38) else 0.0 for k in range(40)]), 0.11, None,
                stopped=spent, evaluations=2_000,
            ),
            failure="lost lines",
        ),
        sampled_case(
            steps, "three together", joint, worlds,
            estimates(_wobbled([1 / 3 if k < 3 else 0.0 for k in range(40)]), 0.4, None, stopped=spent),
            tags=["nightly", "<b>bold</b>"],
        ),
        sampled_case(steps, "torn", torn, worlds, None, failure="<i>late</i>"),
        sampled_case(steps, "drawn without a score", led, worlds, None),
    ]  # fmt: skip
    about = scenario("night-run", "Night run", "Forty steps, each of which could be stricter.")
    return game_file(about, steps, mode, worlds, cases, seen=300)


def _graded_run() -> GameFile:
    """Return a graded game of as many fixes as there can be; one of them makes things worse."""
    steps = stages(53)
    score = ScoreInfo("share of lines that balance", True, 0.0, 1.0, 0.9)

    def worth(mask: int) -> float:
        return 0.1 + 0.01 * mask.bit_count() - (0.05 if mask >> 52 & 1 else 0.0)

    values = [-0.04 if player == 52 else 0.01 for player in range(53)]
    sampled = estimates(values, 0.02, None, stopped="every interval is narrower than 0.05", evaluations=512)
    about = scenario("graded-night-run", "Graded night run", "Fifty-three steps, marked by a grader.", score, "tokens")
    return game_file(about, steps, "replayed", 1, [sampled_case(steps, "drags", worth, None, sampled)])


def _mixed_run() -> GameFile:
    """Return a scenario of which one case was sampled, with one coalition more than need be listed, and one was not."""
    steps = stages(4)

    def worth(mask: int) -> int:
        return int(mask & 3 == 3 or mask & 12 == 12)

    masks = (*listed(4)[:3], 3, *listed(4)[3:])
    sampled = estimates([0.25] * 4, 0.1, None, stopped="16 coalitions are all there are", evaluations=16)

    def text(name: str, mask: int) -> str:
        return f"{name} under {mask:b}"

    cases = [
        case_game(steps, "sampled", [worth(mask) for mask in masks], 1, text, coalitions=masks, sampled=sampled),
        case_game(steps, "whole", [worth(mask) for mask in range(16)], 1, text),
    ]
    about = scenario("mixed-night-run", "Mixed night run", "One case was sampled, one was not.")
    return game_file(about, steps, "replayed", 1, cases)


def sampled_files() -> list[GameFile]:
    """Return sampled games of forty fixes under two kinds of luck, of fifty-three, and of four beside a whole one."""
    return [_night_run("replayed", 1), _night_run("fresh", 8), _graded_run(), _mixed_run()]
