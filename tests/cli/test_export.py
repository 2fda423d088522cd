"""``moot export`` as a user has it, and what docs/export.md says of it."""

import sys

import pytest

from support.commands import SIMULATED, STUDY, run_command


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a store that has one small run."""
    folder = tmp_path_factory.mktemp("export")
    (folder / "small.toml").write_text(STUDY)
    assert run_command(folder, "run", "small.toml")[0] == 0
    return folder


@pytest.fixture
def export(place, tmp_path):
    """Exports from there to an empty folder; gives exit code, output and errors."""
    return lambda *arguments: run_command(
        tmp_path, "export", *arguments, "--store", place / ".moot"
    )


def test_it_says_what_it_wrote_and_where(export, tmp_path):
    turns = ("small", "--format", "csv", "--what", "turns", "--out", "new/turns.csv")
    assert export(*turns) == (0, "new/turns.csv\n", "8 debates written\n")
    assert (tmp_path / "new" / "turns.csv").read_text().count(f'"{SIMULATED}"') == 4 * (1 + 6)
    code, out, err = export(*turns)
    assert (code, out) == (2, "")
    said = "exists already; name another place with --out, or remove it"
    assert err == f"moot: new/turns.csv: {said}\n"
    code, _, err = export("small", "--format", "csv", "--out", "new/turns.csv/a")
    assert (code, "/a: cannot be written: " in err) == (2, True)
    assert (
        "unknown run 'smal1'; did you mean 'small'"
        in export("smal1", "--format", "csv", "--out", "a")[2]
    )


def test_without_the_extra_it_says_what_to_install(export, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as where it is not installed
    code, _, err = export("small", "--format", "parquet", "--out", "a")
    assert (code, err) == (2, "moot: to write Parquet, pip install 'moot[data]'\n")
    assert list(tmp_path.iterdir()) == []
