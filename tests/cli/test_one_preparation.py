"""Commands plan once, and open the store once."""

import pytest
from click.testing import CliRunner

from moot.cli.main import moot as cli
from moot.contrib.tuning.prepared_search import PreparedSearch
from moot.ledger.sqlite_store import Store
from moot.studies.plan import Plan

STUDY = """
name = "once"
settings = { model = "simulated/crowd" }
[[datasets]]
name = "arithmetic"
n = 8
[[arms]]
protocol = "single"
"""
TUNE = f'{STUDY}[tune]\nprotocol = "self-consistency"\ntrials = 1\n[tune.space]\nsamples = [2, 3]\n'


@pytest.fixture
def counted(monkeypatch):
    counts = {"opened": 0, "planned": 0, "searched": 0}

    def count(kind, owner, name):
        real = getattr(owner, name)

        def counting(*args, **kwargs):
            counts[kind] += 1
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, counting)

    count("opened", Store, "open")
    count("planned", Plan, "__init__")
    count("searched", PreparedSearch, "__init__")
    return counts


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_run_plans_once_and_opens_the_store_once(tmp_path, counted, dry):
    (tmp_path / "once.toml").write_text(STUDY)
    options = ["--store", str(tmp_path / "store"), "--yes", *dry]
    done = CliRunner().invoke(cli, ["run", str(tmp_path / "once.toml"), *options])
    assert done.exit_code == 0, done.output
    assert counted == {"opened": 1, "planned": 1, "searched": 0}


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_ask_plans_once_and_opens_the_store_once(tmp_path, counted, dry):
    options = ["--model", "simulated/crowd", "--store", str(tmp_path), *dry]
    done = CliRunner().invoke(cli, ["ask", "1 + 1?", "--kind", "number", *options])
    assert done.exit_code == 0, done.output
    assert counted == {"opened": 1, "planned": 1, "searched": 0}


def test_tune_prepares_its_search_once_and_opens_the_store_once(tmp_path, counted):
    (tmp_path / "once.toml").write_text(TUNE)
    options = ["--store", str(tmp_path / "store"), "--yes"]
    done = CliRunner().invoke(cli, ["tune", str(tmp_path / "once.toml"), *options])
    assert done.exit_code == 0, done.output
    assert (counted["opened"], counted["searched"]) == (1, 1)
