"""A plugin of pytest and a probe: which tests reach a place, which fail, and their seconds.

``bench/mutants.py`` lays this file beside a copy of moot; both write into the file's folder.
"""

import json
import os
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
_reached: set[tuple[int, str]] = set()


def reach(number):
    """Write down, once a test, that a place is reached; on import, for no test."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "")
    if (number, test) not in _reached:
        _reached.add((number, test))
        _write("reached", [number, "" if _importing() else test])


def _importing():
    """Whether a module of moot is being imported, whichever test has asked for it."""
    frame = sys._getframe()  # noqa: SLF001 -- the public way reads all sources
    while frame := frame.f_back:
        module = frame.f_globals.get("__name__", "")
        if frame.f_code.co_name == "<module>" and module.startswith("moot."):
            return True
    return False


def pytest_runtest_logreport(report):
    """Write down how a test ends; the workers of xdist report to the one that started them."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        _write("tests", [report.nodeid, report.outcome, report.duration])


def pytest_collectreport(report):
    """Write down what cannot be imported."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        _write("tests", [report.nodeid, report.outcome, 0])


def _write(name, row):
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    file = os.open(FOLDER / f"{name}.jsonl", flags, 0o644)
    os.write(file, json.dumps(row).encode() + b"\n")
    os.close(file)
