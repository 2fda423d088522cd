"""Secrets: the values of environment variables, kept out of what a server says."""

import json
import os
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from moot.extend.words import replace_surrogates

T = TypeVar("T")
SHORTEST = 4
"""Characters of the shortest value that is masked; a shorter one stands in many words."""


def mask_secrets(value: T, variables: Sequence[str]) -> T:
    """Return a text, or what JSON makes of texts, without the values of environment variables.

    The variable's name stands there in brackets. A value is found as it is, and as JSON, an address
    and base64 write it; in another form it is not found. A text has no half characters afterwards,
    and no NUL.
    """
    forms = {form: f"[{each}]" for each in variables for form in _list_forms(each)}
    ordered = sorted(forms.items(), key=lambda pair: -len(pair[0]))  # a token is in its header

    def mask(each: Any) -> Any:  # noqa: ANN401 -- what JSON has
        if isinstance(each, str):
            for form, name in ordered:
                each = each.replace(form, name)
            return replace_surrogates(each).replace("\x00", "")
        if isinstance(each, dict):
            return {mask(key): mask(held) for key, held in each.items()}
        return [mask(held) for held in each] if isinstance(each, list) else each

    made: T = mask(value)
    return made


def _list_forms(variable: str) -> Iterator[str]:
    """Yield the forms in which a text may have the value of a variable."""
    value = os.environ.get(variable, "")
    for secret in (value, value.partition(" ")[2]):  # Bearer TOKEN: the token alone
        if len(secret) >= SHORTEST:
            held = secret.encode("utf-8", "surrogateescape")
            yield secret
            yield from (json.dumps(secret, ensure_ascii=each)[1:-1] for each in (True, False))
            yield from (quote(held), quote(held, safe=""), quote_plus(held))
            for coded in (b64encode(held), urlsafe_b64encode(held)):
                yield coded.decode().rstrip("=")
