"""``moot.contrib.essays`` joins moot as another package would: by entry points, importing public names."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import moot

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "moot"
ESSAYS = SOURCE / "essays"
PAGE = (ROOT / "docs" / "packages.md").read_text()
PUBLIC = set(re.findall(r"^\| `(moot\.[\w.]+)` \|", PAGE.partition("may import")[2], re.MULTILINE))


def imports(file: Path) -> set[tuple[str, str]]:
    """The modules of moot that a file imports anywhere, each with a name imported from it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            for each in node.names:
                inner = SOURCE.parent.joinpath(*(node.module or "").split("."), f"{each.name}.py")
                found.add(
                    (f"{node.module}.{each.name}", "")
                    if inner.exists()
                    else (node.module, each.name)
                )
        elif isinstance(node, ast.Import):
            found |= {(each.name, "") for each in node.names}
    return {(module, name) for module, name in found if module.partition(".")[0] == "moot"}


def foreign(file: Path) -> set[tuple[str, str]]:
    return {each for each in imports(file) if not each[0].startswith("moot.contrib.essays")}


FILES = sorted(ESSAYS.rglob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ESSAYS)))
def test_it_imports_public_names_alone(file):
    for module, name in foreign(file):
        if module == "moot":
            assert name in moot.__all__ or name == "essays"
        else:
            assert module in PUBLIC, f"{module}: name it in docs/packages.md, or do without"
        assert not name.startswith("_")


def test_every_public_module_is_needed_and_there():
    used = {module for file in FILES for module, _ in foreign(file)} - {"moot"}
    assert used == PUBLIC
    for module in PUBLIC:
        assert import_module(module).__doc__


def test_every_entry_point_of_moot_is_one_of_its_own():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for group, entries in project["entry-points"].items():
        assert f"| `{group}` |" in PAGE
        for value in entries.values():
            module, _, name = value.partition(":")
            assert module.startswith("moot.contrib.essays.")
            assert not name or hasattr(import_module(module), name)


WITHOUT = """
import importlib.metadata, sys
from importlib.metadata import EntryPoints
real = importlib.metadata.entry_points
def entry_points(**given):
    return EntryPoints(e for e in real(**given) if not e.value.startswith("moot.contrib.essays"))
importlib.metadata.entry_points = entry_points
import moot.cli.commands as commands
found = commands._find_entry_points
commands._find_entry_points = lambda group: {
    name: value for name, value in found(group).items() if not value.startswith("moot.contrib.essays")
}
from moot.cli.main import entry
sys.argv = ["moot", *sys.argv[1:]]
entry()
"""


def run_without(*words, cwd):
    """Run moot in a process of its own, without the entry points of essays."""
    command = [sys.executable, "-c", WITHOUT, *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_moot_works_without_it(tmp_path):
    done = run_without("--help", cwd=tmp_path)
    listed = set(re.findall(r"^  (\S+)  ", done.stdout, re.MULTILINE))
    assert {"ask", "run"} <= listed
    assert not listed & {"write", "essays", "judge"}
    asked = ("ask", "2 + 2?", "--kind", "number", "--protocol", "society-of-minds", "--json")
    done = run_without(*asked, "--model", "simulated/people", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = run_without("ask", "x", "--protocol", "essay-plan", cwd=tmp_path)
    assert (done.returncode, "unknown protocol 'essay-plan'" in done.stderr) == (2, True)
