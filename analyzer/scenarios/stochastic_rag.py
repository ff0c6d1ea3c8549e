"""A question desk answers from a small encyclopaedia with some luck: rewrite → retrieve → answer → verify.

`rewrite` picks the search to run for a question, `retrieve` one of the passages found, `answer` one of the facts in it,
and `verify` sends that answer, asks for another or holds it back. Each samples its choice with odds that depend on the
words before it, as a language model does, and none of them sees the right answer. A fix leaves the choices as they are
and shifts the odds: what a question gets under a fix is the same luck with other odds.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from analyzer.noise import Draws
from analyzer.pipeline import Case, Fix, Pipeline, Score, Step, text_diff
from analyzer.scenarios.stochastic_rag_corpus import PASSAGES, QUESTIONS, Fact, Passage

# What each prompt makes the model go by, and how firmly: logits per unit of what is named, the same for every question.
# The first of each pair is the prompt as it is, the second what its fix adds.
_REWRITE: Mapping[str, float] = {"as asked": 0.5, "two words": 1.5, "hint": 0.3}
_NAME_SUBJECT: Mapping[str, float] = {"subject": 3.0, "hint": 3.0}
_RETRIEVE: Mapping[str, float] = {"shared": 0.4}
_BY_OPENING: Mapping[str, float] = {"hint": 4.5}
_ANSWER: Mapping[str, float] = {"kind": 1.8, "shared": 0.8, "not found": -0.8}
_TO_THE_POINT: Mapping[str, float] = {"kind": 3.0, "shared": 1.4}
_VERIFY: Mapping[str, float] = {"support": 1.4, "ask again": -0.4, "hold back": -0.2}
_BY_PASSAGE: Mapping[str, float] = {"support": 2.0}

#: Subjects that come to mind at a question, and passages that the index finds for a search.
SUBJECTS, FOUND = 3, 5

NOT_FOUND = "The passage does not say."
HELD_BACK = "Sorry, I could not confirm an answer."

# Words that say nothing about a subject.
_EMPTY_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a about after all also among an and any are as at away back be because been before between but by call "
        "called can could did do does down each else ever every everybody for from get gets given got had half has "
        "have he her him his how i if in is it its just know knows like long made make many may me mean means more "
        "most much my name named never next no not of off often on once one only or other our out own place put read "
        "said same say says she so some somebody stay such than that the their them then there these they this those "
        "to too under until up us used very was we well went were what when where which while who whom whose why will "
        "with within would yes yet you your",
    )
)

# What shows the kind of answer that a question wants; after "which", a word that a person is meant with.
_PERSONS = (
    "army|assistant|boy|designer|doctor|emperor|engineer|englishman|frenchman|golfer|king|naval|newspaper|policeman|"
    "president|sherpa|son|swindler|wife|writer|zoologist"
)
_WANTED = re.compile(
    rf"\b((?P<who>who|whom|whose|which ({_PERSONS}))"
    r"|(?P<when>when|(what|which) year)"
    r"|(?P<where>where|(what|which) (city|country|island|river|sea|station|street|town|village))"
    r"|(?P<how_much>how (many|much|long|far|deep|high|hot|old|fast|thick|tall|often)|what (temperature|time))"
    r"|(?P<what>what|which))\b",
    re.IGNORECASE,
)


@functools.cache
def _stems(text: str) -> frozenset[str]:
    """Return the beginnings of the words that say something: "opened" and "opens" are one."""
    words = re.findall(r"\w\w+", text.lower())
    return frozenset(word.removesuffix("s")[:5] for word in words if word not in _EMPTY_WORDS)


def _worth(texts: Iterable[str]) -> dict[str, float]:
    """Return what each stem is worth as a hint at one of the texts: the more, the fewer of them hold it."""
    holding = Counter(stem for text in texts for stem in _stems(text))
    # Sorted, as the order of a set differs between processes, and the fingerprint of a pipeline heeds that of a dict.
    return {stem: 1.0 / holding[stem] for stem in sorted(holding)}


# Each passage in full, as the index holds it; what it opens with; and what people say who speak of its subject.
_WRITTEN = {title: f"{title} {passage.text}" for title, passage in PASSAGES.items()}
_OPENING = {title: f"{title} {passage.sentences[0]}" for title, passage in PASSAGES.items()}
_KNOWN = {title: f"{title} {passage.known_for}" for title, passage in PASSAGES.items()}
_WORTH_IN_OPENING = _worth(_OPENING.values())
_WORTH_IN_KNOWN = _worth(_KNOWN.values())


def _hint(words: str, text: str, worth: Mapping[str, float]) -> float:
    """Say how strongly words hint at a text, by what the stems they share are worth."""
    total = 0.0
    # Sorted here too, as the order of additions shows in the last bit.
    for stem in sorted(_stems(words) & _stems(text)):
        total += worth[stem]
    return total


def _asking(question: str) -> str:
    """Return the sentence that asks; what comes before it is talk."""
    return re.split(r"(?<=[.!?]) ", question)[-1]


def _wanted(question: str) -> str:
    """Return the kind of answer that a question wants, by the first of its words that shows one."""
    found = _WANTED.search(question)
    kinds = found.groupdict() if found else {}
    return next((kind.replace("_", " ") for kind, words in kinds.items() if words), "what")


def _nearest(count: int, nearness: Mapping[str, float]) -> tuple[str, ...]:
    """Return the nearest titles; of equals, those on the topic of the first come first."""
    topic = PASSAGES[max(nearness, key=lambda title: nearness[title])].topic
    return tuple(sorted(nearness, key=lambda title: (-nearness[title], PASSAGES[title].topic != topic))[:count])


@functools.cache
def _subjects(question: str) -> tuple[str, ...]:
    """Return the subjects that come to mind at a question."""
    return _nearest(SUBJECTS, {title: _hint(question, known, _WORTH_IN_KNOWN) for title, known in _KNOWN.items()})


def _key_words(question: str, but: str = "") -> list[str]:
    return [word for word in re.findall(r"\w[\w'-]+", _asking(question)) if _stems(word) - _stems(but)]


def _searches(question: str) -> dict[str, float]:
    """Return the searches that one could write for a question, each with its logit."""
    words = _key_words(question)
    hastily = dict.fromkeys((" ".join(words[:2]), " ".join(words[-2:])), _REWRITE["two words"])
    named = {
        search: _REWRITE["hint"] * _hint(question, _KNOWN[title], _WORTH_IN_KNOWN)
        for search, title in _naming(question).items()
    }
    return {question: _REWRITE["as asked"], " ".join(words): 0.0} | hastily | named


def _naming(question: str) -> dict[str, str]:
    """Return the searches that name a subject, each with that subject."""
    return {" ".join([f"“{title}”", *_key_words(question, title)]): title for title in _subjects(question)}


def rewrite(case: Mapping[str, Any], draw: Draws) -> str:
    """Write a search: the question as asked, its key words, two of them, or a likely subject with the key words."""
    return draw.categorical("search", _searches(case["question"]))


def rewrite_naming_the_subject(case: Mapping[str, Any], draw: Draws) -> str:
    """Have the model say first which subject the last sentence is about, and search for that."""
    question = case["question"]
    logits = _searches(question)
    for search, title in _naming(question).items():
        hint = _hint(_asking(question), _KNOWN[title], _WORTH_IN_KNOWN)
        logits[search] += _NAME_SUBJECT["subject"] + _NAME_SUBJECT["hint"] * hint
    return draw.categorical("search", logits)


def _found(search: str) -> dict[str, float]:
    """Return the titles of the passages that share most words with a search, each with its logit."""
    shared = {title: len(_stems(search) & _stems(text)) for title, text in _WRITTEN.items()}
    return {title: _RETRIEVE["shared"] * shared[title] for title in _nearest(FOUND, shared)}


def retrieve(rewrite: str, draw: Draws) -> str:
    """Pick one of the passages found, by how many words it shares with the search."""
    return _shown(PASSAGES[draw.categorical("passage", _found(rewrite))])


def retrieve_by_opening(rewrite: str, draw: Draws) -> str:
    """Have the passages ranked by what they are about: the title and the first sentence, rare words first."""
    logits = _found(rewrite)
    for title in logits:
        logits[title] += _BY_OPENING["hint"] * _hint(rewrite, _OPENING[title], _WORTH_IN_OPENING)
    return _shown(PASSAGES[draw.categorical("passage", logits)])


def _shown(passage: Passage) -> str:
    return f"{passage.title}\n{passage.text}"


def passage_shown(retrieve: str) -> Passage:
    """Return the passage that `retrieve` picked."""
    return PASSAGES[retrieve.split("\n")[0]]


def _shared(question: str, fact: Fact, passage: Passage) -> int:
    """Count the stems that a question shares with the sentence of a fact; those of the title point at no sentence."""
    return len((_stems(question) & _stems(fact.sentence)) - _stems(passage.title))


def _facts(question: str, passage: Passage) -> dict[str, float]:
    """Return the answers that one could give from a passage, each with its logit."""
    wanted = _wanted(question)
    logits = {
        fact.text: _ANSWER["kind"] * (fact.kind == wanted) + _ANSWER["shared"] * _shared(question, fact, passage)
        for fact in passage.facts
    }
    return logits | {NOT_FOUND: _ANSWER["not found"]}


def answer(case: Mapping[str, Any], retrieve: str, draw: Draws) -> str:
    """Pick a fact of the passage, by its kind and the words that its sentence shares with all that the user wrote."""
    passage = passage_shown(retrieve)
    return _quoted(draw.categorical("fact", _facts(case["question"], passage)), passage)


def answer_to_the_point(case: Mapping[str, Any], retrieve: str, draw: Draws) -> str:
    """Have the model say first what the last sentence asks for (who, when, how much, …), and give that."""
    passage, asking = passage_shown(retrieve), _asking(case["question"])
    wanted, logits = _wanted(asking), _facts(case["question"], passage)
    for fact in passage.facts:
        logits[fact.text] += _TO_THE_POINT["kind"] * (fact.kind == wanted)
        logits[fact.text] += _TO_THE_POINT["shared"] * _shared(asking, fact, passage)
    return _quoted(draw.categorical("fact", logits), passage)


def _quoted(text: str, passage: Passage) -> str:
    """Return an answer and, on a second line, the sentence it was read in."""
    sentence = next((fact.sentence for fact in passage.facts if fact.text == text), None)
    return NOT_FOUND if sentence is None else f"{text}\n“{sentence}” ({passage.title})"


def short(reply: str) -> str:
    """Return the answer that a reply gives, without the sentence quoted for it."""
    return reply.split("\n")[0]


def _support(question: str, reply: str, passage: Passage) -> float:
    """Say from 0 to 2 how well a passage supports a reply, by its kind and by what its sentence is about."""
    fact = next((fact for fact in passage.facts if fact.text == short(reply)), None)
    if fact is None:
        return 0.0
    asking = _asking(question)
    return float(fact.kind == _wanted(asking)) + min(_shared(asking, fact, passage), 2) / 2


def _check(question: str, passage: Passage, reply: str, weight: float, draw: Draws) -> str:
    verdicts = {
        "send": weight * _support(question, reply, passage),
        "ask again": _VERIFY["ask again"],
        "hold back": _VERIFY["hold back"],
    }
    verdict = draw.categorical("verdict", verdicts)
    if verdict == "send":
        return reply
    if verdict == "hold back":
        return HELD_BACK
    others = _facts(question, passage) | {short(reply): float("-inf")}
    return _quoted(draw.categorical("other fact", others), passage)


def verify(case: Mapping[str, Any], retrieve: str, answer: str, draw: Draws) -> str:
    """Send the answer, ask for another or hold it back; in doubt rather not send it."""
    return _check(case["question"], passage_shown(retrieve), answer, _VERIFY["support"], draw)


def verify_by_passage(case: Mapping[str, Any], retrieve: str, answer: str, draw: Draws) -> str:
    """Have the checker object only to what the passage does not say."""
    weight = _VERIFY["support"] + _BY_PASSAGE["support"]
    return _check(case["question"], passage_shown(retrieve), answer, weight, draw)


def is_right(case: Mapping[str, Any], verify: str) -> bool:
    """Whether the reply gives the right answer."""
    return bool(short(verify) == case["answer"])


def failure_kind(case: Mapping[str, Any], retrieve: str, answer: str, verify: str) -> str:
    """Say in a few words how a failing run went wrong."""
    if short(answer) == case["answer"]:
        return "the check spoiled a right answer"
    if short(verify) in (NOT_FOUND, HELD_BACK):
        return "no answer given"
    if any(fact.text == case["answer"] for fact in passage_shown(retrieve).facts):
        return "right passage, wrong answer"
    return "wrong passage found"


CASES = tuple(
    Case(
        question.id,
        {
            "question": question.ask,
            "answer": question.answer,
            "tags": [PASSAGES[question.title].topic, question.style],
        },
    )
    for question in QUESTIONS
)

PIPELINES = (
    Pipeline(
        "stochastic-rag",
        title="Question desk",
        summary="A question desk answers from a small encyclopaedia: one step writes the search, one picks a passage, "
        "one reads the answer in it, one checks. Each samples its choice, as a language model does.",
        steps=[
            Step(
                "rewrite",
                rewrite,
                title="Rewrite",
                role="producer",
                fix=Fix(
                    "Name the subject",
                    rewrite_naming_the_subject,
                    diff=text_diff(
                        "Write a short search for this question.",
                        "Which subject is the last sentence about, though it may not name it?\n"
                        "Write a search for this question that begins with that subject.",
                    ),
                ),
            ),
            Step(
                "retrieve",
                retrieve,
                title="Retrieve",
                role="producer",
                fix=Fix(
                    "Rank by the opening",
                    retrieve_by_opening,
                    diff=text_diff(
                        "Which of these passages shares most words with the search?",
                        "Which of these passages is about what the search is about?\n"
                        "Go by title and first sentence, and by rare words before common ones.",
                    ),
                ),
            ),
            Step(
                "answer",
                answer,
                title="Answer",
                role="producer",
                fix=Fix(
                    "Answer to the point",
                    answer_to_the_point,
                    diff=text_diff(
                        "Answer the user from this passage.",
                        "What does the last sentence ask for: who, when, where, how much, or what?\n"
                        "Answer just that, from this passage.",
                    ),
                ),
            ),
            Step(
                "verify",
                verify,
                title="Verify",
                role="checker",
                fix=Fix(
                    "Object only with a reason",
                    verify_by_passage,
                    diff=text_diff(
                        "Is this a good answer? In doubt, ask again or hold it back.",
                        "Does the passage say this, and was this asked? If so, send it.\n"
                        "If not, ask again or hold it back.",
                    ),
                ),
            ),
        ],
        score=Score(is_right, meaning="The reply gives the right answer", failure=failure_kind),
        cost_unit="model calls",
    ),
)
