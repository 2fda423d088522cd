"""Commands as a user has them: their output, their exit codes."""

from functools import partial

import pytest

from support.commands import run_command


@pytest.fixture
def moot(tmp_path):
    """Run a command in an empty folder; give its exit code, output and errors."""
    return partial(run_command, tmp_path)
