"""Settings as options: ``--set key=value`` or ``--key value``, ``--agent key=value`` and others."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

import click
import msgspec

from moot.cli.console import complete_setting
from moot.core.errors import (
    NOT_JSON,
    InputError,
    check_known,
    place_errors,
    simplify_message,
    split_fault,
)
from moot.debate.protocol import registry as protocols
from moot.models.model_names import show_name
from moot.models.prices import Price

CommandFunction = TypeVar("CommandFunction", bound=Callable[..., Any])


def add_options(*options: Callable[[Any], Any]) -> Callable[[CommandFunction], CommandFunction]:
    """Return a decorator that gives a command these options, in this order."""

    def decorate(command: CommandFunction) -> CommandFunction:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


debate_options = add_options(
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="A setting; --KEY VALUE is the same.",
        shell_complete=complete_setting,
    ),
    click.option(
        "--agent",
        "cast",
        multiple=True,
        metavar="KEY=VALUE[,…]",
        help="An agent with a model, style or sampling of its own, or all of one role.",
    ),
)
"""``--set`` and ``--agent``, as ``merge_settings`` takes them."""

tool_options = add_options(
    click.option(
        "--tool",
        "tools",
        multiple=True,
        metavar="NAME=COMMAND",
        help="An MCP server whose tools agents may call: its command, or its address.",
    ),
    click.option(
        "--allow",
        "allowed",
        multiple=True,
        metavar="NAME.TOOL",
        help="A tool of it that may be called; no other is.",
    ),
)
"""``--tool`` and ``--allow``, as ``parse_tools`` takes them."""

models_option = click.option(
    "--models",
    "models",
    metavar="MODEL,…",
    help="Models for the seats, in turn; the first is that of all other agents, too.",
)
"""``--models a,b,c``, as ``split_models`` takes it."""


def split_models(listed: str | None) -> list[str]:
    """Return the names of ``--models``. Raises ``InputError`` where one is missing."""
    names = [each.strip() for each in listed.split(",")] if listed is not None else []
    if not all(names):
        raise InputError(f"--models {listed}: write --models a,b,c; a name is missing")
    return names


budget_options = add_options(
    click.option("--max-cost", type=float, help="The most it may cost, in US dollars."),
    click.option("--max-calls", type=int, help="The most calls it may pay for."),
    click.option("--max-total-tokens", type=int, help="The most tokens it may take in all."),
)
"""``--max-cost``, ``--max-calls`` and ``--max-total-tokens``."""

price_option = click.option(
    "--price",
    "priced",
    multiple=True,
    metavar="MODEL=INPUT,OUTPUT",
    help="What a model costs, in US dollars for a million tokens.",
)


class SettingCommand(click.Command):
    """A command that takes every setting of a protocol as an option, beside ``--set``.

    ``--setting VALUE`` and ``--setting=VALUE`` set it; a setting that is on or off needs no value:
    ``--chair``, ``--no-chair``. Options of the command's own come first.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with settings in place of options of their names."""
        try:
            return super().parse_args(ctx, [*self._replace_flags(args)])
        except click.NoSuchOption as error:
            known = [f"--{name.replace('_', '-')}" for name in list_settings()]
            close = get_close_matches(error.option_name, known, n=1)
            options = [*close, *(error.possibilities or ())]
            nearest = [*dict.fromkeys(options)][:2]
            raise click.NoSuchOption(error.option_name, possibilities=nearest, ctx=ctx) from None

    def _replace_flags(self, args: list[str]) -> Iterator[str]:
        """Yield the arguments with ``--set name=value`` for options that are settings."""
        own = {
            name: isinstance(each, click.Option) and not (each.is_flag or each.count)
            for each in self.params
            for name in (*each.opts, *each.secondary_opts)
        } | dict.fromkeys(("--help", "-h"), False)
        left = [*args]
        while left:
            given = left.pop(0)
            if given == "--":
                yield from (given, *left)
                return
            name, equals, value = given.partition("=")
            if name in own:
                yield given
                if own[name] and not equals and left:
                    yield left.pop(0)
            elif (setting := find_setting(name)) is None:
                yield given
            else:
                key, on = setting
                if on is None and not equals:
                    if not left:
                        raise click.BadOptionUsage(name, f"Option {name!r} requires an argument.")
                    value = left.pop(0)
                yield from ("--set", f"{key}={value if equals or on is None else on}")


def find_setting(option: str) -> tuple[str, str | None] | None:
    """Return the setting that an option names, and its value if it is on or off; else None."""
    if not option.startswith("--"):
        return None
    settings = list_settings()
    name = option.removeprefix("--").replace("-", "_")
    if name in settings:
        return name, "true" if settings[name] else None
    negated = name.removeprefix("no_")
    return (negated, "false") if negated != name and settings.get(negated) else None


@cache
def list_settings() -> Mapping[str, bool]:
    """Return the settings of all protocols, and of each whether it is on or off wherever it is."""
    found: dict[str, bool] = {}
    for protocol in protocols:
        for field in msgspec.structs.fields(protocol.settings):
            found[field.name] = found.get(field.name, True) and _is_switch(field.type)
    return found


def _is_switch(kind: Any) -> bool:  # noqa: ANN401 -- any type
    info = msgspec.inspect.type_info(kind)
    while isinstance(info, msgspec.inspect.Metadata):
        info = info.type
    return isinstance(info, msgspec.inspect.BoolType)


def parse_settings(settings: Iterable[str]) -> dict[str, Any]:
    """Return settings by name. Numbers and truth values stay text until their type is known.

    What is a JSON list or object is taken as one.
    """
    found: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise InputError(f"--set {text}: write --set key=value, e.g. --set agents=3")
        if key in found:
            raise InputError(f"--set {text}: {key} is set twice")
        found[key] = _decode_json(_normalise_value(key, value))
    return found


def merge_settings(
    settings: Iterable[str], cast: Iterable[str], options: Mapping[str, str]
) -> dict[str, Any]:
    """Return the settings of ``--set`` and ``--agent``, the agents as the setting ``cast``.

    Args:
        settings: as ``parse_settings`` takes them.
        cast: as ``parse_agents`` takes them.
        options: what is given in another way and is no setting, with that way in words.

    Raises:
        InputError: it is no setting, or the agents are given in both ways.
    """
    given = parse_settings(settings)
    for taken, option in options.items():
        if taken in given:
            raise InputError(f"--set {taken}={given[taken]}: no setting; give it as {option}")
    listed = list(cast)
    if listed and "cast" in given:
        raise InputError("--agent and --set cast: give one of the two")
    return {**given, "cast": parse_agents(listed)} if listed else given


def parse_tools(named: Iterable[str], allowed: Iterable[str]) -> list[dict[str, Any]]:
    """Parse servers of tools, ``NAME=COMMAND`` or ``NAME=http://…``, and what may be called.

    Raises:
        InputError: it is not written so, a server is named twice, or none has the name.
    """
    servers: dict[str, dict[str, Any]] = {}
    for text in named:
        name, equals, where = text.partition("=")
        if not equals or not where.strip():
            raise InputError(
                f"--tool {text}: write --tool NAME=COMMAND, e.g. --tool docs='uvx docs-server', or "
                "--tool NAME=http://127.0.0.1:8000/mcp"
            )
        if name in servers:
            raise InputError(f"--tool {text}: {name} is named twice")
        kind = "url" if where.startswith(("http://", "https://")) else "command"
        servers[name] = {"name": name, kind: where, "allow": []}
    for text in allowed:
        name, dot, tool = text.partition(".")
        if not dot or not tool:
            raise InputError(f"--allow {text}: write --allow NAME.TOOL, e.g. --allow docs.search")
        check_known("tool server", [name], servers, where=f"--allow {text}")
        servers[name]["allow"].append(tool)
    return [*servers.values()]


def parse_agents(listed: Iterable[str]) -> list[dict[str, Any]]:
    """Parse agents with a model, style or sampling of their own, each value of its type.

    A comma separates only where ``key=`` follows it. An empty text is an agent like all others.

    Raises:
        InputError: naming the agent, the key and what would be right.
    """
    return [_parse_agent(text) for text in listed]


def parse_prices(stated: Iterable[str]) -> dict[str, Price]:
    """Parse prices: ``MODEL=INPUT,OUTPUT[,CACHED[,SHARE]]``.

    The first three are US dollars for a million tokens; CACHED may be empty. SHARE is the share of
    them that a call in a batch costs.

    Raises:
        InputError: it is not written so, or is no price.
    """
    found: dict[str, Price] = {}
    for text in stated:
        model, _, figures = text.rpartition("=")
        where = f"--price {show_name(model or text)}"
        try:
            read, written, *more = figures.split(",")
            usual = float(read), float(written)
            further = [float(each) if each else None for each in more]
        except ValueError:
            model = ""
        if not model or len(further) > 2:
            raise InputError(
                f"{where}: write --price MODEL=INPUT,OUTPUT in US dollars for a million tokens, "
                "e.g. --price openai/my-model=0.15,0.6; the output of embeddings is 0"
            )
        if model in found:
            raise InputError(f"{where}: it is stated twice")
        with place_errors(where):
            found[model] = Price(*usual, *further)
    return found


def parse_pairs(text: str, option: str, keys: Sequence[str], example: str) -> dict[str, str]:
    """Parse ``KEY=VALUE[,…]``. A comma separates only where ``key=`` follows it.

    Args:
        text: as it stands behind the option; empty for none.
        option: its name, for errors.
        keys: those that there are.
        example: of such a text, for errors.

    Raises:
        InputError: it is not written so, has an unknown key, or one twice.
    """
    where = f"{option} {text}"
    found: dict[str, str] = {}
    for pair in re.split(r",(?=\s*[\w-]+=)", text) if text.strip() else ():
        key, equals, value = pair.strip().partition("=")
        if not equals:
            raise InputError(f"{where}: write {option} key=value,…, e.g. {option} {example}")
        check_known("key", [key], keys, where=where)
        if key in found:
            raise InputError(f"{where}: {key} is set twice")
        found[key] = value
    return found


def _parse_agent(text: str) -> dict[str, Any]:
    from moot.debate.features.agents import (  # where agents are listed
        convert_entry,
        list_agent_keys,
    )

    where = f"--agent {text}"
    pairs = parse_pairs(text, "--agent", list_agent_keys(), "temperature=0.2")
    entry: dict[str, Any] = {key: _normalise_value(key, value) for key, value in pairs.items()}
    try:
        return convert_entry(entry, strict=False)
    except msgspec.ValidationError as error:
        key, fault = split_fault(error)
        raise InputError(f"{where}: {key}: {simplify_message(fault)}") from None


NONE_IS_A_VALUE = frozenset({"effort"})
"""The settings that have the word ``none`` among their values; it leaves every other one open."""


def _normalise_value(key: str, value: str) -> str | None:
    """Return a value with a leading zero, and None for ``none`` and ``null``."""
    if key in NONE_IS_A_VALUE and value.lower() == "none":
        return "none"
    if re.match(r"\.\d", value):
        value = f"0{value}"  # as people write a half
    return None if value.lower() in {"none", "null"} else value


def _decode_json(value: str | None) -> Any:  # noqa: ANN401 -- a list or table of anything
    """Return a JSON list or object decoded; any other text as it is."""
    if value is None or not value.lstrip().startswith(("[", "{")):
        return value

    try:
        return msgspec.json.decode(value)
    except NOT_JSON:
        return value
