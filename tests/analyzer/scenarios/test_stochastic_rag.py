import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.batch import analyze
from analyzer.noise import Draws, World
from analyzer.scenarios.stochastic_rag import (
    CASES,
    HELD_BACK,
    NOT_FOUND,
    PIPELINES,
    failure_kind,
    passage_shown,
    short,
)
from analyzer.scenarios.stochastic_rag_corpus import PASSAGES, QUESTIONS
from analyzer.slug import slug

(PIPELINE,) = PIPELINES
STEPS = {node.step.name: node for node in PIPELINE.nodes}

PANAMA, SUEZ = (f"{title}\n{PASSAGES[title].text}" for title in ("Panama Canal", "Suez Canal"))


@pytest.fixture(scope="module")
def batch():
    return analyze(PIPELINE, CASES)


@pytest.fixture(scope="module")
def by_mode(batch):
    return {file.header.mode: file for file in batch.files}


def mean_values(file, rule):
    return {
        player: sum(case.values[rule][index] for case in file.cases) / len(file.cases)
        for index, player in enumerate(PIPELINE.players)
    }


def draws_of(variant, seed="a world", **seen):
    """Run one variant of a step on inputs of the test's own; return its draws and its output."""
    draw = Draws(World(seed).of_step("a step"))
    output = variant.run(**{name: seen[name] for name in variant.reads}, draw=draw)
    return draw.records, output


def logits_of(step, *, fixed=False, **seen):
    """Return the logits of the first draw that a step makes, by option."""
    node = STEPS[step]
    draw = draws_of(node.fixed if fixed else node.factual, **seen)[0][0]
    return dict(zip(draw.options, draw.logits, strict=True))


def holds(text, words):
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


def asking(question):
    return {"question": question, "answer": "unknown", "tags": []}


# What happens over the 200 cases.


def test_there_are_two_hundred_cases_with_readable_ids_of_their_own():
    ids = {case.id for case in CASES}
    assert len(ids) == len(CASES) == 200
    assert all(slug(id) == id for id in ids)


def test_three_quarters_of_the_cases_fail(batch):
    assert 140 <= batch.files[0].header.counts.failed <= 165


def test_no_run_is_missing(batch):
    assert batch.missing == 0
    assert batch.errored == ()


@pytest.mark.parametrize("mode", ["replayed", "abducted", "fresh"])
def test_rewrite_and_retrieve_carry_most_of_the_repair_then_answer_then_verify(by_mode, mode):
    mean = mean_values(by_mode[mode], "shapley")
    assert min(mean["rewrite"], mean["retrieve"]) > mean["answer"] > mean["verify"] > 0
    assert mean["rewrite"] + mean["retrieve"] > mean["answer"] + mean["verify"]


def test_last_touch_blames_verify_in_more_than_nine_of_ten_failures(by_mode):
    assert mean_values(by_mode["replayed"], "last_touch")["verify"] > 0.9


def test_all_fixes_together_repair_most_failures_but_not_all(by_mode):
    file = by_mode["replayed"]
    assert 0.7 * len(file.cases) < sum(case.worth[-1] for case in file.cases) < len(file.cases)


def test_failures_are_of_four_kinds(by_mode):
    assert {case.failure for case in by_mode["replayed"].cases} == {
        "wrong passage found",
        "right passage, wrong answer",
        "no answer given",
        "the check spoiled a right answer",
    }


def test_running_it_leaves_its_fingerprint_alone(batch):
    assert batch.files[0].header.fingerprint == PIPELINE.fingerprint()


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_its_fingerprint_is_the_same_in_every_process(hash_seed):
    code = "from analyzer.scenarios.stochastic_rag import PIPELINES; print(PIPELINES[0].fingerprint())"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    root = Path(__file__).parents[3]
    printed = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, check=True)
    assert printed.stdout.decode().strip() == PIPELINE.fingerprint()


# What the corpus holds.


def test_every_passage_has_five_questions():
    assert set(Counter(question.title for question in QUESTIONS).values()) == {5}
    assert {question.title for question in QUESTIONS} == set(PASSAGES)


def test_every_answer_is_a_fact_of_the_passage_meant_and_stands_in_no_other():
    for question in QUESTIONS:
        assert question.answer in [fact.text for fact in PASSAGES[question.title].facts]
        found = [title for title, passage in PASSAGES.items() if holds(f"{title} {passage.text}", question.answer)]
        assert found == [question.title], question.id


def test_no_question_gives_its_answer_away():
    assert not [question.id for question in QUESTIONS if holds(question.ask, question.answer)]


def test_no_two_questions_are_alike():
    assert len({question.ask for question in QUESTIONS}) == len(QUESTIONS)


def test_a_question_is_tagged_named_exactly_when_it_names_its_subject():
    for question in QUESTIONS:
        assert (question.style == "named") == (question.title.lower() in question.ask.lower()), question.id


def test_a_question_is_tagged_rambling_exactly_when_something_else_comes_first():
    for question in QUESTIONS:
        assert (question.style == "rambling") == (len(re.findall(r"[.?!](?: |$)", question.ask)) > 1), question.id


def test_every_case_is_tagged_with_its_topic_and_its_style():
    for case, question in zip(CASES, QUESTIONS, strict=True):
        assert case.inputs["tags"] == [PASSAGES[question.title].topic, question.style]


def test_facts_of_one_passage_differ():
    for passage in PASSAGES.values():
        texts = [fact.text for fact in passage.facts]
        assert len(set(texts)) == len(texts)
        assert all(fact.text in fact.sentence for fact in passage.facts)


# What a step and its fix do.


@given(st.sampled_from(CASES), st.text(max_size=5))
def test_fixes_shift_logits_and_leave_draws_and_options_alone(case, seed):
    seen = {"case": case.inputs}
    for name, node in STEPS.items():
        factual, output = draws_of(node.factual, seed, **seen)
        fixed, _ = draws_of(node.fixed, seed, **seen)
        # A checker that sends the answer needs no second draw, so one may have more draws than the other.
        for ours, theirs in zip(factual, fixed, strict=False):
            assert (ours.address, ours.options, ours.noise) == (theirs.address, theirs.options, theirs.noise)
        seen[name] = output


@pytest.mark.parametrize("step", STEPS)
def test_every_fix_shifts_the_logits_of_most_cases(step):
    shifted = 0
    for case in CASES:
        seen = {"case": case.inputs}
        for name, node in STEPS.items():
            if name == step:
                shifted += draws_of(node.factual, **seen)[0][0].logits != draws_of(node.fixed, **seen)[0][0].logits
            _, seen[name] = draws_of(node.factual, **seen)
    assert shifted > len(CASES) / 2


@given(st.sampled_from(CASES), st.text(max_size=5), st.text(max_size=20))
def test_no_step_sees_the_right_answer(case, seed, other):
    outputs = []
    for inputs in (case.inputs, {**case.inputs, "answer": other, "tags": [other]}):
        for fixed in (False, True):
            seen = {"case": inputs}
            for name, node in STEPS.items():
                _, seen[name] = draws_of(node.fixed if fixed else node.factual, seed, **seen)
            outputs.append([seen[name] for name in STEPS])
    assert outputs[:2] == outputs[2:]


def test_rewrite_offers_a_subject_that_the_question_only_hints_at():
    searches = logits_of("rewrite", case=asking("How hot is the evening star?"))
    assert "“Venus” hot evening star" in searches


@pytest.mark.parametrize("fixed", [False, True])
def test_rewrite_prefers_the_subject_that_the_words_hint_at(fixed):
    searches = logits_of("rewrite", fixed=fixed, case=asking("How tall is that iron thing in Paris?"))
    named = {search: logit for search, logit in searches.items() if search.startswith("“")}
    assert max(named, key=named.get) == "“Eiffel Tower” tall iron thing Paris"


def test_naming_the_subject_goes_by_the_sentence_that_asks():
    case = asking("A volcano in Indonesia woke me. How salty is the lake where swimmers float?")
    searches = logits_of("rewrite", fixed=True, case=case)
    assert max(searches, key=searches.get) == "“Dead Sea” salty lake swimmers float"


def test_retrieve_prefers_passages_that_share_words_with_the_search():
    found = logits_of("retrieve", rewrite="penguin egg feet")
    assert max(found, key=found.get) == "Emperor penguin"
    assert "Emperor penguin" not in logits_of("retrieve", rewrite="kieselguhr nitroglycerine")


def test_ranking_by_the_opening_prefers_what_a_passage_is_about_to_what_it_mentions():
    as_it_is, fixed = (logits_of("retrieve", fixed=fixed, rewrite="“Helium” Sun") for fixed in (False, True))
    assert 0 < as_it_is["Helium"] - as_it_is["Venus"] < fixed["Helium"] - fixed["Venus"]


@pytest.mark.parametrize(
    ("question", "fact"), [("When did it open to ships?", "1869"), ("How long did digging take?", "ten years")]
)
def test_answer_prefers_the_kind_of_fact_that_is_asked_for(question, fact):
    facts = logits_of("answer", case=asking(question), retrieve=SUEZ)
    assert max(facts, key=facts.get) == fact


def test_answer_can_only_say_what_the_passage_says():
    facts = logits_of("answer", case=asking("When did it open to ships?"), retrieve=PANAMA)
    assert set(facts) == {fact.text for fact in PASSAGES["Panama Canal"].facts} | {NOT_FOUND}


def test_answering_to_the_point_is_not_misled_by_talk_before_the_question():
    case = asking("Where I grew up nobody knew when. Which container ship got stuck?")
    facts = {fixed: logits_of("answer", fixed=fixed, case=case, retrieve=SUEZ) for fixed in (False, True)}
    assert facts[False]["Red Sea"] > facts[False]["Gamal Abdel Nasser"]
    assert max(facts[True], key=facts[True].get) == "Ever Given"


@pytest.mark.parametrize("fixed", [False, True])
def test_verify_sends_what_the_passage_supports_rather_than_what_it_does_not(fixed):
    seen = {"case": asking("Which container ship got stuck?"), "retrieve": SUEZ}
    send = [
        logits_of("verify", fixed=fixed, **seen, answer=answer)["send"] for answer in ("Ever Given", "1869", NOT_FOUND)
    ]
    assert send[0] > send[1] >= send[2]


def test_an_answer_asked_for_again_is_another_one():
    seen = {"case": asking("When did it open to ships?"), "retrieve": SUEZ, "answer": "1869"}
    runs = [draws_of(STEPS["verify"].factual, str(number), **seen) for number in range(200)]
    again = [short(output) for draws, output in runs if draws[0].choice == "ask again"]
    assert again
    assert "1869" not in again


@given(st.text(max_size=5))
def test_a_reply_quotes_the_sentence_it_was_read_in(seed):
    _, reply = draws_of(STEPS["answer"].factual, seed, case=asking("When did it open to ships?"), retrieve=SUEZ)
    sentences = {fact.text: fact.sentence for fact in PASSAGES["Suez Canal"].facts}
    said = short(reply)
    assert reply == (NOT_FOUND if said == NOT_FOUND else f"{said}\n“{sentences[said]}” (Suez Canal)")


@given(st.sampled_from(sorted(PASSAGES)), st.text(max_size=5))
def test_the_passage_that_retrieve_wrote_is_the_one_read(title, seed):
    _, written = draws_of(STEPS["retrieve"].factual, seed, rewrite=f"“{title}”")
    passage = passage_shown(written)
    assert written == f"{passage.title}\n{passage.text}"


@pytest.mark.parametrize(
    ("retrieve", "answer", "verify", "kind"),
    [
        (PANAMA, "1914", "1914", "wrong passage found"),
        (SUEZ, "1956", "1956", "right passage, wrong answer"),
        (SUEZ, "1956", HELD_BACK, "no answer given"),
        (PANAMA, NOT_FOUND, NOT_FOUND, "no answer given"),
        (SUEZ, "1869", HELD_BACK, "the check spoiled a right answer"),
        (SUEZ, "1869", "1956", "the check spoiled a right answer"),
    ],
)
def test_the_kind_of_a_failure_is_read_off_what_the_steps_wrote(retrieve, answer, verify, kind):
    assert failure_kind({"answer": "1869"}, retrieve, answer, verify) == kind
