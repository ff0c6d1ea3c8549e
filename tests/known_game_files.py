"""Game files with known content: small ones of every shape a site must be able to show.

None of them needs a pipeline: each is put together from the game file's own dataclasses, and its outputs are plain
functions of the coalition, so that what a page must say can be read off this file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from analyzer.game_file import CoalitionError, FixInfo, GameFile, Scenario, ScoreInfo, Shown, StepInfo
from tests.known_sampled_files import sampled_files
from tests.made_game_files import case_game, fix, game_file, scenario, step

#: Case ids that have broken a link, a file name or a path somewhere.
ODD_IDS = (
    "a#1", "50%", "a/b", "a?b", "x[1]", "\"quoted\" 'id'", "two words", "c:d", "con", "NUL", "../up", ".", "..", "A#1",
    "\u65e5\u672c\u8a9e", "\U0001f600", "trailing.", "i" * 400, "__proto__", "a&b=c", "<b>", "-", "a-1",
    "\u0645\u0631\u062d\u0628\u0627",
)  # fmt: skip

#: Text that must reach the reader as text, whatever field it stands in.
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\">",
    "</script><script>document.title='owned'</script>",
    "<!--<script>",
    "]]><svg onload=\"document.title='owned'\">",
    "javascript:document.title='owned'",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "\u2028line\u2029separators\u0000nul\ud800lone\\\"'&amp;&lt;",
    "\u202eright to left override\u202c \u0634\u0643\u0631\u0627",
    "__proto__",
)


# The refund-policy mechanisms in miniature: what each step says under a coalition (bit 0 planner … bit 3 reviewer).

QUESTION = Shown("question", "I bought the headphones on 3 March. Can I still send them back in April?")

REFUND_STEPS = (
    step(
        "planner", (), "producer", title="Planner",
        fix=fix(
            "asks for the policy in force in 2026",
            "The plan names the year, so that later steps look for the policy that applies to this purchase.",
            "-Find the refund policy for headphones.\n+Find the refund policy for headphones, effective 2026.",
        ),
    ),
    step(
        "retriever", ("planner",), "producer", title="Retriever",
        fix=fix(
            "drops superseded documents",
            "Documents marked as superseded are left out before ranking.",
            "-docs = search(plan)\n+docs = [d for d in search(plan) if not d.superseded]",
        ),
    ),
    step(
        "writer", ("planner", "retriever"), "producer", title="Writer",
        fix=fix(
            "cites its sources",
            "Each claim carries the document it comes from.",
            "-Answer briefly.\n+Answer briefly and cite.",
        ),
    ),
    step(
        "reviewer", ("writer",), "checker", title="Reviewer",
        fix=fix(
            "re-checks cited claims",
            "Cited claims are looked up in the policy registry.",
            "-approve(draft)\n+verify(draft)",
        ),
    ),
)  # fmt: skip


def refund_a_repairs(mask: int) -> bool:
    """Planner, or retriever, or writer and reviewer together."""
    return bool(mask & 3) or mask & 12 == 12


def refund_b_repairs(mask: int) -> bool:
    """Planner, retriever or reviewer."""
    return bool(mask & 11)


def refund_text(repairs: Callable[[int], bool]) -> Callable[[str, int], str]:
    """Return what the refund pipeline's steps say."""

    def text(name: str, mask: int) -> str:
        right = bool(mask & 3)
        days = "30 days" if right else "14 days"
        source = "Refund policy, effective 1 January 2026" if right else "Refund policy 2024"
        if name == "planner":
            year = ", effective 2026" if mask & 1 else ""
            return f"1. Find the refund policy for headphones{year}.\n2. Answer."
        if name == "retriever":
            return f"{source}: “Goods may be returned within {days} of purchase, in their original box.”"
        cited = f" [{source}]" if mask & 4 else ""
        draft = f"You can return the headphones within {days} of the day you bought them{cited}."
        if name == "writer":
            return draft
        if repairs(mask) and not right:
            return "Corrected: you can return the headphones within 30 days of the day you bought them."
        return draft + ("\nChecked." if mask & 8 else "\nApproved.")

    return text


def refund_scenario(letter: str) -> Scenario:
    """Return the scenario of mechanism A or B."""
    checks = {"a": "re-checks the claims that carry a citation", "b": "re-checks every claim"}[letter]
    return scenario(
        f"refund-policy-{letter}",
        f"Refund policy, mechanism {letter.upper()}",
        "A shop assistant quotes a refund window that was superseded a year ago. Four steps could have caught it; "
        f"the reviewer's fix {checks}.",
        pipeline="refund-policy",
    )


def refund_files(letter: str, modes: Mapping[str, int]) -> list[GameFile]:
    """Return the refund scenario in some modes, each with its number of worlds."""
    repairs = {"a": refund_a_repairs, "b": refund_b_repairs}[letter]
    files = []
    for mode, worlds in modes.items():
        worth = [worlds if repairs(mask) else 0 for mask in range(16)]
        case = case_game(REFUND_STEPS, "march-headphones", worth, worlds, refund_text(repairs), inputs=[QUESTION])
        files.append(game_file(refund_scenario(letter), REFUND_STEPS, mode, worlds, [case], seen=1))
    return files


TRIAGE_STEPS = (
    step("classify", title="Classify", fix=fix("few-shot examples", "Five labelled tickets are shown first.")),
    step("answer", ("classify",), title="Answer", fix=fix("a stronger model", "The same prompt, a larger model.")),
    step("check", ("answer",), "checker", title="Check", fix=fix("asks twice", "Two readings must agree.")),
)


#: What the tickets can be filtered by; tags are the same under every kind of luck.
TRIAGE_TAGS = ((), ("urgent",), ("urgent", "long thread"), ("Español",))
TRIAGE_FAILURES = ("wrong team", "wrong line", "")


def triage_files(modes: Mapping[str, int], cases: int = 30) -> list[GameFile]:
    """Return thirty failing support tickets whose repair depends on luck."""
    about = scenario(
        "triage",
        "Support triage",
        "A ticket is classified, answered and checked. "
        "Each step samples, so the same fix repairs some failures and not others.",
        cost_unit="model calls",
    )
    files = []
    for mode, worlds in modes.items():
        lines = []
        for number in range(cases):
            luck = random.Random(f"{mode}{number}")
            strength = [luck.choice((0, 0, 1, 2, 3)), luck.choice((0, 1, 2, 4)), luck.choice((0, 0, 0, 1, 2))]
            base = 0 if mode != "fresh" else luck.choice((0, 0, 1))
            worth = []
            for mask in range(8):
                power = sum(strength[bit] for bit in range(3) if mask >> bit & 1)
                worth.append(min(worlds, base + (power * worlds) // 5) if worlds > 1 else int(power >= 3))
            topic = luck.choice(("billing", "delivery", "returns"))

            def text(
                name: str,
                mask: int,
                topic: str = topic,
                scored: tuple[int, ...] = tuple(worth),
                half: float = worlds / 2,
            ) -> str:
                if name == "classify":
                    return f"topic: {topic if mask & 1 else 'other'}"
                if name == "answer":
                    detail = "with the account's own dates" if mask & 2 else "in general terms"
                    return f"Dear customer, about your {topic if mask & 1 else 'request'}: we answer {detail}."
                return "accept" if scored[mask] >= half else "reject" if mask & 4 else "accept, wrongly"

            ticket = Shown("ticket", f"Ticket {number + 1}: a question about {topic}.")
            lines.append(
                case_game(
                    TRIAGE_STEPS, f"ticket-{number + 1:02d}", worth, worlds, text, inputs=[ticket],
                    tags=TRIAGE_TAGS[number % 4], failure=TRIAGE_FAILURES[number % 3],
                )
            )  # fmt: skip
        files.append(game_file(about, TRIAGE_STEPS, mode, worlds, lines, seen=cases + 6))
    return files


def letters(count: int) -> tuple[StepInfo, ...]:
    """Return a chain of `count` steps with a fix each."""
    chain = "intake router planner search extractor calculator drafter guardrail editor sender"
    names = chain.split()
    return tuple(
        step(names[i], names[i - 1 : i] if i else (), title=names[i].title(), fix=fix(f"a better {names[i]}"))
        for i in range(count)
    )


def plain_text(name: str, mask: int) -> str:
    """Say which of the first ten fixes an output has seen."""
    return f"{name} under {mask:b}"


def graded_files() -> list[GameFile]:
    """Return real-valued games, one with a fix that makes things worse."""
    score = ScoreInfo("agreement with the reference answer, from a grader", True, 0.0, 1.0, 0.75)
    prose = "A grader gives each answer a mark between 0 and 1."
    about = scenario("graded-answers", "Graded answers", prose, score, "tokens")
    steps = letters(3)
    worse = [0.31, 0.52, 0.18, 0.44, 0.9, 0.95, 0.61, 0.7]
    rising = [0.1, 0.2, 0.30000000000000004, 0.7, 0.15, 0.1 + 0.2 + 0.05, 1 / 3, 0.8]
    cases = [
        case_game(steps, "router-misroutes", worse, None, plain_text, inputs=[Shown("query", "Net margin in Q3?")]),
        case_game(steps, "rising", rising, None, plain_text, inputs=[Shown("query", "Revenue per seat?")]),
    ]
    return [game_file(about, steps, "replayed", 1, cases)]


def margin_files() -> list[GameFile]:
    """Return a game whose score has hardly any bounds, below zero as well as above."""
    score = ScoreInfo("profit of the order, in euros", True, -1e100, 1e100, 10.0)
    about = scenario("order-margin", "Order margin", "What an order earns, or loses.", score, "calls")
    steps = letters(2)
    cases = [case_game(steps, "loss", [-12.5, 3.25, -0.75, 41.0], None, plain_text)]
    return [game_file(about, steps, "replayed", 1, cases)]


def holes_files() -> list[GameFile]:
    """Return a scenario in which one case has a coalition that raised, one has none, and one never ran unfixed."""
    prose = "One coalition never finished; its case's values are withheld."
    about = scenario("time-outs", "Time-outs", prose)
    steps = letters(3)
    errors = {5: CoalitionError("planner", "TimeoutError: no answer within 30 s")}
    cases = [
        case_game(steps, "torn", [0, 0, 1, 1, 0, None, 1, 1], 1, plain_text, errors=errors),
        case_game(steps, "whole", [0, 0, 1, 1, 0, 1, 1, 1], 1, plain_text),
        case_game(steps, "unfixed", [None, 0, 1, 1, 0, 1, 1, 1], 1, plain_text, errors={0: errors[5]}),
    ]
    return [game_file(about, steps, "replayed", 1, cases)]


def wide_files() -> list[GameFile]:
    """Return games of eight and nine fixes: 256 and 512 outcomes."""
    files = []
    for count in (8, 9):
        luck = random.Random(count)
        worth = [int(luck.random() < 0.2 + 0.07 * mask.bit_count()) for mask in range(2**count)]
        worth[0], worth[-1] = 0, 1
        prose = "Many steps, each with a fix."
        about = scenario(f"chain-of-{count}", f"A chain of {count}", prose)
        steps = letters(count)
        files.append(game_file(about, steps, "replayed", 1, [case_game(steps, "only", worth, 1, plain_text)]))
    return files


def odd_files() -> list[GameFile]:
    """Return a scenario whose case ids are awkward, and one that has no fix at all."""
    about = scenario("odd ids/№ 1", "Odd ids", "Each case id has broken a link somewhere.")
    steps = letters(2)
    cases = [case_game(steps, name, [0, 1, 0, 1], 1, plain_text) for name in ODD_IDS]
    bare = scenario("no-fix", "Nothing to try", "No step has a fix.")
    alone = (step("only"),)
    return [
        game_file(about, steps, "replayed", 1, cases),
        game_file(bare, alone, "replayed", 1, [case_game(alone, "one", [0], 1, plain_text)]),
    ]


def verdict_files() -> list[GameFile]:
    """Return one case for each kind of verdict that the other scenarios do not reach."""
    prose = "Nothing helps, only all together help, and it was luck."
    about = scenario("verdicts", "Kinds of verdict", prose)
    steps = letters(2)
    cases = [
        case_game(steps, "nothing helps", [0, 0, 0, 0], 8, plain_text),
        case_game(steps, "together", [0, 1, 2, 8], 8, plain_text),
        case_game(steps, "luck", [6, 7, 6, 8], 8, plain_text),
        case_game(steps, "worse", [0, 0, 8, 3], 8, plain_text),
    ]
    return [game_file(about, steps, "abducted", 8, cases)]


def hostile_files(texts: Sequence[str] = HOSTILE, shift: int = 0) -> list[GameFile]:
    """Return a scenario with hostile text in every field that holds text; with another shift, another in each."""

    def nasty(number: int) -> str:
        return texts[(number + shift) % len(texts)] + f" {number}"

    steps = (
        StepInfo(nasty(0), nasty(1), (), "producer", True, FixInfo(nasty(2), "resample", nasty(3), nasty(4))),
        StepInfo(nasty(5), nasty(6), (nasty(0),), "checker", False, FixInfo(nasty(7), "constant", nasty(8), nasty(1))),
    )
    about = Scenario(nasty(1), nasty(2), nasty(0), nasty(3), ScoreInfo(nasty(2), False, 0.0, 1.0, 1.0), nasty(5))
    cases = []
    for number, text in enumerate(texts):
        error = {3: CoalitionError(nasty(number), nasty(number + 1))} if number == 0 else {}
        worth = [0, 1, 0, None if error else 1]
        cases.append(
            case_game(
                steps, f"{text} {number}", worth, 1, lambda name, mask, text=text: f"{text} {name} {mask}",
                inputs=[Shown(nasty(number), nasty(number + 2))], errors=error,
                tags=[nasty(number), nasty(number + 4)], failure=nasty(number + 3),
            )
        )  # fmt: skip
    file = game_file(about, steps, "replayed", 1, cases, redacted=[nasty(3)])
    header = replace(
        file.header, seed=nasty(1), package=nasty(2), version=nasty(3), fingerprint=nasty(4), stopped=nasty(6)
    )
    return [replace(file, header=header)]


def all_files() -> list[GameFile]:
    """Return every file above, in the order a folder would be read."""
    three = {"replayed": 1, "abducted": 8, "fresh": 8}
    files = [
        *refund_files("a", three),
        *refund_files("b", three),
        *triage_files(three),
        *graded_files(),
        *margin_files(),
        *holes_files(),
        *wide_files(),
        *odd_files(),
        *verdict_files(),
        *sampled_files(),
        *hostile_files(),
    ]
    return sorted(files, key=lambda file: file.name)
