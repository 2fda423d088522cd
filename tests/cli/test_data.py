"""``moot data`` with a hub: a process fetches, other processes read."""

import asyncio
import json

from click.testing import CliRunner

from moot.cli.main import moot as cli
from support.commands import FOUR
from support.hub_server import COMMIT, TOKEN, hub_of

NAMED = ("--set", "repo=someone/sums", "--set", "file=sums.csv")
STUDY = """
name = "sums"
arms = [{ protocol = "single" }]
[[datasets]]
name = "hub"
repo = "someone/sums"
file = "sums.csv"
columns = { question = "sum", answer = "is" }
"""


async def test_what_is_fetched_is_read_by_a_study(monkeypatch, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)

    async def moot(*words, **variables):
        done = await asyncio.to_thread(CliRunner().invoke, cli, words, env=variables)
        assert TOKEN not in done.output
        return done

    store = ("--model", FOUR, "--store", str(tmp_path / "store"), "--json")
    study = ("run", str(tmp_path / "study.toml"), *store)
    async with hub_of(monkeypatch) as server:
        server.bodies["datasets/someone/sums/sums.csv"] = b"sum,is\n2+2,4\n2+3,5\n"
        done = await moot(*study)
        assert done.exit_code == 2
        assert "--set repo=someone/sums --set file=sums.csv --set rev" in done.stderr
        address = {"HF_ENDPOINT": server.address, "HF_TOKEN": TOKEN}
        done = await moot("data", "fetch", "hub", *NAMED, **address)
        assert done.exit_code == 0, done.output
        assert done.stdout.strip().endswith(f"{COMMIT}/sums.csv")
    done = await moot(*study)  # the hub is gone
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"]["arms"][0]["accuracy"]["mean"] == 0.5
