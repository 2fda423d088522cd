"""The protocols that libraries of others run, in the environment that has these libraries."""

import os
import shutil
import subprocess
from importlib.metadata import distribution
from pathlib import Path

import pytest

from moot.debate.protocol import registry
from support.environments import ROOT, python_in

PROMISES = ("contrib/frameworks", "protocols", "studies/test_dry_run.py")
"""The tests that every protocol has to pass, beside their own."""
LEFT_OUT = (
    *("scripted_replies", "an_odd_reply", "words-", "keep_their_promises"),
    "changes_nothing and promises and camel",  # 80 debates of 0.1 s; test_camel has 32 of its own
)
"""Of them: transcripts, which stand in these tests word for word; what takes long; and this."""


def python():
    """The Python of ``requirements/society.txt``; ``MOOT_SOCIETY`` names another."""
    return python_in(".venv-society")


@pytest.mark.soak
def test_they_keep_their_promises_where_their_libraries_are(tmp_path):
    # There moot is a path and not installed: what says its entry points goes along.
    about = Path(str(distribution("moot").locate_file("."))).glob("moot-*.dist-info")
    for folder in about:
        shutil.copytree(folder, tmp_path / folder.name)
    needy = [each.name for each in registry if each.needs]
    if all(registry.get(name).is_installed for name in needy):
        pytest.skip("they are here")
    chosen = f"({' or '.join(needy)} or frameworks)"
    chosen += "".join(f" and not ({each})" for each in LEFT_OUT)
    # Not "-m pytest": camel looks at its stack at every call, and a frame without a file, as those
    # of "-m" are, has Python search all modules for one.
    pytest_there = python().with_name("pytest")
    # What that environment lacks is none of its concern.
    usual = {name: value for name, value in os.environ.items() if name != "MOOT_CI"}
    path = os.pathsep.join([str(ROOT / "src"), str(tmp_path)])
    done = subprocess.run(
        [
            *(python(), pytest_there, *(f"tests/{each}" for each in PROMISES), "-k", chosen),
            *("-p", "no:cacheprovider", "-p", "no:langsmith_plugin", "--no-header", "-rs"),
        ],
        cwd=ROOT,
        env=usual | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " skipped" not in done.stdout.splitlines()[-1]
