"""How a run stands is what its process does: one that is gone runs nothing."""

import json
import signal
import time
from zipfile import ZipFile

import pytest

from moot.ledger.sqlite_store import Store, open_reader
from moot.server.pages.run_progress import run_state
from support.commands import SIMULATED, STUDY, environment, wait_until_begun

SLOW = "at_once = 2\n" + STUDY.replace("n = 4", "n = 40").replace(
    SIMULATED, f"{SIMULATED}&latency=0.3"
)


@pytest.fixture
def running(tmp_path, forks):
    """A run under way, in a process of its own."""
    (tmp_path / "slow.toml").write_text(SLOW)
    process = forks.start(tmp_path, ["run", "slow.toml", "--json"], environment())
    wait_until_begun(tmp_path / ".moot", process)
    yield process
    process.kill()
    process.communicate()


def listed(moot):
    [row] = json.loads(moot("show", "--json")[1])
    return row["status"], row["process"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_names_its_process_and_is_stopped_when_that_is_gone(moot, running, tmp_path, sent):
    status, process = listed(moot)
    assert status == "running"
    assert process.startswith(f"process {running.pid} on host ")
    assert f"running ({process})" in moot("show")[1]
    running.send_signal(sent)
    running.wait(timeout=20)
    assert listed(moot) == ("stopped", None)
    shown = moot("show")[1]
    assert ("stopped" in shown, "running" in shown) == (True, False)
    assert "stopped: these are the " in moot("show", "small")[1]
    code, _, err = moot("report", "small", "--no-figures", "--out", "page.html")
    assert code == 0
    assert " · stopped · reported by moot" in err
    assert " · stopped</p>" in (tmp_path / "page.html").read_text("utf-8")
    file = tmp_path / ".moot" / "moot.db"
    with open_reader(file) as reader:
        [listing] = reader.list_runs("small", other=False, before=None, most=9)
        assert listing.row.status == reader.run(listing.row.key).status == "stopped"
        told = run_state(listing.row, listing.standing, time.time()).words
        assert told == "interrupted before its end"
    store = Store.open(file.parent, readonly=True)
    assert [row.status for row in store.runs()] == ["stopped"]
    if next(store.values(store.find_run("small").id), None) is not None:
        assert moot("export", "small", "--format", "inspect", "--out", "logs")[0] == 0
        for log in (tmp_path / "logs").glob("*.eval"):
            with ZipFile(log) as archive:
                assert json.loads(archive.read("header.json"))["status"] == "cancelled"
