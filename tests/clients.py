"""The programs of others that moot's output is held against, in an environment of their own."""

import os
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[1] / ".venv-clients" / "bin" / "python"


def python() -> str:
    """The Python of ``requirements/clients.txt``; the test is skipped where there is none.

    ``MOOT_CLIENTS`` names another. CI must have it.
    """
    path = Path(os.environ.get("MOOT_CLIENTS") or PLACE)
    if not path.exists():
        why = f"{path} is missing: no programs of others"
        if "MOOT_CI" in os.environ:
            pytest.fail(f"{why}, and CI must have them")
        pytest.skip(why)
    return str(path)
