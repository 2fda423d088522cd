"""The protocols in a line each, without an import of any: moot's own are read from their source."""

import ast
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from moot.core.entry_points import EntryPoint, find_entry_points

GROUP = "moot.protocols"
"""The package of built-in protocols, and the group of entry points of the others."""
_MOOT = Path(__file__).parents[1]


class Outline(NamedTuple):
    """A protocol in a line.

    Attributes:
        name: as it is asked for.
        summary: what it does.
        needs: what has to be installed besides, as pip is told; empty where nothing has.
    """

    name: str
    summary: str
    needs: str = ""


def list_outlines() -> tuple[list[Outline], dict[str, str]]:
    """Return all protocols by name, and why plug-ins cannot be loaded, by their names.

    Plug-ins of other packages are imported: their source may be anything.
    """
    plugins = find_entry_points(GROUP)
    ours = [each for each in plugins if each.module.startswith("moot.")]
    files = [*(_MOOT / "protocols").glob("[!_]*.py"), *map(_find_file, ours)]
    found = {each.name: each for file in files for each in _read_outlines(file)}
    if len(ours) == len(plugins):
        return [found[name] for name in sorted(found)], {}
    from moot.debate.protocol import registry  # what another package brings imports it anyway

    registry.load(each for each in plugins if each not in ours)
    for each in registry.imported:
        needs = f"moot[{each.name}]" if each.needs else ""
        found.setdefault(each.name, Outline(each.name, each.summary, needs))
    return [found[name] for name in sorted(found)], registry.broken


def _find_file(entry: EntryPoint) -> Path:
    return _MOOT.joinpath(*entry.module.split(".")[1:]).with_suffix(".py")


def _read_outlines(file: Path) -> Iterator[Outline]:
    """Yield the functions of a file that ``@protocol(…)`` decorates."""
    functions = ast.parse(file.read_text(encoding="utf-8")).body
    for made in (each for each in functions if isinstance(each, ast.AsyncFunctionDef)):
        for by in made.decorator_list:
            if isinstance(by, ast.Call) and ast.unparse(by.func).endswith("protocol"):
                given = {each.arg: each.value for each in by.keywords}
                name = ast.literal_eval(given["name"]) if "name" in given else made.name
                name = name.replace("_", "-")
                summary = cleandoc(ast.get_docstring(made) or "").partition("\n\n")[0]
                needs = f"moot[{name}]" if "needs" in given else ""
                yield Outline(name, " ".join(summary.split()), needs)
