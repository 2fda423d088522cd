"""``moot serve``: debates over HTTP."""

from functools import partial
from pathlib import Path

import click

from moot.contrib.server import serving
from moot.contrib.server.config import read_config, with_options
from moot.contrib.server.server_options import address_options, token_option
from moot.extend.terminal import run_async, store_option


@click.command()
@click.argument("config", required=False, type=click.Path(path_type=Path))
@address_options(8642)
@click.option("--model", "models", multiple=True, help="A model clients may use, or provider/*.")
@click.option(
    "--models",
    "seats",
    metavar="MODEL,…",
    help="Models of a council that clients may ask, as the preset council-of-models.",
)
@click.option(
    "--allow-origin",
    "origins",
    metavar="ORIGIN",
    multiple=True,
    help="A site whose pages may ask the endpoint, as https://HOST; * for all, with a token.",
)
@token_option
@store_option
def serve(
    config: Path | None,
    host: str,
    port: int,
    models: tuple[str, ...],
    seats: str | None,
    origins: tuple[str, ...],
    token_env: str | None,
    store: str | None,
) -> None:
    """Serve debates: web pages, and an endpoint for OpenAI's clients.

    CONFIG is a TOML file that says what clients may use and spend. Without one, they may
    use the model that "moot ask" takes, with every protocol. --model goes over the file's
    models and can be repeated. Where other machines reach HOST, clients need a token.
    Ctrl-C lets the debates in progress end; a second one stops them.
    """
    made = with_options(
        read_config(config),
        models=models,
        seats=[each.strip() for each in seats.split(",")] if seats is not None else [],
        token_env=token_env,
        origins=origins,
    )
    run_async(
        serving.serve(made, host=host, port=port, store=store, told=partial(click.echo, err=True))
    )
