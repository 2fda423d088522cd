"""The configuration of a server: the TOML file that ``moot serve`` is given."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os.path import isfile
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from moot import Budget, InputError, ModelName, Price
from moot.contrib.server.origins import check_origin
from moot.extend.calls import Retry, parse_toml, read_small
from moot.extend.faults import check_known, place_errors
from moot.extend.protocols import protocols
from moot.extend.studies import ModelTable, convert_table, default_model, prepare_settings
from moot.extend.words import show_name

S = TypeVar("S", bound=msgspec.Struct)
T = TypeVar("T")

MIN_TOKEN_LENGTH = 16
"""The fewest characters of a client's token: shorter ones can be guessed."""
CHAT = "chat"
"""The prompt style whose answers are whole replies, as in a chat."""
COUNCIL = "council-of-models"
"""The preset of the models that ``--models`` names."""
OWNER = "owner"
"""The client whose token is named on the command line."""

_Count = Annotated[int, Meta(ge=1)]
_Seconds = Annotated[float, Meta(gt=0, le=86_400)]


class ServerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The table ``[limits]``: how much the server takes on.

    Attributes:
        debates: debates at once; one more waits.
        client_debates: debates at once of one client; None for no limit of its own.
        queue: debates that may wait, in order of arrival; one more is refused with 429.
        answers: the most answers of one request (``n``).
        connections: open connections.
        body: bytes of a request's body.
        head: bytes of a request's line with its headers.
        question: characters of a question with its context and its choices.
        idle: seconds for a request's head to come, for its body, and between two requests of a
            connection.
        shutdown: seconds for started debates to end when the server stops.
        request: the most one request may spend; a request can only ask for less.
        hour: the most one client may spend within an hour; further debates are refused with 429.
    """

    debates: _Count = 64
    client_debates: _Count | None = None
    queue: Annotated[int, Meta(ge=0)] = 1024
    answers: _Count = 8
    connections: _Count = 2048
    body: _Count = 1 << 20
    head: Annotated[int, Meta(ge=1024)] = 16 << 10
    question: _Count = 200_000
    idle: _Seconds = 20.0
    shutdown: _Seconds = 30.0
    request: Budget = Budget(calls=500)
    hour: Budget = Budget()


class UploadLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The table ``[uploads]``: documents that people upload to the pages, to quote from.

    Attributes:
        files: documents of one session; 0 for no uploads.
        file: bytes of one.
        total: bytes of those of one session together.
        space: bytes of all on this server.
        hours: after which they are removed, counted from their last use.
    """

    files: Annotated[int, Meta(ge=0, le=1000)] = 20
    file: _Count = 10_000_000
    total: _Count = 30_000_000
    space: _Count = 1_000_000_000
    hours: Annotated[float, Meta(gt=0, le=8760)] = 24.0


class ServerPreset(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol with its settings, under a name of the owner's.

    Attributes:
        protocol: the protocol's name.
        settings: those that are set, ``model`` among them.
        prompts: a file of prompts laid over moot's.
        about: its purpose, in a line.
    """

    protocol: str
    settings: dict[str, Any]
    prompts: Path | None = None
    about: str = ""


class ClientConfig(msgspec.Struct, frozen=True, kw_only=True):
    """A client of the server.

    Attributes:
        token: the secret that it authenticates with.
        hour: the most it may spend within an hour; None for the limit of all clients.
    """

    token: str
    hour: Budget | None = None

    def __repr__(self) -> str:
        return "Client(token=…)"  # no log and no error shows a token


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a server's owner decides.

    Attributes:
        models: the models that clients may name: full names, or ``provider/*`` for all of one.
        tables: those of them that the file describes itself, by the names it gives them.
        protocols: the protocols that clients may name.
        presets: by name.
        limits: how much the server takes on.
        uploads: documents that people may upload.
        clients: by name; if empty, all who reach the server may use it.
        prices: by model name, for models whose own price is unknown or not the one paid.
        retry: when to ask a model again.
        hosts: names, beside those of loopback, by which browsers may reach it there.
        origins: sites whose pages may ask the endpoint, as ``https://HOST``; ``*`` for all.
        pages: whether it serves the web pages.
        style: the prompt style for open questions of clients, unless a preset or the client sets
            one.
    """

    models: tuple[str, ...]
    protocols: tuple[str, ...]
    presets: dict[str, ServerPreset] = {}
    tables: dict[str, ModelTable] = {}
    limits: ServerLimits = ServerLimits()
    uploads: UploadLimits = UploadLimits()
    clients: dict[str, ClientConfig] = {}
    prices: dict[str, Price] = {}
    retry: Retry = Retry()
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    pages: bool = True
    style: str = CHAT


def config_from(**given: Any) -> ServerConfig:  # noqa: ANN401 -- a file's tables
    """Return the configuration of a file with these tables."""
    return _parse(given, "settings", Path())


def read_config(path: str | Path | None = None) -> ServerConfig:
    """Read a configuration file; return the defaults without one. Raises ``InputError``."""
    if path is None:
        return config_from()
    path = Path(path)
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return _parse(parse_toml(content, where=str(path)), str(path), path.parent)


def with_options(
    config: ServerConfig,
    *,
    models: Sequence[str] = (),
    seats: Sequence[str] = (),
    token_env: str | None = None,
    origins: Sequence[str] = (),
) -> ServerConfig:
    """Return a configuration changed by the command line's options. Raises ``InputError``.

    Args:
        config: the file's.
        models: the models that clients may name, instead of the file's.
        seats: models that sit in a council, which is a preset then; clients may name them, too.
        token_env: the variable with the token of one more client, ``owner``.
        origins: sites whose pages may ask, beside the file's.
    """
    config = _allow_origins(config, origins)
    if models:
        listed = tuple(_check_model(name, "--model") for name in models)
        config = msgspec.structs.replace(config, models=listed)
    if seats:
        config = _add_council(config, [_check_model(name, "--models") for name in seats])
    if token_env is None:
        return config
    if OWNER in config.clients:
        raise InputError(f"--token-env: the file has a client of the name {OWNER!r}; rename it")
    client = ClientConfig(token=read_token(token_env, "--token-env"))
    return msgspec.structs.replace(config, clients={**config.clients, OWNER: client})


def _allow_origins(config: ServerConfig, origins: Sequence[str]) -> ServerConfig:
    """Return a configuration with further origins."""
    further = (check_origin(each, "--allow-origin") for each in origins)
    return msgspec.structs.replace(
        config, origins=tuple(dict.fromkeys((*config.origins, *further)))
    )


def _add_council(config: ServerConfig, seats: Sequence[str]) -> ServerConfig:
    """Return a configuration with a preset that seats these models, the first as the chair."""
    if COUNCIL in config.presets:
        raise InputError(f"--models: the file has a preset of the name {COUNCIL!r}; rename it")
    given = {"models": [*seats], "model": seats[0]}
    checked = protocols.get("council").check(given, where="--models")
    settings = {name: checked[name] for name in ("agents", "cast", "model")}
    listed = ", ".join(map(show_name, seats))
    preset = ServerPreset(
        protocol="council", settings=settings, about=f"A council of {listed}; the first is chair."
    )
    return msgspec.structs.replace(
        config,
        models=tuple(dict.fromkeys((*config.models, *seats))),
        presets={COUNCIL: preset, **config.presets},
    )


class _File(msgspec.Struct, frozen=True, kw_only=True):
    """The file's keys; its tables are parsed one by one."""

    models: list[str] | dict[str, dict[str, Any]] = []
    protocols: list[str] = []
    presets: dict[str, dict[str, Any]] = {}
    limits: dict[str, Any] = {}
    uploads: dict[str, Any] = {}
    clients: dict[str, dict[str, Any]] = {}
    prices: dict[str, dict[str, Any]] = {}
    retry: dict[str, Any] = {}
    hosts: list[str] = []
    origins: list[str] = []
    pages: bool = True
    style: str = CHAT


def _parse(raw: Mapping[str, Any], file: str, folder: Path) -> ServerConfig:
    top = convert_table(_File, raw, where=file)
    installed = [each.name for each in protocols if each.is_installed]
    check_known("protocol", top.protocols, installed, where=f"{file}: protocols")
    tables = top.models if isinstance(top.models, dict) else {}
    described = ModelTable.parse({name: table for name, table in tables.items() if table}, file)
    listed = top.models or [default_model()]

    def each_of(key: str, parse: Callable[[Mapping[str, Any], str], T]) -> dict[str, T]:
        named = getattr(top, key).items()
        return {name: parse(table, f"{file}: {key}.{name}") for name, table in named}

    return ServerConfig(
        models=tuple(
            name if name in described else _check_model(name, f"{file}: models") for name in listed
        ),
        tables=described,
        protocols=tuple(top.protocols or installed),
        presets=each_of("presets", partial(_parse_preset, folder=folder)),
        limits=_with_budgets(ServerLimits, top.limits, f"{file}: limits"),
        uploads=convert_table(UploadLimits, top.uploads, where=f"{file}: uploads"),
        clients=each_of("clients", partial(_parse_client, folder=folder)),
        prices=each_of("prices", lambda table, where: convert_table(Price, table, where=where)),
        retry=convert_table(Retry, top.retry, where=f"{file}: retry"),
        hosts=tuple(host.lower() for host in top.hosts),
        origins=tuple(check_origin(each, f"{file}: origins") for each in top.origins),
        pages=top.pages,
        style=_check_style(top.style, top.protocols or installed, f"{file}: style"),
    )


def _check_style(name: str, allowed: Sequence[str], where: str) -> str:
    """Return the name of a prompt style that every allowed protocol has."""
    if name != CHAT:
        styles = [frozenset(protocols.get(each).pack().styles) for each in allowed]
        valid = sorted(frozenset.intersection(*styles))
        check_known("style", [name], valid, where=where)
    return name


def _check_model(name: str, where: str) -> str:
    """Return a model's name or pattern; ``*`` may only follow a provider or an address."""
    with place_errors(where):
        parsed = ModelName.parse(name)
    if name.count("*") != parsed.own_name.count("*") or ("*" in name and parsed.options):
        raise InputError(
            f"{where}: {name!r}: * stands for the name of a model, not for a provider, an address "
            "or options: write e.g. openai/*"
        )
    if not parsed.is_model(where=where):
        raise InputError(f"{where}: {name!r}: a server of tools is no model; a preset has tools")
    return name


def _with_budgets(kind: type[S], raw: Mapping[str, Any], where: str) -> S:
    """Return a table as a struct; ``request`` and ``hour`` in it are tables of budgets."""
    budgets = {}
    for name in raw.keys() & {"request", "hour"}:
        if not isinstance(raw[name], Mapping):
            told = f"expected a table of calls, tokens and cost, got {raw[name]!r}"
            raise InputError(f"{where}.{name}: {told}")
        budgets[name] = convert_table(Budget, raw[name], where=f"{where}.{name}")
    return convert_table(kind, {**raw, **budgets}, where=where)


class _PresetTable(msgspec.Struct, frozen=True, kw_only=True):
    protocol: str
    prompts: str | None = None
    about: str = ""


def _parse_preset(raw: Mapping[str, Any], where: str, folder: Path) -> ServerPreset:
    own = {name: raw[name] for name in _PresetTable.__struct_fields__ if name in raw}
    table = convert_table(_PresetTable, own, where=where)
    settings = {name: value for name, value in raw.items() if name not in own}
    settings.setdefault("model", default_model())
    if "examples" in settings:
        settings["examples"] = str(folder / str(settings["examples"]))
    prompts = folder / table.prompts if table.prompts else None
    if prompts is not None and not isfile(prompts):  # noqa: PTH113 - false for an impossible name
        raise InputError(f"{where}: prompts = {table.prompts!r}: there is no such file")
    algorithm = protocols.get(table.protocol, where=where)
    settings = prepare_settings(algorithm, settings, folder, where=where, overlay=prompts)
    algorithm.pack(prompts)
    return ServerPreset(
        protocol=table.protocol, settings=settings, prompts=prompts, about=table.about
    )


class _ClientTable(msgspec.Struct, frozen=True, kw_only=True):
    token_env: str | None = None
    token_file: str | None = None
    hour: Budget | None = None


def _parse_client(raw: Mapping[str, Any], where: str, folder: Path) -> ClientConfig:
    table = _with_budgets(_ClientTable, raw, where)
    if (table.token_env is None) == (table.token_file is None):
        raise InputError(f"{where}: give one of token_env = 'VARIABLE' and token_file = 'FILE'")
    if table.token_env is not None:
        return ClientConfig(token=read_token(table.token_env, where), hour=table.hour)
    path = folder / str(table.token_file)
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: token_file: {error}") from None
    return ClientConfig(token=_check_token(content, f"{where}: the file {path}"), hour=table.hour)


def read_token(variable: str, where: str) -> str:
    """Return the token in an environment variable. Raises ``InputError`` if it has none."""
    return _check_token(os.environ.get(variable, ""), f"{where}: the variable {variable}")


def _check_token(text: str, where: str) -> str:
    """Return a token without white space around it. Errors never show the token."""
    token = text.strip()
    if (
        len(token) < MIN_TOKEN_LENGTH
        or not token.isascii()
        or not token.isprintable()
        or " " in token
    ):
        raise InputError(
            f"{where} holds no token: give {MIN_TOKEN_LENGTH} or more letters, digits and signs, "
            "e.g. what "
            "python -c 'import secrets; print(secrets.token_urlsafe())' prints"
        )
    return token
