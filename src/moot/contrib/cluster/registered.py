"""What a process knows by name: a worker must know what the driver knows."""

from importlib.metadata import version

from moot.extend.calls import Registry

KINDS = ("protocol", "decision rule", "metric", "parser", "model provider", "simulation")
"""What a debate may use."""


def list_registered() -> dict[str, list[str]]:
    """Return the names of all that a debate may use, by what they are."""
    return Registry.list_names(KINDS)


def moot_version() -> str:
    """Return the version of moot."""
    return version("moot")
