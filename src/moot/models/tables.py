"""``[models.NAME]``: a model at any address, with headers and parameters of its own.

A study file or a server's file has such tables. NAME can then be used as a model's name::

    [models.gateway]
    base = "https://gateway.example/v1/acct/prod/compat"
    model = "openai/gpt-4o-mini"
    key_env = "GATEWAY_KEY"
    headers = { "X-Team" = "${TEAM_TOKEN}" }
    extra_body = { top_k = 20 }
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from moot.core.errors import InputError, UnknownName, check_known, place_errors, split_fault
from moot.core.ports import Model
from moot.models.endpoint import endpoint_of, parse_settings
from moot.models.extra import Extra
from moot.models.http import HttpModel
from moot.models.model_names import ModelName, load, model_registry
from moot.models.providers import AT_ADDRESS, PROVIDERS, key_name

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class ModelTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table ``[models.NAME]``.

    Attributes:
        model: the endpoint's name for the model; by default NAME.
        provider: a known provider: its parameters for seed and effort are sent, and its address is
            the default of ``base``.
        base: the address that ``/chat/completions`` is added to, with or without a version.
        key_env: the environment variable that holds the key.
        headers: sent with every request; ``${VARIABLE}`` in a value stands for an environment
            variable. They are never shown or stored.
        extra_body: parameters added to every request, such as ``top_k``.
        concurrency: the option of this name in ``Settings``; so are those below.
    """

    model: str | None = None
    provider: str | None = None
    base: str | None = None
    key_env: str | None = None
    headers: dict[str, str] = {}
    extra_body: dict[str, Any] = {}
    concurrency: int | None = None
    rpm: float | None = None
    tpm: float | None = None
    timeout: float | None = None
    context: int | None = None
    seed: Literal["on", "off"] | None = None

    @staticmethod
    def parse(raw: Mapping[str, object], where: str) -> "dict[str, ModelTable]":
        """Return the tables under ``[models]`` of a file; see ``parse_tables``."""
        return parse_tables(raw, where)

    def __repr__(self) -> str:
        return f"ModelTable(model={self.model!r}, base={self.base!r}, …)"


def parse_tables(raw: Mapping[str, object], where: str) -> dict[str, ModelTable]:
    """Return the tables under ``[models]`` of a file. Raises ``InputError`` naming what is wrong.

    No header's value is in an error's text.
    """
    return {
        name: _parse_table(name, table, f"{where}: models.{name}") for name, table in raw.items()
    }


def _parse_table(name: str, raw: object, where: str) -> ModelTable:
    if not isinstance(raw, Mapping):
        raise InputError(f"{where}: expected a table, [models.NAME], got {type(raw).__name__}")
    if not _NAME.fullmatch(name) or name in model_registry.names():
        raise InputError(
            f"{where}: a name of your own has letters, digits, '.', '-' and '_', and is not that "
            "of a provider"
        )
    check_known("key", raw, ModelTable.__struct_fields__, where=where)
    try:
        table = msgspec.convert(dict(raw), ModelTable)
    except msgspec.ValidationError as error:
        place, fault = split_fault(error)
        raise InputError(f"{where}: {place}: {fault[:1].lower()}{fault[1:]}") from None
    if table.base is None and table.provider is None:
        raise InputError(f"{where}: give base = 'http(s)://…', or the provider of a known address")
    model_of(
        name, table, where=where
    )  # this checks it; a model that is never called needs no closing
    return table


def model_of(name: str, table: ModelTable, *, where: str = "") -> HttpModel:
    """Return the model that a table describes. Raises ``InputError`` for one that cannot be."""
    where = where or f"models.{name}"
    provider = table.provider or AT_ADDRESS
    if provider != AT_ADDRESS and provider not in PROVIDERS:
        raise UnknownName("provider", provider, PROVIDERS, where=where)
    numbers = ("concurrency", "rpm", "tpm", "timeout", "context", "seed")
    options = {each: str(value) for each in numbers if (value := getattr(table, each)) is not None}
    options |= {} if table.base is None else {"base": table.base}
    written = ModelName(f"{provider}/{table.model or name}", provider, table.model or name, options)
    extra = Extra(headers=table.headers, body=table.extra_body)
    with place_errors(where):
        given = parse_settings(written)
        if table.key_env is not None:
            key = key_name(table.key_env, "key_env")
            given = msgspec.structs.replace(given, key=key)
        endpoint = endpoint_of(written, given)
        if table.base:
            address = endpoint.address._replace(variable=f"base of [models.{name}]")
            endpoint = endpoint._replace(address=address)
        return HttpModel(endpoint, given, extra=extra)


def load_model_with(tables: Mapping[str, ModelTable], full: str) -> Model:
    """Return the model of a name, which may be the NAME of one of these tables."""
    table = tables.get(full)
    return load(full) if table is None else model_of(full, table)
