"""Where a model's name leads: the provider, the address, the model's name there, the options."""

from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.models.endpoint_address import Address, parse_base, short_address, split_address
from moot.models.model_names import ModelName, show_name
from moot.models.providers import AT_ADDRESS, PROVIDERS, Provider, key_name


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The options after the question mark of an HTTP model's name.

    Attributes:
        concurrency: requests at once, at least 1.
        rpm: requests a minute; None: as learnt from the endpoint.
        tpm: tokens a minute, prompt and completion together; None: as learnt from the endpoint.
        timeout: seconds from sending a request to the end of its reply.
        context: tokens that prompt and reply together may have; None: not known.
        key: the environment variable that holds the key; None: the provider's own.
        base: the address, where it is another than the provider's or has no version; None: as the
            name says.
        seed: whether the draw's seed is sent.
        images: whether the model takes images; None: as the table of providers says.
    """

    concurrency: int = 64
    rpm: float | None = None
    tpm: float | None = None
    timeout: float = 600.0
    context: int | None = None
    key: str | None = None
    base: str | None = None
    seed: Literal["on", "off"] = "on"
    images: Literal["on", "off"] | None = None


_FORMS: dict[str, tuple[Any, str]] = {
    "concurrency": (int, "a whole number of requests, 1 or more"),
    "rpm": (float, "requests a minute, more than 0"),
    "tpm": (float, "tokens a minute, more than 0"),
    "timeout": (float, "seconds, more than 0"),
    "context": (int, "a whole number of tokens, 1 or more"),
    "seed": (Literal["on", "off"], "on or off"),
    "images": (Literal["on", "off"], "on or off"),
}
"""Of each option but the texts, its type and what to write, for errors."""


class Endpoint(NamedTuple):
    """Where a name leads.

    Attributes:
        provider: how the endpoint is spoken to, and whose key it gets. The provider has no key
            where that key would be sent to another place than the provider's.
        address: where the endpoint is.
        model: the model's name there.
        name: the model's name in calls.
    """

    provider: Provider
    address: Address
    model: str
    name: str


def parse_settings(name: ModelName) -> EndpointSettings:
    """Return the settings that a model's name gives.

    Raises:
        UnknownName: an option does not exist.
        InputError: a value is not possible.
    """
    where = f"model {name.model if name.provider == 'http' else f'{name.provider}/{name.model}'!r}"
    values: dict[str, Any] = {}
    for option, text in name.options.items():
        if option == "key":
            values[option] = key_name(text, f"{where}: ?key=")
        elif option == "base":
            values[option] = text
        elif option in _FORMS:
            values[option] = _parse(option, text, where)
        else:
            raise UnknownName("option", option, EndpointSettings.__struct_fields__, where=where)
    return EndpointSettings(**values)


def _parse(option: str, text: str, where: str) -> object:
    """Return an option's value. Raises ``InputError`` for one that is not possible."""
    form, expected = _FORMS[option]
    try:
        value = msgspec.convert(text, form, strict=False)
        if isinstance(value, str) or 0 < value < float("inf"):
            return value
    except msgspec.ValidationError:
        pass
    raise InputError(f"{where}: option {option}={text!r}: give {expected}")


def endpoint_of(name: ModelName, given: EndpointSettings) -> Endpoint:
    """Return the endpoint that a model's name means: by its provider, or by an address in it.

    Raises:
        InputError: it leads nowhere.
    """
    where = f"model {show_name(name.full)!r}"
    base = None if given.base is None else parse_base(given.base, f"{where}: option base")
    if name.provider == AT_ADDRESS:
        return _at_address(name, base)
    provider = PROVIDERS[name.provider]
    if base is None:
        address = provider.address()
    else:
        address = Address(base, "?base=")
        if not provider.is_at(base):
            provider = msgspec.structs.replace(provider, key=None)
    full = f"{provider.name}/{name.model}"
    if address.base != provider.base:
        usual = provider.root or urlsplit(provider.base).path
        full += f"@{short_address(address.base.partition('?')[0], usual)}"
    return Endpoint(provider, address, name.model, full)


def _at_address(name: ModelName, base: str | None) -> Endpoint:
    written = name.model
    if base is None:
        base, model = split_address(written)
    else:
        bare = base.partition("?")[0]
        model = written.removeprefix(f"{bare}/")
        if model.startswith(("http://", "https://")):
            raise InputError(
                f"model {show_name(written)!r}: it does not begin with the address in base, "
                f"{bare}; "
                f"write {AT_ADDRESS}/NAME?base={bare}"
            )
        written = f"{bare}/{model}"
    return Endpoint(Provider(AT_ADDRESS, base), Address(base), model, written)
