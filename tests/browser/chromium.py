"""Turn whatever Chromium is installed into a browser that tests can drive, with the network off."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu",
    # The network is off; what a test serves on this machine can be reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


def launch(playwright: Playwright) -> Browser:
    """Start the system's Chromium, or Playwright's own where there is none."""
    installed = next((path for name in NAMES if (path := shutil.which(name))), None)
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = [*ARGUMENTS, "--no-sandbox"] if as_root else [*ARGUMENTS]
    return playwright.chromium.launch(executable_path=installed, args=arguments)


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """Start Chromium, and stop it afterwards: for module-scoped fixtures and for scripts."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Offline:
    """A browser context without network, and what its pages complained about."""

    context: BrowserContext
    console: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def complaints(self) -> list[str]:
        """Console messages of any kind and uncaught errors: a page that works leaves none."""
        return self.console + self.errors

    def new_page(self) -> Page:
        """Open a page whose complaints are collected."""
        return self.context.new_page()


def offline_context(browser: Browser, **options: object) -> Offline:
    """Open a context without network that collects console messages and page errors.

    `options` are those of Playwright's ``new_context``, such as a viewport.
    """
    context = browser.new_context(**options)  # type: ignore[arg-type]
    offline = Offline(context)
    context.on("console", lambda message: offline.console.append(f"{message.type}: {message.text}"))
    context.on("weberror", lambda error: offline.errors.append(str(error.error)))
    return offline
