"""Entry points: what installed packages bring to moot, by the group in which they name it.

This reads the files of packages itself: to import ``importlib.metadata`` and have it search takes
as long as all else that ``moot --help`` does.
"""

import os
import sys
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from operator import attrgetter
from typing import NamedTuple


class EntryPoint(NamedTuple):
    """What a package brings under a name.

    Attributes:
        name: its name.
        value: where it is: ``module``, or ``module:attribute``.
    """

    name: str
    value: str

    @property
    def module(self) -> str:
        """The module that it is in."""
        return self.value.partition(":")[0].strip()

    @property
    def attribute(self) -> str:
        """What it is called in its module, with dots; empty where it is the module itself."""
        return self.value.partition(":")[2].partition("[")[0].strip()

    def load(self) -> object:
        """Import it."""
        module = import_module(self.module)
        return attrgetter(self.attribute)(module) if self.attribute else module


def find_entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group, of each package that is first on the path."""
    found: dict[str, list[tuple[str, EntryPoint]]] = {}
    for folder in dict.fromkeys(sys.path):
        with suppress(OSError):
            changed = os.stat(folder or ".").st_mtime_ns  # noqa: PTH116 -- quicker
            for package, brought in _read_folder(folder or ".", changed).items():
                found.setdefault(package, brought)
    return [each for brought in found.values() for own, each in brought if own == group]


@lru_cache(maxsize=64)
def _read_folder(folder: str, _: int) -> dict[str, list[tuple[str, EntryPoint]]]:
    """Return the entry points of each package in a folder, each with its group."""
    found: dict[str, list[tuple[str, EntryPoint]]] = {}
    with os.scandir(folder) as inside:
        for each in inside:
            if each.name.endswith((".dist-info", ".egg-info")):
                package = each.name.rpartition(".")[0].partition("-")[0].casefold()
                found.setdefault(package, []).extend(_read_file(f"{each.path}/entry_points.txt"))
    return found


def _read_file(file: str) -> list[tuple[str, EntryPoint]]:
    """Return each entry point of a file with its group; none without such a file."""
    found, section = [], ""
    with suppress(OSError), open(file, encoding="utf-8") as lines:  # noqa: PTH123 -- quicker
        for line in map(str.strip, lines):
            name, equals, value = line.partition("=")
            if line.startswith("["):
                section = line.strip("[]")
            elif equals and not line.startswith(("#", ";")):
                found.append((section, EntryPoint(name.strip(), value.strip())))
    return found
