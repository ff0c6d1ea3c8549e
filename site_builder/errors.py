"""Turns what can go wrong while a site is built into one kind of error, meant for the person at the terminal."""

from __future__ import annotations


class SiteError(Exception):
    """A site that cannot be built, written or served; the message names the file or folder and the remedy."""
