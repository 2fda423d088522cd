"""Every command that takes a store, over one in PostgreSQL; and the server's pages of it."""

import aiohttp
import pytest
from click.testing import CliRunner

from moot import run as run_study
from moot.cli.main import moot
from moot.contrib.server.config import config_from
from moot.contrib.server.serving import make_server
from support.commands import STUDY
from support.server import up

ON_FILES = ("store check", "store repair")
COMMANDS = (
    "run small.toml --yes",
    "run small.toml --yes --json",
    "ask 'What is 2 + 2?' --model simulated/crowd",
    "show",
    "show small",
    "show small arithmetic-1-0-0",
    "analyse accuracy small",
    "report small --format markdown",
    "report small --format html",
    "export small --format jsonl --out debates.jsonl",
    "measure small --processes 2",
    "write 'Water is wet.' --stance oppose --model simulated/crowd",
    "tune tuned.toml --json",
    "refine refinement-sums --limit 6 --keep 2 --model simulated/people --out out",
    "run sides.toml --yes",
    "rejudge sides",
)

TUNED = """
name = "tuned"
settings = { model = "simulated/people?accuracy=0.3" }
datasets = [{ name = "arithmetic", n = 16 }]
tune = { protocol = "self-consistency", space = { samples = [1, 2] } }
"""
SIDES = """
name = "sides"
settings = { model = "simulated/judge?favours=affirmative:0.5", rounds = 2 }
datasets = [{ name = "arithmetic", n = 6 }]
arms = [{ protocol = "debate-moderated" }]
"""


@pytest.fixture
def address(postgres, tmp_path, monkeypatch):
    place = postgres.make_database()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", place)
    for name, text in (("small", STUDY), ("tuned", TUNED), ("sides", SIDES)):
        (tmp_path / f"{name}.toml").write_text(text)
    return place


def test_every_command_works(postgres, address):
    for command in COMMANDS:
        done = CliRunner().invoke(moot, command)
        assert done.exit_code == 0, (command, done.output, done.exception)
    paid = postgres.execute("SELECT COUNT(*) FROM moot.replies", address)
    for command in ("tune tuned.toml --json", "rejudge sides --json"):  # again, without a call
        assert CliRunner().invoke(moot, command).exit_code == 0
    assert int(postgres.execute("SELECT COUNT(*) FROM moot.replies", address)) == int(paid) > 0
    for command in ON_FILES:
        done = CliRunner().invoke(moot, command)
        assert done.exit_code == 2
        assert "for the files of a store in a folder" in done.output
    for words in (f"{address} copied", "copied again"):
        done = CliRunner().invoke(moot, f"store copy {words}")
        assert done.exit_code == 0, done.output
        assert "every record was read back" in done.output


async def test_every_page_works(address):
    running = make_server(config_from(models=["simulated/crowd"]), store=address)
    async with up(running), aiohttp.ClientSession(f"http://127.0.0.1:{running.port}") as client:
        outcome = await run_study("small.toml", store=address)
        run = f"/runs/{outcome.run}"
        for page in ("/", "/runs", run, f"{run}/debates", f"{run}/debates?q=answer", "/compare"):
            async with client.get(page) as reply:
                text = await reply.text()
                assert reply.status == 200, (page, text)
