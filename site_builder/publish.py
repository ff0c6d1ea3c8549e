"""Turns a finished site into what would become public with it: redactions, pages, texts, sizes, and secrets in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analyzer.redaction import excerpt
from site_builder.errors import SiteError
from site_builder.published_texts import SiteFile, contents, files_of, written_by_us
from site_builder.secret_scan import Scanner
from site_builder.site import LARGEST_FILE, LARGEST_SITE

_SHOWN = 50
# What a file is called here whose own name holds a secret.
_NAMELESS = "a file whose name holds a secret"
# Where git keeps every version there was, packed.
_REPOSITORY = ".git"

_HOW = """This publishes nothing by itself. Look first at what would become public, and for secrets in it:

  agentblame publish {site} --check

Then hand the folder to any host of static pages; nothing has to run there. For GitHub Pages, once:

  git init -b gh-pages --separate-git-dir {beside} {site}
  git -C {site} add -A && git -C {site} commit -m "Publish"
  git -C {site} push --force git@github.com:OWNER/REPOSITORY.git gh-pages

and choose the branch gh-pages under Settings → Pages of the repository. For a server of your own:

  rsync -a --delete --exclude .git {site}/ HOST:/var/www/PLACE/

GitHub Pages and the like are public: whoever has the address reads everything, also where the repository is private.
A report is one file, which can be sent to somebody instead."""


@dataclass(frozen=True)
class Hit:
    """A secret, or what looks like one: where, what kind, and what stands around it without it."""

    path: str
    kind: str
    around: str


@dataclass
class _Scenario:
    title: str
    cases: int = 0
    texts: int = 0
    inputs: int = 0
    redacted: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class Check:
    """What a look at a finished site found.

    Attributes
    ----------
    files : list of SiteFile
    hits : list of Hit
    troubles : list of str
        What could not be looked into, and why.
    others : list of str
        Files that no build wrote, as they may be shown; all, if it is unknown which those are.
    remarks : list of str
        What is odd about the site as a whole.
    """

    site: Path
    files: list[SiteFile] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    scenarios: dict[str, _Scenario] = field(default_factory=dict)

    @property
    def clean(self) -> bool:
        """Whether everything was looked into and no secret was found."""
        return not self.hits and not self.troubles


def check(site: Path, scanner: Scanner) -> Check:
    """Look at every file of a finished site, and at every text in it; nothing is changed.

    Parameters
    ----------
    site : Path
        A folder that `build` wrote, or a file that `report` wrote.
    scanner : Scanner
        What looks for secrets.

    Raises
    ------
    SiteError
        If there is no such site.
    """
    if site.is_dir() and not (site / "index.html").is_file():
        raise SiteError(f"{site}: holds no index.html. Build a site with `agentblame build GAMES --out {site}`.")
    if not site.exists():
        raise SiteError(f"{site}: does not exist. Build a site with `agentblame build GAMES --out {site}`.")
    found = Check(site)
    # The same text stands in many places: on a page, in the data behind it, in every mode.
    known: dict[str, list[tuple[str, str]]] = {}

    def look(text: str, path: str) -> bool:
        if text not in known:
            secrets = scanner.find(text)
            known[text] = [(one.kind, excerpt(text, secrets, number)) for number, one in enumerate(secrets)]
        found.hits += [Hit(path, kind, around) for kind, around in known[text]]
        return bool(known[text])

    written, remark = written_by_us(site)
    found.remarks += [remark] if remark else []
    repository = 0
    for file in files_of(site):
        found.files.append(file)
        path = _NAMELESS if look(file.path, _NAMELESS) else file.path
        if file.path not in written:
            found.others.append(path)
        if file.trouble:
            found.troubles.append(f"{path}: {file.trouble}")
            continue
        try:
            held = contents(file)
        except (OSError, MemoryError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            found.troubles.append(f"{path}: cannot be read: {reason}")
            continue
        if file.path.startswith(f"{_REPOSITORY}/"):
            repository += len(held.troubles)
        else:
            found.troubles += [f"{path}: {trouble}" for trouble in held.troubles]
        for text in held.texts:
            look(text, path)
        for key, data in held.data:
            _count(key, data, found)
    if repository:
        found.troubles.append(f"{_REPOSITORY}: {_counted(repository, 'file')} of a repository; {_moved_out(site)}")
    missing = sorted(written - {file.path for file in found.files})
    if missing:
        found.remarks.append(f"{_counted(len(missing), 'file')} of the site missing, such as {missing[0]}")
    return found


def _moved_out(site: Path) -> str:
    """Return what to do about a repository in a site, whose earlier versions nobody looks into."""
    folder, beside = shlex.quote(str(site)), shlex.quote(f"{site}.git")
    return f"`git init --separate-git-dir {beside} {folder}` moves it out of the site"


def _count(key: str, data: Any, found: Check) -> None:
    """Count what a scenario shows; data that are not ours count for nothing."""
    slug, slash, rest = key.partition("/")
    if not isinstance(data, dict):
        return
    scenario = found.scenarios.setdefault(slug, _Scenario(slug))
    if not slash:
        scenario.title = str(data.get("title", slug))
        cases, redacted = data.get("cases"), data.get("redacted")
        scenario.cases = len(cases) if isinstance(cases, list) else 0
        if isinstance(redacted, dict):
            scenario.redacted = {
                mode: list(map(str, told)) for mode, told in redacted.items() if isinstance(told, list)
            }
    elif "." not in rest:
        texts, modes = data.get("texts"), data.get("modes")
        scenario.texts += len(texts) if isinstance(texts, list) else 0
        first = next(iter(modes.values()), None) if isinstance(modes, dict) else None
        inputs = first.get("inputs") if isinstance(first, dict) else None
        scenario.inputs += len(inputs) if isinstance(inputs, list) else 0


def how(site: Path) -> str:
    """Return how a site is published."""
    return _HOW.format(site=shlex.quote(str(site)), beside=shlex.quote(f"{site}.git"))


def lines(found: Check, scanner: Scanner) -> Iterator[str]:
    """Yield what a check found, line by line, without what a terminal would obey."""
    for line in _lines(found, scanner):
        yield "".join(character if character.isprintable() else "\ufffd" for character in line)


def _lines(found: Check, scanner: Scanner) -> Iterator[str]:
    """Yield what was redacted first, and what is wrong last."""
    yield "What was redacted when the cases were analysed"
    for scenario in found.scenarios.values():
        told = sorted({(mode, what) for mode, parts in scenario.redacted.items() for what in parts})
        yield f"  {scenario.title}: " + ("; ".join(f"{mode}: {what}" for mode, what in told) or "nothing")
    if not found.scenarios:
        yield "  the site holds no scenario of ours"
    yield "What would become public"
    yield from _inventory(found)
    yield "Not written by Agent Blame"
    yield from _others(found)
    yield "Sizes"
    yield from _sizes(found)
    yield "Secrets"
    yield f"  looked for: {_looked_for(scanner)}"
    for hit in found.hits[:_SHOWN]:
        yield f"  {hit.path}: {hit.kind}: {hit.around}"
    if len(found.hits) > _SHOWN:
        yield f"  and {len(found.hits) - _SHOWN} more"
    for trouble in found.troubles[:_SHOWN]:
        yield f"  not looked into: {trouble}"
    if len(found.troubles) > _SHOWN:
        yield f"  and {len(found.troubles) - _SHOWN} more that were not looked into"
    yield _conclusion(found)


def _inventory(found: Check) -> Iterator[str]:
    kinds: dict[str, int] = {}
    for file in found.files:
        suffix = file.path.rpartition("/")[2].rpartition(".")[2]
        kind = {"html": "page", "js": "script or data file", "css": "stylesheet"}.get(suffix, "other file")
        kinds[kind] = kinds.get(kind, 0) + 1
    yield f"  {_counted(len(found.files), 'file')}: " + ", ".join(
        _counted(kinds[kind], kind)
        for kind in ("page", "script or data file", "stylesheet", "other file")
        if kind in kinds
    )
    for scenario in found.scenarios.values():
        yield (
            f"  {scenario.title}: {_counted(scenario.cases, 'failing case')}; {_counted(scenario.inputs, 'input')}, "
            f"and in all {_counted(scenario.texts, 'different text')} of inputs and of what steps put out"
        )
    yield "  besides, what the pipeline says of itself: titles, descriptions, the differences that fixes make"
    yield "  GitHub Pages and the like are public: whoever has the address reads all of it."
    yield "  robots.txt asks search engines to stay away; it keeps nobody out."


def _others(found: Check) -> Iterator[str]:
    """Yield what is odd and what else there is: a folder in which nothing is ours as one."""
    for remark in found.remarks:
        yield f"  {remark}"
    others = set(found.others)
    shared = {file.path.partition("/")[0] for file in found.files if file.path not in others}
    counts: dict[str, int] = {}
    for path in found.others:
        top, slash, _ = path.partition("/")
        shown = f"{top}/" if slash and top not in shared else path
        counts[shown] = counts.get(shown, 0) + 1
    told = [
        f"  {path}: {_counted(number, 'file')}" if path.endswith("/") else f"  {path}"
        for path, number in counts.items()
    ]
    yield from told[:_SHOWN]
    if len(told) > _SHOWN:
        yield f"  and {len(told) - _SHOWN} more"
    if not told and not found.remarks:
        yield "  nothing"


def _sizes(found: Check) -> Iterator[str]:
    total = sum(file.size for file in found.files)
    largest = max(found.files, key=lambda file: file.size)
    above = [file for file in found.files if file.size > LARGEST_FILE]
    yield f"  {total / 10**6:.1f} MB in all" + (
        f": more than the {LARGEST_SITE / 10**9:g} GB that GitHub Pages takes" if total > LARGEST_SITE else ""
    )
    yield f"  largest: {largest.path}, {largest.size / 2**20:.1f} MiB"
    for file in above:
        yield f"  {file.path}: {file.size / 2**20:.0f} MiB, more than the {LARGEST_FILE >> 20} MiB that GitHub takes"


def _looked_for(scanner: Scanner) -> str:
    redactor = scanner.redactor
    variables = f"the values of {_counted(len(redactor.values), 'variable')} of the environment"
    own = f"{len(redactor.kinds) + len(redactor.patterns)} kinds of secrets, {variables}"
    if scanner.version:
        return f"{own}, and what detect-secrets {scanner.version} knows"
    return f"{own}. detect-secrets is not installed; `pip install agent-blame-site[publish]` adds what it knows"


def _conclusion(found: Check) -> str:
    if found.clean:
        return "  none found"
    said = []
    if found.hits:
        places = len({hit.path for hit in found.hits})
        said.append(
            f"{len(found.hits)} found in {_counted(places, 'file')}. Withdraw what was real. Run `agentblame analyze` "
            "again, which redacts ([redact] in agentblame.toml says what else is a secret, or is none), and build again"
        )
    if found.troubles:
        said.append(f"{_counted(len(found.troubles), 'place')} not looked into. Build into a new folder")
    return f"  {'; '.join(said)}. Do not publish this."


def _counted(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
