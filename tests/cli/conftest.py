"""Commands as a user has them: processes, their output, their exit codes."""

import subprocess
import sys

import pytest

from commands import environment


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
        return process.returncode, process.stdout, process.stderr

    return run
