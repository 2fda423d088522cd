"""``moot serve``: debates over HTTP."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from moot.cli.console import drive, guarded, store_option

Command = TypeVar("Command", bound=Callable[..., Any])

token_option = click.option(
    "--token-env", metavar="VARIABLE", help="The variable that holds the token to ask for."
)


def address_options(port: int) -> Callable[[Command], Command]:
    """``--host`` and ``--port``, which is this one where none is given."""

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


@click.command()
@click.argument("config", required=False, type=click.Path(path_type=Path))
@address_options(8642)
@click.option("--model", "models", multiple=True, help="A model clients may use, or provider/*.")
@token_option
@store_option
@guarded
def serve(
    config: Path | None,
    host: str,
    port: int,
    models: tuple[str, ...],
    token_env: str | None,
    store: str | None,
) -> None:
    """Serve debates: web pages, and an endpoint for OpenAI's clients.

    CONFIG is a TOML file that says what clients may use and spend. Without one, they may
    use the model that "moot ask" takes, with every protocol. --model goes over the file's
    models and can be repeated. Where other machines reach HOST, clients need a token.
    Ctrl-C lets the debates in progress end; a second one stops them.
    """
    try:
        from moot.server import serving
    except ModuleNotFoundError as error:
        from moot.core.errors import InputError

        raise InputError(
            f"moot serve needs {error.name}, which is not installed: pip install 'moot[serve]'"
        ) from None
    from moot.server.config import owner, read

    made = owner(read(config), models=models, token_env=token_env)
    drive(serving.serve(made, host=host, port=port, store=store, told=_told))


def _told(text: str) -> None:
    """What the server has to say of itself, on standard error."""
    sys.stderr.write(f"{text}\n")
