"""The benchmark of critical paths can hold each of its courses."""

import sys
from importlib import import_module
from pathlib import Path

from moot.studies.plan import Plan
from moot.studies.study import load

BENCH = Path(__file__).parent.parent / "bench"


def test_each_course_of_the_critical_paths_is_a_study_that_can_be_planned(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    critical = import_module("critical")
    for name in critical.COURSES:
        study = critical.make_study(name, "http://127.0.0.1:1", 2, tmp_path)
        assert len(Plan(load(study)).arms) == 1
