"""Analyses, stores of earlier commits, bodies and help are what is recorded; the command tells."""

import subprocess
import sys
from pathlib import Path

import pytest

from golden import analyses, differences, groups, packed, stores, surfaces

TOOL = Path(__file__).parents[2] / "tools" / "golden.py"


@pytest.mark.parametrize("name", [name for name in groups.GROUPS if name != "debates"])
def test_a_group_is_what_is_recorded(name):
    made = groups.GROUPS[name].make()
    told = {kind: groups.check(name, made, kind) for kind in groups.KINDS if kind in made}
    assert [*filter(None, told.values())] == [], f"python tools/golden.py {name} says all"


def test_rounding_alone_is_no_difference():
    before = {"a": {"mean": 0.1 + 0.2, "row": ["x", 7.004383157476191]}, "b": {"mean": 0.3}}
    after = {"a": {"mean": 0.3, "row": ["x", 7.00438322488095]}, "b": {"mean": 0.30001}}
    [found] = differences.compare(before, after, rounds=True)
    assert (found.item, found.path) == ("b", ("mean",))
    assert len([*differences.compare(before, after)]) == 3


def test_every_analysis_is_in_the_net():
    recorded = {name.partition(" on ")[0] for name in packed.read("analyses.figures")}
    assert recorded | analyses.NOT_HERE.keys() == {*surfaces.analysis_names()}


def test_earlier_runs_are_run_again_without_a_call():
    recorded = packed.read("stores.figures")
    assert recorded.keys() == {*stores.COMMITS}
    assert {commit: recorded[commit]["again"]["paid"] for commit in stores.UNPAID} == dict.fromkeys(
        stores.UNPAID, 0
    )
    for commit in stores.UNPAID:
        before = {
            f"{arm}, {about.partition(',')[0]}": each["events"][-1]["verdict"]
            for arm, held in recorded[commit]["debates"].items()
            for about, each in held.items()
        }
        assert recorded[commit]["again"]["verdicts"] == before


def test_all_is_packed_in_three_megabytes():
    assert sum(path.stat().st_size for path in packed.FOLDER.rglob("*.*")) < 3_000_000


def run_tool(folder, *words):
    command = [sys.executable, str(TOOL), *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return done.returncode, done.stdout, done.stderr


def test_the_command_lists_groups_and_refuses_unknown_ones(tmp_path):
    code, out, _ = run_tool(tmp_path, "--list")
    assert code == 0
    assert all(f"{name}: " in out for name in groups.GROUPS)
    code, _, err = run_tool(tmp_path, "prompt")
    assert code == 2
    assert "no group 'prompt'" in err


def test_figures_are_only_kept_where_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "FOLDER", tmp_path)
    made = {"figures": {"a": {"n": 1}}, "words": {"a": "one"}}
    assert groups.record("http", made, figures=True).keys() == {"http.figures", "http.words"}
    made = {"figures": {"a": {"n": 2}}, "words": {"a": "two"}}
    assert groups.record("http", made, figures=False).keys() == {"http.words"}
    assert packed.read("http.words") == {"a": "two"}
    assert groups.check("http", made, "words") == []
    assert groups.check("http", made, "figures") == ["a: n is 2, before 1"]
