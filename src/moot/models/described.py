"""Models that a file describes: its tables ``[models.NAME]`` are checked, and made models."""

import re
from collections.abc import Mapping

import msgspec

from moot.core.errors import InputError, UnknownName, check_known, place_errors, split_fault
from moot.models.endpoint import endpoint_of, parse_settings
from moot.models.extra import Extra
from moot.models.http import HttpModel
from moot.models.model_names import ModelName, model_registry
from moot.models.providers import AT_ADDRESS, PROVIDERS, key_name
from moot.models.tables import ModelTable

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


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
