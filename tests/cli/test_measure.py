"""``moot measure``: recorded debates, measured again."""

import json
import sqlite3
from contextlib import closing

import pytest

from moot.ledger.compression import decompress
from moot.ledger.stored_records import make_seal, parse_values
from support.commands import STUDY, printed


def change(stored):
    """Return stored values without one, with a wrong one and with a strange one."""
    values = dict(parse_values(stored, "it")) | {"calls": 99.0, "elsewhere": 1.0}
    del values["seconds"]
    return json.dumps(values).encode()


@pytest.fixture
def ran(moot, tmp_path):
    """The id of a small run, its values without one, with a wrong one and with a strange one."""
    (tmp_path / "study.toml").write_text(STUDY)
    said = printed(moot("run", "study.toml", "--json"))
    with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as file, file:
        file.create_function("changed", 1, change)
        file.execute("UPDATE debates SET values_digest = NULL, metrics = changed(metrics)")
    return json.loads(said)["run"]


def test_it_says_what_would_change_and_then_changes_it(moot, ran):
    would = printed(moot("measure", "small", "--dry-run"))
    assert would == (
        f"{ran}: 8 debates measured, 8 would change\n"
        "  calls: changed in 8\n"
        "  seconds: added in 8\n"
        "  elsewhere: stays in 8; no metric of this name is here\n"
    )
    _, dry, _ = moot("measure", ran, "--dry-run", "--json")
    done = printed(moot("measure", ran, ran[:-2], "--processes", "2", "--json"))
    (told,) = json.loads(done)  # once, though it was named twice
    assert (told["written"], json.loads(dry)) == (8, [told | {"written": 0}])
    _, after, _ = moot("measure", ran)
    assert after.startswith(f"{ran}: 8 debates measured, 0 changed\n")
    _, shown, _ = moot("show", ran, "--json")
    assert [arm["calls"] for arm in json.loads(shown)["arms"]] == [4, 24]


def test_a_run_of_a_newer_moot_is_shown_and_its_values_stay(moot, ran, tmp_path):
    """A newer moot lists more metrics; those that are known here are shown, the rest counted."""
    assert moot("measure", ran)[0] == 0

    def read():
        with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as file:
            return [row[0] for row in file.execute("SELECT metrics FROM debates ORDER BY id")]

    def add(stored):
        listed, others = json.loads(decompress(stored, "it"))
        return json.dumps([[*listed, 0.5, None], others]).encode()

    with closing(sqlite3.connect(tmp_path / ".moot" / "moot.db")) as file, file:
        file.create_function("added", 1, add)
        file.create_function("sealed", 1, lambda stored: make_seal(b"of newer", stored))
        file.execute("UPDATE debates SET values_digest = NULL, metrics = added(metrics)")
        file.execute("UPDATE debates SET measured_by = sealed(metrics)")
    newer = read()
    note = "Written by a newer moot: 2 values of 8 debates not shown."
    shown = printed(moot("show", ran))
    assert note in shown
    assert "Accuracy: small" in shown
    shown = printed(moot("analyse", "debate-metrics", ran))
    assert note in " ".join(shown.split())
    said = printed(moot("measure", ran))
    assert "  8 debates as they were: a newer moot has measured them\n" in said
    assert moot("run", "study.toml")[0] == 0
    told = printed(moot("store", "check"))
    assert "1 run, 24 replies, 8 debates, 0 raters, 0 rankings" in told
    assert "nothing is damaged" in told
    assert read() == newer
