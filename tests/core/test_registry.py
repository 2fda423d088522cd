"""Names and what they stand for: built in, brought by another package, or unknown."""

import sys
from importlib import import_module
from pkgutil import iter_modules
from types import SimpleNamespace

import pytest

from moot.analyses.analysis import registry as analyses
from moot.core.errors import InputError, UnknownName
from moot.core.readings import readings
from moot.core.registry import Registry
from moot.datasets.dataset import registry as datasets
from moot.debate.decision import registry as decisions
from moot.debate.protocol import registry as protocols
from moot.debate.stop_rule import registry as stops
from moot.metrics.metric import registry as metrics
from moot.models.model_names import model_registry
from moot.parsing.parser import registry as parsers


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make an importable package whose modules register themselves; gives its registry."""

    def make(name: str, table: str = "", **modules: str) -> Registry:
        folder = tmp_path / name
        folder.mkdir()
        registry = Registry("tool", name, table=table)
        listed = f"{table} = {{'kit': 'claw-hammer saw'}}\n" if table else ""
        (folder / "__init__.py").write_text(f"loaded = []\n{listed}")
        for module, code in modules.items():
            (folder / f"{module}.py").write_text(
                f"import {name}\n{name}.loaded.append({module!r})\n{code}"
            )
        monkeypatch.syspath_prepend(tmp_path)
        module = SimpleNamespace(tool=registry.decorate)
        monkeypatch.setitem(sys.modules, f"{name}_registry", module)
        return registry

    yield make
    for name in [name for name in sys.modules if name.startswith("made_for_test")]:
        del sys.modules[name]


def entry_points(folder, group: str, **entries: str) -> None:
    """An installed distribution that has entry points, as any installer leaves it."""
    info = folder / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")


HAMMER = "from {0}_registry import tool\n@tool('claw-hammer')\ndef hammer(): ...\n"
SAW = "from {0}_registry import tool\n@tool('saw')\ndef saw(): ...\n"


def test_asking_for_one_imports_its_module_alone(package):
    name = "made_for_test_a"
    registry = package(name, claw_hammer=HAMMER.format(name), saw=SAW.format(name))
    assert registry.names() == ["claw-hammer", "saw"]
    assert sys.modules[name].loaded == []
    assert registry.get("claw-hammer").__name__ == "hammer"
    assert sys.modules[name].loaded == ["claw_hammer"]
    assert [each.__name__ for each in registry] == ["hammer", "saw"]


def test_a_table_says_where_names_are(package):
    name = "made_for_test_g"
    registry = package(name, table="TOOLS", kit=HAMMER.format(name) + SAW.format(name), helpers="")
    assert registry.names() == ["claw-hammer", "saw"]
    assert sys.modules[name].loaded == []
    assert registry.get("saw").__name__ == "saw"
    assert len(registry.all()) == 2
    assert sys.modules[name].loaded == ["kit"]


def test_an_unknown_name_comes_with_the_nearest_and_all_that_there_are(package):
    registry = package("made_for_test_c", claw_hammer=HAMMER.format("made_for_test_c"))
    registry.add("saw", lambda: None)
    with pytest.raises(UnknownName) as caught:
        registry.get("claw_hamer", where="kit.toml")
    error = caught.value
    known = ("claw-hammer", "saw")
    assert (error.what, error.nearest, error.valid) == ("tool", "claw-hammer", known)
    assert str(error) == (
        "kit.toml: unknown tool 'claw_hamer'; did you mean 'claw-hammer'? Valid: claw-hammer, saw."
    )
    with pytest.raises(UnknownName, match="unknown tool 'zzz'; Valid: "):
        registry.get("zzz")


@pytest.mark.parametrize("name", ["", "..", "os.path", "a/b", "__init__", "claw hammer", "ü"])
def test_odd_names_are_merely_unknown(package, name):
    registry = package("made_for_test_d")
    with pytest.raises(UnknownName, match="Valid: none"):
        registry.get(name)


def test_two_things_of_one_name_are_an_error_and_the_same_thing_twice_is_none(package):
    registry = package("made_for_test_e")
    registry.add("saw", print)
    registry.add("saw", print)
    with pytest.raises(InputError, match="two tools are named 'saw'; rename or uninstall"):
        registry.add("saw", len)


def test_another_package_registers_by_entry_point(package, tmp_path):
    registry = package("made_for_test_f")
    (tmp_path / "made_for_test_theirs.py").write_text(HAMMER.format("made_for_test_f"))
    names = {"their-hammer": "made_for_test_theirs", "gone": "made_for_x"}
    names["drill"] = "made_for_test_made:drill"
    entry_points(tmp_path, "made_for_test_f", **names)
    (tmp_path / "made_for_test_made.py").write_text("raise ValueError('not when it is named')")
    assert registry.names() == ["claw-hammer", "drill"]
    with pytest.raises(InputError, match=r"tool 'drill' cannot be loaded: ValueError: not when"):
        registry.get("drill")
    with pytest.raises(InputError, match=r"tool 'gone' cannot be loaded: ModuleNotFoundError"):
        registry.get("gone")


REGISTRIES = analyses, datasets, decisions, metrics, model_registry, parsers, protocols, readings


@pytest.mark.parametrize("registry", [*REGISTRIES, stops], ids=lambda each: each.what)
def test_what_is_built_in_is_in_its_table(registry):
    package = import_module(registry.package)
    for module in iter_modules(getattr(package, "__path__", ())):
        import_module(f"{registry.package}.{module.name}")
    named = registry.names()
    assert len(registry.all()) == len(named)
    assert registry.names() == named
    assert registry.broken == {}
