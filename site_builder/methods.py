"""Turns scenarios into their methods and provenance: what was run, how, and the command behind each number."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.game_file import Header, file_name
from analyzer.rules import number_text
from site_builder.excerpts import excerpt
from site_builder.over_all import OverAll
from site_builder.scenario_games import ScenarioGames
from site_builder.wording import MODE_TITLES

_CASES = "agentblame show games/ --cases"
_SHOW = "agentblame show games/"
_DATA = "agentblame show games/ --json"
_BUILD = "agentblame build games/ --out site/"

#: Each kind of number on the pages: its name there, the rule in words, where it is defined, the command that gives it.
_NUMBERS = (
    ("Outcome of a combination", "score, as a mean over worlds", "analyzer/game.py", "worth_table", _DATA),
    ("Pass or fail of a combination", "level of a repair", "analyzer/rules/repair_level.py", "repair_level", _BUILD),
    ("Shapley value", "mean contribution over all orders", "analyzer/rules/shapley.py", "shapley", _CASES),
    ("Banzhaf value", "mean contribution over all sets", "analyzer/rules/banzhaf.py", "banzhaf", _CASES),
    ("Fix alone", "this fix less no fix", "analyzer/rules/fix_alone.py", "fix_alone", _CASES),
    ("Leave one out", "all fixes less all but this", "analyzer/rules/leave_one_out.py", "leave_one_out", _CASES),
    ("Last touch", "last output that changes", "analyzer/rules/last_touch.py", "last_touch", _CASES),
    ("Estimate and interval of a sampled value", "sampled orders", "analyzer/sampling.py", "sample", _CASES),
    ("Rank", "larger values first, ties share a place", "analyzer/rules/rank.py", "rank", _BUILD),
    ("Verdict on a case", "sentences from the table of outcomes", "analyzer/rules/verdict.py", "verdict", _CASES),
    ("Minimal repairs", "smallest sets that repair", "analyzer/rules/minimal_repairs.py", "minimal_repairs", _BUILD),
    ("Two fixes together", "Shapley interaction index", "analyzer/rules/shapley_interaction.py",
     "shapley_interaction", _BUILD),
    ("What a set adds beyond its parts", "Harsanyi dividend", "analyzer/rules/harsanyi_dividends.py",
     "harsanyi_dividends", _BUILD),
    ("Mean value, standard deviation", "over all cases with values", "analyzer/rules/mean_and_deviation.py",
     "mean_and_deviation", _SHOW),
    ("Interval of a mean value", "betting confidence sequence", "analyzer/rules/betting.py", "betting_interval", _SHOW),
    ("Which fix comes first", "betting on differences", "analyzer/rules/separation.py", "separation", _SHOW),
    ("Share of the repair", "mean values as parts of a whole", "analyzer/rules/share_of_repair.py",
     "share_of_repair", _SHOW),
    ("Repairs alone, no-fix control, all fixes", "counts of cases", "analyzer/batch_table.py", "batch_table", _DATA),
    ("Needed", "probability of necessity", "analyzer/rules/necessity.py", "necessity", _SHOW),
    ("Enough", "probability of sufficiency", "analyzer/rules/sufficiency.py", "sufficiency", _SHOW),
    ("Which fixes to ship", "best set of each size", "analyzer/rules/best_fix_sets.py", "best_fix_sets", _SHOW),
    ("Text of every number", "three decimals", "analyzer/rules/number_text.py", "number_text", _BUILD),
)  # fmt: skip


@dataclass(frozen=True)
class Number:
    """A kind of number on the pages: the rule behind it, the lines that define it, the command that gives it again."""

    name: str
    rule: str
    source: str
    command: str


@dataclass(frozen=True)
class ScenarioMethods:
    """How a scenario was analysed.

    Attributes
    ----------
    modes : tuple of str
        The columns of `facts`, by name.
    facts : tuple of (str, tuple of tuple of str)
        Rows: a name, and for each mode one text or several.
    again : tuple of str
        The commands that run it again, as far as the headers know.
    files : tuple of (str, str, str)
        For each mode its name, the command that recomputes the values in its game file, and the one that prints them.
    """

    slug: str
    linked: bool
    id: str
    pipeline: str
    title: str
    score: str
    scale: str
    modes: tuple[str, ...]
    facts: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    again: tuple[str, ...]
    files: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Methods:
    """Everything on the page of methods and provenance."""

    numbers: tuple[Number, ...]
    scenarios: tuple[ScenarioMethods, ...]
    commands: tuple[tuple[str, str], ...]


def methods(everything: Sequence[OverAll]) -> Methods:
    """Return how a site's numbers came about.

    Raises
    ------
    SiteError
        If a rule that is named is not where it was.
    """
    numbers = tuple(
        Number(name, rule, excerpt(path, defined).caption, command) for name, rule, path, defined, command in _NUMBERS
    )
    commands = (
        ("Check the game files, and recompute every rule's values in them", "agentblame validate games/"),
        ("Print what they say", _SHOW),
        ("Build this site", _BUILD),
        ("Or one file", "agentblame report games/ --out report.html"),
    )
    return Methods(numbers, tuple(_scenario(over.scenario) for over in everything), commands)


def _scenario(scenario: ScenarioGames) -> ScenarioMethods:
    headers, described = tuple(scenario.headers.values()), scenario.header.scenario
    return ScenarioMethods(
        slug=scenario.slug,
        linked=bool(scenario.cases),
        id=described.id,
        pipeline=described.pipeline,
        title=described.title or described.id,
        score=described.score.meaning,
        scale=_scale(headers),
        modes=tuple(MODE_TITLES[header.mode] for header in headers),
        facts=_facts(headers),
        again=_again(scenario),
        files=tuple(_file(header) for header in headers),
    )


def _scale(headers: Sequence[Header]) -> str:
    """Say what scores there are, and what counts as a repair."""
    score = headers[0].scenario.score
    span = f"from {number_text(score.low)} to {number_text(score.high)}"
    if score.graded:
        return f"Graded, {span}; it passes from {number_text(score.threshold)} on."
    most = " Over several worlds, a case is repaired where at least half of them pass."
    return "Pass or fail." + (most if any(header.worlds > 1 for header in headers) else "")


def _facts(headers: Sequence[Header]) -> tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]:
    facts: dict[str, list[tuple[str, ...]]] = {
        "Mode": [(header.mode,) for header in headers],
        "Worlds per combination": [(str(header.worlds),) for header in headers],
        "World whose outputs are shown": [(str(header.reference_world + 1),) for header in headers],
        "Seed": [(header.seed,) for header in headers],
        "Cases seen": [(str(header.counts.seen),) for header in headers],
        "Passed": [(str(header.counts.passed),) for header in headers],
        "Failed": [(str(header.counts.failed),) for header in headers],
        "Errored": [(str(header.counts.errored),) for header in headers],
        "Analysed": [(str(header.counts.analysed),) for header in headers],
        "Stopped because": [(header.stopped,) for header in headers],
        "Error probability of what is claimed (δ)": [(f"{header.delta:g}",) for header in headers],
        "Redacted": [tuple(header.redacted) or ("nothing",) for header in headers],
        "Fingerprint of code and settings": [(header.fingerprint,) for header in headers],
        "Made by": [(f"{header.package} {header.version}",) for header in headers],
    }
    return tuple((name, tuple(found)) for name, found in facts.items())


def _file(header: Header) -> tuple[str, str, str]:
    path = f"games/{file_name(header.scenario.id, header.mode)}"
    return MODE_TITLES[header.mode], f"agentblame validate {path}", f"agentblame show {path} --cases"


def _again(scenario: ScenarioGames) -> tuple[str, ...]:
    """Return one command for all modes that were run with the same options."""
    modes: dict[tuple[str, ...], list[str]] = {}
    several = {header.worlds for header in scenario.headers.values() if header.mode != "replayed"}
    for header in scenario.headers.values():
        # The mode with one world takes any number of worlds for the others.
        worlds = several if header.mode == "replayed" and len(several) == 1 else {header.worlds} - {1}
        modes.setdefault(_options(header, scenario, sorted(worlds)), []).append(header.mode)
    return tuple(
        shlex.join(
            ["agentblame", "analyze", "TARGET", *(word for mode in found for word in ("--mode", mode)), *options]
        )
        for options, found in modes.items()
    )


def _options(header: Header, scenario: ScenarioGames, worlds: Sequence[int]) -> tuple[str, ...]:
    words = [word for number in worlds for word in ("--worlds", str(number))]
    words += ["--seed", header.seed, "--delta", str(header.delta)]
    if header.scenario.id != header.scenario.pipeline:
        chosen = [(step.id, step.fix.label) for step in header.steps if step.fix is not None and step.alternatives]
        words += [word for step, label in chosen for word in ("--fix", f"{step}={label}")]
    games = [case.games[header.mode] for case in scenario.cases if header.mode in case.games]
    estimators = dict.fromkeys(game.sampled.estimator for game in games if game.sampled is not None)
    words += [word for name in estimators for word in ("--estimator", name)]
    return (*words, "--out", "games/")
