"""What a server's owner allows: the TOML file that ``moot serve`` is given."""

import os
from collections.abc import Mapping, Sequence
from os.path import isfile
from pathlib import Path
from typing import Any

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.files import read_small
from moot.core.toml import parse_toml
from moot.debate.evidence import placed, ready
from moot.debate.protocol import registry as protocols
from moot.models.address import split
from moot.models.names import parse
from moot.models.names import registry as providers
from moot.models.prices import Price
from moot.models.tables import ModelTable, parse_tables
from moot.protocols import SINGLE
from moot.runtime.budget import Budget
from moot.runtime.retry import Retry
from moot.server.limits import Limits
from moot.studies.checks import struct
from moot.studies.lab import default_model

LEAST = 16
"""Characters that a client's token has at least: shorter ones can be guessed."""


CHAT = "chat"
"""The prompt style whose answers are whole replies, as in a chat."""
OWNER = "owner"
"""The client whose token is named on the command line."""


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol with its settings, under a name of the owner's.

    Attributes:
        protocol: how it debates.
        settings: those that are set, ``model`` among them.
        prompts: a file of prompts laid over moot's.
        about: what it is for, in a line.
    """

    protocol: str
    settings: dict[str, Any]
    prompts: Path | None = None
    about: str = ""


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """One who may use the server.

    Attributes:
        token: what it proves itself with.
        hour: the most it may spend within an hour; None: as everybody.
    """

    token: str
    hour: Budget | None = None

    def __repr__(self) -> str:
        return "Client(token=…)"  # a token stands in no log and no error


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a server's owner decides.

    Attributes:
        models: the models that clients may name: full names, or ``provider/*`` for all of one.
        tables: those of them that the file describes itself, by the names it gives them.
        protocols: the protocols that clients may name.
        presets: by name.
        limits: how much it takes on.
        clients: by name; empty where anybody who reaches the server may use it.
        prices: by model name, for models whose own price is unknown or not the one paid.
        retry: when to ask a model again.
        hosts: names, beside those of loopback, by which browsers may reach it there.
        pages: whether it serves the web pages.
        style: the prompt style in which open questions of clients are answered, unless a preset or
            the client sets one.
    """

    models: tuple[str, ...]
    protocols: tuple[str, ...]
    presets: dict[str, Preset] = {}
    tables: dict[str, ModelTable] = {}
    limits: Limits = Limits()
    clients: dict[str, Client] = {}
    prices: dict[str, Price] = {}
    retry: Retry = Retry()
    hosts: tuple[str, ...] = ()
    pages: bool = True
    style: str = CHAT


def of(**given: Any) -> ServerConfig:  # noqa: ANN401 -- a file's tables
    """A configuration of what is given here and moot's defaults: as from a file's tables."""
    return _made(given, "settings", Path())


def read(path: str | Path | None = None) -> ServerConfig:
    """The configuration of this file; moot's defaults without one. Raises ``InputError``."""
    if path is None:
        return of()
    path = Path(path)
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return _made(parse_toml(content, where=str(path)), str(path), path.parent)


def owner(
    config: ServerConfig, *, models: Sequence[str] = (), token_env: str | None = None
) -> ServerConfig:
    """A configuration with what was said on the command line. Raises ``InputError``.

    Args:
        config: the file's.
        models: the models that clients may name, instead of the file's.
        token_env: the variable with the token of one more client, ``owner``.
    """
    if models:
        listed = tuple(_model(name, "--model") for name in models)
        config = msgspec.structs.replace(config, models=listed)
    if token_env is None:
        return config
    if OWNER in config.clients:
        raise InputError(f"--token-env: the file has a client of the name {OWNER!r}; rename it")
    client = Client(token=from_variable(token_env, "--token-env"))
    return msgspec.structs.replace(config, clients={**config.clients, OWNER: client})


class _Top(msgspec.Struct, frozen=True, kw_only=True):
    """The file's top level, its tables still as they are."""

    models: list[str] | dict[str, dict[str, Any]] = []
    protocols: list[str] = []
    presets: dict[str, dict[str, Any]] = {}
    limits: dict[str, Any] = {}
    clients: dict[str, dict[str, Any]] = {}
    prices: dict[str, dict[str, Any]] = {}
    retry: dict[str, Any] = {}
    hosts: list[str] = []
    pages: bool = True
    style: str = CHAT


def _made(raw: Mapping[str, Any], file: str, folder: Path) -> ServerConfig:
    top = struct(_Top, raw, where=file)
    here = [each.name for each in protocols if each.is_installed]
    for name in top.protocols:
        if name not in here:
            raise UnknownName("protocol", name, here, where=f"{file}: protocols")
    tables = top.models if isinstance(top.models, dict) else {}
    described = parse_tables({name: table for name, table in tables.items() if table}, file)
    listed = top.models or [default_model()]
    return ServerConfig(
        models=tuple(
            name if name in described else _model(name, f"{file}: models") for name in listed
        ),
        tables=described,
        protocols=tuple(top.protocols or here),
        presets={
            name: _preset(table, f"{file}: presets.{name}", folder)
            for name, table in top.presets.items()
        },
        limits=_limits(top.limits, f"{file}: limits"),
        clients={
            name: _client(table, f"{file}: clients.{name}", folder)
            for name, table in top.clients.items()
        },
        prices={
            name: struct(Price, table, where=f"{file}: prices.{name}")
            for name, table in top.prices.items()
        },
        retry=struct(Retry, top.retry, where=f"{file}: retry"),
        hosts=tuple(host.lower() for host in top.hosts),
        pages=top.pages,
        style=_style(top.style, f"{file}: style"),
    )


def _style(name: str, where: str) -> str:
    """A prompt style that every protocol has."""
    valid = protocols.get(SINGLE).pack().styles
    if name not in valid:
        raise UnknownName("style", name, valid, where=where)
    return name


def _model(name: str, where: str) -> str:
    """A model's name or a pattern; ``*`` may stand only for what follows a provider or address."""
    try:
        parsed = parse(name)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    written = parsed.provider == "http" and "base" not in parsed.options
    known = split(parsed.model)[1] if written else parsed.model
    if name.count("*") != known.count("*") or ("*" in name and parsed.options):
        raise InputError(
            f"{where}: {name!r}: * stands for the name of a model, not for a provider, an address "
            "or options: write e.g. openai/*"
        )
    providers.get(parsed.provider, where=where)
    return name


def _limits(raw: Mapping[str, Any], where: str) -> Limits:
    budgets = {name: _budget(raw[name], f"{where}.{name}") for name in BUDGETS if name in raw}
    return struct(Limits, {**raw, **budgets}, where=where)


BUDGETS = ("request", "hour")


def _budget(raw: object, where: str) -> Budget:
    if not isinstance(raw, Mapping):
        raise InputError(f"{where}: expected a table of calls, tokens and cost, got {raw!r}")
    return struct(Budget, raw, where=where)


class _PresetTable(msgspec.Struct, frozen=True, kw_only=True):
    protocol: str
    prompts: str | None = None
    about: str = ""


def _preset(raw: Mapping[str, Any], where: str, folder: Path) -> Preset:
    own = {name: raw[name] for name in _PresetTable.__struct_fields__ if name in raw}
    table = struct(_PresetTable, own, where=where)
    settings = {name: value for name, value in raw.items() if name not in own}
    settings.setdefault("model", default_model())
    if "examples" in settings:
        settings["examples"] = str(folder / str(settings["examples"]))
    settings = placed(settings, folder)
    prompts = folder / table.prompts if table.prompts else None
    if prompts is not None and not isfile(prompts):  # noqa: PTH113 - false for a name that no file can have
        raise InputError(f"{where}: prompts = {table.prompts!r}: there is no such file")
    algorithm = protocols.get(table.protocol, where=where)
    ready(algorithm.check(settings, where=where), where)
    algorithm.pack(prompts)
    return Preset(protocol=table.protocol, settings=settings, prompts=prompts, about=table.about)


class _ClientTable(msgspec.Struct, frozen=True, kw_only=True):
    token_env: str | None = None
    token_file: str | None = None
    hour: dict[str, Any] | None = None


def _client(raw: Mapping[str, Any], where: str, folder: Path) -> Client:
    table = struct(_ClientTable, raw, where=where)
    if (table.token_env is None) == (table.token_file is None):
        raise InputError(f"{where}: give one of token_env = 'VARIABLE' and token_file = 'FILE'")
    if table.token_env is not None:
        token = from_variable(table.token_env, where)
    else:
        token = _from_file(folder / str(table.token_file), where)
    hour = None if table.hour is None else _budget(table.hour, f"{where}.hour")
    return Client(token=token, hour=hour)


def from_variable(variable: str, where: str) -> str:
    """The token in an environment variable. Raises ``InputError`` where it is none."""
    return _token(os.environ.get(variable, ""), f"{where}: the variable {variable}")


def _from_file(path: Path, where: str) -> str:
    try:
        return _token(path.read_text(encoding="utf-8"), f"{where}: the file {path}")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: token_file: {error}") from None


def _token(text: str, where: str) -> str:
    """A token, or what is wrong with it; the text itself is never told."""
    token = text.strip()
    if len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{where} holds no token: give {LEAST} or more letters, digits and signs, e.g. what "
            "python -c 'import secrets; print(secrets.token_urlsafe())' prints"
        )
    return token
