"""``moot refine``: files for other studies, and what is said of them."""

import json

import pytest
from click.testing import CliRunner

from moot.cli.main import moot
from support.commands import printed

MODEL = "simulated/people?accuracy=0.5"


@pytest.fixture
def run(tmp_path):
    def run(*words):
        given = ["refinement-sums", "--limit", "6", "--out", str(tmp_path / "out"), *words]
        done = CliRunner().invoke(moot, ["refine", *given, "--model", MODEL])
        return done.exit_code, done.stdout, done.stderr

    return run


def test_it_says_what_was_kept_and_where(run, tmp_path):
    out = printed(run("--keep", "2"))
    assert out.startswith("SIMULATED")
    flat = " ".join(out.split())
    assert "1 model; combinations: " in flat
    assert f"2 kept: {tmp_path / 'out' / 'arithmetic'}.jsonl" in out
    assert len((tmp_path / "out" / "arithmetic.jsonl").read_text().splitlines()) == 2
    told = json.loads(run("--combinations", "1", "--json")[1])
    assert [each["asked"] for each in told["datasets"]] == [6, 6]
    assert len(told["combinations"]) == 1
