"""Headers and request parameters that a user adds to every request."""

import os
import re
from hashlib import blake2b
from typing import Any

import msgspec

from moot.core.errors import AccessError, InputError
from moot.models.providers import Provider, key_variable

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
OWN_HEADERS = frozenset({"host", "content-length", "content-type", "transfer-encoding"})
"""The headers that moot sets itself."""
OWN_PARAMETERS = frozenset({"model", "messages", "input", "stream", "n"})
"""The parameters that moot sets itself, or whose replies it does not read."""
SETTINGS = {
    **{name: name for name in ("temperature", "top_p", "max_tokens", "seed")},
    "max_completion_tokens": "max_tokens",
    "reasoning_effort": "effort",
}
"""Parameters that a debate's setting is sent as: the user's would silently replace it."""


class Extra(msgspec.Struct, frozen=True, kw_only=True):
    """Headers and parameters that are sent with every request.

    Attributes:
        headers: values by name. ``${VARIABLE}`` in a value stands for an environment variable. The
            values may be secrets: they are in no name, error text, ledger or log.
        body: parameters for the request's JSON object; they replace those of moot.
    """

    headers: dict[str, str] = {}
    body: dict[str, Any] = {}

    def __repr__(self) -> str:
        return "Extra(…)"

    @property
    def mark(self) -> str:
        """The end of the model's name, which tells these parameters apart; empty without any."""
        if not self.body:
            return ""
        encoded = msgspec.json.encode(self.body, order="sorted")
        return f"?extra={blake2b(encoded, digest_size=4).hexdigest()}"

    def check(self, provider: Provider, base: str) -> None:
        """Raise ``InputError`` for a header or parameter that cannot be sent to this address."""
        for name, value in self.headers.items():
            if not _HEADER.fullmatch(name) or name.lower() in OWN_HEADERS:
                raise InputError(f"headers: {name!r} is no header that can be set")
            if not (value.isascii() and value.isprintable()):
                raise InputError(f"headers: the value of {name} cannot be one: letters, signs")
            for variable in _REFERENCE.findall(value):
                key_variable(variable, provider, base)
        for name in self.body:
            if name in OWN_PARAMETERS:
                raise InputError(f"extra_body: {name}: moot sets it itself; leave it out")
            if name in SETTINGS:
                raise InputError(
                    f"extra_body: {name}: leave it out; the setting {SETTINGS[name]} sends it"
                )

    def resolve_headers(self, model: str) -> dict[str, str]:
        """Return the headers with the values of variables.

        Raises:
            AccessError: a variable is not set, or its value cannot be in a header.
        """

        def value(found: re.Match[str]) -> str:
            text = os.environ.get(found[1], "").strip()
            if not text:
                raise AccessError(f"{model}: headers: set the environment variable {found[1]}")
            if not (text.isascii() and text.isprintable()):
                raise AccessError(f"{model}: headers: the value of {found[1]} cannot be one")
            return text

        return {name: _REFERENCE.sub(value, text) for name, text in self.headers.items()}

    @property
    def variables(self) -> set[str]:
        """The environment variables that its headers name."""
        return {name for text in self.headers.values() for name in _REFERENCE.findall(text)}

    def secrets(self) -> tuple[str, ...]:
        """Return every text that may be a secret and must not be quoted."""
        values = {os.environ.get(name, "").strip() for name in self.variables}
        return tuple(values | set(self.headers.values()))
