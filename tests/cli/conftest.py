"""Commands as a user has them: processes, their output, their exit codes."""

import asyncio
import os
import signal
import subprocess
import sys
from io import BytesIO, TextIOWrapper

import pytest
from click.testing import CliRunner

from moot import run as hold
from moot.cli.main import entry
from moot.cli.main import moot as cli
from support.commands import environment

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture
def moot(tmp_path):
    """Runs a command in an empty folder as a process; gives its exit code, output and errors."""

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
        return check(process.returncode, process.stdout, process.stderr)

    return run


@pytest.fixture
def moot_here(tmp_path, monkeypatch):
    """Runs a command that asks no model as ``moot`` does, but in this process: far quicker."""

    def run(*arguments, stdin="", **variables):
        streams = [TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in "12"]
        written, typed = os.pipe()
        os.write(typed, stdin.encode())
        os.close(typed)
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
        with monkeypatch.context() as patch, os.fdopen(written) as read:
            patch.chdir(tmp_path)
            for name in os.environ.keys() - environment().keys():
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["moot", *map(str, arguments)])
            patch.setattr(sys, "stdin", read)
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            try:
                with pytest.raises(SystemExit) as ended:
                    entry()
            finally:
                for number, handler in handlers.items():
                    signal.signal(number, handler)
        out, err = (stream.buffer.getvalue().decode() for stream in streams)
        return check(ended.value.code, out, err)

    return run


def check(code, out, err):
    """Return what a command did, if it did not end in a fault."""
    assert "Traceback" not in err
    assert "a fault of moot itself" not in err
    return code, out, err


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
