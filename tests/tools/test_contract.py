"""The contract of ``contrib/``: it holds, it sees what it should, and its debt only shrinks."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import contract  # noqa: E402

CHECK = ROOT / "tools" / "contract.py"


def test_it_holds():
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "contract.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cluster      owes" in done.stdout


def house(folder, **files):
    """Make sources: files of code by their path, with ``__`` for a slash."""
    for name, code in files.items():
        place = folder / "moot" / f"{name.replace('__', '/')}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(code)
    return folder / "moot"


VIEWS = {"debate__views": "class View: ..."}


@pytest.mark.parametrize(
    ("code", "owed"),
    [
        ("from moot.debate.views import View", 1),
        ("def later():\n    from moot.debate import views", 1),
        ("import moot.debate.views", 1),
        ("import_module('moot.debate.views')", 1),
        ("place = 'moot.debate.views:View'", 1),
        ("text = 'moot.debate.nowhere'", 0),
        ("from moot import View", 0),
        ("from moot.extend.protocols import gather_all", 0),
        ("from moot.contrib.songs.other import sing", 0),
    ],
)
def test_a_part_owes_for_each_internal_name(tmp_path, code, owed):
    source = house(tmp_path, **VIEWS, contrib__songs__write=code)
    debt, refused = contract.find_debt(source, {})
    assert (sum(debt.values()), refused) == (owed, [])


@pytest.mark.parametrize(
    "code", ["from moot.contrib.songs.write import sing", "at = 'moot.contrib.songs.write'"]
)
def test_the_core_owes_for_naming_a_part(tmp_path, code):
    source = house(tmp_path, studies__lab=code, contrib__songs__write="")
    assert contract.find_debt(source, {}) == ({"studies/lab.py": 1}, [])


def test_what_is_excepted_is_no_debt_and_nothing_else(tmp_path):
    code = "from moot.contrib.songs.write import sing, hum"
    source = house(tmp_path, studies__lab=code, contrib__songs__write="")
    excepted = {"studies/lab.py moot.contrib.songs.write:sing": "a reason"}
    assert contract.find_debt(source, {}, excepted) == ({"studies/lab.py": 1}, [])


def test_a_part_uses_another_only_where_that_is_allowed(tmp_path):
    code = "from moot.contrib.songs.write import sing"
    source = house(tmp_path, contrib__poems__read=code, contrib__songs__write="")
    [fault] = contract.find_debt(source, {})[1]
    assert "poems may not use songs" in fault
    assert contract.find_debt(source, {"poems": ["songs"]}) == ({}, [])


def test_debt_neither_grows_nor_stays_where_it_was_paid():
    assert list(contract.compare({"a.py": 2}, {"a.py": 2})) == []
    [more] = contract.compare({"a.py": 3}, {"a.py": 2})
    [less] = contract.compare({}, {"a.py": 2})
    assert "owes 3 names, recorded are 2: use moot.extend" in more
    assert "--record" in less
