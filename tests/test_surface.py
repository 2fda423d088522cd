"""What ``import moot`` offers: sorted, complete, importable, and slow at nothing."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points
from inspect import getdoc, isclass, isfunction
from pathlib import Path

import pytest

import moot

SOURCE = ast.parse(Path(moot.__file__).read_text())
SLOW = {"aiohttp", "chess", "click", "genai_prices", "jinja2", "json_repair", "numpy", "rich"}


def test_the_names_are_these(snapshot):
    assert moot.__all__ == snapshot


BROUGHT = {each.name: each.value for each in entry_points(group="moot.names")}
HOME = moot._HOME | {name: place.removeprefix("moot.") for name, place in BROUGHT.items()}


def test_the_names_are_sorted_and_each_can_be_imported_from_its_one_home():
    assert sorted(moot.__all__) == sorted(HOME) == moot.__all__ == dir(moot)
    assert not BROUGHT.keys() & moot._HOME.keys()
    for name in moot.__all__:
        thing = getattr(moot, name)
        home, _, called = HOME[name].partition(":")
        assert thing is getattr(import_module(f"moot.{home}"), called or name)
        if isclass(thing) or isfunction(thing):
            assert getdoc(thing), name
            assert thing.__module__ == f"moot.{home}"


def test_type_checkers_see_the_same_names():
    [block] = [node for node in SOURCE.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in block.body
        for alias in node.names
    }
    homes = {name: home.partition(":") for name, home in HOME.items()}
    assert seen == {
        name: f"moot.{home}.{called or name}" for name, (home, _, called) in homes.items()
    }


def test_any_other_name_is_none_of_moot_s():
    with pytest.raises(AttributeError, match="no attribute 'aks'"):
        _ = moot.aks
    with pytest.raises(ImportError):
        exec("from moot import aks")


@pytest.mark.parametrize(
    ("code", "slow"),
    [
        ("moot", SLOW | {"asyncio", "msgspec"}),
        ("moot.protocol, moot.verdict_from, moot.Question", SLOW),  # what writes a protocol
    ],
)
def test_importing_it_imports_nothing_slow(code, slow):
    code = f"import sys, moot; {code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & slow
