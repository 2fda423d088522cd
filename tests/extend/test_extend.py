"""``moot.extend``: the names that packages may use are few, pinned and documented."""

import ast
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from pathlib import Path
from pkgutil import iter_modules

import pytest

import moot.extend

PAGE = (Path(__file__).parents[2] / "docs" / "packages.md").read_text()
MODULES = [each.name for each in iter_modules(moot.extend.__path__)]


def names_of(module):
    return import_module(f"moot.extend.{module}").__all__


def test_the_names_are_these(snapshot):
    assert {module: names_of(module) for module in MODULES} == snapshot


def test_they_are_few():
    names = [name for module in MODULES for name in names_of(module)]
    assert len(MODULES) <= 10
    assert len(names) == len(set(names)) <= 200


@pytest.mark.parametrize("module", MODULES)
def test_each_is_there_documented_and_nothing_else_is(module):
    found = import_module(f"moot.extend.{module}")
    imports = [
        each
        for node in ast.parse(Path(found.__file__).read_text()).body
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    ]
    assert sorted(each.asname or each.name for each in imports) == sorted(found.__all__)
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| `moot.extend.{module}` |")]
    for name in found.__all__:
        assert f"`{name}`" in row
        thing = getattr(found, name)
        assert name not in moot.__all__
        if isclass(thing) or (isfunction(thing) and "<locals>" not in thing.__qualname__):
            assert getdoc(thing), name
