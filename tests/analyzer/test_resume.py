"""Runs that go on where others ended, on one store: only what is missing runs, and files come out the same."""

import itertools
import json
import sqlite3
import sys
import threading
from collections import Counter
from contextlib import closing

import pytest

from analyzer.batch import analyze
from analyzer.budget import Budget
from analyzer.commands.loading import load_pipeline
from analyzer.engines import Serial, threads
from analyzer.game_file import dumps
from analyzer.memory import Memory
from analyzer.pipeline import Case
from analyzer.plan import Plan
from analyzer.store import Store, StoreError

# A module as a user edits it. It notes each call in a file of the working folder, so that what is noted is part of no
# version; and how the code reads stands in the line, so that a call of changed code is another line.
BOT = """
import json
import os
import time

from analyzer import Fix, Pipeline, Score, Step

PROMPT = "find it"


def noted(*parts):
    with open("ledger", "a") as ledger:
        ledger.write(json.dumps(parts) + "\\n")


def setting(name):
    try:
        with open(name) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def luck(draw):
    return [list(record.noise) for record in draw.records]


def retrieve(case, draw):
    found = draw.categorical("document", {"right": 0.0, "wrong": 1.0, "none": 0.5})
    noted("retrieve", "as it ran", PROMPT, case, luck(draw))
    return found + case["q"]


def retrieve_more(case, draw):
    found = draw.categorical("document", {"right": 1.5, "wrong": 0.5, "none": -1.0})
    noted("retrieve", "more", 1, case, luck(draw))
    return found + case["q"]


def answer(retrieve):
    noted("answer", "as it ran", 1, retrieve)
    return "good" if retrieve.startswith("right") else "poor"


def answer_well(retrieve):
    noted("answer", "well", 1, retrieve)
    return "bad" if retrieve.startswith("none") else "good"


def answer_rarely(retrieve):
    noted("answer", "rarely", 1, retrieve)
    return "good" if retrieve == "right1" else "poor"


def check(answer, draw):
    seen = draw.uniform("seen") < 0.8
    noted("check", "as it ran", 1, answer, luck(draw))
    return answer if seen else "bad"


def score(check):
    noted("score", 1, check)
    return check == "good"


def failure(check):
    noted("failure", 1, check)
    return f"it was {check}"


STEPS = [
    Step("retrieve", retrieve, fix=Fix("more", retrieve_more)),
    Step("answer", answer, fix=[Fix("well", answer_well), Fix("rarely", answer_rarely)], cost=2.0),
    Step("check", check, fix=Fix.resample()),
]
bot = Pipeline("bot", STEPS, score=Score(score, failure=failure))
"""
CASES = [Case(f"c{n}", {"q": str(n % 3), "n": n}) for n in range(8)]
PLAN = Plan(worlds=3)


class Place:
    """A folder with a module, a store and a ledger."""

    def __init__(self, folder):
        self.folder = folder
        self.written = 0

    def load(self, *edits, text=BOT):
        """Return the pipeline of the module after edits, each a text in it and what comes in its place."""
        for before, after in edits:
            assert before in text
            text = text.replace(before, after)
        # A module of its own each time, as in another process; its name is part of no version.
        self.written += 1
        folder = self.folder / f"v{self.written}"
        folder.mkdir()
        (folder / "bot.py").write_text(text)
        sys.modules.pop("bot", None)
        return load_pipeline(f"{folder / 'bot.py'}:bot")

    def run(self, pipeline, cases=CASES, plan=PLAN, *, store="run.sqlite", engine=None):
        """Run everything on a store; return what it gave, the bytes of its files, and the lines noted."""
        ledger = self.folder / "ledger"
        ledger.write_text("")
        with Store.open(self.folder / store) as opened, engine or Serial() as where:
            batch = analyze(pipeline, cases, plan, Memory(where, opened))
            return batch, [dumps(file) for file in batch.files], ledger.read_text().splitlines()

    def lines(self):
        return (self.folder / "ledger").read_text().splitlines()


@pytest.fixture
def place(folder):
    return Place(folder)


def of_steps(lines):
    return Counter(line for line in lines if not line.startswith(('["score"', '["failure"')))


def scores(lines):
    return Counter(line for line in lines if line.startswith('["score"'))


def test_same_run_again_executes_nothing_and_gives_the_same_files(place):
    pipeline = place.load()
    first, files, lines = place.run(pipeline)
    again, same, none = place.run(pipeline)
    assert first.executed == of_steps(lines).total() > 30
    assert max(of_steps(lines).values()) == 1
    assert (again.executed, again.cost, none) == (0, 0.0, [])
    assert (again.known, again.saved) == (first.executed, first.cost)
    assert (first.known, first.saved) == (0, 0.0)
    assert same == files


def test_same_run_in_another_place_executes_nothing(place):
    place.run(place.load())
    again, _, none = place.run(place.load())
    assert (again.executed, none) == (0, [])


def test_a_run_counts_each_call_it_knows_once_though_modes_and_cases_share_it(place):
    pipeline = place.load()
    first, _, _ = place.run(pipeline, plan=Plan(worlds=3, modes=("replayed",)))
    both, _, lines = place.run(pipeline)
    assert both.known == first.executed
    assert both.executed == of_steps(lines).total() > 0


def test_a_game_that_damage_spoiled_is_put_together_again_from_its_calls(place):
    pipeline = place.load()
    _, files, _ = place.run(pipeline)
    with closing(sqlite3.connect(place.folder / "run.sqlite")) as connection:
        connection.execute("UPDATE games SET line = substr(line, 1, length(line) / 2)")
        connection.commit()
    again, same, none = place.run(pipeline)
    assert (again.executed, of_steps(none)) == (0, Counter())
    assert same == files


# What is new, and nothing else, runs. What a run of its own would execute tells what that is.


EDITS = {
    "code of a step": [('noted("answer", "as it ran", 1', 'noted("answer", "as it ran", 2')],
    "code of a fix": [('noted("answer", "well", 1', 'noted("answer", "well", 2')],
    "output of a step": [('"poor"\n\n\ndef answer_well', '"so so"\n\n\ndef answer_well'),
                         ('noted("answer", "as it ran", 1', 'noted("answer", "as it ran", 2')],
    "prompt in a global": [('PROMPT = "find it"', 'PROMPT = "please find it"')],
}  # fmt: skip


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_of_a_changed_pipeline_exactly_the_calls_that_the_change_reaches_run(place, edits):
    before, after = place.load(), place.load(*edits)
    _, _, old = place.run(before)
    _, new, whole = place.run(after, store="another.sqlite")
    _, files, lines = place.run(after)
    assert of_steps(lines) == of_steps(whole) - of_steps(old)
    assert 0 < of_steps(lines).total() < of_steps(whole).total()
    assert files == new


def test_a_declared_version_alone_decides_whether_a_step_runs_again(place):
    declared = ('Step("answer", answer,', 'Step("answer", answer, version="1",')
    changed = ('noted("answer", "as it ran", 1', 'noted("answer", "as it ran", 2')
    place.run(place.load(declared))
    _, _, none = place.run(place.load(declared, changed))
    assert of_steps(none).total() == 0
    _, _, lines = place.run(place.load(declared, changed, ('version="1"', 'version="2"')))
    assert {tuple(json.loads(line)[:2]) for line in of_steps(lines)} == {("answer", "as it ran")}


def test_other_words_for_a_fix_run_nothing(place):
    _, _, lines = place.run(place.load())
    again, _, none = place.run(place.load(('Fix("well"', 'Fix("as well as it can"'), ('Fix("more"', 'Fix("much more"')))
    assert (again.executed, of_steps(none)) == (0, Counter())
    assert again.known == of_steps(lines).total()


def test_a_fix_that_becomes_the_step_runs_none_of_its_calls_again(place):
    _, _, old = place.run(place.load())
    adopted = ('Step("answer", answer, fix=[Fix("well", answer_well), ', 'Step("answer", answer_well, fix=[')
    _, _, lines = place.run(place.load(adopted))
    assert "well" not in {json.loads(line)[1] for line in of_steps(lines)}
    assert "well" in {json.loads(line)[1] for line in of_steps(old)}


def test_of_two_fixes_with_one_declared_version_neither_has_the_calls_of_the_other(place):
    one, other = 'fix=[Fix("well", answer_well', 'Fix("rarely", answer_rarely'
    declared = [(part, f'{part}, version="1"') for part in (one, other)]
    place.run(place.load(*declared))
    _, _, lines = place.run(place.load(*declared).trying({"answer": "rarely"}))
    assert "rarely" in {json.loads(line)[1] for line in of_steps(lines)}
    # Nor where one takes the place of the other.
    _, _, lines = place.run(place.load(*declared), store="another.sqlite")
    alone = (', Fix("rarely", answer_rarely)', ""), (one, 'fix=[Fix("rarely", answer_rarely, version="1"')
    _, _, lines = place.run(place.load(*alone), store="another.sqlite")
    assert "rarely" in {json.loads(line)[1] for line in of_steps(lines)}


def test_of_a_changed_case_only_its_own_calls_run(place):
    pipeline = place.load()
    changed = [*CASES[:-1], Case(CASES[-1].id, {**CASES[-1].inputs, "n": 100})]
    _, _, old = place.run(pipeline)
    _, new, whole = place.run(pipeline, changed, store="another.sqlite")
    _, files, lines = place.run(pipeline, changed)
    assert of_steps(lines) == of_steps(whole) - of_steps(old)
    assert {'"n": 100' in line for line in of_steps(lines) if line.startswith('["retrieve"')} == {True}
    assert files == new


def test_a_new_label_and_new_tags_run_nothing_where_steps_say_what_they_read_of_the_case(place):
    pipeline = place.load(('fix=Fix("more", retrieve_more)', 'fix=Fix("more", retrieve_more), case_fields=("q", "n")'))
    _, _, lines = place.run(pipeline)
    changed = [Case(case.id, {"gold": "right", **case.inputs, "tags": ["seen"]}) for case in CASES]
    again, _, none = place.run(pipeline, changed)
    assert (again.executed, of_steps(none)) == (0, Counter())
    assert again.known == of_steps(lines).total()
    assert {tag for case in again.files[0].cases for tag in case.tags} == {"seen"}


def test_another_seed_runs_what_draws_and_knows_what_does_not(place):
    pipeline = place.load()
    _, _, old = place.run(pipeline)
    _, new, whole = place.run(pipeline, plan=Plan(worlds=3, seed="1"), store="another.sqlite")
    _, files, lines = place.run(pipeline, plan=Plan(worlds=3, seed="1"))
    assert of_steps(lines) == of_steps(whole) - of_steps(old)
    assert not [line for line in old if line in of_steps(lines) and not line.startswith('["answer"')]
    assert files == new


MORE = {
    "more worlds": (CASES, Plan(worlds=5)),
    "another mode": (CASES, Plan(worlds=3)),
    "more cases": ([*CASES, Case("late", {"q": "0", "n": 99})], Plan(worlds=3, modes=("replayed", "fresh"))),
    "in another order": (CASES[::-1], Plan(worlds=3, modes=("replayed", "fresh"))),
}


@pytest.mark.parametrize(("cases", "plan"), MORE.values(), ids=MORE)
def test_of_a_larger_run_only_what_is_new_runs(place, cases, plan):
    pipeline = place.load()
    _, _, old = place.run(pipeline, plan=Plan(worlds=3, modes=("replayed", "fresh")))
    _, new, whole = place.run(pipeline, cases, plan, store="another.sqlite")
    _, files, lines = place.run(pipeline, cases, plan)
    assert of_steps(lines) == of_steps(whole) - of_steps(old)
    assert files == new


def test_another_fix_of_a_step_shares_all_that_is_the_same(place):
    pipeline = place.load()
    other = pipeline.trying({"answer": "rarely"})
    _, _, old = place.run(pipeline)
    _, new, whole = place.run(other, store="another.sqlite")
    batch, files, lines = place.run(other)
    assert of_steps(lines) == of_steps(whole) - of_steps(old)
    assert {json.loads(line)[1] for line in lines if line.startswith('["answer"')} == {"rarely"}
    assert batch.known == of_steps(whole).total() - of_steps(lines).total() > 0
    assert files == new


# Scores are kept apart from steps.


def test_a_changed_score_runs_no_step(place):
    place.run(place.load())
    changed = place.load(('noted("score", 1', 'noted("score", 2'), ('check == "good"', 'check in ("good", "poor")'))
    _, new, _ = place.run(changed, store="another.sqlite")
    batch, files, lines = place.run(changed)
    # Fewer cases fail, so that none is examined whose calls are not known.
    assert (batch.executed, of_steps(lines).total()) == (0, 0)
    assert scores(lines).total() > 0
    assert files == new


def test_a_changed_kind_of_failure_runs_no_step_and_no_score(place):
    place.run(place.load())
    changed = place.load(("it was", "it was rather"))
    batch, files, lines = place.run(changed)
    assert batch.executed == 0
    assert {json.loads(line)[0] for line in lines} == {"failure"}
    assert all("it was rather" in text for text in files)


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
def test_a_score_is_called_once_for_each_distinct_outcome_ever(place, make):
    # As slow as a judge that is a model, so that threads would ask for the same at the same time.
    pipeline = place.load(('noted("score", 1, check)', 'noted("score", 1, check)\n    time.sleep(0.01)'))
    _, _, lines = place.run(pipeline, engine=make())
    assert set(scores(lines).values()) == {1}
    assert len(scores(lines)) == 3
    _, _, more = place.run(pipeline, plan=Plan(worlds=5), engine=make())
    assert scores(more).total() == 0


# Luck that is not the analyzer's.


def test_each_world_of_a_step_that_samples_itself_is_kept_and_replayed(place):
    samples = """
def sample(case):
    value = int.from_bytes(os.urandom(6), "big")
    noted("sample", value)
    return value

bot = Pipeline("bot", [Step("sample", sample, samples_itself=True)], score=lambda sample: False)
"""
    pipeline = place.load(text=BOT.split("def retrieve(")[0] + samples)
    plan = Plan(modes=("fresh",), worlds=6)
    batch, files, lines = place.run(pipeline, CASES[:1], plan)
    # The factual run's, and one in each world.
    assert batch.executed == len(set(lines)) == 7
    again, same, none = place.run(pipeline, CASES[:1], plan)
    assert (again.executed, again.known, none) == (0, 7, [])
    # Not only the game: also what another mode asks of the same worlds.
    _, _, more = place.run(pipeline, CASES[:1], Plan(modes=("fresh",), worlds=8))
    assert len(more) == 2
    assert same == files


# Errors.


FLAKY = ('noted("answer", "well", 1, retrieve)', 'noted("answer", "well", 1, retrieve)\n    flaky(retrieve)')
IS_FLAKY = (
    "def retrieve(case",
    """def flaky(text):
    if setting("broken") and setting("broken") in text:
        raise OSError("no answer")


def retrieve(case""",
)


def test_only_what_failed_runs_again_and_its_games_are_completed(place):
    pipeline = place.load(FLAKY, IS_FLAKY)
    _, whole, calm = place.run(pipeline, store="another.sqlite")
    (place.folder / "broken").write_text("wrong1")
    first, holed, lines = place.run(pipeline)
    assert first.missing > 0
    assert holed != whole
    (place.folder / "broken").unlink()
    second, files, again = place.run(pipeline)
    assert second.missing == 0
    assert files == whole
    # Those that failed, and what could not be reached because of them.
    failed = [line for line in lines if line.startswith('["answer", "well"') and '"wrong1"' in line]
    assert of_steps(again) == of_steps(calm) - of_steps(lines) + Counter(set(failed))
    place_again, _, none = place.run(pipeline)
    assert (place_again.executed, none) == (0, [])


def test_a_case_that_failed_to_run_is_run_again(place):
    noted = 'noted("answer", "as it ran", 1, retrieve)'
    pipeline = place.load((noted, f"{noted}\n    flaky(retrieve)"), IS_FLAKY)
    _, whole, _ = place.run(pipeline, store="another.sqlite")
    (place.folder / "broken").write_text("1")
    first, _, _ = place.run(pipeline)
    assert first.errored
    (place.folder / "broken").unlink()
    second, files, lines = place.run(pipeline)
    assert second.errored == ()
    assert lines
    assert files == whole


ODD = """
class Odd(dict):
    pass


def text_of(found):
    return found if isinstance(found, str) else found["found"]


def retrieve(case, draw)"""


PAGE = """
class Page:
    def __init__(self, found):
        self.found = found


PAGES = Codec("page", lambda page: page.found, Page)


def retrieve(case, draw)"""


def test_objects_that_only_a_codec_tells_apart_are_kept(place):
    found = "retrieve = retrieve.found"
    pipeline = place.load(
        ("\n\ndef retrieve(case, draw)", PAGE),
        ('return found + case["q"]', 'return Page(found + case["q"])'),
        ('    noted("answer"', f'    {found}\n    noted("answer"'),
        ('fix=Fix("more", retrieve_more)', 'fix=Fix("more", retrieve_more), codec=PAGES'),
        ("import Fix", "import Codec, Fix"),
    )
    first, files, lines = place.run(pipeline)
    assert (first.errored, first.missing) == ((), 0)
    assert first.executed == of_steps(lines).total()
    again, same, none = place.run(pipeline)
    assert (again.executed, none, same) == (0, [], files)
    # Another plan, for which calls go on from what was kept.
    whole, _, _ = place.run(pipeline, plan=Plan(worlds=6), store="another.sqlite")
    more, _, _ = place.run(pipeline, plan=Plan(worlds=6))
    assert 0 < more.executed == whole.executed - more.known


def test_outputs_that_cannot_be_stored_are_made_again_by_a_run_that_needs_them(place):
    returned, text = 'return found + case["q"]\n\n\ndef retrieve_more', "\n    retrieve = text_of(retrieve)"
    pipeline = place.load(
        ("def retrieve(case, draw)", ODD),
        (returned, returned.replace('found + case["q"]', 'Odd(found=found + case["q"])')),
        ("def answer(retrieve):", f"def answer(retrieve):{text}"),
        ("def answer_well(retrieve):", f"def answer_well(retrieve):{text}"),
    )
    _, _, old = place.run(pipeline)
    _, new, whole = place.run(pipeline, plan=Plan(worlds=5), store="another.sqlite")
    _, files, lines = place.run(pipeline, plan=Plan(worlds=5))
    again = of_steps(lines) - (of_steps(whole) - of_steps(old))
    assert again.total() > 0
    assert {tuple(json.loads(line)[:2]) for line in again} == {("retrieve", "as it ran")}
    assert files == new


# Caps and interrupts.


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
@pytest.mark.parametrize("budget", [Budget(calls=7), Budget(cost=9.0)], ids=["calls", "cost"])
def test_runs_with_a_cap_complete_the_whole_together(place, make, budget):
    pipeline = place.load()
    _, whole, distinct = place.run(pipeline, store="another.sqlite")
    made, batches = Counter(), []
    while not batches or batches[-1].capped:
        batch, files, lines = place.run(pipeline, plan=Plan(worlds=3, budget=budget), engine=make())
        batches.append(batch)
        made += of_steps(lines)
        assert len(batches) < 100
    assert made == of_steps(distinct)
    assert all(batch.executed <= 7 for batch in batches) or budget.calls is None
    assert all(batch.cost <= 9.0 for batch in batches) or budget.cost is None
    assert len(batches) > 5
    assert files == whole


# Hardly two coalitions have an output in common, so that a cap often comes while coalitions are drawn.
LINK = """
def {name}({before}, draw):
    u = draw.uniform("u")
    noted("{name}", {before}, luck(draw))
    return {start} + int(1000 * u)


"""


def chain(length):
    """Return a module of steps that hand on a sum, each with luck, and with luck to be had anew."""
    names = [f"s{n}" for n in range(length)]
    links = [LINK.format(name="s0", before="case", start='case["n"]')]
    links += [LINK.format(name=name, before=before, start=before) for before, name in itertools.pairwise(names)]
    steps = ", ".join(f'Step("{name}", {name}, fix=Fix.resample())' for name in names)
    ending = f'bot = Pipeline("bot", [{steps}], score=lambda {names[-1]}: {names[-1]} % 3 == 0)\n'
    return "".join([BOT.split("def retrieve(")[0], *links, ending])


def test_a_sampled_game_that_a_cap_cut_short_is_examined_to_the_end_later(place):
    pipeline = place.load(text=chain(7))
    sampled = {"modes": ("fresh",), "worlds": 1, "exact_up_to": 0, "max_coalitions": 100}
    _, whole, distinct = place.run(pipeline, CASES[:4], Plan(**sampled), store="another.sqlite")
    partial, made = 0, Counter()
    while True:
        batch, files, lines = place.run(pipeline, CASES[:4], Plan(**sampled, budget=Budget(calls=40)))
        made += of_steps(lines)
        if not batch.capped:
            break
        partial += sum(game.sampled.stopped == "the cap of 40 calls was reached" for game in batch.files[0].cases)
        assert made.total() < 10 * len(distinct)
    # What was known when the cap came was told, and was not the last word.
    assert partial > 0
    assert files == whole
    assert made == of_steps(distinct)


INTERRUPT = ('noted("check", "as it ran", 1, answer, luck(draw))',
             'noted("check", "as it ran", 1, answer, luck(draw))\n    stop()')  # fmt: skip
IS_INTERRUPTED = (
    "def retrieve(case",
    """def stop():
    if setting("ledger").count("\\n") < int(setting("stop") or 1000):
        return
    try:
        # One of those who come here at the same time.
        open("stopped", "x").close()
    except FileExistsError:
        return
    raise KeyboardInterrupt


def retrieve(case""",
)


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
def test_an_interrupt_within_a_step_costs_that_call_alone(place, make):
    pipeline = place.load(INTERRUPT, IS_INTERRUPTED)
    _, whole, distinct = place.run(pipeline, store="another.sqlite")
    interrupted = 0
    for at in (1, 3, 6, 10, 15, 20, 20):
        (place.folder / "stop").write_text(str(at))
        (place.folder / "stopped").unlink(missing_ok=True)
        batch, _, lines = place.run(pipeline, engine=make())
        interrupted += batch.interrupted
        # As many as run at a time may be lost with it.
        assert 0 <= of_steps(lines).total() - batch.executed <= (4 if batch.interrupted else 0)
    assert interrupted >= 3
    (place.folder / "stop").unlink()
    batch, files, _ = place.run(pipeline, engine=make())
    assert not batch.interrupted
    assert batch.known + batch.executed == of_steps(distinct).total()
    assert files == whole


ALL_BUT_ONE_WAIT = """
    noted("retrieve", case["n"])
    if case["n"] == 1:
        open("stopped", "w").close()
        raise KeyboardInterrupt
    while not os.path.exists("stopped"):
        time.sleep(0.01)
    time.sleep(0.5)
    found = "wrong"
    return found + case["q"]


def retrieve_more("""


def test_an_interrupt_within_one_case_ends_the_others_although_their_turn_comes_first(place):
    start = BOT.index('    found = draw.categorical("document", {"right": 0.0')
    end = BOT.index("def retrieve_more(")
    pipeline = place.load((BOT[start : end + len("def retrieve_more(")], ALL_BUT_ONE_WAIT.lstrip("\n")))
    batch, _, lines = place.run(pipeline, engine=threads(4))
    assert batch.interrupted
    assert batch.executed == 3
    assert sorted(json.loads(line) for line in lines) == [["retrieve", n] for n in range(4)]


def test_an_interrupt_from_outside_lets_what_runs_end_and_loses_nothing(place):
    pipeline = place.load(('noted("check", "as it ran", 1, answer, luck(draw))',
                           'noted("check", "as it ran", 1, answer, luck(draw))\n    time.sleep(0.002)'))  # fmt: skip
    _, whole, distinct = place.run(pipeline, store="another.sqlite")
    (place.folder / "ledger").write_text("")
    made, interrupted = Counter(), 0
    for limit in (3, 10, 20, 30):
        with Store.open(place.folder / "run.sqlite") as store, threads(4) as engine:
            memory = Memory(engine, store)
            enders = []

            def told(memory=memory, limit=limit, enders=enders):
                if memory.executed >= limit and not enders:
                    enders.append(threading.Thread(target=memory.end, args=(KeyboardInterrupt,)))
                    enders[0].start()

            memory.told = told
            interrupted += analyze(pipeline, CASES, PLAN, memory).interrupted
            for thread in enders:
                thread.join()
    made = of_steps(place.lines())
    assert interrupted >= 2
    # Calls under way were let end and are stored: none is made twice.
    assert set(made.values()) == {1}
    _, files, lines = place.run(pipeline, engine=threads(4))
    assert made + of_steps(lines) == of_steps(distinct)
    assert files == whole


@pytest.mark.parametrize("make", [Serial, lambda: threads(4)], ids=["serial", "threads"])
def test_a_disk_that_fills_up_ends_the_run_and_what_was_stored_is_used_later(place, make):
    pipeline = place.load(("return found + case", 'return "x" * 9000 + found + case'),
                          ('retrieve.startswith("right")', '"right" in retrieve'))  # fmt: skip
    _, whole, distinct = place.run(pipeline, store="another.sqlite")
    (place.folder / "ledger").write_text("")
    with Store.open(place.folder / "run.sqlite") as store, make() as engine:
        store._connection.execute("PRAGMA max_page_count = 60")
        with pytest.raises(StoreError, match="the disk is full"):
            analyze(pipeline, CASES, PLAN, Memory(engine, store))
    made = of_steps(place.lines())
    assert made.total() > 5
    batch, files, lines = place.run(pipeline, engine=make())
    twice = (made + of_steps(lines)) - of_steps(distinct)
    assert twice.total() <= 4
    assert batch.known >= made.total() - 4
    assert set(made + of_steps(lines)) == set(of_steps(distinct))
    assert files == whole
