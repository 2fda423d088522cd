"""Imports go downward only: import-linter's contracts in pyproject.toml."""

import tomllib
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[1]
MOOT = ROOT / "src" / "moot"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]


@pytest.fixture(autouse=True)
def _no_logging_set_up(monkeypatch):
    """Let the tool set up no logging: that would disable the loggers of the tests after these."""
    monkeypatch.setattr("logging.config.dictConfig", lambda _: None)


def test_the_contracts_are_kept(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    kept = lint_imports(config_filename="pyproject.toml", no_cache=True, no_logo=True) == 0
    assert kept, capsys.readouterr().out


def test_a_building_on_its_head_is_noticed(monkeypatch, capsys, tmp_path):
    """The same tool on the floors in reverse order: it sees the imports."""
    layers = CONTRACTS["contracts"][0]["layers"][::-1]
    (tmp_path / "upside_down.ini").write_text(
        "[importlinter]\nroot_package = moot\n"
        "[importlinter:contract:1]\nname = Reversed\ntype = layers\nlayers =\n  "
        + "\n  ".join(layers)
    )
    monkeypatch.chdir(ROOT)
    assert lint_imports(str(tmp_path / "upside_down.ini"), no_cache=True, no_logo=True) == 1
    assert "Reversed BROKEN" in capsys.readouterr().out


def test_every_folder_is_on_a_floor():
    floors = " | ".join(CONTRACTS["contracts"][0]["layers"]).split(" | ")
    folders = {f"moot.{each.parent.name}" for each in MOOT.glob("*/__init__.py")} | {"moot.stops"}
    assert sorted([*floors, "moot.contrib"]) == sorted(folders)
