"""Turns the data behind a page into text a browser reads from disk: script chunks, or JSON blocks in a single file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from analyzer.game_file import dump_line

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")


def visible(text: str) -> str:
    """Return the text with what no page can hold (control characters, lone surrogates) as U+FFFD."""
    return _CONTROLS.sub("\ufffd", text)


def encode(text: str) -> bytes:
    """Return UTF-8 bytes; a lone surrogate, which UTF-8 has no form for, becomes U+FFFD."""
    return _SURROGATES.sub("\ufffd", text).encode("utf-8")


def script_chunk(key: str, content: Mapping[str, Any]) -> bytes:
    """Return a classic script that hands `content` to ``AgentBlame.receive``.

    The JSON travels as a string, never as an object literal: a literal would give ``__proto__`` a meaning.
    """
    return encode(f"AgentBlame.receive({_quoted(key)}, {_quoted(_json(content))});\n")


def json_block(key: str, content: Mapping[str, Any]) -> Markup:
    """Return a data block for a single-file page, found again by its key."""
    inner = Markup(_unmarked(_json(content)))
    return Markup('<script type="application/json" data-key="{}">{}</script>').format(key, inner)


def _json(content: Mapping[str, Any]) -> str:
    return dump_line(content).removesuffix("\n")


def _quoted(text: str) -> str:
    return _unmarked(json.dumps(text, ensure_ascii=False))


def _unmarked(text: str) -> str:
    """Escape, inside JSON text, what would end a script element or a line of a script."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
