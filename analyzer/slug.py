"""Turns an id, which may hold any character, into a name that is safe in file systems, links and the URL hash."""

from __future__ import annotations

import hashlib
import re

#: Longest readable part of a slug; a hash may follow.
LONGEST = 60

# Names Windows keeps for devices, whatever their extension.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def slug(name: str, digits: int = 8) -> str:
    """Return a slug of ``[a-z0-9-]``: the name itself where that is safe, else what is readable of it and a hash.

    The hash keeps ids apart that differ only in what was dropped (``a#1`` and ``a/1``, ``A`` and ``a``), and depends on
    the name alone, so that a link stays good when cases come and go.

    Examples
    --------
    >>> slug("refund-policy-a")
    'refund-policy-a'
    >>> slug("a#1")
    'a-1-9fd35744'
    """
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if name and readable == name and len(name) <= LONGEST and not _RESERVED.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    return "-".join(part for part in (readable[:LONGEST].strip("-"), digest) if part)
