"""The library: all datasets, their files on this machine, and their questions."""

from collections.abc import Iterable, Iterator, Mapping
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from sys import maxsize
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec

from moot.core.errors import InputError, MootError
from moot.core.questions import Example, Question
from moot.datasets import data_files
from moot.datasets.data_files import FileState
from moot.datasets.dataset import Dataset, DownloadProgress, File, registry
from moot.datasets.ids import IdHashes, rank

DRAWN = 50
"""How many questions a dataset that draws them gives by default."""

EXAMPLES = 100
"""How many examples a training part that draws them gives at most."""


class DatasetEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``moot data list``.

    Attributes:
        rows: how many questions there are; None when they are drawn from a seed, or the user's.
        state: whether its files are on this machine; ``built in`` if it needs none, ``by name`` if
            its parameters name the file to fetch.
        training: the same for the files of its training part; ``none`` if it has none.
        origin: the addresses of its files.
        path: the folder of its files, or None if it needs none.
        needs: the extra of moot that has to be installed first; empty if there is none.
        parameters: by name, each a JSON schema with its default.
    """

    name: str
    summary: str
    kinds: tuple[str, ...]
    rows: int | None
    state: FileState | Literal["built in", "by name"]
    training: FileState | Literal["built in", "none"]
    licence: str
    paper: str
    origin: tuple[str, ...]
    path: str | None
    needs: str
    parameters: dict[str, dict[str, Any]]


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file in the library; ``published`` is False for another version, taken by force."""

    path: Path
    published: bool


def list_entries() -> list[DatasetEntry]:
    """Return every registered dataset with the state of its files, sorted by name."""
    return [
        DatasetEntry(
            name=source.name,
            summary=source.summary,
            kinds=source.kinds,
            rows=source.rows,
            state="by name" if source.obtain else _state(source.name, source.files),
            training=_state(source.name, source.examples.files) if source.examples else "none",
            licence=source.licence,
            paper=source.paper,
            origin=tuple(file.url for file in _all_files(source) if file.url),
            path=str(data_files.data_folder() / source.name) if _all_files(source) else None,
            needs="" if source.is_installed else f"moot[{source.needs}]",
            parameters=source.parameters,
        )
        for source in registry
    ]


def questions(name: str, /, **asked: Any) -> list[Question]:  # noqa: ANN401 -- as of ``stream``
    """Return the questions of a dataset, all or a sample; arguments and errors as of ``stream``."""
    return list(stream(name, **asked))


def stream(
    name: str,
    /,
    *,
    n: int | None = None,
    seed: int = 0,
    folder: Path | None = None,
    **parameters: object,
) -> Iterator[Question]:
    """Yield the questions of a dataset, all or a sample, without keeping them in memory.

    A sample of a fixed list is drawn by a hash of seed and question id, so it depends neither on
    the order of the rows nor on ``n``: the first 10 of 20 are the sample of 10.

    Args:
        name: as registered.
        n: how many, 1 or more; None for all in the published order, or 50 where they are drawn.
        seed: of the sample, or of the draw.
        folder: what the paths of files of the user's are relative to; None for the current one.
        parameters: the dataset's own.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: for an impossible value, more questions than there are, a missing file or
            library, or a damaged row.
    """
    source = registry.get(name)
    source.check_installed()
    settings = source.check_settings(parameters)
    _check_whole(source, "seed", seed)
    if n is not None and _check_whole(source, "n", n) < 1:
        raise InputError(f"dataset {name!r}: n is {n}; it must be 1 or more")
    ids = IdHashes()
    if source.is_drawn:
        draws = source.read(seed=seed, **settings)
        yield from _collect_ids(islice(draws, DRAWN if n is None else n), ids)
        _check_enough(source, n, len(ids), settings)
        return
    settings |= {"folder": folder or Path()} if source.reads_user_files else {}
    paths = _paths(name, source.files)
    found = _collect_ids(source.read(*paths, **settings), ids)
    if n is None:
        yield from found
    else:
        found = iter(nsmallest(n, found, key=lambda question: rank(seed, question.id)))
        _check_enough(source, n, len(ids), settings)
    # Two hashes are equal: all questions are read again to compare the ids.
    if ids.find_repeats() and len({each.id for each in source.read(*paths, **settings)}) < len(ids):
        raise InputError(f"dataset {name!r}: two of its questions have one id")
    yield from found  # the sample; without one all were yielded above


def _collect_ids(questions: Iterable[Question], ids: IdHashes) -> Iterator[Question]:
    """Yield the questions, and add their ids to ``ids``."""
    for question in questions:
        ids.add(question.id)
        yield question


def peek(name: str, limit: int = 5, /, **parameters: object) -> list[Question]:
    """Return the first questions in their own order, at most ``limit``; errors as ``questions``."""
    source = registry.get(name)
    source.check_installed()
    settings = source.check_settings(parameters)
    settings |= {"seed": 0} if source.is_drawn else {}
    settings |= {"folder": Path()} if source.reads_user_files else {}
    paths = _paths(name, source.files)
    return list(islice(source.read(*paths, **settings), max(min(limit, maxsize), 0)))


def training(name: str, /, *, seed: int = 0, **parameters: object) -> list[Example]:
    """Return the worked examples of a dataset's training part: all, or the first 100 if drawn.

    Args:
        name: of the dataset, as registered.
        seed: of the draw; a fixed list ignores it.
        parameters: the dataset's own.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: for a dataset without a training part, an impossible value, a missing file or
            library, or a damaged row.
    """
    source = registry.get(name)
    source.check_installed()
    settings = source.check_settings(parameters) | {"seed": _check_whole(source, "seed", seed)}
    part = source.examples
    if part is None:
        raise InputError(f"dataset {name!r} has no training part: give examples = FILE")
    paths = _paths(name, part.files, of="training part's ")
    found = part.read(*paths, **{keyword: settings[keyword] for keyword in part.keywords})
    return list(islice(found, EXAMPLES if part.is_drawn else None))


async def fetch(
    name: str, progress: DownloadProgress | None = None, /, **parameters: object
) -> list[StoredFile]:
    """Download the missing files of a dataset and of its training part, and verify them.

    Args:
        name: as registered.
        progress: called whenever bytes have arrived.
        parameters: the dataset's own, if they name the file.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: for an impossible value, or a file that is not published or is refused.
        MootError: a download fails or is not the published file; it is not kept then.
        StoreError: when a file cannot be written.
    """
    source = registry.get(name)
    settings = source.check_settings(parameters)
    tell = progress or (lambda *_: None)
    if source.obtain:
        return [StoredFile(path=await source.obtain(settings, tell), published=True)]
    kept = []
    for file in _all_files(source):
        path = data_files.data_folder() / name / file.name
        if data_files.check_state(path, file) != "ready":
            copy = f"take a local copy with 'moot data add {name} PATH'"
            if not file.url:
                origin = f"; it is of {source.paper}" if source.paper else ""
                raise InputError(f"dataset {name!r}: {file.name} has no address{origin}; {copy}")
            try:
                data = await data_files.download(file, tell)
            except MootError as error:
                raise MootError(f"dataset {name!r}: {error}; try again later, or {copy}") from None
            data_files.store_file(path, file, data)
        kept.append(StoredFile(path=path, published=True))
    return kept


def add(name: str, path: Path, *, force: bool = False) -> list[StoredFile]:
    """Take local copies of a dataset's files into the library.

    Args:
        name: as registered.
        path: the file, or a folder with the files under their published names; plain or ``.gz``.
            A training file is taken where its published name is found.
        force: take another version than the one whose checksum is known.

    Raises:
        InputError: when a file is not there, cannot be read as one of the dataset, or is another
            version and ``force`` is not set. Of a dataset that is nowhere to be downloaded, a file
            of the right form with as many questions is taken without it.
        StoreError: when a copy cannot be written.
    """
    source = registry.get(name)
    if source.obtain:
        raise InputError(f"dataset {name!r} is fetched; a file you have is read by dataset 'file'")
    if not _all_files(source):
        raise InputError(f"dataset {name!r} is built in: it needs no files")
    taken = [(file, copy, data_files.read_unpacked(copy)) for file, copy in _copies(source, path)]
    others = [each for each in taken if not data_files.is_published(each[0], each[2])]
    for file, copy, data in others:
        if not force and file.url:
            raise InputError(
                f"{copy} is not the published {file.name} of dataset {name!r}: it has {len(data)} "
                f"bytes; that one is {file.described}; "
                "--force takes it all the same"
            )
    if others and source.is_installed:
        _check_form(source, taken, force=force)
    kept = []
    for file, _, data in taken:
        place = data_files.data_folder() / name / file.name
        kept.append(StoredFile(path=place, published=data_files.store_file(place, file, data)))
    return kept


def _check_form(source: Dataset, taken: list[tuple[File, Path, bytes]], *, force: bool) -> None:
    """Check that files can be read as a dataset's, and, without ``force``, that none is missing.

    Raises:
        InputError: a row cannot be read, or there are more or fewer questions.
    """
    with TemporaryDirectory() as folder:
        paths = {file.name: Path(folder) / file.name for file, _, _ in taken}
        for file, _, data in taken:
            paths[file.name].write_bytes(data)
        try:
            many = _read_through(source, paths)
        except InputError as error:
            text = str(error).removesuffix("; fetch or add the file again")
            for file, copy, _ in taken:
                text = text.replace(str(paths[file.name]), str(copy))
            raise InputError(f"{text}; nothing was taken") from None
    if not force and many not in {None, source.rows}:
        raise InputError(
            f"{taken[0][1]} has {many} questions, and dataset {source.name!r} has {source.rows}; "
            "--force takes it all the same"
        )


def _read_through(source: Dataset, paths: Mapping[str, Path]) -> int | None:
    """Read the files at these paths as those of a dataset, by their names.

    Returns:
        How many questions they have; None where only worked examples are there.
    """
    settings, part = source.check_settings({}), source.examples
    many = None
    if all(file.name in paths for file in source.files):
        many = sum(1 for _ in source.read(*(paths[file.name] for file in source.files), **settings))
    if part is not None and all(file.name in paths for file in part.files):
        settings |= {"seed": 0}
        own = {keyword: settings[keyword] for keyword in part.keywords}
        for _ in part.read(*(paths[file.name] for file in part.files), **own):
            pass
    return many


def _all_files(source: Dataset) -> tuple[File, ...]:
    return source.files + (source.examples.files if source.examples else ())


def _copies(source: Dataset, path: Path) -> list[tuple[File, Path]]:
    """Return the files to take, each with its place; a training file is optional, and enough."""
    worked = source.examples.files if source.examples else ()
    found = [(file, copy) for file in worked if (copy := data_files.find_by_name(file, path))]
    if found and path.is_file():
        return found
    alone = len(source.files) == 1
    return [(file, data_files.find_copy(file, path, alone=alone)) for file in source.files] + found


def _state(name: str, needed: tuple[File, ...]) -> FileState | Literal["built in"]:
    """Return the state of files of a dataset: that of the worst one."""
    states = {
        data_files.check_state(data_files.data_folder() / name / file.name, file) for file in needed
    }
    order: tuple[FileState, ...] = ("missing", "damaged", "other version", "ready")
    return next((state for state in order if state in states), "built in")


def _paths(name: str, needed: tuple[File, ...], *, of: str = "") -> list[Path]:
    """Return the paths of a dataset's files. Raises ``InputError`` if one is missing or damaged."""
    state, folder = _state(name, needed), data_files.data_folder() / name
    if state in {"missing", "damaged"}:
        raise InputError(
            f"dataset {name!r}: its {of}files are {state} in {folder}; download them with "
            f"'moot data fetch {name}', or take a local copy with 'moot data add {name} PATH'"
        )
    return [folder / file.name for file in needed]


def _check_whole(source: Dataset, what: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"dataset {source.name!r}: {what} is {value!r}, not a whole number")
    return value


def _check_enough(source: Dataset, n: int | None, there: int, settings: dict[str, Any]) -> None:
    """Raise ``InputError`` when more questions are wanted than there are."""
    if n is not None and n > there:
        chosen = "".join(f", {name} {value!r}" for name, value in settings.items())
        raise InputError(
            f"dataset {source.name!r}{chosen}: n is {n}, but it has only {there} questions"
        )
