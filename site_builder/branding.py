"""Turns the table `[site]` of the settings into whose name, logo, colour, words and templates a site carries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from analyzer.settings import Settings
from site_builder import assets
from site_builder.contrast import COLOUR, READABLE, contrast, mixed, nearest_shade
from site_builder.errors import SiteError
from site_builder.logo import Logo, LogoError, read_logo
from site_builder.overrides import Override, OverrideError, override_files, read_overrides

#: Where a site keeps the stylesheet made from its branding, below ``static/``.
STYLESHEET = "brand.css"

_TABLE = "site"
_FIELDS = {
    "title": str,
    "intro": str,
    "footer": str,
    "logo": str,
    "accent": str,
    "accent_dark": str,
    "templates": str,
}

# The title stands in the head of every page and in the tab.
_LONGEST_TITLE = 80
# What changes the direction of the text around it.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# What the accent stands on, or what stands on it, among the tokens of the stylesheets.
_GROUNDS = ("paper", "panel", "sunk", "on-mark")
_TOKEN = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
# Parts of 255 of the accent in the tint behind what is chosen, at most.
_TINT = 26
# The contrast of a dark accent that we choose: comfortable, not the least (level AAA of the same criterion).
_COMFORTABLE = 7.0


@dataclass(frozen=True)
class Branding:
    """Whose name the site carries.

    Parameters
    ----------
    title : str
    intro, footer : str
        What the index and the foot of each page say; blank for what they say by default.
    logo : Logo, optional
    accent, accent_dark : str, optional
        Colours of links, marks and focus on light and on dark, ``#rrggbb``; None for the default.
    overrides : tuple of Override
        Templates in place of ours.
    """

    title: str = "Agent Blame"
    intro: str = ""
    footer: str = ""
    logo: Logo | None = None
    accent: str | None = None
    accent_dark: str | None = None
    overrides: tuple[Override, ...] = ()

    @property
    def files(self) -> Mapping[str, bytes]:
        """What a site needs of it below ``static/``, by path."""
        found = {} if self.logo is None else {self.logo.path: self.logo.content}
        return {**found, STYLESHEET: self.stylesheet.encode("utf-8")} if self.stylesheet else found

    @property
    def texts(self) -> Mapping[str, str]:
        """What it adds to pages for anybody to read, by where that comes from."""
        said = {"title": self.title, "intro": self.intro, "footer": self.footer}
        drawn = {} if self.logo is None else {"logo": self.logo.content.decode("utf-8", "replace")}
        return {**said, **drawn, **{one.path: one.text for one in self.overrides}}

    @property
    def stylesheet(self) -> str:
        """What comes after every other stylesheet; empty if there is nothing to say."""
        rules = []
        if self.accent is not None:
            rules.append(f":root {{ {_colours('light', self.accent)} }}")
        if self.accent_dark is not None:
            dark = f":root {{ {_colours('dark', self.accent_dark)} }}"
            rules.append(f"@media (prefers-color-scheme: dark) {{ {dark} }}")
        if rules:
            # Paper is white, whatever the screen is.
            paper = self.accent or _tokens("light")["accent"]
            rules.append(f"@media print {{ :root {{ --accent: {paper}; --accent-soft: #ffffff; }} }}")
        if self.logo is not None:
            rules.append(".brand-logo { width: auto; max-width: 160px; height: 28px; object-fit: contain; }")
        return "".join(f"{rule}\n" for rule in rules)


def read_branding(settings: Settings) -> Branding:
    """Return the branding that settings ask for, with the files they name.

    Raises
    ------
    SettingsError
        If a text is blank, the title is too long or holds what cannot be seen, the logo is no image, a colour cannot
        be read on its background, or the templates override nothing.
    """
    table = settings.table(_TABLE, _FIELDS)
    for key, text in table.items():
        if not text.strip():
            raise settings.refused(_TABLE, key, "is blank; write something, or leave it away")
    accent, accent_dark = _accents(settings, table)
    return Branding(
        title=_title(settings, table),
        intro=table.get("intro", ""),
        footer=table.get("footer", ""),
        logo=_logo(settings, table),
        accent=accent,
        accent_dark=accent_dark,
        overrides=_overrides(settings, table),
    )


def branding_sources(settings: Settings) -> tuple[Path, ...]:
    """Return the files that the branding is read from, also those that are not there."""
    table = settings.table(_TABLE, _FIELDS)
    found = [settings.place(table["logo"])] if "logo" in table else []
    return (*found, *(override_files(settings.place(table["templates"])) if "templates" in table else ()))


def _title(settings: Settings, table: Mapping[str, str]) -> str:
    title = " ".join(table.get("title", Branding.title).split())
    for character in title:
        if unicodedata.category(character) == "Cc" or character in _TURNING:
            raise settings.refused(_TABLE, "title", f"holds U+{ord(character):04X}, which cannot be seen; take it out")
    if len(title) > _LONGEST_TITLE:
        raise settings.refused(
            _TABLE, "title", f"has {len(title)} characters, and at most {_LONGEST_TITLE} fit; say the rest in the intro"
        )
    return title


def _logo(settings: Settings, table: Mapping[str, str]) -> Logo | None:
    if "logo" not in table:
        return None
    try:
        return read_logo(settings.place(table["logo"]))
    except LogoError as error:
        raise settings.refused(_TABLE, "logo", str(error)) from error


def _overrides(settings: Settings, table: Mapping[str, str]) -> tuple[Override, ...]:
    if "templates" not in table:
        return ()
    try:
        return read_overrides(settings.place(table["templates"]))
    except OverrideError as error:
        raise settings.refused(_TABLE, "templates", str(error)) from error


def _accents(settings: Settings, table: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the accents for light and dark; the dark one is made from the light one if only that is given."""
    found = {}
    for key, theme in (("accent", "light"), ("accent_dark", "dark")):
        if key in table:
            found[key] = _accent(settings, key, table[key].lower(), theme)
    if "accent" in found:
        found.setdefault("accent_dark", _shade(found["accent"], "dark", _COMFORTABLE))
    return found.get("accent"), found.get("accent_dark")


def _accent(settings: Settings, key: str, colour: str, theme: str) -> str:
    if not COLOUR.fullmatch(colour):
        raise settings.refused(_TABLE, key, f"{colour!r} is not a colour written as #rrggbb, such as #264a8f")
    ratio, ground = _poorest(colour, theme)
    if ratio < READABLE:
        # Cut off, so that what falls short is not told as enough.
        told, direction = int(ratio * 100) / 100, "darker" if theme == "light" else "lighter"
        raise settings.refused(
            _TABLE,
            key,
            f"{colour} has a contrast of {told:.2f} : 1 against {ground} of the {theme} theme, and text needs "
            f"{READABLE} : 1; the nearest {direction} shade that has it is {_shade(colour, theme, READABLE)}",
        )
    return colour


def _shade(colour: str, theme: str, ratio: float) -> str:
    towards = {"light": "#000000", "dark": "#ffffff"}[theme]
    return nearest_shade(colour, towards, lambda shade: _poorest(shade, theme)[0] >= ratio)


def _poorest(colour: str, theme: str) -> tuple[float, str]:
    """Return the least contrast of an accent with what it meets in a theme, and with what that is."""
    tokens = _tokens(theme)
    return min((contrast(colour, tokens[name]), tokens[name]) for name in _GROUNDS)


def _colours(theme: str, accent: str) -> str:
    return f"--accent: {accent}; --accent-soft: {_tint(accent, theme)};"


def _tint(accent: str, theme: str) -> str:
    """Return the strongest tint on which the accent itself can still be read."""
    panel = _tokens(theme)["panel"]
    tints = (mixed(panel, accent, parts) for parts in range(_TINT, 0, -1))
    return next((tint for tint in tints if contrast(accent, tint) >= READABLE), panel)


def _tokens(theme: str) -> Mapping[str, str]:
    """Return the colours of a theme by name, as the page's own stylesheet has them."""
    name = assets.STYLES[0]
    light, _, dark = assets.static(name).decode("utf-8").partition("@media (prefers-color-scheme: dark)")
    found = dict(_TOKEN.findall({"light": light, "dark": dark}[theme]))
    if not {*_GROUNDS, "accent"} <= found.keys():
        raise SiteError(f"{assets.folder('static') / name}: lacks colours. Install the package again.")
    return found
