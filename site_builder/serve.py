"""Turns a built site's folder into pages on this machine's own address, for browsers that open no files."""

from __future__ import annotations

import http.server
import os
import re
from functools import partial
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from site_builder.errors import SiteError

ADDRESS = "127.0.0.1"

# Names of this machine: any other may be a page elsewhere that had its name point here, to read what is served.
_HOSTS = frozenset((ADDRESS, "localhost", "[::1]"))
_PORT = re.compile(r":\d+$")


class _Pages(http.server.SimpleHTTPRequestHandler):
    """Files only: no listings of folders, no log, nothing kept in caches."""

    def send_head(self) -> BytesIO | BinaryIO | None:
        if _PORT.sub("", self.headers.get("Host", ADDRESS)).lower() not in _HOSTS:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "Unknown host")
            return None
        if not self._is_inside(self.translate_path(self.path)):
            self.send_error(HTTPStatus.NOT_FOUND, "File not found")
            return None
        return super().send_head()

    def _is_inside(self, path: str) -> bool:
        """Whether a path is one a file can have, and leads to a place in the folder, links followed."""
        if "\0" in path:
            return False
        # The folder is looked up by name each time: a rebuild puts another in its place.
        root = os.path.realpath(self.directory)
        return os.path.commonpath((root, os.path.realpath(path))) == root

    def list_directory(self, path: object) -> BytesIO | None:
        self.send_error(HTTPStatus.NOT_FOUND, "File not found")
        return None

    def log_message(self, format: str, *args: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server for a built site, bound to this machine only; port 0 takes any free one.

    Raises
    ------
    SiteError
        If the folder is no site, or the port is taken.
    """
    if not (folder / "index.html").is_file():
        raise SiteError(f"{folder}: holds no index.html. Build a site first: `agentblame build games/ --out {folder}`.")
    try:
        return http.server.ThreadingHTTPServer((ADDRESS, port), partial(_Pages, directory=os.path.abspath(folder)))
    except (OSError, OverflowError) as error:
        raise SiteError(f"port {port}: cannot be used: {error}. Choose another with --port (0 takes any).") from error
