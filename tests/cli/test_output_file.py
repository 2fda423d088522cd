"""The file of an option: checked before it is paid for, written whole, or standard output."""

import json

import pytest

from moot.cli.commands import list_followers
from moot.cli.output_file import OutputFile
from moot.core.errors import InputError

ROWS = [("=A", 1, True), ("B", 2, None)]


def test_rows_are_written_by_the_ending_of_the_name(tmp_path, capsys):
    for name in ("x.csv", "x.json"):
        OutputFile(tmp_path / name, "--out").write_rows(("who", "n", "last"), ROWS)
    assert capsys.readouterr().out == f"{tmp_path / 'x.csv'}\n{tmp_path / 'x.json'}\n"
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines == ['"who","n","last"', '"\'=A",1,true', '"B",2,']
    assert json.loads((tmp_path / "x.json").read_text())[1] == {"who": "B", "n": 2, "last": None}
    with pytest.raises(InputError, match=r"--out .*x\.txt: name a file that ends in \.csv or"):
        OutputFile(tmp_path / "x.txt", "--out").write_rows((), [])


def test_a_file_that_is_there_or_cannot_be_is_refused_before_it_is_written(tmp_path):
    there = tmp_path / "there.md"
    there.write_text("old")
    for path, said in ((there, "it is there; name another"), (tmp_path, "it is a folder")):
        with pytest.raises(InputError, match=said):
            OutputFile(path, "--output").check(advice="name another")
    OutputFile(there, "--output").check(force=True)
    assert there.read_text() == "old"
    with pytest.raises(InputError, match=r"cannot be written: .*; it is kept"):
        OutputFile(there / "x.md", "--output").write("new", advice="it is kept")


def test_without_a_file_a_text_is_printed(capsys):
    file = OutputFile(None, "--output")
    file.check()
    file.write("text\n")
    assert capsys.readouterr().out == "text\n"


def test_a_command_of_a_package_follows_runs_with_its_setting():
    assert list_followers([{"agents": 3}, {"stance": "oppose"}]) == ["essays"]
    assert list_followers([{"agents": 3}]) == list_followers([]) == []
