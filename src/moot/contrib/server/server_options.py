"""The options of commands that start a server: where it listens, and its token."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

token_option = click.option(
    "--token-env", metavar="VARIABLE", help="The variable that holds the token to ask for."
)


def address_options(port: int) -> Callable[[Command], Command]:
    """Return a decorator that adds ``--host`` and ``--port`` with this default port."""

    def options(command: Command) -> Command:
        command = click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="The port; 0 takes a free one.",
        )(command)
        return click.option(
            "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
        )(command)

    return options
