"""Known chat-completions providers: where each is, and which variable holds its key."""

import os
import re
from pathlib import Path

import msgspec

from moot.core.errors import AccessError, InputError
from moot.models.effort import EffortWay
from moot.models.endpoint_address import (
    ADDRESS_KEY,
    Address,
    address_from_environment,
    is_same_place,
)

AT_ADDRESS = "http"
"""The provider of models at an address that is written out."""

_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


class BatchTerms(msgspec.Struct, frozen=True):
    """How a provider takes calls in batches.

    Attributes:
        share: the share of the price that a call in a batch costs; None where it states none.
        api: whether it has OpenAI's files and batches API; None where that is not known.
        first: whether a model that takes batches answers calls that go by themselves, too.
    """

    share: float | None = None
    api: bool | None = None
    first: bool = True


class Provider(msgspec.Struct, frozen=True):
    """One provider of models in the chat-completions format.

    Attributes:
        name: the text before the slash in a model's name.
        base: the address that ``/chat/completions`` is added to. ``{VARIABLE}`` at its beginning
            means: only that environment variable holds the address.
        key: the environment variable that holds its key; None where none is needed.
        seed: the provider's name for the sampling seed.
        prices: the price package's name for the provider; None where nothing is charged, or where
            the charge is not by token.
        header: the HTTP header that carries the key.
        effort: how it takes the effort of a reasoning model.
        variables: the environment variables that may hold another address, in order of precedence.
            The provider's own library reads them, or they are a convention.
        root: the path that the provider's own library adds to such an address.
        thought_beside: whether hidden thought is counted beside the completion tokens, in the total
            alone.
        batches: how it takes calls in batches.
        images: patterns of the names of its models that are known to take images.
    """

    name: str
    base: str
    key: str | None = None
    seed: str = "seed"
    prices: str | None = None
    header: str = "Authorization"
    effort: EffortWay = "reasoning_effort"
    variables: tuple[str, ...] = ()
    root: str = ""
    thought_beside: bool = False
    batches: BatchTerms = BatchTerms()
    images: tuple[str, ...] = ()

    def address(self) -> Address:
        """Return its address now.

        Raises:
            InputError: the variable with the address is missing, or holds no address.
        """
        found = address_from_environment(self.variables, self.root)
        if found is not None:
            return found
        if self.base.startswith("{"):
            variable = self.base[1:].partition("}")[0]
            message = f"{self.name}: set {variable} to the address of your resource"
            raise InputError(message)
        return Address(self.base)

    def is_at(self, base: str) -> bool:
        """Return whether an address has this provider's scheme, host and port."""
        try:
            return is_same_place(base, self.address().base)
        except InputError:  # it has no address yet
            return False


def _read_providers() -> dict[str, Provider]:
    content = Path(__file__).with_suffix(".toml").read_bytes()
    known = msgspec.toml.decode(content, type=dict[str, list[Provider]])["provider"]
    return {provider.name: provider for provider in known}


PROVIDERS: dict[str, Provider] = _read_providers()
"""Every known provider, by name, as ``providers.toml`` describes it."""

KEY_VARIABLES: frozenset[str] = frozenset(p.key for p in PROVIDERS.values() if p.key) | {
    ADDRESS_KEY
}
"""Every variable that may hold a key."""


def key_name(text: str, where: str) -> str:
    """Return a variable's name as it is.

    Raises:
        InputError: it has not the form of a variable's name. It may be a key, so the error does not
            repeat it.
    """
    if not _VARIABLE.fullmatch(text):
        raise InputError(
            f"{where} takes the name of an environment variable that holds the key, such as "
            f"{ADDRESS_KEY} (capitals, digits and underscores), never the key itself"
        )
    return text


def key_variable(asked: str | None, provider: Provider, base: str) -> str:
    """Return the variable whose key is sent to the address ``base``.

    Args:
        asked: the variable that the user named; None for the provider's own.
        provider: the provider of the model.
        base: the address.

    Raises:
        InputError: the key is another provider's. It is sent to that provider alone, so that no
            study file can send it elsewhere.
    """
    variable = asked or provider.key or ADDRESS_KEY
    holder = next((each for each in PROVIDERS.values() if each.key == variable), None)
    if holder is None or provider.key == variable or holder.is_at(base):
        return variable
    raise InputError(
        f"{variable} holds a key for {holder.name} and goes to no other address than its own, so "
        f"not to {base}; use {ADDRESS_KEY} or a variable of your own"
    )


def key_header(provider: Provider, variable: str, model: str, *, needed: bool) -> dict[str, str]:
    """Return the header that carries the key in a variable; empty where none is set or needed.

    Raises:
        AccessError: the key is needed and not set, or cannot be a key. The text names the variable
            alone.
    """
    key = os.environ.get(variable, "").strip()
    if not key:
        if not needed:
            return {}
        raise AccessError(f"{model}: no key: set the environment variable {variable}")
    if not (key.isascii() and key.isprintable()):
        raise AccessError(f"{model}: the value of {variable} cannot be a key")
    header = provider.header
    return {header: f"Bearer {key}" if header == "Authorization" else key}
