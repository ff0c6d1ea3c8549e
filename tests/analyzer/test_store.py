import contextlib
import multiprocessing
import os
import random
import sqlite3
import stat
from pathlib import Path

import numpy as np
import pytest

from analyzer import store_file
from analyzer.fingerprint import fingerprint
from analyzer.noise import Address, Draws, World
from analyzer.steps import Codec
from analyzer.store import Store, StoredCase, StoredGame, StoreError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.sqlite"


def add(store, base=b"base", value="out", **changes):
    content = {
        "world": None,
        "path": (),
        "draws": (),
        "output": (fingerprint(value), value),
        "error": None,
        "cost": 1.0,
        "seconds": 0.5,
        "attempts": 1,
        "codec": None,
    }
    return store.add_call(base, "step", "as it ran", **{**content, **changes})


def test_what_was_written_is_there_in_another_run(path):
    with Store.open(path) as store:
        written = add(store)
        store.add_score(b"key", 0.1 + 0.2, 0.0)
        store.add_case(b"case", "c1", StoredCase("failed", "wrong team", [1, 2]))
        store.add_game(b"game", "c1", "replayed", StoredGame("{}\n", True, [1]))
    with Store.open(path) as store:
        assert store.calls(b"base") == [written]
        assert store.content(written.output) == "out"
        assert store.score(b"key") == 0.1 + 0.2
        assert store.case(b"case") == StoredCase("failed", "wrong team", [1, 2])
        assert store.game(b"game") == StoredGame("{}\n", True, [1])
        assert store.first > written.number


def test_what_is_not_there_is_none(path):
    with Store.open(path) as store:
        assert store.calls(b"base") == []
        assert (store.score(b"k"), store.case(b"k"), store.game(b"k")) == (None, None, None)
        with pytest.raises(LookupError):
            store.content("nothing")


def test_a_file_is_readable_by_its_owner_alone(path):
    Store.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_draws_and_the_way_to_a_result_come_back_equal(path):
    draw = Draws(World("w").of_step("step"))
    draw.categorical("word", {"a": 0.5, ("b", 1): 0.25, 3: -1.0})
    draw.vocabulary("token", np.linspace(0, 1, 50))
    draw.shuffle("order", ["x", "y", "x"])
    draw.uniform("u")
    branches = tuple((record.address, record.options, b"mark") for record in draw.records)
    with Store.open(path) as store:
        number = add(store, path=branches, draws=draw.records).number
    with Store.open(path) as store:
        (call,) = store.calls(b"base")
        assert [(address, list(options)) for address, options, _ in call.path] == [
            (record.address, list(record.options)) for record in draw.records
        ]
        assert all(isinstance(address, Address) for address, _, _ in call.path)
        again = store.draws(number, "step")
    for one, other in zip(again, draw.records, strict=True):
        assert (one.step, one.address, list(one.options), one.picked, one.choice) == (
            other.step, other.address, list(other.options), other.picked, other.choice
        )  # fmt: skip
        assert np.array_equal(one.noise, other.noise)
        assert np.array_equal(one.logits, other.logits)


def test_an_error_is_known_to_its_own_run_only(path):
    with Store.open(path) as store:
        add(store, output=None, error="TimeoutError: slow", world="w")
        assert [call.error for call in store.calls(b"base")] == ["TimeoutError: slow"]
    with Store.open(path) as store:
        assert store.calls(b"base") == []


def test_an_output_that_cannot_be_stored_is_known_to_its_own_process_only_and_told(path):
    class Answer(dict):
        pass

    mark = "0" * 32
    with Store.open(path) as store:
        add(store, output=(mark, Answer()))
        assert type(store.content(mark)) is Answer
        assert len(store.calls(b"base")) == 1
        (note,) = store.notes
        assert note.startswith("step 'step': its outputs are not stored, so its calls will run again: ")
        assert "codec" in note
    with Store.open(path) as store:
        assert store.calls(b"base") == []


def test_a_declared_codec_stores_what_has_no_form_of_its_own(path):
    codec = Codec("complex-pair", lambda value: [value.real, value.imag], lambda parts: Pair(*parts))
    value = Pair(1.5, 2.0)
    with Store.open(path) as store:
        add(store, output=(fingerprint(value), value), codec=codec)
        assert store.notes == []
    with Store.open(path) as store:
        # Without the codec nothing comes back, so the call counts as one that did not run.
        assert store.calls(b"base") == []
        store.codecs["complex-pair"] = codec
        (call,) = store.calls(b"base")
        again = store.content(call.output)
        assert (type(again), again.real, again.imag) == (Pair, 1.5, 2.0)


class Pair(dict):
    def __init__(self, real, imag):
        super().__init__()
        self.real, self.imag = real, imag


def test_costs_add_up_and_an_unknown_price_stays_unknown(path):
    with Store.open(path) as store:
        known, other, unknown = (
            add(store, base=bytes([n]), cost=cost) for n, cost in enumerate((1.5, 2.0, float("nan")))
        )
        assert store.cost_of([known.number, other.number]) == 3.5
        assert store.cost_of([]) == 0.0
        assert np.isnan(store.cost_of([known.number, unknown.number]))


def test_durations_are_told_by_step(path):
    with Store.open(path) as store:
        add(store, seconds=1.0)
        add(store, base=b"other", seconds=3.0)
        add(store, base=b"third", seconds=90.0, output=None, error="boom", world="w")
        assert store.seconds_per_call() == {"step": 2.0}


# What is in the way.


def refused(path):
    with pytest.raises(StoreError) as caught:
        Store.open(path)
    return str(caught.value)


def test_a_second_process_is_refused_as_long_as_the_first_has_it(path):
    store = Store.open(path)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        message = pool.apply(refused, (path,))
        assert "another run is using it" in message
        assert "--store" in message
        store.close()
        assert pool.apply(_opens, (path,))


def _opens(path):
    Store.open(path).close()
    return True


def test_a_file_of_something_else_is_refused_and_left_alone(path):
    path.write_text("my notes")
    assert "no store" in refused(path)
    assert path.read_text() == "my notes"


def test_a_database_of_something_else_is_refused_and_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    before = path.read_bytes()
    assert "a database of something else" in refused(path)
    assert path.read_bytes() == before


def test_a_store_of_a_later_release_is_refused(path):
    Store.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    assert "later release" in refused(path)


@pytest.mark.parametrize("taken", ["file/run.sqlite", "folder"])
def test_a_place_that_cannot_be_written_is_refused_with_the_remedy(tmp_path, taken):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    message = refused(tmp_path / taken)
    assert "cannot be written" in message
    assert "--no-store" in message


def test_a_store_of_an_earlier_form_is_brought_to_the_present_one(path, monkeypatch):
    with Store.open(path) as store:
        add(store)
    monkeypatch.setattr(store_file, "MIGRATIONS", (*store_file.MIGRATIONS, "ALTER TABLE runs ADD COLUMN host TEXT"))
    with Store.open(path) as store:
        assert len(store.calls(b"base")) == 1
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(store_file.MIGRATIONS),)
    assert "host" in [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
    connection.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(path, monkeypatch):
    with Store.open(path) as store:
        add(store)
    broken = "ALTER TABLE runs ADD COLUMN host TEXT; CREATE TABLE runs (again)"
    monkeypatch.setattr(store_file, "MIGRATIONS", (*store_file.MIGRATIONS, broken))
    assert "cannot be used" in refused(path)
    monkeypatch.undo()
    with Store.open(path) as store:
        assert len(store.calls(b"base")) == 1


# What goes wrong.


def test_a_full_disk_is_told_and_what_was_stored_stays(path):
    with Store.open(path) as store:
        add(store)
        store._connection.execute(
            f"PRAGMA max_page_count = {store._connection.execute('PRAGMA page_count').fetchone()[0]}"
        )
        with pytest.raises(StoreError, match="the disk is full. What was computed before is stored"):
            add(store, base=b"another", value="x" * 100_000)
        assert len(store.calls(b"base")) == 1
    with Store.open(path) as store:
        assert len(store.calls(b"base")) == 1


@pytest.fixture
def large(path):
    with Store.open(path) as store:
        for number in range(400):
            add(store, base=number.to_bytes(2, "big"), value=f"output {number} " * 40)
    return path


def kept(store):
    return sum(bool(store.calls(number.to_bytes(2, "big"))) for number in range(400))


@pytest.mark.parametrize("share", [0.5, 0.75, 0.9])
def test_of_a_file_cut_short_what_is_whole_is_kept(large, share):
    os.truncate(large, int(large.stat().st_size * share))
    with Store.open(large) as store:
        (note,) = store.notes
        assert "was damaged" in note
        assert "run.sqlite.damaged-1" in note
        assert large.with_name("run.sqlite.damaged-1").exists()
        assert 0 < kept(store) < 400
        add(store, base=b"new")
    with Store.open(large) as store:
        assert store.notes == []
        assert len(store.calls(b"new")) == 1


# A page with one row of two texts, whose number is above all others: 2**42.
MISLEADING = (
    b"\x0d\0\0\0\x01\x0f\xf4\0\x0f\xf4".ljust(4096 - 12, b"\0") + b"\x04\xc0\x80\x80\x80\x80\x80\0\x03\x0f\x0da"
)


@pytest.mark.parametrize("page", [b"\xff" * 4096, MISLEADING], ids=["noise", "misleading"])
def test_of_a_file_with_a_hole_what_lies_behind_is_kept_too(large, page):
    with large.open("r+b") as stream:
        stream.seek(large.stat().st_size // 3 // 4096 * 4096)
        stream.write(page * 3)
    with Store.open(large) as store:
        assert "was damaged" in store.notes[0]
        assert kept(store) > 250


def test_a_file_of_which_nothing_can_be_read_is_set_aside(large):
    content = bytearray(large.read_bytes())
    content[100:] = os.urandom(len(content) - 100)
    large.write_bytes(content)
    with Store.open(large) as store:
        assert "0 calls" in store.notes[0]
        assert kept(store) == 0


def test_each_damaged_file_is_kept_under_a_name_of_its_own(path):
    for number in (1, 2):
        with Store.open(path) as store:
            add(store, base=os.urandom(8))
        os.truncate(path, path.stat().st_size - 100)
        with Store.open(path) as store:
            assert f"damaged-{number}" in store.notes[0]


@pytest.mark.parametrize("moves", [0, 1])
def test_a_mending_that_is_cut_short_loses_nothing(large, moves, monkeypatch):
    os.truncate(large, int(large.stat().st_size * 0.75))
    done = []

    def replace(*names):
        if len(done) == moves:
            raise KeyboardInterrupt
        done.append(os.rename(*names))

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        Store.open(large)
    monkeypatch.undo()
    with Store.open(large) as store:
        assert kept(store) > 200
    assert sorted(file.name for file in large.parent.iterdir()) == ["run.sqlite", "run.sqlite.damaged-1"]


def test_a_mending_that_left_half_a_file_begins_again(large):
    os.truncate(large, int(large.stat().st_size * 0.75))
    large.with_name("run.sqlite.mended").write_bytes(large.read_bytes()[:8192])
    with Store.open(large) as store:
        assert kept(store) > 200
    assert sorted(file.name for file in large.parent.iterdir()) == ["run.sqlite", "run.sqlite.damaged-1"]


def test_a_file_that_is_removed_during_the_run_is_written_again_at_its_end(path):
    with Store.open(path) as store:
        add(store)
        for file in path.parent.iterdir():
            file.unlink()
        add(store, base=b"later")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with Store.open(path) as store:
        assert [len(store.calls(base)) for base in (b"base", b"later")] == [1, 1]


def test_an_output_changed_in_the_file_is_not_taken_for_what_was_stored(path):
    with Store.open(path) as store:
        add(store, value="the answer")
    connection = sqlite3.connect(path)
    connection.execute("UPDATE contents SET text = '\"another\"'")
    connection.commit()
    connection.close()
    with Store.open(path) as store:
        assert store.calls(b"base") == []


@pytest.mark.parametrize("seed", range(40))
def test_a_file_damaged_anywhere_is_opened_or_refused_and_never_hangs(large, seed):
    rng = random.Random(seed)
    with large.open("r+b") as stream:
        for _ in range(rng.choice([1, 5, 40])):
            stream.seek(rng.randrange(100, large.stat().st_size))
            stream.write(rng.randbytes(rng.choice([1, 8, 600])))
    with contextlib.suppress(StoreError), Store.open(large) as store:
        assert kept(store) <= 400
        add(store, base=b"new")


def test_a_page_that_leads_back_ends_the_rescue():
    class Circling:
        def execute(self, sql, values=()):
            if not values:
                raise sqlite3.DatabaseError
            return iter([(values[0] + 1, b"a"), (1, b"b")])

    whole = sqlite3.connect(":memory:")
    whole.execute("CREATE TABLE t (a BLOB)")
    assert store_file._rescue(Circling(), whole, "t") > 0


def test_a_step_that_is_not_what_it_was_is_told(path):
    with Store.open(path) as store:
        store.compare_versions("bot", {("a", "as it ran"): "1", ("b", "as it ran"): "1"})
        assert store.notes == []
    with Store.open(path) as store:
        store.compare_versions("bot", {("a", "as it ran"): "2", ("b", "as it ran"): "1", ("a", "fix: x"): "1"})
        store.compare_versions("another", {("b", "as it ran"): "2"})
        (note,) = store.notes
        assert note.startswith("step 'a': its code, or something that it uses, is not what it was in the last run")


def test_a_run_before_this_one_is_told_from_this_one(path):
    for before in (False, True):
        with Store.open(path) as store:
            assert [store.compare_versions("bot", {("a", "as it ran"): "1"}) for _ in range(2)] == [before, before]


def test_of_large_outputs_few_are_kept_at_hand(path):
    with Store.open(path) as store:
        for number in range(40):
            value = f"{number}" + "x" * 2_000_000
            mark = add(store, base=bytes([number]), value=value).output
        assert store._recent_length <= 1 << 25
        assert store.content(mark) == value


def test_a_name_that_sqlite_gives_a_meaning_is_a_file_like_any_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store.open(Path(":memory:")) as store:
        add(store)
    with Store.open(Path(":memory:")) as store:
        assert len(store.calls(b"base")) == 1
