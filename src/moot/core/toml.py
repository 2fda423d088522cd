"""TOML as users write it: a table, or an error that says where it is wrong."""

import tomllib
from collections.abc import Iterator
from typing import Any

from moot.core.errors import InputError, not_utf8

LARGEST = 2**63 - 1
"""TOML promises integers of 64 bits."""


def parse_toml(content: bytes, *, where: str) -> dict[str, Any]:
    """Parse the content of a TOML file.

    Args:
        content: the bytes of the file, in UTF-8.
        where: names the file in errors.

    Raises:
        InputError: the content is no TOML; the text gives line and column where they are known.
    """
    try:
        # Universal newlines, as where a file is opened as text.
        table = tomllib.loads(content.decode().replace("\r\n", "\n"))
        for key in _large_integers(table):
            raise InputError(f"{where}: {key}: an integer of more than 64 bits")
    except RecursionError:
        raise InputError(f"{where}: not TOML that can be read: nested too deeply") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: {not_utf8(error)}") from None
    except ValueError as error:  # no TOML, or a number of too many digits
        raise InputError(f"{where}: not TOML: {error}") from None
    return table


def _large_integers(table: dict[str, Any]) -> Iterator[str]:
    """Yield the key of each integer that no TOML file may have."""
    for key, value in table.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from (f"{key}.{inner}" for inner in _large_integers(each))
            elif isinstance(each, int) and not -LARGEST - 1 <= each <= LARGEST:
                yield key
