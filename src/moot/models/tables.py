"""``[models.NAME]``: a model at any address, with headers and parameters of its own.

A study file or a server's file has such tables. NAME can then be used as a model's name::

    [models.gateway]
    base = "https://gateway.example/v1/acct/prod/compat"
    model = "openai/gpt-4o-mini"
    key_env = "GATEWAY_KEY"
    headers = { "X-Team" = "${TEAM_TOKEN}" }
    extra_body = { top_k = 20 }
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from moot.core.ports import Model
from moot.models.model_names import load


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
        from moot.models.described import parse_tables  # it makes these tables

        return parse_tables(raw, where)

    def __repr__(self) -> str:
        return f"ModelTable(model={self.model!r}, base={self.base!r}, …)"


def load_model_with(tables: Mapping[str, ModelTable], full: str) -> Model:
    """Return the model of a name, which may be the NAME of one of these tables."""
    table = tables.get(full)
    if table is None:
        return load(full)
    from moot.models.described import model_of  # all of HTTP, which no other model needs

    return model_of(full, table)
