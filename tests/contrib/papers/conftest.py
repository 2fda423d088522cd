"""Commands as a user has them, in an empty folder, and the papers."""

from functools import partial

import pytest

from moot.contrib.papers.published import NAMES, read_paper
from support.commands import run_command


@pytest.fixture
def moot(tmp_path):
    """Run a command in an empty folder; give its exit code, output and errors."""
    return partial(run_command, tmp_path)


@pytest.fixture(params=NAMES)
def paper(request):
    """Each paper."""
    return read_paper(request.param)
