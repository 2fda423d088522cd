"""An audit of a log of gigabytes fits in memory: what one more debate takes."""

import os
import subprocess
import sys

import pytest

from contrib.audits.conftest import box, debate

MOST = 3200
"""Bytes for each debate, the pieces in which rows are packed and written included."""


def find_peak(folder, *command):
    """The greatest memory of a command, in bytes."""
    asked = [sys.executable, "-m", "moot", *command, "--store", "store"]
    process = subprocess.Popen(asked, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_maxrss * 1024


@pytest.mark.soak
def test_a_debate_takes_little_memory(write_log, tmp_path):
    """Every question is disputed: of each the words that decide are kept, too."""
    peaks = {}
    for size in (1000, 6000):
        debates = (
            debate(n, str(n), box(n, n, n + 1), box(n + 1, n, n + 2), text=f"What is {n}? " * 20)
            for n in range(size)
        )
        log = str(write_log(debates, f"log{size}.jsonl"))
        find_peak(tmp_path, "import", log, "--name", f"run{size}")  # a small log is held as a whole
        rule = ("--rule", "any:boxed")
        peaks[size] = find_peak(tmp_path, "audit", f"run{size}", *rule, "--json")
    assert (peaks[6000] - peaks[1000]) / 5000 < MOST, peaks
