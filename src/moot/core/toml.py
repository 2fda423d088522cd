"""TOML files of users: parsed, or refused with the place of the mistake; and values as TOML."""

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from moot.core.encoding import describe_other_encoding
from moot.core.errors import InputError, describe_not_utf8

LARGEST = 2**63 - 1
"""TOML promises integers of 64 bits."""


def parse_toml(
    content: bytes, *, where: str, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """Return the table in a TOML file.

    Args:
        content: the bytes of the file, in UTF-8, with or without a byte-order mark.
        where: names the file in errors.
        parse_float: makes a value of each number with a point, as ``Decimal`` does, which keeps
            zeros at the end.

    Raises:
        InputError: the content is not TOML; the text names line and column if they are known.
    """
    try:
        # Universal newlines, as where a file is opened as text.
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        table = tomllib.loads(text, parse_float=parse_float)
        for key in _large_integers(table):
            raise InputError(f"{where}: {key}: an integer of more than 64 bits")
    except RecursionError:
        raise InputError(f"{where}: not TOML that can be read: nested too deeply") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: {describe_not_utf8(error)}") from None
    except ValueError as error:  # no TOML, or a number of too many digits
        fault = describe_other_encoding(content) or f"not TOML: {error}"
        raise InputError(f"{where}: {fault}") from None
    return table


def _large_integers(table: dict[str, Any]) -> Iterator[str]:
    """Yield the key of each integer that does not fit into 64 bits."""
    for key, value in table.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from (f"{key}.{inner}" for inner in _large_integers(each))
            elif isinstance(each, int) and not -LARGEST - 1 <= each <= LARGEST:
                yield key


def format_toml(value: Any) -> str:  # noqa: ANN401 -- any TOML value
    """Return a value as TOML writes it on one line."""
    if isinstance(value, Mapping):
        pairs = (f"{format_toml(str(key))} = {format_toml(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(format_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else repr(value)
