"""Turns the articles that ship with the site into pages, with code as it is now and figures of this very site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from site_builder import assets
from site_builder.article import Article
from site_builder.article_games import article_games
from site_builder.article_site import SiteFigures
from site_builder.errors import SiteError
from site_builder.excerpts import excerpt
from site_builder.links import Links
from site_builder.markdown import Part, Source, names_network, parse, render
from site_builder.over_all import OverAll
from site_builder.overrides import Override
from site_builder.pages import article_part

_FOLDER = Path(__file__).resolve().parent / "explainers"
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_KEYS = {"title", "summary", "place", "games"}

#: Names of pages that no article may take.
_TAKEN = ("explainers", "methods", "index")


def articles(
    everything: Sequence[OverAll], links: Links, folder: Path = _FOLDER, overrides: tuple[Override, ...] = ()
) -> tuple[Article, ...]:
    """Return all articles, in the order they are meant to be read.

    Parameters
    ----------
    everything : sequence of OverAll
        The scenarios of the site, for figures.
    links : Links
        From an article to other pages.
    folder : Path
        Where the Markdown is.
    overrides : tuple of Override
        Templates that take the place of ours, also in what articles insert.

    Raises
    ------
    SiteError
        If an article names code, a widget, a figure or a page that is not there, or is not well formed.
    """
    paths = sorted(folder.glob("*.md"))
    sources = [_source(path) for path in paths]
    ordered = sorted(sources, key=lambda source: (source.front["place"], source.slug))
    slugs = {source.slug for source in sources}
    site = SiteFigures(everything, links)
    resolve, make = partial(_address, slugs=slugs, links=links), partial(article_part, overrides=overrides)
    return tuple(_article(source, site, resolve, make) for source in ordered)


def _source(path: Path) -> Source:
    name = f"explainers/{path.name}"
    try:
        source = parse(name, path.stem, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SiteError(f"{path}: cannot be read: {error}") from error
    if not _SLUG.fullmatch(path.stem) or path.stem in _TAKEN:
        raise SiteError(f"{name}: is no name of a page. Use small letters, digits and hyphens.")
    for key, kind in (("title", str), ("summary", str), ("place", int)):
        if not isinstance(source.front.get(key), kind):
            raise SiteError(f"{name}: the front matter has no {key}, or one of another kind")
    if unknown := sorted(set(source.front) - _KEYS):
        raise SiteError(f"{name}: the front matter knows no {unknown[0]!r}")
    return source


def _article(
    source: Source, site: SiteFigures, resolve: Callable[[str], str | None], make: Callable[[Part], Markup]
) -> Article:
    widgets: dict[str, None] = {}

    def code(path: str, name: str) -> Part:
        found = excerpt(path, name)
        if any(names_network(text) for _, text in found.lines):
            raise SiteError(f"{path}: {name} refers to the network, which no page does. Show another piece.")
        return Part("code", (found,))

    def widget(name: str) -> Part:
        assets.widget_script(name)
        widgets[name] = None
        return Part("widget", (name,))

    names: Mapping[str, Any] = {"code": code, "widget": widget, "games": article_games(source), "site": site}
    html = render(source, names, resolve, make)
    return Article(source.slug, source.front["title"], source.front["summary"], html, tuple(widgets))


def _address(name: str, slugs: set[str], links: Links) -> str | None:
    """Return the address behind ``article:SLUG`` or ``page:index``, ``page:explainers``, ``page:methods``."""
    kind, _, target = name.partition(":")
    if kind == "article":
        return links.article(target) if target in slugs else None
    pages = {"index": links.index, "explainers": links.explainers, "methods": links.methods}
    return pages.get(target) if kind == "page" else None
