"""``moot data`` with a hub: a process fetches, other processes read."""

import asyncio
import json
import sys

import pytest

from support.commands import FOUR, environment
from support.hub_server import COMMIT, TOKEN, hub_of

NAMED = ("--set", "repo=someone/sums", "--set", "file=sums.csv")
STUDY = """
name = "sums"
[[datasets]]
name = "hub"
repo = "someone/sums"
file = "sums.csv"
columns = { question = "sum", answer = "is" }
[[arms]]
protocol = "single"
"""


@pytest.mark.soak
async def test_what_is_fetched_is_read_by_a_study(monkeypatch, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)

    async def moot(*arguments, **variables):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "moot", *arguments,
            env=environment() | {"MOOT_DATA": str(tmp_path / "data")} | variables,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=tmp_path,
        )  # fmt: skip
        out, err = await process.communicate()
        assert TOKEN not in f"{out!r}{err!r}"
        return process.returncode, out.decode(), err.decode()

    study = ("run", "study.toml", "--model", FOUR, "--store", "store", "--json")
    async with hub_of(monkeypatch) as server:
        server.bodies["datasets/someone/sums/sums.csv"] = b"sum,is\n2+2,4\n2+3,5\n"
        address = {"HF_ENDPOINT": server.address, "HF_TOKEN": TOKEN}
        code, _, err = await moot(*study)
        assert code == 2
        assert "'moot data fetch hub --set repo=someone/sums --set file=sums.csv --set rev" in err
        code, out, err = await moot("data", "fetch", "hub", *NAMED, **address)
        assert code == 0, err
        assert out.strip().endswith(f"{COMMIT}/sums.csv")
    code, out, err = await moot(*study)  # the hub is gone
    assert code == 0, err
    assert json.loads(out)["results"]["arms"][0]["accuracy"]["mean"] == 0.5
