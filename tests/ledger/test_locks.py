"""Locks on ranges of a file: who holds what, and what frees it."""

import multiprocessing
import shutil
from pathlib import Path

import pytest

from moot.core.errors import StoreError
from moot.ledger.locks import LOCKS, LockFile


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / LOCKS


def test_two_openings_of_one_process_exclude_each_other(file):
    one, two = LockFile(file), LockFile(file)
    assert one.take(1 << 61, 100)
    assert one.take(1 << 61, 100)
    assert not two.take(1 << 61)
    assert not two.take((1 << 61) + 99)
    assert two.take((1 << 61) + 100)
    assert two.find_lock(1 << 61) == 100
    assert two.find_lock((1 << 61) + 100) is None
    assert one.find_lock(0, 1 << 62) == 1
    one.free(1 << 61, 100)
    assert two.take(1 << 61)
    two.close()
    assert one.take(1 << 61)
    one.close()


def _wait_in_child(ready, go):
    ready.set()
    go.wait(30)


def test_a_forked_child_does_not_keep_the_locks_of_its_parent(file):
    context = multiprocessing.get_context("fork")
    one, two = LockFile(file), LockFile(file)
    assert one.take(9)
    ready, go = context.Event(), context.Event()
    child = context.Process(target=_wait_in_child, args=(ready, go))
    child.start()
    ready.wait(30)
    one.close()
    try:
        assert two.take(9)
    finally:
        go.set()
        child.join()
        two.close()


def test_reading_or_copying_the_file_frees_nothing(file, tmp_path):
    (tmp_path / "store").touch()
    (tmp_path / "store").chmod(0o660)
    one = LockFile(file, like=tmp_path / "store")
    assert file.stat().st_mode & 0o777 == 0o660
    assert one.take(5)
    file.read_bytes()
    shutil.copy(file, tmp_path / "copy")
    LockFile(file, readonly=True).close()
    two = LockFile(file, readonly=True)
    assert two.find_lock(5) == 1
    one.close()
    assert two.find_lock(5) is None
    two.close()
    with pytest.raises(StoreError, match=r"no/moot\.locks: No such file"):
        LockFile(tmp_path / "no" / LOCKS)
