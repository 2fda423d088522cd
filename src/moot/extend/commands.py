"""The places of commands, for entry points: it imports no command."""

from moot.cli.commands import MORE, CommandPlace

__all__ = [
    "MORE",
    "CommandPlace",
]
