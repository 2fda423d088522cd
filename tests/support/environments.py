"""The Pythons of other environments, where tests need what cannot be beside moot in its own."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python_in(folder, variable, lacking):
    """The Python of an environment below the root, or the one that a variable of ours names.

    Where there is none the test is skipped, with what is lacking then; CI must have it.
    """
    path = Path(os.environ.get(variable) or ROOT / folder / "bin" / "python")
    if not path.exists():
        why = f"{path} is missing: {lacking}"
        if "MOOT_CI" in os.environ:
            pytest.fail(f"{why}, and CI must have them")
        pytest.skip(why)
    return path


def python() -> str:
    """The Python of ``requirements/clients.txt``; ``MOOT_CLIENTS`` names another."""
    return str(python_in(".venv-clients", "MOOT_CLIENTS", "no programs of others"))
