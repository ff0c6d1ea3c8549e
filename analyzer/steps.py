"""Turns plain functions into declared steps: what ran, what could be tried instead, and how good an outcome is.

A step's function names what it reads: `case` for the case's inputs, `draw` for randomness, and the names of earlier
steps for their outputs. Nothing else reaches it, so what it reads is what identifies its calls. It may be async.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from analyzer.versions.source import source_text

CASE = "case"
DRAW = "draw"
IDEMPOTENCY_KEY = "idempotency_key"


class PipelineError(ValueError):
    """A pipeline or case that cannot be run as declared; the message names the step, fix or case and the remedy."""


@dataclass(frozen=True)
class Codec:
    """How outputs of a kind that the store does not know by itself are kept in it, and told apart.

    Parameters
    ----------
    name : str
        Tells codecs apart in the store. Give a new one when the form changes, and what was kept in the old runs again.
    encode : callable
        Turns an output into plain data: text, numbers, lists, dicts, arrays and the like (see `analyzer.codec`). Of an
        object that has no fingerprint (see `analyzer.fingerprint`) this is what makes it equal to another, so it says
        all that matters. It is what the page shows of one.
    decode : callable
        Turns that back into an output equal to the first one.
    """

    name: str
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@dataclass(frozen=True)
class Fix:
    """Something that could be tried at a step.

    Parameters
    ----------
    label : str
        What is done, in a few words: "Cite the sources".
    run : callable, optional
        The function to run instead (another prompt, model or code). `Fix.constant` and `Fix.resample` need none.
    description : str, optional
        A sentence more; by default the first line of the function's docstring.
    diff : str, optional
        The change as text; see `text_diff`.
    cost : float, optional
        Of one call with the fix; by default the step's.
    kind : {"variant", "constant", "resample", "action", "observation", "context", "policy"}
        Set by the constructors below.
    samples_itself : bool, optional
        As the step's, for the call with the fix; by default the step's, and False for a constant.
    version : str, optional
        As the step's, for calls with the fix. Results are then kept under its label, too, so that another fix with the
        same version is another; without one the label may be reworded.
    batch : callable, optional
        As the step's, for calls with the fix.
    edit : callable, optional
        What `Fix.context` and `Fix.observation` change a call's inputs or result with.
    since : int
        The call of the step from which on the fix applies, in a program; the first is 1.
    case_fields : sequence of str, optional
        As the step's, for calls with the fix; by default the step's, and its field for a constant that takes one.
    """

    label: str
    run: Callable[..., Any] | None = None
    description: str = ""
    diff: str = ""
    cost: float | None = None
    kind: str = "variant"
    samples_itself: bool | None = None
    version: str = ""
    batch: Callable[[list[dict[str, Any]]], Any] | None = None
    edit: Callable[..., Any] | None = None
    since: int = 1
    case_fields: Sequence[str] | None = None

    @functools.cached_property
    def code_version(self) -> str:
        """Text that changes when what the fix does may have changed."""
        return _code_version(self.version, self.run, self.batch, self.edit)

    @classmethod
    def constant(
        cls, label: str, value: Any = None, *, field: str | None = None, description: str = "", diff: str = ""
    ) -> Fix:
        """Put a corrected output in place of the step's: `value`, or what each case holds under `field` (an oracle)."""
        run, read = _output(value, field), None if field is None else (field,)
        return cls(label, run, description, diff, cost=0.0, kind="constant", samples_itself=False, case_fields=read)

    @classmethod
    def resample(cls, label: str = "Run it again", *, description: str = "") -> Fix:
        """Run the same mechanism with fresh luck for this step alone, so that a step that has some can be examined."""
        return cls(label, description=description, kind="resample")

    @classmethod
    def action(
        cls, label: str, value: Any = None, *, field: str | None = None, description: str = "", diff: str = ""
    ) -> Fix:
        """Force what an agent puts out: a `constant`, as one says it of a program's calls."""
        return replace(cls.constant(label, value, field=field, description=description, diff=diff), kind="action")

    @classmethod
    def observation(
        cls,
        label: str,
        value: Any = None,
        *,
        field: str | None = None,
        edit: Callable[[Any], Any] | None = None,
        description: str = "",
        diff: str = "",
    ) -> Fix:
        """Replace what a tool gave back: by `value`, a case's `field`, or what `edit` makes of the true result."""
        if edit is not None:
            return cls(label, None, description, diff, kind="observation", edit=edit)
        return replace(cls.constant(label, value, field=field, description=description, diff=diff), kind="observation")

    @classmethod
    def context(
        cls, label: str, edit: Callable[[dict[str, Any]], Mapping[str, Any]], *, description: str = "", diff: str = ""
    ) -> Fix:
        """Edit what a call is given: `edit` takes its inputs by name and returns what it is given instead."""
        return cls(label, None, description, diff, kind="context", edit=edit)

    @classmethod
    def policy(
        cls, label: str, run: Callable[..., Any], *, since: int = 1, description: str = "", diff: str = ""
    ) -> Fix:
        """Run another variant from a call of the step on, the first being 1."""
        return cls(label, run, description, diff, kind="policy", since=since)


@dataclass(frozen=True)
class Step:
    """A named step: the function that ran, and the fixes that could be tried.

    Parameters
    ----------
    name : str
        Identifies the step; parameters of later steps refer to it.
    run : callable
        Returns the step's output: plain data (see `analyzer.fingerprint`), or anything that `codec` is for.
    fix : Fix or sequence of Fix, optional
        What could be tried: one alternative or several, of which the first is, unless another is asked for (see
        `Pipeline.trying`). A step without one takes part but is no player.
    parents : sequence of str, optional
        What it reads; by default the parameters of `run`. Needed for names that are no Python identifiers, and then
        `run` takes ``**inputs``.
    title : str, optional
        As shown; by default the name.
    role : {"producer", "checker"}, optional
        What the step is there for.
    cost : float, optional
        Of one executed call, in the pipeline's cost unit; by default 1 where that is calls, and unknown otherwise.
    samples_itself : bool
        The step has randomness that `draw` does not provide (a hosted model sampled on its server). Its calls are
        repeated in each world and the page marks the game interventional at this step.
    version : str, optional
        Of the code, prompts and model behind `run`. Stored results are taken for its calls as long as it stays the
        same; by default it follows from the text of the function and of everything of one's own that it reaches.
    codec : Codec, optional
        How outputs of the step and its fixes are stored, and told apart, where they are not plain data.
    concurrency : int, optional
        Calls of this step that may run at a time, whatever the engine.
    per_minute : float, optional
        Calls of this step that may start in a minute.
    batch : callable, optional
        Takes all calls of a level at once: a list of dicts, each with what `run` would be given by name. Returns a list
        of outputs in the same order; an exception in a place stands for a call that failed. For vendors' batch
        endpoints.
    stub : callable, optional
        Runs instead of `run`, in every run that the analyzer makes, where that has side effects (sends the mail, books
        the flight) that must not be had again. Reads what it names, as `run` does.
    case_fields : sequence of str, optional
        Fields of the case that it reads, in a pipeline. `case` then holds these and no others, those that a case lacks
        left out, and a stored result is taken whatever the others are (a new label, a tag more). By default all.
    """

    name: str
    run: Callable[..., Any]
    fix: Fix | Sequence[Fix] | None = None
    parents: Sequence[str] | None = None
    title: str = ""
    role: str | None = None
    cost: float | None = None
    samples_itself: bool = False
    version: str = ""
    codec: Codec | None = None
    concurrency: int | None = None
    per_minute: float | None = None
    batch: Callable[[list[dict[str, Any]]], Any] | None = None
    stub: Callable[..., Any] | None = None
    case_fields: Sequence[str] | None = None

    @functools.cached_property
    def code_version(self) -> str:
        """Text that changes when what the step does may have changed."""
        return _code_version(self.version, *((self.run, self.batch) if self.stub is None else (self.stub,)))

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """All that could be tried."""
        if self.fix is None:
            return ()
        return tuple(self.fix) if isinstance(self.fix, list | tuple) else (cast("Fix", self.fix),)


@dataclass(frozen=True)
class Score:
    """How good an outcome is.

    Parameters
    ----------
    run : callable
        Reads `case` and step outputs by name, as steps do (``**outputs`` gives every step). Returns whether the run
        passed (a bool, 0 or 1), or, for a graded score, a number from `low` to `high`.
    meaning : str
        What the score says, in words.
    graded : bool
        The score is a number on a scale and not pass or fail. Worths are then means over worlds; otherwise they are
        counts of worlds, and everything computed from them is exact.
    low, high : float
        The range of a graded score.
    threshold : float
        A run with at least this graded score passed.
    failure : callable, optional
        Reads `case` and step outputs by name as `run` does, for a run that failed. Returns in a few words what kind of
        failure it is; cases can be filtered by it.
    """

    run: Callable[..., Any]
    meaning: str = "the run passes"
    graded: bool = False
    low: float = 0.0
    high: float = 1.0
    threshold: float = 1.0
    failure: Callable[..., str] | None = None

    @functools.cached_property
    def code_version(self) -> str:
        """Text that changes when what the score says of an outcome may have changed."""
        return _code_version("", self.run)

    @functools.cached_property
    def failure_version(self) -> str:
        """The same for the kind of failure."""
        return _code_version("", self.failure)


@dataclass(frozen=True)
class Case:
    """One evaluation case: an id and named inputs."""

    id: str
    inputs: Mapping[str, Any]

    @property
    def tags(self) -> tuple[str, ...]:
        """What the case can be filtered by: the texts that its input `tags` lists, each once."""
        found = self.inputs.get("tags")
        listed = found if isinstance(found, list | tuple) else ()
        return tuple(dict.fromkeys(tag for tag in listed if isinstance(tag, str) and tag.strip()))


def _output(value: Any, field: str | None) -> Callable[..., Any]:
    """Return a function that gives a value, or what a case holds under a field."""
    if field is None:
        return lambda: value

    def from_case(case: Mapping[str, Any]) -> Any:
        if field not in case:
            raise KeyError(f"the case has no field {field!r} to take the corrected output from")
        return case[field]

    return from_case


def _code_version(declared: str, *runs: Callable[..., Any] | None) -> str:
    if declared:
        return f"declared: {declared}"
    texts = "\0".join(source_text(run) for run in runs if run is not None)
    return hashlib.blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_diff(before: str, after: str) -> str:
    """Return the change from one text to another, line by line, as shown beside a fix."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
    return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def case_from(record: Mapping[str, Any], id: str) -> Case:
    """Return a case from an id and a record of fields; the id itself is no input."""
    return Case(id, {key: value for key, value in record.items() if key != "id"})
