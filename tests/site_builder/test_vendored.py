"""What others made and pages carry: as they publish it, with its licence."""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

from site_builder import assets, plan_report, plan_site
from tests.known_game_files import refund_files

VENDOR = assets.folder("static") / "vendor"
LICENCES = sorted(path.relative_to(VENDOR.parent).as_posix() for path in VENDOR.glob("*/LICENSE"))


def recorded() -> dict[str, str]:
    rows = re.findall(r"\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|$", (VENDOR / "README.md").read_text("utf-8"), re.M)
    return dict(rows)


def test_every_vendored_file_is_the_one_recorded():
    held = {path for path in VENDOR.glob("*/**/*") if path.is_file()}
    digests = {path.relative_to(VENDOR).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in held}
    assert digests == recorded()
    assert digests


def test_every_vendored_library_has_its_licence_among_those_that_go_along():
    assert [f"vendor/{folder.name}/LICENSE" for folder in sorted(VENDOR.iterdir()) if folder.is_dir()] == LICENCES
    assert sorted(assets.LICENCES) == LICENCES


def test_folder_carries_the_licences():
    plan = plan_site(refund_files("a", {"replayed": 1}))
    for name in LICENCES:
        assert plan[f"static/{name}"] == assets.static(name)


def test_report_carries_the_licences_word_for_word():
    page = plan_report(refund_files("a", {"replayed": 1})).decode("utf-8")
    for name in LICENCES:
        assert assets.static(name).decode("utf-8") in page


def test_wheel_carries_the_licences(tmp_path):
    root = Path(__file__).resolve().parents[2]
    (wheel,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    names = zipfile.ZipFile(wheel).namelist()
    for name in LICENCES:
        assert f"site_builder/static/{name}" in names
        assert any(one.endswith(f".dist-info/licenses/static/{name}") for one in names)
