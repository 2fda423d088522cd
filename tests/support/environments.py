"""The Pythons of other environments, where tests need what cannot be beside moot in its own."""

from support.beside import ROOT, find_python, miss_environment, need

__all__ = ["ROOT", "python", "python_in"]


def python_in(folder):
    """The Python of an environment below the root; a test is skipped where there is none."""
    need(miss_environment(folder))
    return find_python(folder)


def python() -> str:
    """The Python of ``requirements/clients.txt``; ``MOOT_CLIENTS`` names another."""
    return str(python_in(".venv-clients"))
