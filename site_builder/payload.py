"""Turns the data behind a page into text a browser reads from disk: script chunks, or blocks in a single file.

Either way the JSON is compressed, and unpacked only when somebody asks for it.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
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
    """Return a classic script that hands `content`, packed, to ``AgentBlame.receive``."""
    return f"AgentBlame.receive({json.dumps(key)}, {json.dumps(pack(content))});\n".encode("ascii")


def data_block(key: str, content: Mapping[str, Any]) -> Markup:
    """Return a data block for a single-file page, found again by its key."""
    return Markup('<script type="text/plain" data-key="{}">{}</script>').format(key, pack(content))


def pack(content: Mapping[str, Any]) -> str:
    """Return canonical JSON, compressed, as base64; the same content gives the same text."""
    text = encode(dump_line(content).removesuffix("\n"))
    return base64.b64encode(gzip.compress(text, mtime=0)).decode("ascii")


def unpack(packed: str) -> str:
    """Return the JSON text that was packed.

    Raises
    ------
    ValueError
        If the text is damaged.
    """
    try:
        return gzip.decompress(base64.b64decode(packed, validate=True)).decode("utf-8")
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"packed data are damaged: {error}") from error
