"""The parts in ``contrib/`` join moot as other packages would: moot works without them."""

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "packages.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_entry_point_of_moot_is_of_a_part():
    for group, entries in PROJECT["entry-points"].items():
        assert f"| `{group}` |" in PAGE
        for value in entries.values():
            module, _, name = value.partition(":")
            assert module.startswith("moot.contrib.")
            assert not name or hasattr(import_module(module), name)


WITHOUT = """
import sys
from moot.core import entry_points
real = entry_points._read_file
def read(file):
    return [each for each in real(file) if not each[1].value.startswith("moot.contrib.")]
entry_points._read_file = read
from moot.cli.main import entry
sys.argv = ["moot", *sys.argv[1:]]
entry()
"""


def run_without(*words, cwd):
    """Run moot in a process of its own, without the entry points of parts."""
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_moot_works_without_them(tmp_path):
    done = run_without("--help", cwd=tmp_path)
    listed = set(re.findall(r"^  (\S+)  ", done.stdout, re.MULTILINE))
    assert {"ask", "run"} <= listed
    assert not listed & {*PROJECT["entry-points"]["moot.commands"]}
    asked = ("ask", "2 + 2?", "--kind", "number", "--protocol", "society-of-minds", "--json")
    done = run_without(*asked, "--model", "simulated/people", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run_without("ask", "x", "--protocol", "essay-plan", cwd=tmp_path)
    assert (done.returncode, "unknown protocol 'essay-plan'" in done.stderr) == (2, True)
