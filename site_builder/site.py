"""Turns game files into a plan of the site: every path and its bytes, without touching a disk.

Equal game files give equal bytes, in any time zone, hash seed and folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from analyzer.game_file import CaseGame, GameFile, Header
from site_builder import assets, pages, wording
from site_builder.batch_data import batch_chunks
from site_builder.branding import Branding
from site_builder.cards import card
from site_builder.errors import SiteError
from site_builder.explainers import articles
from site_builder.links import Links
from site_builder.methods import methods
from site_builder.outcomes import places
from site_builder.over_all import over_all
from site_builder.overview import batch_summary, case_marks, overview
from site_builder.payload import script_chunk
from site_builder.ranking import game_values
from site_builder.scenario_games import ScenarioCase, ScenarioGames, group
from site_builder.search_data import SEARCH, search_data
from site_builder.share_data import share_data
from site_builder.views import ScenarioView, scenario_view, verdict_view

#: What static hosting takes, in bytes: GitHub Pages' limits for a file and for a site.
LARGEST_FILE = 100 * 2**20
LARGEST_SITE = 10**9

#: A single file above this takes long to open; a folder loads case by case.
LARGEST_REPORT = 50 * 2**20


class Plan:
    """Paths, with ``/`` between their parts, and the bytes that go there."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._taken: set[str] = set()

    def add(self, path: str, content: bytes) -> None:
        """Plan a file.

        Raises
        ------
        SiteError
            If that path is planned already, also when it differs in case only.
        """
        if path.casefold() in self._taken:
            raise SiteError(f"{path}: is planned twice. Rename the scenario or case that takes it.")
        self._taken.add(path.casefold())
        self._files[path] = content

    def files(self) -> dict[str, bytes]:
        """Return what is planned, by path."""
        return dict(sorted(self._files.items()))


def plan_site(files: Sequence[GameFile], branding: Branding | None = None) -> dict[str, bytes]:
    """Plan a folder: an index, a page per scenario, one data chunk per case, pages of text, and what they all load.

    Parameters
    ----------
    files : sequence of GameFile
        At least one; the modes of a scenario end on one page.
    branding : Branding, optional
        Whose name the site carries.

    Returns
    -------
    dict of str to bytes
        Relative paths and contents.

    Raises
    ------
    SiteError
        If files contradict each other, or hold nothing to show.
    """
    everything = [over_all(one) for one in group(files)]
    scenarios = [over.scenario for over in everything]
    brand = branding or Branding()
    plan = Plan()
    plan.add("index.html", pages.index_page([card(over, everything) for over in everything], scenarios, brand))
    for over in everything:
        one = over.scenario
        if not one.cases:
            continue
        view = scenario_view(one)
        plan.add(
            f"scenarios/{one.slug}.html",
            pages.scenario_page(view, overview(view, over, everything), scenarios, brand),
        )
        for key, content in chunks(one, view):
            plan.add(f"data/{key}.js", script_chunk(key, content))
    read = articles(everything, Links("../"), overrides=brand.overrides)
    plan.add("explainers.html", pages.explainers_page(read, scenarios, brand))
    for place, article in enumerate(read):
        plan.add(f"explainers/{article.slug}.html", pages.article_page(place, read, scenarios, brand))
    plan.add("methods.html", pages.methods_page(methods(everything), scenarios, brand))
    of_articles = dict.fromkeys(name for article in read for name in assets.article_scripts(article.widgets))
    for name in (assets.FIRST_SCRIPT, *of_articles, assets.ICON, *assets.LICENCES):
        plan.add(f"static/{name}", assets.static(name))
    for name, file in {**assets.joined(), **brand.files}.items():
        plan.add(f"static/{name}", file)
    plan.add(".nojekyll", b"")
    plan.add("robots.txt", b"User-agent: *\nDisallow: /\n")
    return plan.files()


def plan_report(files: Sequence[GameFile], branding: Branding | None = None) -> bytes:
    """Plan one self-contained HTML file with the views, the numbers and the data of the folder.

    Parameters
    ----------
    files : sequence of GameFile
        At least one.
    branding : Branding, optional
        Whose name the report carries.

    Returns
    -------
    bytes
        The page.
    """
    everything = [over_all(one) for one in group(files)]
    shown = [over for over in everything if over.scenario.cases]
    views = [scenario_view(over.scenario) for over in shown]
    blocks = [block for over, view in zip(shown, views, strict=True) for block in chunks(over.scenario, view)]
    cards = [card(over, everything) for over in everything]
    overviews = [(view, overview(view, over, everything)) for over, view in zip(shown, views, strict=True)]
    scenarios = [over.scenario for over in everything]
    brand = branding or Branding()
    read = articles(everything, Links("", inline=True), overrides=brand.overrides)
    return pages.report_page(cards, overviews, read, methods(everything), blocks, scenarios, brand)


def chunks(scenario: ScenarioGames, view: ScenarioView) -> list[tuple[str, dict[str, Any]]]:
    """Return a scenario's data.

    A summary under its slug, one chunk per case under ``scenario/case``, and, where there are several, those of all
    cases per mode under ``scenario/batch.mode`` and what is searched under ``scenario/search.all``.
    """
    found = [(scenario.slug, _summary(scenario, view))]
    found.extend((f"{scenario.slug}/{case.slug}", _case(case, scenario)) for case in scenario.cases)
    if len(scenario.cases) > 1:
        for mode in scenario.headers:
            found.extend((f"{scenario.slug}/{key}", data) for key, data in batch_chunks(over_all(scenario, mode)))
        found.append((f"{scenario.slug}/{SEARCH}", search_data(scenario)))
    return found


def warnings(plan: dict[str, bytes]) -> list[str]:
    """Return a sentence for each hosting limit a plan exceeds."""
    found = [
        f"{path} has {len(content) / 2**20:.0f} MiB; hosts such as GitHub Pages refuse files over 100 MiB. "
        "Analyse fewer cases, or shorten what steps put out."
        for path, content in plan.items()
        if len(content) > LARGEST_FILE
    ]
    total = sum(len(content) for content in plan.values())
    if total > LARGEST_SITE:
        found.append(
            f"the site has {total / 10**9:.1f} GB; hosts such as GitHub Pages refuse sites over 1 GB. "
            "Split the game files."
        )
    return found


def report_warnings(page: bytes) -> list[str]:
    """Return a sentence if a single-file report is so large that it opens slowly."""
    if len(page) <= LARGEST_REPORT:
        return []
    size = f"{len(page) / 2**20:.0f} MiB"
    return [f"the report has {size} and will open slowly; `agentblame build` makes a folder that loads case by case."]


def _summary(scenario: ScenarioGames, view: ScenarioView) -> dict[str, Any]:
    header, score = scenario.header, scenario.header.scenario.score
    return {
        "title": view.title,
        "low": score.low,
        "high": score.high,
        "threshold": score.threshold,
        "graded": score.graded,
        "titles": list(view.player_titles),
        "ordered": view.ordered,
        "players": [[step.id for step in header.steps].index(player) for player in header.players],
        "modes": [asdict(mode) for mode in view.modes],
        "redacted": {mode: list(one.redacted) for mode, one in scenario.headers.items()},
        "cases": [
            {"slug": row.slug, "id": row.id, "sentences": dict(row.sentences), "sampled": list(row.sampled), **marks}
            for row, marks in zip(view.cases, case_marks(scenario), strict=True)
        ],
        **batch_summary(scenario),
        "shared": share_data(scenario),
    }


def _case(case: ScenarioCase, scenario: ScenarioGames) -> dict[str, Any]:
    texts: dict[str, int] = {}
    modes = {mode: _game(game, scenario.headers[mode], texts) for mode, game in case.games.items()}
    return {"slug": case.slug, "id": case.id, "modes": modes, "texts": list(texts)}


def _game(game: CaseGame, header: Header, texts: dict[str, int]) -> dict[str, Any]:
    """Return a game with each distinct text replaced by its number; `texts` collects them over all modes of a case."""
    return {
        "denominator": game.denominator,
        "worth": list(game.worth),
        "coalitions": None if game.coalitions is None else list(game.coalitions),
        "sampled": None if game.coalitions is None else _sampled(game, header),
        "shown": list(game.shown_scores),
        "errors": {str(mask): reason for mask, reason in game.reasons.items()},
        "inputs": [[shown.name, texts.setdefault(shown.text, len(texts))] for shown in game.inputs],
        "steps": [
            {
                "outputs": [texts.setdefault(output.text, len(texts)) for output in step.outputs],
                "index": list(step.index),
            }
            for step in game.steps
        ],
    }


def _sampled(game: CaseGame, header: Header) -> dict[str, Any]:
    """Return what is said of a game that lists only some coalitions: no edit can change any of it."""
    players, said, found = len(header.players), verdict_view(game, header), game.sampled
    return {
        "values": {rule: None if given is None else list(given) for rule, given in game_values(game, header).items()},
        "low": None if found is None else list(found.low),
        "high": None if found is None else list(found.high),
        "leader": None if found is None else found.leader,
        "verdict": {"kind": said.kind, "players": list(said.players), "sentences": [said.headline, *said.remarks]},
        "withheld": wording.withheld_reason(game, header.player_titles),
        "text": wording.sampling(game, players),
        "needs": wording.needs_every_combination(game, players),
        "rows": list(places(game, players)),
    }
