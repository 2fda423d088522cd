"""The only place where golden files are made through more of moot than its public names.

A rebuild that moves one of these edits this file, and no golden file.
"""

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import moot


def identify(call: moot.Call) -> str:
    """Return the identity of a call in the ledger, in hexadecimal."""
    from moot.core.calls import identity

    return identity(call.request(), call.draw).hex()


def run_key(study: Mapping[str, Any]) -> str:
    """Return the key of a study's run, as its plan makes it."""
    from moot.studies.plan import Plan
    from moot.studies.study_file import load

    return Plan(load(study)).key


def installed_protocols() -> dict[str, bool]:
    """Return the names of all protocols, and whether each can run here."""
    from moot.debate.protocol import registry

    return {each.name: each.is_installed for each in registry}


def analysis_names() -> list[str]:
    from moot.analyses.analysis import registry

    return registry.names()


def decision_names() -> list[str]:
    from moot.debate.decision import registry

    return registry.names()


def encode(value: Any) -> Any:
    return msgspec.to_builtins(value)


def decode_reply(value: Any) -> moot.Reply:
    return msgspec.convert(value, moot.Reply)


def run_command(folder: Path, *words: str) -> str:
    """Return what a command of moot prints, run in this process; fail where it fails."""
    from support.commands import run_command as run

    code, out, err = run(folder, *words, COLUMNS="80")
    assert code == 0, f"moot {' '.join(words)}: {err}"
    return out


def help_of_commands() -> dict[str, str]:
    import click
    from click.testing import CliRunner

    from moot.cli.main import moot as commands

    found: dict[str, str] = {}

    def walk(command: click.Command, words: tuple[str, ...]) -> None:
        how = {"prog_name": "moot", "terminal_width": 80, "env": {"COLUMNS": "80"}}
        found[" ".join(("moot", *words))] = runner.invoke(
            commands, [*words, "--help"], **how
        ).output
        if isinstance(command, click.Group):
            context = click.Context(command, info_name="moot")
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                if inner is not None:
                    walk(inner, (*words, name))

    runner = CliRunner()
    walk(commands, ())
    return found


@asynccontextmanager
async def serve(store: Path, model: moot.Model) -> AsyncIterator[str]:
    """Serve debates of one model from a store; give the address."""
    from moot.contrib.server.config import config_from
    from moot.contrib.server.pages import runs_page
    from moot.contrib.server.serving import make_server
    from support.server import up

    running = make_server(config_from(models=[model.name]), store=store, models=[model])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs_page, "EARLY", 60.0)  # what the list shows is the same on any machine
        async with up(running):
            yield f"http://127.0.0.1:{running.port}"


def count_replies(store: Path) -> int:
    """Return how many replies a store holds, which is how many were paid for."""
    with closing(sqlite3.connect(f"file:{store / 'moot.db'}?mode=ro", uri=True)) as file:
        return file.execute("SELECT COUNT(*) FROM replies").fetchone()[0]
