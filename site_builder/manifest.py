"""Turns the files a build writes into a list of them in the site, and back: what is ours there, and what is not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

MANIFEST = "agentblame-site.json"
_MARK = "agentblame/site"

#: What the beginning of a report holds, which is one file and has no manifest.
REPORT_MARK = b'<meta name="generator" content="Agent Blame site builder">'


def manifest(files: Iterable[str]) -> bytes:
    """Return the manifest of a site of these files, which it is not among."""
    content = {"format": _MARK, "files": sorted(files)}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def written_files(site: Path) -> frozenset[str] | None:
    """Return the files of a site that a build wrote, by its manifest; None if it has no manifest.

    Raises
    ------
    OSError
        If the manifest cannot be read.
    ValueError
        If it is damaged.
    """
    try:
        content = json.loads((site / MANIFEST).read_text("utf-8"))
        files = content["files"]
        if content["format"] != _MARK or not all(isinstance(path, str) for path in files):
            raise ValueError
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError from error
    return frozenset(files) | {MANIFEST}
