"""Turns the name of a page into its address, as seen from another page: of a folder, or of a single-file report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Links:
    """Addresses from one page to the others.

    Attributes
    ----------
    root : str
        Where the folder's top is, such as ``../``; empty in a report.
    inline : bool
        Whether all pages are sections of one file, told apart by the part of the address after ``#``.
    """

    root: str
    inline: bool = False

    @property
    def index(self) -> str:
        """The list of scenarios."""
        return "#index" if self.inline else f"{self.root}index.html"

    @property
    def explainers(self) -> str:
        """The list of articles."""
        return "#p=explainers" if self.inline else f"{self.root}explainers.html"

    @property
    def methods(self) -> str:
        """Methods and provenance."""
        return "#p=methods" if self.inline else f"{self.root}methods.html"

    def article(self, slug: str) -> str:
        """Return the address of an article."""
        return f"#p={slug}" if self.inline else f"{self.root}explainers/{slug}.html"

    def scenario(self, slug: str) -> str:
        """Return the address of a scenario's page."""
        return f"#s={slug}" if self.inline else f"{self.root}scenarios/{slug}.html"

    def methods_of(self, slug: str) -> str:
        """Return the address of a scenario's part of the methods; it is also the id of that part, after ``#``."""
        return f"{'' if self.inline else self.methods}#p=methods.{slug}"
