import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.slug import slug
from site_builder import writer
from site_builder.errors import SiteError
from site_builder.manifest import MANIFEST
from site_builder.scratch import scratch_beside
from site_builder.writer import write_report, write_site

ROOT = Path(__file__).resolve().parents[2]
PLAN = {"index.html": b"one", "data/a.js": b"a", ".nojekyll": b""}
REPORT = b'<!DOCTYPE html><meta name="generator" content="Agent Blame site builder">'


def listed(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def test_new_folder_holds_the_plan_and_a_manifest(tmp_path):
    write_site(PLAN, tmp_path / "deep" / "site")
    assert listed(tmp_path / "deep" / "site") == sorted([*PLAN, MANIFEST])


def test_manifest_lists_the_files_written(tmp_path):
    write_site(PLAN, tmp_path / "site")
    assert json.loads((tmp_path / "site" / MANIFEST).read_text("utf-8"))["files"] == sorted(PLAN)


def test_nothing_but_the_folder_is_left_behind(tmp_path):
    write_site(PLAN, tmp_path / "site")
    write_site(PLAN, tmp_path / "site")
    assert os.listdir(tmp_path) == ["site"]


def test_folder_of_somebody_else_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SiteError, match="was not written by Agent Blame"):
        write_site(PLAN, tmp_path)
    assert listed(tmp_path) == ["notes.txt"]


def test_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "site").write_text("mine")
    with pytest.raises(SiteError, match="is a file"):
        write_site(PLAN, tmp_path / "site")


def test_stale_files_of_ours_go(tmp_path):
    write_site(PLAN, tmp_path / "site")
    write_site({"index.html": b"two"}, tmp_path / "site")
    assert listed(tmp_path / "site") == sorted([MANIFEST, "index.html"])


def test_files_of_others_stay(tmp_path):
    site = tmp_path / "site"
    write_site(PLAN, site)
    (site / ".git").mkdir()
    (site / ".git" / "config").write_text("theirs")
    (site / "CNAME").write_text("theirs")
    (site / "empty").mkdir()
    (site / "link").symlink_to("CNAME")
    write_site({"index.html": b"two"}, site)
    assert (site / ".git" / "config").read_text() == (site / "CNAME").read_text() == "theirs"
    assert (site / "empty").is_dir()
    assert os.readlink(site / "link") == "CNAME"


def test_file_of_somebody_else_is_not_overwritten(tmp_path):
    site = tmp_path / "site"
    write_site({"index.html": b"one"}, site)
    (site / "data").mkdir()
    (site / "data" / "a.js").write_text("theirs")
    with pytest.raises(SiteError, match=r"a\.js: is in the way"):
        write_site(PLAN, site)
    assert (site / "index.html").read_bytes() == b"one"
    assert (site / "data" / "a.js").read_text() == "theirs"


def test_file_of_somebody_else_where_a_folder_belongs_is_not_overwritten(tmp_path):
    site = tmp_path / "site"
    write_site({"index.html": b"one"}, site)
    (site / "data").write_text("theirs")
    with pytest.raises(SiteError, match="data: is in the way"):
        write_site(PLAN, site)
    assert (site / "data").read_text() == "theirs"


def test_damaged_manifest_is_refused(tmp_path):
    write_site(PLAN, tmp_path / "site")
    (tmp_path / "site" / MANIFEST).write_text("{")
    with pytest.raises(SiteError, match="is damaged"):
        write_site(PLAN, tmp_path / "site")


@pytest.mark.parametrize("step", ["_fill", "_swap"])
def test_interrupted_build_leaves_the_old_site_whole(tmp_path, monkeypatch, step):
    site = tmp_path / "site"
    write_site(PLAN, site)
    real = getattr(writer, step)

    def interrupted(*arguments):
        if step == "_fill":
            real(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(writer, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_site({"index.html": b"two"}, site)
    assert {path: (site / path).read_bytes() for path in PLAN} == PLAN
    assert os.listdir(tmp_path) == ["site"]


def test_disk_that_refuses_the_last_step_leaves_the_old_site_whole(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site(PLAN, site)
    rename = type(site).rename

    def refuse(self, target):
        if self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(type(site), "rename", refuse)
    with pytest.raises(SiteError, match="No space left"):
        write_site({"index.html": b"two"}, site)
    assert {path: (site / path).read_bytes() for path in PLAN} == PLAN


def test_build_that_ended_between_its_last_two_steps_is_put_right(tmp_path):
    site = tmp_path / "site"
    write_site(PLAN, site)
    (site / "CNAME").write_text("theirs")
    (tmp_path / ".site.agentblame-killed").mkdir()
    site.rename(tmp_path / ".site.agentblame-killed" / "old")
    write_site({"index.html": b"two"}, site)
    assert (site / "CNAME").read_text() == "theirs"
    assert (site / "index.html").read_bytes() == b"two"


def test_working_folder_is_refused(tmp_path, monkeypatch):
    write_site(PLAN, tmp_path / "site")
    monkeypatch.chdir(tmp_path / "site")
    with pytest.raises(SiteError, match="working folder"):
        write_site(PLAN, tmp_path / "site")


def test_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "site").symlink_to("real")
    write_site(PLAN, tmp_path / "site")
    assert (tmp_path / "site").is_symlink()
    assert (tmp_path / "real" / "index.html").read_bytes() == b"one"


@pytest.mark.parametrize("path", ["../up", "/root", "a//b", "con", "data/nul.js", "_x/y", "a:b", "a.", "a\\b", ""])
def test_path_some_system_refuses_is_an_error(tmp_path, path):
    with pytest.raises(SiteError, match="no file name"):
        write_site({path: b""}, tmp_path / "site")


def test_root_of_a_disk_is_refused():
    with pytest.raises(SiteError, match="is the root of a disk"):
        write_site(PLAN, Path("/"))


def test_mode_of_the_folder_stays(tmp_path):
    write_site(PLAN, tmp_path / "site")
    (tmp_path / "site").chmod(0o751)
    write_site(PLAN, tmp_path / "site")
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o751


def test_new_folder_has_the_mode_of_any_new_folder(tmp_path):
    (tmp_path / "other").mkdir()
    write_site(PLAN, tmp_path / "site")
    assert (tmp_path / "site").stat().st_mode == (tmp_path / "other").stat().st_mode


def during_the_swap(monkeypatch, what):
    """Do something after the old site's files have been listed and before the new site is in place."""
    real = writer._swap

    def swap(*arguments):
        what()
        real(*arguments)

    monkeypatch.setattr(writer, "_swap", swap)


def test_files_that_come_while_a_build_runs_stay(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site(PLAN, site)
    (site / "CNAME").write_text("theirs")

    def others_work():
        (site / "late").mkdir()
        (site / "late" / "notes.txt").write_text("theirs")
        (site / "empty").mkdir()
        (site / "CNAME").unlink()
        (site / "CNAME").write_text("newer")

    during_the_swap(monkeypatch, others_work)
    write_site({"index.html": b"two"}, site)
    assert (site / "late" / "notes.txt").read_text() == "theirs"
    assert (site / "empty").is_dir()
    assert (site / "CNAME").read_text() == "newer"
    assert (site / "index.html").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["site"]


def test_file_that_comes_where_one_of_ours_belongs_is_kept_and_named(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site({"index.html": b"one"}, site)
    during_the_swap(monkeypatch, lambda: (site / "robots.txt").write_text("theirs"))
    with pytest.raises(SiteError, match="Move it to where it belongs") as refusal:
        write_site({"index.html": b"two", "robots.txt": b"ours"}, site)
    kept = Path(str(refusal.value).split(": holds")[0])
    assert (kept / "robots.txt").read_text() == "theirs"
    assert (site / "robots.txt").read_bytes() == b"ours"


def test_what_another_build_is_making_beside_the_folder_is_left_alone(tmp_path):
    with scratch_beside(tmp_path / "site") as scratch:
        (scratch / "new").mkdir()
        (scratch / "new" / "index.html").write_bytes(b"half")
        write_site(PLAN, tmp_path / "site")
        assert (scratch / "new" / "index.html").read_bytes() == b"half"
    assert os.listdir(tmp_path) == ["site"]


def test_what_somebody_else_has_beside_the_folder_stops_no_build(tmp_path, monkeypatch):
    theirs, opened = tmp_path / ".site.agentblame-theirs", os.open

    def closed(path, *arguments, **named):
        if Path(path) == theirs:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **named)

    theirs.mkdir()
    monkeypatch.setattr(os, "open", closed)
    write_site(PLAN, tmp_path / "site")
    assert sorted(os.listdir(tmp_path)) == [theirs.name, "site"]


KILLED = """
import os, pathlib, signal, sys
from site_builder import writer
owner, _, name = ("writer." + sys.argv[2]).rpartition(".")
owner = eval(owner)
real, left = getattr(owner, name), [int(sys.argv[3])]
def killed(*arguments):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)
setattr(owner, name, killed)
plan = {"index.html": b"two", **{f"data/{k}.js": b"two" for k in range(4)}}
writer.write_site(plan, pathlib.Path(sys.argv[1]))
"""


def kill_a_build(site, step, count):
    """Build a site, put a file of somebody else in it, and build again until a step is reached for the last time."""
    write_site(PLAN, site)
    (site / "CNAME").write_text("theirs")
    process = subprocess.run([sys.executable, "-c", KILLED, str(site), step, str(count)], cwd=ROOT, timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert len(os.listdir(site.parent)) == site.exists() + 1


# While the new site is written, with none in place, with half of the old one gone, all but its manifest, and all.
KILLS = [("Path.write_bytes", 3), ("Path.rename", 2), ("_remove", 3), ("os.rmdir", 1), ("os.rmdir", 2)]


@pytest.mark.parametrize(("step", "count"), KILLS)
def test_build_after_one_that_was_killed_leaves_nothing_of_it(tmp_path, step, count):
    site = tmp_path / "site"
    kill_a_build(site, step, count)
    write_site({"index.html": b"three"}, site)
    assert listed(site) == sorted([MANIFEST, "CNAME", "index.html"])
    assert (site / "CNAME").read_text() == "theirs"
    assert (site / "index.html").read_bytes() == b"three"
    assert os.listdir(tmp_path) == ["site"]


@pytest.mark.parametrize(("step", "count"), KILLS)
def test_site_that_was_removed_after_a_build_was_killed_is_built_again(tmp_path, step, count):
    site = tmp_path / "site"
    kill_a_build(site, step, count)
    shutil.rmtree(site, ignore_errors=True)
    write_site({"index.html": b"three"}, site)
    assert {MANIFEST, "index.html"} <= set(listed(site)) <= {MANIFEST, "CNAME", "index.html"}
    assert os.listdir(tmp_path) == ["site"]


def test_what_a_killed_build_left_of_others_is_kept_and_is_no_site(tmp_path):
    kept = tmp_path / ".site.agentblame-killed" / "old"
    kept.mkdir(parents=True)
    (kept / "robots.txt").write_text("theirs")
    write_site(PLAN, tmp_path / "site")
    assert listed(tmp_path / "site") == sorted([*PLAN, MANIFEST])
    assert (kept / "robots.txt").read_text() == "theirs"


def test_report_after_one_that_was_killed_leaves_nothing_of_it(tmp_path):
    (tmp_path / ".report-html-killed").mkdir()
    left = tmp_path / f".{slug('report.html')}.agentblame-killed"
    left.mkdir()
    (left / "new").write_bytes(b"half")
    write_report(REPORT, tmp_path / "report.html")
    assert sorted(os.listdir(tmp_path)) == [".report-html-killed", "report.html"]


def whole(folder):
    return {path: (folder / path).read_bytes() for path in listed(folder)}


def test_folder_of_somebody_else_that_cannot_be_read_is_refused_before_anything_is_moved(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site(PLAN, site)
    (site / "private").mkdir()
    (site / "private" / "notes.txt").write_text("theirs")
    before, scandir = whole(site), os.scandir

    def closed(path):
        if os.fspath(path).endswith("private"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(SiteError, match="private: cannot be written: Permission denied"):
        write_site({"index.html": b"two"}, site)
    monkeypatch.undo()
    assert whole(site) == before
    assert os.listdir(tmp_path) == ["site"]


def test_folder_that_cannot_be_changed_is_refused_before_anything_is_moved(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site(PLAN, site)
    before, access = whole(site), os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not os.fspath(path).endswith("data") and access(path, mode))
    with pytest.raises(SiteError, match="data: cannot be written: Permission denied"):
        write_site({"index.html": b"two"}, site)
    assert whole(site) == before
    assert os.listdir(tmp_path) == ["site"]


def test_old_site_that_cannot_be_removed_is_named_and_the_new_one_is_in_place(tmp_path, monkeypatch):
    site = tmp_path / "site"
    write_site(PLAN, site)

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(writer, "_remove", refuse)
    with pytest.raises(SiteError, match=r"old/\S+: cannot be removed: .* The new site is in place") as refusal:
        write_site({"index.html": b"two"}, site)
    assert (site / "index.html").read_bytes() == b"two"
    old = Path(str(refusal.value).split("; remove ")[1].removesuffix(" by hand."))
    assert whole(old).keys() == {*PLAN, MANIFEST}


BUILD = """
import pathlib, sys
from site_builder.writer import write_site
name = sys.argv[2]
plan = {"index.html": name.encode(), **{f"data/{name}-{k}.js": name.encode() for k in range(200)}}
for _ in range(5):
    write_site(plan, pathlib.Path(sys.argv[1]))
"""


def test_builds_at_once_leave_one_whole_site(tmp_path):
    site = tmp_path / "site"
    write_site(PLAN, site)
    (site / "CNAME").write_text("theirs")
    commands = [[sys.executable, "-c", BUILD, str(site), name] for name in ("a", "b", "c")]
    running = [subprocess.Popen(command, cwd=ROOT) for command in commands]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    name = (site / "index.html").read_text()
    planned = {"index.html", *(f"data/{name}-{k}.js" for k in range(200))}
    assert set(listed(site)) == planned | {MANIFEST, "CNAME"}
    assert all((site / path).read_text() == name for path in planned)
    assert os.listdir(tmp_path) == ["site"]


def test_report_behind_a_link_is_written_where_the_link_leads(tmp_path):
    write_report(REPORT, tmp_path / "real.html")
    (tmp_path / "real.html").chmod(0o640)
    (tmp_path / "link.html").symlink_to("real.html")
    write_report(REPORT + b"2", tmp_path / "link.html")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_bytes() == REPORT + b"2"
    assert (tmp_path / "real.html").stat().st_mode & 0o777 == 0o640


def test_report_is_one_file(tmp_path):
    write_report(REPORT, tmp_path / "out" / "report.html")
    write_report(REPORT + b"2", tmp_path / "out" / "report.html")
    assert listed(tmp_path) == ["out/report.html"]


def test_report_does_not_overwrite_another_file(tmp_path):
    (tmp_path / "report.html").write_text("<html>mine</html>")
    with pytest.raises(SiteError, match="is not a report"):
        write_report(REPORT, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == "<html>mine</html>"


def test_report_is_no_folder(tmp_path):
    with pytest.raises(SiteError, match="is a folder"):
        write_report(REPORT, tmp_path)
