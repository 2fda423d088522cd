"""``moot mcp``: tools for assistants, by the Model Context Protocol."""

from functools import partial
from pathlib import Path

import click
import msgspec

from moot import Budget, InputError
from moot.contrib.server.allowance import lower_of
from moot.contrib.server.config import ServerConfig, read_config, with_options
from moot.contrib.server.mcp_serving import serve_http, serve_stdio
from moot.contrib.server.server_options import address_options, token_option
from moot.extend.terminal import budget_options, run_async, store_option


@click.command()
@click.argument("config", required=False, type=click.Path(path_type=Path))
@click.option("--http", is_flag=True, help="Serve over HTTP, to several clients.")
@address_options(8643)
@click.option("--model", "models", multiple=True, help="A model tools may use, or provider/*.")
@budget_options
@token_option
@store_option
def mcp(
    config: Path | None,
    *,
    http: bool,
    host: str,
    port: int,
    models: tuple[str, ...],
    max_cost: float | None,
    max_calls: int | None,
    max_total_tokens: int | None,
    token_env: str | None,
    store: str | None,
) -> None:
    """Give assistants the tools ask, council, review and transcript.

    Assistants start this command themselves and talk to it over standard input and output;
    with --http it serves several at http://HOST:PORT/mcp. CONFIG is a file as of "moot serve";
    --model goes over its models, and the first one debates where a tool names none. --max-cost,
    --max-calls and --max-total-tokens are the most that one call of a tool may take.
    """
    if not http and token_env:
        raise InputError("--token-env: only --http has clients that need a token")
    made = with_options(read_config(config), models=models, token_env=token_env)
    most = Budget().lower(cost=max_cost, calls=max_calls, tokens=max_total_tokens)
    made = _limit(made, most)
    tell = partial(click.echo, err=True)
    if http:
        run_async(serve_http(made, host=host, port=port, store=store, told=tell))
    else:
        run_async(serve_stdio(made, store=store, told=tell))


def _limit(config: ServerConfig, most: Budget) -> ServerConfig:
    """Return the configuration with the lower of its limit of a request and this one."""
    request = lower_of(config.limits.request, most)
    limits = msgspec.structs.replace(config.limits, request=request)
    return msgspec.structs.replace(config, limits=limits)
