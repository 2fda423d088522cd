"""The programs of others that moot's output is held against, in an environment of their own."""

from pythons import python_in


def python() -> str:
    """The Python of ``requirements/clients.txt``; ``MOOT_CLIENTS`` names another."""
    return str(python_in(".venv-clients", "MOOT_CLIENTS", "no programs of others"))
