"""The file of a protocol's differences from its paper and from the paper's released code.

It stands in a folder ``faithful`` beside the protocol, under the same name. ``extends`` names files
beside it whose differences and words it has, too: those of a paper that several protocols share.
"""

from functools import cache
from pathlib import Path
from typing import Any

from moot.core.errors import InputError
from moot.core.files import read_small
from moot.core.toml import parse_toml

OURS = "ours"
"""The value of ``faithful`` that follows moot's own choices."""
SOURCES = ("paper", "code")
"""Its other values, which are the tables of words of such a file."""
READINGS = (OURS, *SOURCES)
"""All its values."""
BOTH = "both"
"""The table of words that both sources have."""
EXTENDS = "extends"


def find_source_file(protocol_file: Path) -> Path:
    """Return the place of the file of a protocol, by the protocol's own source file."""
    return protocol_file.parent / "faithful" / f"{protocol_file.stem}.toml"


@cache
def read_source_file(path: Path) -> dict[str, Any]:
    """Return the tables of a file, after those of the files that it extends.

    Raises:
        InputError: it cannot be read, or is no TOML.
    """
    try:
        own = parse_toml(read_small(path), where=str(path))
    except OSError as error:
        raise InputError(f"{path}: {error}") from None
    made: dict[str, Any] = {}
    for name in own.pop(EXTENDS, ()):
        _join(made, read_source_file(path.with_name(f"{name}.toml")))
    for source in SOURCES:
        _join(made, {source: own.get(BOTH, {})})
    _join(made, {name: table for name, table in own.items() if name != BOTH})
    return made


def _join(tables: dict[str, Any], further: dict[str, Any]) -> None:
    """Lay tables over others, at every level."""
    for name, value in further.items():
        if isinstance(value, dict):
            tables[name] = dict(tables.get(name, {}))
            _join(tables[name], value)
        else:
            tables[name] = value
