"""Commands as a user has them: processes, their output, their exit codes."""

import asyncio
import subprocess
import sys

import pytest
from click.testing import CliRunner

from moot import run as hold
from moot.cli.main import moot as cli
from support.commands import environment


@pytest.fixture
def moot(tmp_path):
    """Runs a command in an empty folder and gives its exit code, output and errors."""

    def run(*arguments, stdin="", **variables):
        process = subprocess.run(
            [sys.executable, "-m", "moot", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment() | variables,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in process.stderr
        assert "a fault of moot itself" not in process.stderr
        return process.returncode, process.stdout, process.stderr

    return run


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
