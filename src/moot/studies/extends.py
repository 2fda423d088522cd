"""Composing studies: one takes what others say, drops parts of it, and lays its own over it.

Tables (``settings``, ``budget``, ``retry``, ``prices``, ``models``, ``stop``) are merged key by
key. An arm or dataset takes the place of the inherited ones of its name; one of another name
follows them. Any other key replaces the same key of the studies before. Only ``name`` is never
inherited: runs are kept under it.
"""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from os.path import relpath
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.studies.checks import convert_table
from moot.studies.sources import find_study, read_study_file
from moot.studies.study import OURS

TABLES = ("settings", "budget", "retry", "prices", "models", "stop")
NAMED = {"arms": ("name", "protocol"), "datasets": ("label", "name")}
"""The lists whose entries have names, and the keys that give it: the first that is there."""
COMPOSING = ("extends", "drop_arms", "drop_datasets")
PATHS = ("examples", "path", "prompts")
"""The keys that hold paths relative to the file they stand in."""


class StudyKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a study file, as they stand there.

    Attributes:
        extends: studies it takes everything from, later ones over earlier: files relative to this
            one, or names of shipped ones.
        drop_arms: names, or patterns of names such as ``"society*"``, of inherited arms left out.
        drop_datasets: the same of datasets, by their labels.
        equal_budget: adds arms of self-consistency with as many samples as the dearest debate could
            pay for, from which every debate's baseline at its own price is drawn.
        controls: adds to each debate the arms that tell why it is better or worse than a vote.
        prompts: a file of prompts laid over moot's own; a list makes an arm for each of every arm.
        analyses: names of the analyses that ``moot report`` writes of its runs.
        tune: for ``moot tune`` alone.
        worth: looks at the questions block by block and ends as soon as each debate is better or
            worse than a vote of as many tokens, or equal to it; false takes an inherited ``stop``
            away.
        stop: when a method is settled, as of ``StopRule``; it makes ``worth`` true.
    """

    name: str
    extends: str | list[str] = []
    drop_arms: list[str] = []
    drop_datasets: list[str] = []
    datasets: list[dict[str, Any]] = []
    arms: list[dict[str, Any]] = []
    baseline: str | None = None
    equal_budget: bool = False
    controls: bool = False
    replicates: int = 1
    at_once: int | None = None
    confirm_above: float = 1.0
    prompts: str | list[str] | None = None
    settings: dict[str, Any] = {}
    budget: dict[str, Any] = {}
    retry: dict[str, Any] = {}
    prices: dict[str, dict[str, Any]] = {}
    models: dict[str, dict[str, Any]] = {}
    analyses: list[str] = []
    tune: dict[str, Any] = {}
    worth: bool | None = None
    stop: dict[str, Any] = {}


class StudyEntry(NamedTuple):
    """One arm or dataset of a study file.

    Attributes:
        name: by which others replace or drop it; empty where it has none.
        where: file and place, for error texts.
        table: as it stands there.
    """

    name: str
    where: str
    table: dict[str, Any]


class ComposedStudy(NamedTuple):
    """A study with all it extends.

    Attributes:
        top: its keys, but for arms and datasets.
        arms: its own and the inherited ones, in order.
        datasets: the same.
    """

    top: StudyKeys
    arms: list[StudyEntry]
    datasets: list[StudyEntry]


def compose_study(
    raw: Mapping[str, Any], file: str, folder: Path, *, above: Sequence[Path] = ()
) -> ComposedStudy:
    """Return a study file with everything it extends.

    Args:
        raw: its content.
        file: what it is called in error texts.
        folder: what its paths are relative to.
        above: the files that extend one another up to this one, this one included.

    Raises:
        InputError: a key of the wrong type, a cycle, or something dropped that is not there.
        UnknownName: a key, or a study that does not exist.
    """
    values, lists = _merge_bases(raw, file, folder, above)
    return ComposedStudy(
        convert_table(StudyKeys, values, where=file), lists["arms"], lists["datasets"]
    )


_Parts = tuple[dict[str, Any], dict[str, list[StudyEntry]]]


def _merge_bases(raw: Mapping[str, Any], file: str, folder: Path, above: Sequence[Path]) -> _Parts:
    """Return the values and lists of a study, with all that it extends laid under its own."""
    top = convert_table(StudyKeys, raw, where=file)
    bases = [top.extends] if isinstance(top.extends, str) else top.extends
    values: dict[str, Any] = {}
    lists: dict[str, list[StudyEntry]] = {kind: [] for kind in NAMED}
    for name in bases:
        path = find_study(name, folder, where=f"{file}: extends").resolve()
        if path in above:
            way = " → ".join(each.name for each in (*above[above.index(path) :], path))
            raise InputError(f"{file}: extends = {name!r}: studies extend one another: {way}")
        lower = _merge_bases(
            read_study_file(path), _name_file(path, folder), path.parent, (*above, path)
        )
        _lay_over((values, lists), _rebase_paths(lower, path.parent, folder))
    for kind in NAMED:
        patterns: list[str] = getattr(top, f"drop_{kind}")
        lists[kind] = _drop_entries(lists[kind], patterns, kind, f"{file}: drop_{kind}")
    own = {key: value for key, value in raw.items() if key not in {*NAMED, *COMPOSING}}
    _lay_over((values, lists), (own, {kind: list(_entries(top, kind, file)) for kind in NAMED}))
    return values, lists


def _name_file(path: Path, folder: Path) -> str:
    """Return a file's name for error texts: short where it lies beside the one that extends it."""
    return path.name if path.parent == folder.resolve() else str(path)


def _entries(top: StudyKeys, kind: str, file: str) -> Iterable[StudyEntry]:
    for number, table in enumerate(getattr(top, kind), 1):
        names = [table[key] for key in NAMED[kind] if key in table]
        name = names[0] if names and isinstance(names[0], str) else ""
        yield StudyEntry(name, f"{file}: {kind}[{number}]", table)


def _lay_over(lower: _Parts, upper: _Parts) -> None:
    """Lay one study over another, which is changed."""
    values, lists = lower
    for key, value in upper[0].items():
        values[key] = {**values.get(key, {}), **value} if key in TABLES else value
    for kind, entries in upper[1].items():
        lists[kind] = _replace_entries(lists[kind], entries)


def _replace_entries(lower: list[StudyEntry], upper: list[StudyEntry]) -> list[StudyEntry]:
    """Return entries with others in the place of those of their name; the rest of these follow."""
    names = {entry.name for entry in upper if entry.name}
    placed: set[str] = set()
    made: list[StudyEntry] = []
    for entry in lower:
        if entry.name not in names:
            made.append(entry)
        elif entry.name not in placed:
            placed.add(entry.name)
            made += [each for each in upper if each.name == entry.name]
    return made + [entry for entry in upper if entry.name not in placed]


def _drop_entries(
    entries: list[StudyEntry], patterns: Sequence[str], kind: str, where: str
) -> list[StudyEntry]:
    """Return entries whose names match no pattern. Raises ``UnknownName`` for an idle pattern."""
    for pattern in patterns:
        if not any(fnmatchcase(entry.name, pattern) for entry in entries):
            what = f"inherited {kind.removesuffix('s')}"
            raise UnknownName(what, pattern, {each.name for each in entries}, where=where)
    return [e for e in entries if not any(fnmatchcase(e.name, pattern) for pattern in patterns)]


def _rebase_paths(parts: _Parts, old: Path, new: Path) -> _Parts:
    """Return a study whose paths are relative to another folder."""
    if old == new.resolve():
        return parts
    way = Path(relpath(old, new.resolve()))
    values, lists = parts
    return _rebase_value(values, way), {
        kind: [entry._replace(table=_rebase_value(entry.table, way)) for entry in entries]
        for kind, entries in lists.items()
    }


def _rebase_value(value: Any, way: Path, *, key: str = "") -> Any:  # noqa: ANN401 -- any TOML value
    if isinstance(value, dict):
        return {name: _rebase_value(each, way, key=name) for name, each in value.items()}
    if isinstance(value, list):
        return [_rebase_value(each, way, key=key) for each in value]
    is_file = key in PATHS or (key == "protocol" and isinstance(value, str) and ".py" in value)
    if not is_file or not isinstance(value, str) or (key == "prompts" and value == OURS):
        return value
    return (way / value).as_posix()
