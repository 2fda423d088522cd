"""The places of commands, for entry points: it imports no command."""

from moot.cli.commands import CommandPlace

__all__ = [
    "CommandPlace",
]
