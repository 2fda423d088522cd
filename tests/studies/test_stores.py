"""Runs and their store: two processes on one, a full disk, one that cannot be written."""

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import moot
from moot.core.errors import StoreError
from support.sums import sums

STUDY = """
name = "shared"
settings = { model = "simulated/people?accuracy=0.6&latency=0.005" }
datasets = [{ name = "arithmetic", n = 40 }]
arms = [{ protocol = "self-consistency" }, { protocol = "society-of-minds" }]
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "shared.toml"
    path.write_text(STUDY)
    return path


IMPATIENT = """
from moot.ledger.store import Store
Store.open.__func__.__kwdefaults__["patience"] = 2.0
from moot.__main__ import main
main()
"""
"""moot, where a store waits 2 seconds for room on its disk, not 30."""


def words(study, store):
    return ["run", str(study), "--store", str(store), "--json"]


@pytest.fixture
def run(forks, tmp_path):
    """Run a study in a process of its own; return the process, which has ended."""

    def run(study, store, *more):
        done = forks.run(tmp_path, [*words(study, store), *more])
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("no right to mount a file system here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.soak
def test_a_full_disk_stops_the_run_with_a_clear_error_and_room_lets_it_go_on(
    study, small_disk, run
):
    store = small_disk / "store"
    # Several megabytes, however written.
    study.write_text(STUDY.replace("n = 40", "n = 400, difficulty = 3"))
    command = [sys.executable, "-c", IMPATIENT, *words(study, store)]
    full = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (full.returncode, "Traceback" in full.stderr) == (2, False)
    assert "store" in full.stderr
    assert "full" in full.stderr
    connection = sqlite3.connect(store / "moot.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept = connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]
    connection.close()
    assert kept > 0
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    whole = run(study, store)
    assert whole.returncode == 0
    told = json.loads(whole.stdout)
    assert (told["done"], told["failed"]) == (800, 0)


def test_what_is_no_store_is_named_and_not_touched(study, tmp_path, run):
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "store").mkdir()
    odd = tmp_path / "store" / "moot.db"
    odd.write_bytes(b"this is no database" * 100)
    for place, named in ((Path("/proc/moot"), "/proc/moot"), (tmp_path / "file", "file"),
                         (tmp_path / "store", "moot.db")):  # fmt: skip
        done = run(study, place)
        assert done.returncode == 2
        assert named in done.stderr
    assert odd.read_bytes() == b"this is no database" * 100


@pytest.fixture
def readonly_disk(small_disk):
    """A disk, and what makes it one that may only be read: for root no permission does that."""
    larger = ["mount", "-o", "remount,size=20m", str(small_disk)]
    subprocess.run(larger, check=True)
    return small_disk, lambda: subprocess.run([*larger[:2], "remount,ro", larger[3]], check=True)


async def test_a_finished_run_on_a_disk_that_may_only_be_read_is_given_again(readonly_disk):
    folder, protect = readonly_disk
    study = sums("small", "simulated/people", 3)
    first = await moot.run(study, store=folder / "store")
    protect()
    again = await moot.run(study, store=folder / "store")
    assert (again.run, again.done, again.stopped) == (first.run, 3, None)
    assert again.results == first.results
    with pytest.raises(StoreError, match=r"may only be read, and run small-.* is not in it"):
        await moot.run({**study, "replicates": 2}, store=folder / "store")
