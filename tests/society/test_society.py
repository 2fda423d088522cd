"""The protocols that libraries of others run, in the environment that has these libraries."""

import os
import subprocess
from pathlib import Path

import pytest

from moot.debate.protocol import registry

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-society" / "bin" / "python"
PROMISES = ("society", "protocols", "studies/test_rehearsal.py", "cli/test_pages.py")
"""The tests that every protocol has to pass, beside their own."""
LEFT_OUT = ("scripted_replies", "an_odd_reply", "words-", "keep_their_promises")
"""Of them: transcripts, which stand in these tests word for word; what takes long; and this."""


def python() -> Path:
    """The Python of ``requirements/society.txt``; the test is skipped where there is none.

    ``MOOT_SOCIETY`` names another. CI must have it.
    """
    path = Path(os.environ.get("MOOT_SOCIETY") or PYTHON)
    if not path.exists():
        why = f"{path} is missing: none of the libraries that protocols run on"
        if "MOOT_CI" in os.environ:
            pytest.fail(f"{why}, and CI must have them")
        pytest.skip(why)
    return path


@pytest.mark.slow
def test_they_keep_their_promises_where_their_libraries_are():
    needy = [each.name for each in registry if each.needs]
    if all(registry.get(name).here for name in needy):
        pytest.skip("they are here")
    chosen = f"({' or '.join(needy)} or (society and not minds))"
    chosen += "".join(f" and not ({each})" for each in LEFT_OUT)
    done = subprocess.run(
        [
            *(python(), "-m", "pytest", *(f"tests/{each}" for each in PROMISES), "-k", chosen),
            *("-p", "no:cacheprovider", "--no-header", "-rs"),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert " skipped" not in done.stdout.splitlines()[-1]
