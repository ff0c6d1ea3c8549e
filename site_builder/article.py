"""An article as it goes from its Markdown to a page."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Article:
    """An article as a page shows it.

    Attributes
    ----------
    slug : str
        Its name in addresses.
    title, summary : str
        Plain text.
    html : Markup
        Its body.
    widgets : tuple of str
        The widgets in it, each once.
    """

    slug: str
    title: str
    summary: str
    html: Markup
    widgets: tuple[str, ...]
