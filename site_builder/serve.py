"""Turns a site into pages on this machine's own address, which load themselves again once it was built again."""

from __future__ import annotations

import http.server
import json
import posixpath
import re
import sys
import threading
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from site_builder import assets
from site_builder.errors import SiteError
from site_builder.served import INDEX, BuiltFolder, Served, State

ADDRESS = "127.0.0.1"

# Names of this machine: any other may be a page elsewhere that had its name point here, to read what is served.
_HOSTS = frozenset((ADDRESS, "localhost", "[::1]"))
_PORT = re.compile(r":\d+$")

# Not what the system says of a suffix, which differs: some call a script plain text.
_TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}

# No path of a site begins with an underscore, so nothing of it is hidden by these.
_LIVE = "_live/"
_EVENTS = "_live/events"
# Seconds between two looks at what is served, and looks after which an idle stream is tried: its reader may be gone.
_INTERVAL, _IDLE = 0.1, 50

# The policy of a page of ours that loads its files, up to what it says.
_POLICY = re.compile(
    rb'(<meta http-equiv="Content-Security-Policy" content=")'
    rb"(default-src &#39;none&#39;; script-src &#39;self&#39;; style-src &#39;self&#39;;[^\"]*\">)"
)


class Server(http.server.ThreadingHTTPServer):
    """A server for one site, bound to this machine only."""

    def __init__(self, served: Served, port: int) -> None:
        self.served = served
        self.ended = threading.Event()
        try:
            super().__init__((ADDRESS, port), _Pages)
        except (OSError, OverflowError) as error:
            what = f"port {port}: cannot be used: {error}"
            raise SiteError(f"{what}. Choose another with --port (0 takes any).") from error

    def server_close(self) -> None:
        """Stop listening, and end the streams that pages keep open."""
        self.ended.set()
        super().server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Say what went wrong, but not that a reader went away, as each does that loads a page again."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Pages(http.server.BaseHTTPRequestHandler):
    """Files only: no listings of folders, no log, nothing kept in caches."""

    server: Server

    def do_GET(self) -> None:
        if self._is_known_host():
            path = self._path()
            if path == _EVENTS:
                self._tell()
            elif path is None:
                self._say_not_found()
            else:
                self._give(path)

    do_HEAD = do_GET

    def _is_known_host(self) -> bool:
        known = _PORT.sub("", self.headers.get("Host", ADDRESS)).lower() in _HOSTS
        if not known:
            self.send_error(HTTPStatus.MISDIRECTED_REQUEST, "Unknown host")
        return known

    def _path(self) -> str | None:
        """Return the path asked for, relative to the site; one that leads out of it begins with ``..``.

        None for what is no address.
        """
        try:
            asked = unquote(urlsplit(self.path).path, errors="surrogateescape").lstrip("/")
        except ValueError:
            return None
        path = posixpath.normpath(asked) if asked else INDEX
        return path if not asked.endswith("/") else f"{path}/{INDEX}"

    def _give(self, path: str) -> None:
        found = self._live_file(path) if path.startswith(_LIVE) else self.server.served.file(path)
        if found is None:
            self._say_not_found()
            return
        content, built = found
        kind = _TYPES.get(PurePosixPath(path).suffix.lower(), "application/octet-stream")
        if kind == _TYPES[".html"]:
            content = live(content, built)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _say_not_found(self) -> None:
        self.send_error(HTTPStatus.NOT_FOUND, "File not found")

    def _live_file(self, path: str) -> tuple[bytes, str] | None:
        name = path.removeprefix(_LIVE)
        return (assets.static(f"live/{name}"), "") if name in ("reload.js", "reload.css") else None

    def _tell(self) -> None:
        """Send the state of the site, and again whenever it changes, until the reader or the server goes away."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        if self.command == "HEAD":
            return
        # How soon a page asks again when the server went away: one that is started again finds it there.
        self.wfile.write(b"retry: 500\n\n")
        told: State | None = None
        idle = 0
        while True:
            state = self.server.served.state()
            if state != told:
                message = json.dumps({"built": state.built, "problem": state.problem})
                self.wfile.write(f"data: {message}\n\n".encode())
                told, idle = state, 0
            elif idle >= _IDLE:
                self.wfile.write(b":\n\n")
                idle = 0
            idle += 1
            if self.server.ended.wait(_INTERVAL):
                return

    def log_message(self, format: str, *args: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def server(folder: Path, port: int) -> Server:
    """Return a server for a built site, bound to this machine only; port 0 takes any free one.

    Raises
    ------
    SiteError
        If the folder is no site, or the port is taken.
    """
    return Server(BuiltFolder(folder), port)


def live(page: bytes, built: str) -> bytes:
    """Return a page with the script that loads it again, and its policy with what that script needs: an own stream.

    Parameters
    ----------
    page : bytes
        Returned as it is unless it is a page of ours that loads its files.
    built : str
        The build it is of.
    """
    style = f'<link rel="stylesheet" href="/{_LIVE}reload.css">'
    script = f'<script src="/{_LIVE}reload.js" data-built="{built}" defer></script>'
    tags = f"\n{style}\n{script}".encode()
    return _POLICY.sub(lambda found: found[1] + b"connect-src &#39;self&#39;; " + found[2] + tags, page, count=1)
