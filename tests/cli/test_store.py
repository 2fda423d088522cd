"""``moot store``: what it says of a store that is whole, and of none."""

from click.testing import CliRunner

from moot.cli.main import moot
from support.commands import STUDY


def test_a_whole_store_is_told_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(STUDY)
    assert CliRunner().invoke(moot, ["run", "small.toml", "--yes"]).exit_code == 0
    told = CliRunner().invoke(moot, ["store", "check"])
    assert told.exit_code == 0
    assert "1 run, 24 replies, 8 debates, 0 raters, 0 rankings" in told.output
    assert "nothing is damaged" in told.output
