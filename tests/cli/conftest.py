"""Commands as a user has them: their output, their exit codes."""

import asyncio
from functools import partial

import pytest
from click.testing import CliRunner

from moot import run as hold
from moot.cli.main import moot as cli
from support.commands import run_command


@pytest.fixture
def moot(tmp_path):
    """Run a command in an empty folder; give its exit code, output and errors."""
    return partial(run_command, tmp_path)


@pytest.fixture
def over(tmp_path):
    """Holds the debates of a study, and gives what runs a command over them in this process."""

    def over(study, *command):
        asyncio.run(hold(study, store=tmp_path / "store"))

        def run(*words):
            done = CliRunner().invoke(cli, [*command, *words])
            return done.exit_code, done.stdout, done.stderr

        return run

    return over
