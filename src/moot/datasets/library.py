"""The library: which datasets there are, how their files come here, and their questions."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from sys import maxsize
from typing import Any, Literal

import msgspec

from moot.core.errors import InputError, MootError
from moot.core.questions import Example, Question
from moot.datasets import files
from moot.datasets.dataset import Dataset, File, Progress, registry
from moot.datasets.files import State
from moot.datasets.ids import Ids

DRAWN = 50
"""How many questions a dataset that draws them gives when nobody says how many."""

EXAMPLES = 100
"""How many examples a training part that draws them gives, if it has as many."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of ``moot data list``.

    Attributes:
        rows: how many questions there are; None when they are drawn from a seed, or the user's.
        state: whether its files are here; ``built in`` when it needs none, ``by name`` when its
            parameters name the file to be fetched.
        training: the same of its training part's; ``none`` when it has no such part.
        origin: the addresses of its files; empty when it needs none.
        path: the folder its files are in, or will be; None when it needs none.
        needs: the extra of moot that has to be installed first; empty where none has to.
        parameters: by name, each a JSON schema with its default.
    """

    name: str
    summary: str
    kinds: tuple[str, ...]
    rows: int | None
    state: State | Literal["built in", "by name"]
    training: State | Literal["built in", "none"]
    licence: str
    paper: str
    origin: tuple[str, ...]
    path: str | None
    needs: str
    parameters: dict[str, dict[str, Any]]


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One file in the library; ``published`` is False for another version, taken by force."""

    path: Path
    published: bool


def entries() -> list[Entry]:
    """Every registered dataset and whether its files are here, sorted by name."""
    return [
        Entry(
            name=source.name,
            summary=source.summary,
            kinds=source.kinds,
            rows=source.rows,
            state="by name" if source.obtain else _state(source.name, source.files),
            training=_state(source.name, source.examples.files) if source.examples else "none",
            licence=source.licence,
            paper=source.paper,
            origin=tuple(file.url for file in _all_files(source) if file.url),
            path=str(files.home() / source.name) if _all_files(source) else None,
            needs="" if source.is_installed else f"moot[{source.needs}]",
            parameters=source.parameters,
        )
        for source in registry
    ]


def questions(
    name: str,
    /,
    *,
    n: int | None = None,
    seed: int = 0,
    folder: Path | None = None,
    **parameters: object,
) -> list[Question]:
    """The questions of a dataset, all or a sample; parameters and errors as of ``stream``."""
    return list(stream(name, n=n, seed=seed, folder=folder, **parameters))


def stream(
    name: str,
    /,
    *,
    n: int | None = None,
    seed: int = 0,
    folder: Path | None = None,
    **parameters: object,
) -> Iterator[Question]:
    """The questions of a dataset, all or a sample, one by one: a million take no memory here.

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
    settings = source.settings(parameters)
    _whole(source, "seed", seed)
    if n is not None and _whole(source, "n", n) < 1:
        raise InputError(f"dataset {name!r}: n is {n}; it must be 1 or more")
    ids = Ids()
    if source.drawn:
        draws = source.read(seed=seed, **settings)
        yield from _noted(islice(draws, DRAWN if n is None else n), ids)
        _enough(source, n, len(ids), settings)
        return
    settings |= {"folder": folder or Path()} if source.local else {}
    paths = _paths(name, source.files)
    found = _noted(source.read(*paths, **settings), ids)
    if n is None:
        yield from found
    else:
        found = iter(nsmallest(n, found, key=lambda question: _rank(seed, question.id)))
        _enough(source, n, len(ids), settings)
    # Where two may have one id, all is read once more.
    if ids.twice() and len({each.id for each in source.read(*paths, **settings)}) < len(ids):
        raise InputError(f"dataset {name!r}: two of its questions have one id")
    yield from found  # the sample; without one nothing is left


def _noted(questions: Iterable[Question], ids: Ids) -> Iterator[Question]:
    """The same questions; the hashes of their ids are noted as they come by."""
    for question in questions:
        ids.add(question.id)
        yield question


def peek(name: str, limit: int = 5, /, **parameters: object) -> list[Question]:
    """The first questions in their own order, at most ``limit``; errors as of ``questions``."""
    source = registry.get(name)
    source.check_installed()
    settings = source.settings(parameters)
    settings |= {"seed": 0} if source.drawn else {}
    settings |= {"folder": Path()} if source.local else {}
    paths = _paths(name, source.files)
    return list(islice(source.read(*paths, **settings), max(min(limit, maxsize), 0)))


def training(name: str, /, *, seed: int = 0, **parameters: object) -> list[Example]:
    """The worked examples of a dataset's training part: all, or the first 100 where drawn.

    Args:
        name: of the dataset, as registered.
        seed: of the draw; a fixed list does not heed it.
        parameters: the dataset's own.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: for a dataset without a training part, an impossible value, a missing file or
            library, or a damaged row.
    """
    source = registry.get(name)
    source.check_installed()
    settings = source.settings(parameters) | {"seed": _whole(source, "seed", seed)}
    part = source.examples
    if part is None:
        raise InputError(f"dataset {name!r} has no training part: give examples = FILE")
    paths = _paths(name, part.files, of="training part's ")
    found = part.read(*paths, **{keyword: settings[keyword] for keyword in part.keywords})
    return list(islice(found, EXAMPLES if part.drawn else None))


async def fetch(name: str, progress: Progress | None = None, /, **parameters: object) -> list[Kept]:
    """Download the files of a dataset, its training part's too, that are not here, and verify them.

    Args:
        name: as registered.
        progress: told whenever bytes have arrived.
        parameters: the dataset's own, where they name the file.

    Raises:
        UnknownName: for an unknown dataset or parameter.
        InputError: for an impossible value, or a file that nobody publishes or that is refused.
        MootError: when a download fails or is not what was published; it is not kept then.
        StoreError: when a file cannot be written.
    """
    source = registry.get(name)
    settings = source.settings(parameters)
    tell = progress or (lambda *_: None)
    if source.obtain:
        return [Kept(path=await source.obtain(settings, tell), published=True)]
    kept = []
    for file in _all_files(source):
        path = files.home() / name / file.name
        if files.state(path, file) != "ready":
            copy = f"take a local copy with 'moot data add {name} PATH'"
            if not file.url:
                raise InputError(f"dataset {name!r}: {file.name} has no address; {copy}")
            try:
                data = await files.download(file, tell)
            except MootError as error:
                raise MootError(f"dataset {name!r}: {error}; try again later, or {copy}") from None
            files.keep(path, file, data)
        kept.append(Kept(path=path, published=True))
    return kept


def add(name: str, path: Path, *, force: bool = False) -> list[Kept]:
    """Take local copies of a dataset's files into the library.

    Args:
        name: as registered.
        path: the file, or a folder with the files under their published names; plain or ``.gz``.
            A training file is taken where its published name is found.
        force: take another version than the one whose checksum is known.

    Raises:
        InputError: when a file is not there, or is another version and ``force`` is not set.
        StoreError: when a copy cannot be written.
    """
    source = registry.get(name)
    if source.obtain:
        raise InputError(f"dataset {name!r} is fetched; a file you have is read by dataset 'file'")
    if not _all_files(source):
        raise InputError(f"dataset {name!r} is built in: it needs no files")
    kept = []
    for file, copy in _copies(source, path):
        data = files.unpacked(copy)
        if not force and not files.published(file, data):
            raise InputError(
                f"{copy} is not the published {file.name} of dataset {name!r}: it has {len(data)} "
                f"bytes, that one {file.bytes} and SHA-256 {file.sha256}; "
                "--force takes it all the same"
            )
        place = files.home() / name / file.name
        kept.append(Kept(path=place, published=files.keep(place, file, data)))
    return kept


def _all_files(source: Dataset) -> tuple[File, ...]:
    return source.files + (source.examples.files if source.examples else ())


def _copies(source: Dataset, path: Path) -> list[tuple[File, Path]]:
    """Which files to take from where. A training file alone will do, and none of them has to be."""
    worked = source.examples.files if source.examples else ()
    found = [(file, copy) for file in worked if (copy := files.there(file, path))]
    if found and path.is_file():
        return found
    alone = len(source.files) == 1
    return [(file, files.find(file, path, alone=alone)) for file in source.files] + found


def _state(name: str, needed: tuple[File, ...]) -> State | Literal["built in"]:
    """Whether files of a dataset are here; the worst of them counts."""
    states = {files.state(files.home() / name / file.name, file) for file in needed}
    order: tuple[State, ...] = ("missing", "damaged", "other version", "ready")
    return next((state for state in order if state in states), "built in")


def _paths(name: str, needed: tuple[File, ...], *, of: str = "") -> list[Path]:
    """Where files of a dataset are; if they are not, an error that says how to get them."""
    state, folder = _state(name, needed), files.home() / name
    if state in {"missing", "damaged"}:
        raise InputError(
            f"dataset {name!r}: its {of}files are {state} in {folder}; download them with "
            f"'moot data fetch {name}', or take a local copy with 'moot data add {name} PATH'"
        )
    return [folder / file.name for file in needed]


def _whole(source: Dataset, what: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"dataset {source.name!r}: {what} is {value!r}, not a whole number")
    return value


def _enough(source: Dataset, n: int | None, there: int, settings: dict[str, Any]) -> None:
    """Raise ``InputError`` when more questions are wanted than there are."""
    if n is not None and n > there:
        chosen = "".join(f", {name} {value!r}" for name, value in settings.items())
        raise InputError(
            f"dataset {source.name!r}{chosen}: n is {n}, but it has only {there} questions"
        )


def _rank(seed: int, question: str) -> bytes:
    return blake2b(f"{seed}/{question}".encode(), digest_size=16).digest()
