"""Names and what they stand for: built in, brought by another package, or unknown."""

import sys
from types import SimpleNamespace

import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.registry import Registry


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make an importable package whose modules register themselves; gives its registry."""

    def make(name: str, **modules: str) -> Registry:
        folder = tmp_path / name
        folder.mkdir()
        registry = Registry("tool", name)
        (folder / "__init__.py").write_text("loaded = []\n")
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


def test_asking_for_one_imports_its_module_alone(package):
    code = HAMMER.format("made_for_test_a")
    registry = package("made_for_test_a", claw_hammer=code, saw="")
    assert registry.get("claw-hammer").__name__ == "hammer"
    assert sys.modules["made_for_test_a"].loaded == ["claw_hammer"]
    assert registry.names() == ["claw-hammer"]
    assert sys.modules["made_for_test_a"].loaded == ["claw_hammer", "saw"]


def test_an_unknown_name_comes_with_the_nearest_and_all_that_there_are(package):
    registry = package("made_for_test_c", nails=HAMMER.format("made_for_test_c"))
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
    entry_points(tmp_path, "made_for_test_f", **names)
    assert registry.names() == ["claw-hammer"]
    with pytest.raises(InputError, match=r"tool 'gone' cannot be loaded: ModuleNotFoundError"):
        registry.get("gone")
