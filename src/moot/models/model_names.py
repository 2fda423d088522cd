"""Model names: ``provider/model[?option=value]`` or ``http(s)://host/v1/model[?option=value]``."""

import re
from collections.abc import Callable, Iterable
from inspect import getdoc
from urllib.parse import parse_qsl

import msgspec

from moot.core.errors import InputError
from moot.core.ports import Model
from moot.core.registry import Registry


class ModelName(msgspec.Struct, frozen=True):
    """The parts of a model name.

    Attributes:
        full: as the user wrote it.
        provider: the text before the first slash; ``"http"`` for an address.
        model: the text after it, e.g. ``"gpt-4o-mini"``, or the whole address without options.
        options: the options after the question mark, by name.
    """

    full: str
    provider: str
    model: str
    options: dict[str, str]

    @classmethod
    def parse(cls, full: str) -> "ModelName":
        """Return the parts of a name. Raises ``InputError`` that says what is missing."""
        return parse_model_name(full)

    @staticmethod
    def find_family(full: str) -> str:
        """Return the family of a model by its name: ``llama`` of ``http/meta/llama-3.1-8b``."""
        return find_family(full)

    @property
    def own_name(self) -> str:
        """The name by which the model's endpoint knows it, without an address."""
        from moot.models.endpoint_address import split_address  # few names have one

        has_address = self.provider == "http" and "base" not in self.options
        return split_address(self.model)[1] if has_address else self.model

    def is_model(self, *, where: str = "") -> bool:
        """Return whether its provider is one of models that debate, and no server of tools.

        Raises:
            UnknownName: there is no such provider; the error says which name is near.
        """
        model_registry.get(self.provider, where=where)
        return self.provider not in _BESIDE

    @staticmethod
    def list_attended(models: Iterable[str]) -> list[str]:
        """Return the model names among these whose replies a person types."""
        found = list[str]()
        for name in models:
            provider = name.partition("/")[0]  # imported to know; an address is none
            if provider in model_registry.names() and model_registry.find(provider) is not None:
                found += [name] if provider in _ATTENDED else []
        return found


ModelFactory = Callable[[ModelName], Model]

model_registry: Registry[ModelFactory] = Registry(
    "model provider", "moot.models", table="PROVIDERS"
)
"""Providers by name. A factory takes the parts of a model name and returns the model."""
_ATTENDED, _BESIDE = set[str](), set[str]()
"""The providers of people, and those of what does not debate, as far as they are imported."""


def provider(
    name: str, *, attended: bool = False, debates: bool = True
) -> Callable[[ModelFactory], ModelFactory]:
    """Register the function it decorates: it makes a model of a name that begins with ``name/``.

    Args:
        name: of the provider.
        attended: whether a person types the replies, at the terminal or on a page of the server.
        debates: whether its models can be agents; a server of tools cannot.
    """
    _ATTENDED.update([name] if attended else [])
    _BESIDE.update([] if debates else [name])
    return model_registry.decorate(name)


def parse_model_name(full: str) -> ModelName:
    """Return the parts of a model name. Raises ``InputError`` that says what is missing."""
    body, _, query = full.partition("?")
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise InputError(
            f"model {show_name(full)!r}: options are written ?name=value&name=value"
        ) from None
    if body.startswith(("http://", "https://")):
        return ModelName(full, "http", body, options)
    provider, slash, model = body.partition("/")
    if (
        not provider
        or (slash and not model)
        or (not slash and model_registry.find(provider) is None)
    ):
        raise InputError(
            f"model {show_name(full)!r}: write provider/model, e.g. local/smollm2 or "
            "openai/gpt-4o-mini, or an address such as http://127.0.0.1:8000/v1/NAME"
        )
    return ModelName(full, provider, model, options)


def show_name(full: str) -> str:
    """Return a model name for error texts: without options and credentials, which may be secret."""
    body = full.partition("?")[0]
    return "…@" + body.rpartition("@")[2] if "@" in body else body


FAMILIES = {
    **{name: name for name in ("claude", "command", "deepseek", "gemini", "gemma", "glm", "gpt")},
    **{name: name for name in ("granite", "grok", "kimi", "llama", "nova", "olmo", "phi", "qwen")},
    **{name: name for name in ("smollm", "yi")},
    **dict.fromkeys(("mistral", "mixtral", "ministral", "codestral", "magistral"), "mistral"),
    **dict.fromkeys(("qwq", "qvq"), "qwen"),
    **dict.fromkeys(("o1", "o3", "o4", "chatgpt"), "gpt"),
}
"""Model families by a word that a model's name has."""


def find_family(full: str) -> str:
    """Return the family of a model by its name: ``llama`` of ``openrouter/meta/llama-3.1-8b``.

    A name without a known word is of the family of the letters that it begins with.
    """
    name = full.partition("?")[0].rpartition("/")[2].casefold()
    words = re.findall(r"o\d|[a-z]+", name)
    known = next((FAMILIES[word] for word in words if word in FAMILIES), None)
    return known or next(iter(words), name)


def load(full: str) -> Model:
    """Return the model of a name. Raises ``InputError`` for an unknown provider or option."""
    name = parse_model_name(full)
    return model_registry.get(name.provider, where=f"model {show_name(full)!r}")(name)


def describe() -> list[tuple[str, str]]:
    """Return every provider with the first line of its description."""
    names = model_registry.names()
    return [(name, (getdoc(model_registry.get(name)) or "").partition("\n")[0]) for name in names]


def refuse_people(models: Iterable[str], option: str) -> None:
    """Raise ``InputError`` where people are among these models.

    Args:
        models: the names of all that speak.
        option: by which calls go to where no person is, e.g. ``"--batch"``.
    """
    if people := ModelName.list_attended(models):
        raise InputError(
            f"{option}: {', '.join(people)} answers at this terminal or on the page of `moot "
            f"serve`; run it without {option}"
        )
