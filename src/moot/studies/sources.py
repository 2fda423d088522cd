"""Where a study is read from: a TOML file, or one of those that come with moot."""

from contextlib import suppress
from functools import cache
from importlib.metadata import entry_points
from os.path import exists
from pathlib import Path
from typing import Any

import msgspec

from moot.core.errors import InputError, UnknownName, check_known
from moot.core.files import read_small
from moot.core.toml import parse_toml

SHIPPED = Path(__file__).parent / "shipped"
"""Studies that come with moot, run by their file's name."""
GROUP = "moot.studies"
"""The group of entry points by which packages bring folders of others."""


class ShippedStudy(msgspec.Struct, frozen=True, kw_only=True):
    """A study that comes with moot.

    Attributes:
        name: by which it is run, and extended.
        summary: what it asks, in one line: the first of its file.
        toml: the file's text.
    """

    name: str
    summary: str
    toml: str


def list_shipped_studies() -> list[ShippedStudy]:
    """Return all shipped studies, sorted by name."""
    return [_read_shipped(name) for name in list_shipped_names()]


def get_shipped_study(name: str) -> ShippedStudy:
    """Return a shipped study. Raises ``UnknownName``."""
    check_known("study", [name], list_shipped_names())
    return _read_shipped(name)


def list_shipped_names() -> list[str]:
    """Return the names of the studies that moot and other packages ship, sorted."""
    return sorted(_find_shipped())


@cache
def _find_shipped() -> dict[str, Path]:
    """Return the files of all shipped studies by their names; moot's own come first."""
    folders = [SHIPPED]
    for entry in entry_points(group=GROUP):
        with suppress(Exception):  # the studies of a package that cannot be imported are unknown
            folders.append(entry.load())
    paths = [path for folder in folders for path in folder.glob("*.toml")]
    return {path.stem: path for path in reversed(paths)}


def _read_shipped(name: str) -> ShippedStudy:
    text = _find_shipped()[name].read_text(encoding="utf-8")
    return ShippedStudy(name=name, summary=text.partition("\n")[0].lstrip("# "), toml=text)


def find_study(name: str | Path, folder: Path, *, where: str = "") -> Path:
    """Return the file of a path relative to the folder, or of a shipped study's name.

    ``where`` begins the error for what is neither.
    """
    path = folder / name
    if exists(path):  # noqa: PTH110 - false for a name that no file can have
        return path
    if (shipped := _find_shipped().get(str(name))) is not None:
        return shipped
    raise UnknownName("study", str(name), list_shipped_names(), where=where)


def read_study_file(path: Path) -> dict[str, Any]:
    """Return the content of a study file. Raises ``InputError`` for what is no TOML file."""
    try:
        content = read_small(path)
    except OSError as error:
        raise InputError(f"study {path}: cannot be read: {error}") from None
    return parse_toml(content, where=f"study {path}")
