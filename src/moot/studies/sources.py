"""Where a study is read from: a TOML file, or one of those that come with moot."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from moot.core.errors import InputError, UnknownName

SHIPPED = Path(__file__).parent / "shipped"
"""Studies that come with moot, run by their file's name."""


class Shipped(msgspec.Struct, frozen=True, kw_only=True):
    """A study that comes with moot.

    Attributes:
        name: by which it is run, and extended.
        summary: what it asks, in one line: the first of its file.
        toml: the file's text.
    """

    name: str
    summary: str
    toml: str


def shipped() -> list[Shipped]:
    """All of them, sorted by name."""
    return [_told(name) for name in _names()]


def shipped_named(name: str) -> Shipped:
    """One of them. Raises ``UnknownName``."""
    if name not in _names():
        raise UnknownName("study", name, _names())
    return _told(name)


def _names() -> list[str]:
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def _told(name: str) -> Shipped:
    text = (SHIPPED / f"{name}.toml").read_text(encoding="utf-8")
    return Shipped(name=name, summary=text.partition("\n")[0].lstrip("# "), toml=text)


def find(name: str | Path, folder: Path, *, where: str = "there is no such file") -> Path:
    """The file that a path relative to the folder, or the name of a shipped study, stands for."""
    path = folder / name
    if path.exists():
        return path
    own = SHIPPED / f"{name}.toml"
    if own.is_file():
        return own
    raise UnknownName(
        "study", str(name), [each.stem for each in SHIPPED.glob("*.toml")], where=where
    )


def read(path: Path) -> dict[str, Any]:
    """The content of a study file. Raises ``InputError`` for what is no TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"study {path}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"study {path}: not TOML: {error}") from None
