"""Every command that takes a store, over one in PostgreSQL; and the server's pages of it."""

import aiohttp
import pytest
from click.testing import CliRunner

from moot import run as run_study
from moot.cli.main import moot
from moot.server.config import config_from
from moot.server.serving import make_server
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
    "write 'Water is wet.' --model simulated/crowd",
)


@pytest.fixture
def address(postgres, tmp_path, monkeypatch):
    place = postgres.make_database()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOOT_STORE", place)
    (tmp_path / "small.toml").write_text(STUDY)
    return place


def test_every_command_works(address):
    for command in COMMANDS:
        done = CliRunner().invoke(moot, command)
        assert done.exit_code == 0, (command, done.output, done.exception)
    for command in ON_FILES:
        done = CliRunner().invoke(moot, command)
        assert done.exit_code == 2
        assert "for the files of a store in a folder" in done.output
    done = CliRunner().invoke(moot, f"store copy {address} copied")
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
