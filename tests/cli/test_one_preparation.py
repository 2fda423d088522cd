"""Commands plan once, and open the store once."""

import pytest

from moot.ledger.sqlite_store import Store
from moot.studies.plan import Plan
from moot.studies.tuning.prepared_search import PreparedSearch

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
@pytest.mark.parametrize(
    ("words", "planned", "searched"),
    [
        (["run", "once.toml", "--yes"], 1, 0),
        (["ask", "1 + 1?", "--model", "simulated/crowd"], 1, 0),
        (["tune", "tuned.toml", "--yes"], None, 1),
    ],
)
def test_a_command_plans_once_and_opens_the_store_once(
    moot, tmp_path, counted, words, planned, searched, dry
):
    (tmp_path / "once.toml").write_text(STUDY)
    (tmp_path / "tuned.toml").write_text(TUNE)
    assert moot(*words, *dry)[0] == 0
    assert (counted["opened"], counted["searched"]) == (1, searched)
    assert planned in {None, counted["planned"]}
