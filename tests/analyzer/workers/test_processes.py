import contextlib
import importlib
import importlib.util
import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from analyzer.dask_engine import dask
from analyzer.engines import Serial, processes, threads
from analyzer.workers.calls import EngineError
from tests.conftest import forget_modules
from tests.known_calls import calls_of, outcomes, values
from tests.waiting import PATIENCE, is_alive, until


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write modules of one's own, text by name, and import the first."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        importlib.invalidate_caches()
        return importlib.import_module(next(iter(texts)))

    yield write
    forget_modules(tmp_path)


@pytest.fixture(params=["processes", "dask"])
def begin(request):
    """Begin an engine whose workers read the same files."""
    return (lambda: processes(1)) if request.param == "processes" else (lambda: dask(None, 1))


# What modules set up


MODULES = {
    "settings of packages": """
        import decimal, sys
        import numpy as np
        np.set_printoptions(precision=2)
        decimal.getcontext().prec = 5
        sys.setrecursionlimit(4321)
        def run(case):
            return str(np.array([1 / 3])), str(decimal.Decimal(1) / 3), sys.getrecursionlimit()
    """,
    "what another module replaced": """
        import functools, json
        json.encoded_for_engines = functools.partial(json.dumps, sort_keys=True)
        def run(case):
            return json.encoded_for_engines({"b": 1, "a": 2})
    """,
    "locks and context variables": """
        import contextvars, threading
        LOCK, MODEL = threading.Lock(), contextvars.ContextVar("model")
        MODEL.set("chosen")
        def run(case):
            with LOCK:
                return MODEL.get()
    """,
    "locks in a lambda": """
        import threading
        LOCK = threading.Lock()
        run = lambda case: [LOCK.acquire(), LOCK.release()]
    """,
    "locks in a method of an object": """
        import threading
        class Client:
            def __init__(self):
                self.lock = threading.Lock()
            def run(self, case):
                with self.lock:
                    return "asked"
        client = Client()
        run = client.run
    """,
    "a function within another, that calls itself": """
        import threading
        LOCK = threading.Lock()
        def made(most):
            def run(case, n=0):
                with LOCK:
                    pass
                return n if n == most else run(case, n + 1)
            return run
        run = made(3)
    """,
    "classes imported again as it runs": """
        class Note:
            pass
        def run(case):
            from own_module_of_engines import Note as again
            return isinstance(Note(), again)
    """,
}


@pytest.mark.parametrize("text", MODULES.values(), ids=MODULES)
def test_what_a_module_sets_up_holds_in_worker_processes(written, text):
    limit = sys.getrecursionlimit()
    try:
        run = written(own_module_of_engines=text).run
        expected = outcomes(Serial(), calls_of(run))
    finally:
        sys.setrecursionlimit(limit)
    assert expected[0].error is None
    with processes(1) as engine:
        assert outcomes(engine, calls_of(run)) == expected


def test_what_a_module_sets_up_holds_on_a_cluster_begun_here(written):
    run = written(own_module_of_engines=MODULES["locks and context variables"]).run
    with dask(None, 1) as engine:
        assert values(engine, calls_of(run)) == ["chosen"]


def test_module_that_uses_the_step_is_imported_by_a_worker_too(written):
    module = written(
        own_pipeline_of_engines="""
            import own_registry_of_engines
            from own_step_of_engines import run
            own_registry_of_engines.KNOWN.append("of the pipeline")
        """,
        own_registry_of_engines="KNOWN = []",
        own_step_of_engines="""
            def run(case):
                import own_registry_of_engines
                return own_registry_of_engines.KNOWN
        """,
    )
    with processes(1) as engine:
        assert values(engine, calls_of(module.run)) == [["of the pipeline"]]


def test_module_under_a_name_that_finds_another_is_loaded_from_its_file(written, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "elsewhere" / "json.py"
    file.write_text("import threading\nLOCK = threading.Lock()\ndef run(case):\n    return LOCK.locked()\n")
    spec = importlib.util.spec_from_file_location("agentblame_target_json", file)
    module = sys.modules["agentblame_target_json"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with processes(1) as engine:
        assert values(engine, calls_of(module.run)) == [False]
    del sys.modules["agentblame_target_json"]


def test_types_of_a_module_come_back_with_the_fingerprint_they_have_here(written):
    module = written(
        own_module_of_engines="""
            import dataclasses
            @dataclasses.dataclass
            class Note:
                text: str
            def run(case):
                return Note("by its module")
        """
    )

    @module.dataclasses.dataclass
    class Local:
        text: str

    with processes(1) as engine:
        for run in (module.run, lambda case: Local("by value")):
            assert outcomes(engine, calls_of(run)) == outcomes(Serial(), calls_of(run))


def test_file_that_changed_since_the_engine_began_is_refused(written, tmp_path, begin):
    run = written(
        own_module_of_engines="from own_words_of_engines import WORD\ndef run(case):\n    return WORD\n",
        own_words_of_engines="WORD = 'as loaded'\n",
    ).run
    with begin() as engine:
        (tmp_path / "own_words_of_engines.py").write_text("WORD = 'changed'\n")
        with pytest.raises(EngineError, match="own_words_of_engines.py changed while the run was on. Run it again"):
            list(engine.run(calls_of(run)))
    with threads(1) as engine:
        assert values(engine, calls_of(run)) == ["as loaded"]


def test_changed_file_is_refused_before_it_does_anything(written, tmp_path):
    run = written(own_module_of_engines="def run(case):\n    return 1\n").run
    with processes(1) as engine:
        mark = tmp_path / "mark"
        (tmp_path / "own_module_of_engines.py").write_text(f"open({str(mark)!r}, 'w').close()\n")
        with pytest.raises(EngineError, match="changed while the run was on"):
            list(engine.run(calls_of(run)))
    assert not mark.exists()


def test_changed_file_that_a_step_imports_as_it_runs_is_refused(written, tmp_path):
    module = written(
        own_words_of_engines="WORD = 'as loaded'\n",
        own_module_of_engines="def run(case):\n    import own_words_of_engines\n    return own_words_of_engines.WORD\n",
    )
    assert module.WORD == "as loaded"
    run = importlib.import_module("own_module_of_engines").run
    with processes(1) as engine:
        (tmp_path / "own_words_of_engines.py").write_text("WORD = 'changed'\n")
        with pytest.raises(EngineError, match="own_words_of_engines.py changed while the run was on"):
            list(engine.run(calls_of(run)))


def test_worker_that_imported_a_module_before_its_file_changed_goes_on(written, tmp_path):
    module = written(own_module_of_engines="WORD = 'as loaded'\ndef run(case):\n    return WORD\n")
    with processes(1) as engine:
        assert values(engine, calls_of(module.run)) == ["as loaded"]
        (tmp_path / "own_module_of_engines.py").write_text("WORD = 'changed'\n")
        assert values(engine, calls_of(lambda case: module.WORD)) == ["as loaded"]
        assert values(engine, calls_of(module.run)) == ["as loaded"]


def test_module_that_cannot_be_imported_twice_ends_the_run_with_a_remedy(written, tmp_path):
    text = f"import os\nos.mkdir({str(tmp_path / 'taken')!r})\ndef run(case):\n    return 1\n"
    run = written(own_module_of_engines=text).run
    message = "own_module_of_engines.py cannot be imported in a worker: FileExistsError.*run the calls in threads"
    with processes(1) as engine, pytest.raises(EngineError, match=message):
        list(engine.run(calls_of(run)))


def test_step_that_leaves_the_working_folder_finds_its_modules(written, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    module = written(
        own_module_of_engines="""
            import os
            def run(case):
                os.chdir("/")
                import own_late_module_of_engines
                return own_late_module_of_engines.WORD
        """,
        own_late_module_of_engines="WORD = 'late'\n",
    )
    monkeypatch.setattr(sys, "path", ["", *(path for path in sys.path if path != str(tmp_path))])
    with processes(1) as engine:
        assert values(engine, calls_of(module.run, 2)) == ["late"] * 2


# What processes print


def test_what_a_worker_and_its_own_processes_print_goes_through_standard_error_of_this_one(begin):
    def run(case):
        print("printed by Python — ✓")
        os.write(2, b"written to the descriptor\n")
        subprocess.run([sys.executable, "-c", "print('printed by another')"], check=True)

    printed = io.StringIO()
    with contextlib.redirect_stderr(printed):
        with begin() as engine:
            values(engine, calls_of(run))
        lines = printed.getvalue().splitlines()
    assert lines == ["printed by Python — ✓", "written to the descriptor", "printed by another"]


def test_what_a_worker_printed_last_is_not_lost():
    def run(case):
        os.write(2, b"its last words")
        os._exit(7)

    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), processes(1) as engine:
        values(engine, calls_of(run))
    assert printed.getvalue() == "its last words" * 2


# How processes end


def test_process_that_dies_is_noticed_although_one_that_it_forked_keeps_its_pipes(tmp_path):
    marks = tmp_path / "marks"

    def run(case):
        child = os.fork()
        if child == 0:
            time.sleep(10 * PATIENCE)
            os._exit(0)
        with marks.open("a") as file:
            file.write(f"{child}\n")
        os._exit(7)

    try:
        with processes(1) as engine:
            (result,) = outcomes(engine, calls_of(run))
    finally:
        for child in marks.read_text().split():
            os.kill(int(child), signal.SIGKILL)
    assert result.error == "the worker that ran it died (exit code 7), and so did the one that ran it again"


SCRIPT = """
import os, re, sys, time
from analyzer.workers.calls import Call
from analyzer.dask_engine import dask
from analyzer.engines import processes
from analyzer.noise import World
from analyzer.wiring import Variant

def run(case):
    with open(case["marks"], "w") as file:
        file.write(f"{os.getpid()}\\n")
    if case["what"] == "matches":
        # Takes for ever, and never lets another thread of its process run.
        re.match("(a+)+$", "a" * 64 + "b")
    while case["what"] == "prints":
        print("again", flush=True)
    return "done"

if __name__ == "__main__":
    engine, what, marks = sys.argv[1:]
    call = Call("s", Variant("as it ran", run, ("case",), False, 1.0), {"case": {"what": what, "marks": marks}},
                World("0").of_step("s"))
    with processes(1) if engine == "processes" else dask(None, 1) as engine:
        print([result.value for _, result in engine.run([call])])
"""


def script(tmp_path, engine, what, *, guarded=True):
    text = textwrap.dedent(SCRIPT)
    path = tmp_path / "script.py"
    path.write_text(text if guarded else text.replace('if __name__ == "__main__"', "if True"))
    return subprocess.Popen(
        [sys.executable, str(path), engine, what, str(tmp_path / "marks")],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_script_needs_no_guard_around_its_main_module(tmp_path):
    with script(tmp_path, "processes", "returns", guarded=False) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, "['done']\n")


@pytest.mark.parametrize("what", ["matches", "prints"])
@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_workers_end_without_a_word_when_the_process_that_began_them_is_killed(tmp_path, engine, what):
    marks = tmp_path / "marks"
    with script(tmp_path, engine, what) as process:
        # It has to be read, or it would wait for that.
        until(lambda: marks.exists() and marks.read_text().endswith("\n"))
        process.kill()
        _, err = process.communicate(timeout=PATIENCE)
    until(lambda: not is_alive(int(marks.read_text())))
    assert "Traceback" not in err
