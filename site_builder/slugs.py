"""Turns a set of ids into slugs of which no two are alike."""

from __future__ import annotations

from collections.abc import Iterable

from analyzer.slug import slug


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a slug for each name, no two alike.

    An id made to look like another's slug costs that one a longer hash.
    """
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if slug(name) == name}
    found = {}
    for name in wanted:
        short = slug(name)
        if short != name:
            short = next(longer for digits in (8, 16, 64) if (longer := slug(name, digits)) not in taken)
            taken.add(short)
        found[name] = short
    return found
