"""A store that fails once, at each operation of a small run: nothing is paid twice or changed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support import faulty_runs

PROGRAM = Path(faulty_runs.__file__)
MOST = 400


def run_all(folder, kind, operation, first, step):
    done = subprocess.run(
        [sys.executable, PROGRAM, folder, kind, operation, str(first), str(step), str(MOST)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    plain, *told = map(json.loads, done.stdout.splitlines())
    return plain["plain"], told


def check(plain, told):
    """Whatever failed: an error of moot or none, the same results, no durable reply asked again."""
    assert len(plain["rows"]) == 2
    assert plain["stopped"] == ""
    for each in told:
        failed = each["failed"]
        assert failed.keys() <= {"error", "rows", "stopped", "met"}, each  # no crash, no hang
        if not failed.get("stopped"):
            assert failed.get("rows", plain["rows"]) == plain["rows"], each
        assert each["again"] == plain, each
        assert each["rows"] == faulty_runs.CALLS, each
        # What was durable is not asked again; what was asked and not durable is, once.
        assert each["asked"] == faulty_runs.CALLS - each["durable"], each
        assert each["twice"] == each["before"] - each["durable"], each


@pytest.mark.parametrize(("kind", "operation"), [("fresh", "sync"), ("resumed", "write")])
def test_the_first_operations_of_a_store_may_fail(tmp_path, kind, operation):
    plain, told = run_all(tmp_path, kind, operation, 1, 150)
    check(plain, told)
    assert told[0]["failed"]["met"]


@pytest.mark.soak
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("operation", ["write", "sync", "read", "open", "full"])
@pytest.mark.parametrize("kind", ["fresh", "resumed"])
def test_any_operation_of_a_store_may_fail(tmp_path, kind, operation, part):
    plain, told = run_all(tmp_path, kind, operation, 1 + part, 2)
    check(plain, told)
    assert [each["number"] for each in told] == [*range(1 + part, told[-1]["number"] + 1, 2)]
    assert all(each["failed"]["met"] for each in told[:-1])
    assert len(told) > 2
    assert told[-1]["number"] == MOST or not told[-1]["failed"]["met"]
