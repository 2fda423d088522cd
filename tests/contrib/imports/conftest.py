"""Logs of others: small ones that a test writes, and real ones where they are present."""

import json
from pathlib import Path

import pytest

from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, find_format

SHARED = Path(__file__).parents[4] / "shared" / "data" / "debates"


@pytest.fixture
def write(tmp_path):
    """Write a value as a JSON file, or several as JSON lines, and return its path."""

    def make(value, name="log.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = value if name.endswith("jsonl") else [value]
        path.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return path

    return make


@pytest.fixture
def read():
    """Read a log in the one format that fits; return its debates, what is unread, and the log."""

    def make(path, named=None, form=None):
        log = Log(path)
        found = find_format(log, named)
        assert form is None or found.name == form
        parts = list(found.read(log))
        unread = [each for each in parts if isinstance(each, Unread)]
        return [each for each in parts if not isinstance(each, Unread)], unread, log

    return make


@pytest.fixture
def shared():
    """Return a folder of real logs; skip the test where it is not."""

    def find(name):
        if not (SHARED / name).is_dir():
            pytest.skip(f"the debates of others are not here: {SHARED / name}")
        return SHARED / name

    return find
