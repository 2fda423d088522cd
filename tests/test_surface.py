"""What ``import moot`` offers: sorted, complete, importable, and slow at nothing."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path

import pytest

import moot

SOURCE = ast.parse(Path(moot.__file__).read_text())
SLOW = {"aiohttp", "chess", "click", "genai_prices", "jinja2", "json_repair", "numpy", "rich"}


def test_the_names_are_these(snapshot):
    assert moot.__all__ == snapshot


def test_the_names_are_sorted_and_each_has_one_home():
    assert sorted(moot.__all__) == moot.__all__
    assert sorted(moot._HOME) == moot.__all__
    assert dir(moot) == moot.__all__


def test_the_attributes_that_a_class_documents_are_in_it():
    documented = 0
    for file in Path(moot.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef) and "Attributes:\n" in (
                ast.get_docstring(node) or ""
            ):
                section = (ast.get_docstring(node) or "").partition("Attributes:\n")[2]
                names = re.findall(r"^    (\w+):", section, re.MULTILINE)
                body = "\n".join(map(ast.unparse, node.body[1:]))
                missing = [name for name in names if not re.search(rf"\b{name}\b", body)]
                assert (file.name, node.name, missing) == (file.name, node.name, [])
                documented += len(names)
    assert documented > 500


def test_type_checkers_see_the_same_names():
    [block] = [node for node in SOURCE.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in block.body
        for alias in node.names
    }
    homes = {name: home.partition(":") for name, home in moot._HOME.items()}
    assert seen == {
        name: f"moot.{home}.{called or name}" for name, (home, _, called) in homes.items()
    }


@pytest.mark.parametrize("name", moot.__all__)
def test_each_can_be_imported_and_says_what_it_is(name):
    thing = getattr(moot, name)
    home, _, called = moot._HOME[name].partition(":")
    assert thing is getattr(import_module(f"moot.{home}"), called or name)
    if isclass(thing) or isfunction(thing):
        assert getdoc(thing)
        assert thing.__module__ == f"moot.{home}"


def test_any_other_name_is_none_of_moot_s():
    with pytest.raises(AttributeError, match="no attribute 'aks'"):
        _ = moot.aks
    with pytest.raises(ImportError):
        exec("from moot import aks")


def test_importing_it_imports_nothing_slow():
    code = "import sys, moot; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "moot" in loaded
    assert not loaded & (SLOW | {"asyncio", "msgspec"})


def test_a_protocol_can_be_written_without_importing_anything_slow():
    code = "import sys, moot; moot.protocol, moot.verdict_from, moot.Question; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & SLOW
