"""Published files on this machine: where they are, whether they are right, and downloads.

A file is at ``<home>/<dataset>/<file>``. It counts only with its published checksum, or with that
of another version which the user took on purpose; that checksum is in ``<file>.accepted``.
"""

import gzip
import os
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Literal

from moot.core.errors import InputError, MootError, StoreError
from moot.core.files import expand_home, write_file
from moot.datasets.dataset import DownloadProgress, File

FileState = Literal["ready", "other version", "damaged", "missing"]
LARGEST = 64 << 20
"""The most bytes that are downloaded of a file whose size is not stated."""


def data_folder() -> Path:
    """Return the folder of all data: ``MOOT_DATA``, else ``data`` in moot's user data folder."""
    if given := os.environ.get("MOOT_DATA"):
        return expand_home(given, "MOOT_DATA")
    from platformdirs import user_data_path

    return user_data_path("moot", appauthor=False) / "data"


def check_state(path: Path, file: File) -> FileState:
    """Return whether the file at ``path`` is the published one, or another, damaged or missing.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        got = sha256(path.read_bytes()).hexdigest()
        if got == file.sha256:
            return "ready"
        return "other version" if _note_path(path).read_bytes() == got.encode() else "damaged"
    except FileNotFoundError:
        return "damaged" if path.exists() else "missing"
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def is_published(file: File, data: bytes) -> bool:
    """Whether these are the bytes that were published."""
    return sha256(data).hexdigest() == file.sha256


def store_file(path: Path, file: File, data: bytes) -> bool:
    """Store a file under ``path``. Returns whether it is the published version."""
    got = sha256(data).hexdigest()
    if got != file.sha256:
        _write(_note_path(path), got.encode())
    _write(path, data)
    return got == file.sha256


def find_copy(file: File, path: Path, *, alone: bool) -> Path:
    """Return the path of the user's copy of a file: ``path`` itself, or a file in that folder.

    Args:
        file: the file to find, under its published name, plain or with ``.gz``.
        path: as the user gave it.
        alone: whether the dataset has no other file, so that ``path`` may have any name.

    Raises:
        InputError: the file is not there.
    """
    copy = path if alone and path.is_file() else find_by_name(file, path)
    if copy is None:
        raise InputError(f"{path} neither is nor contains a file {file.name} or {file.name}.gz")
    return copy


def find_by_name(file: File, path: Path) -> Path | None:
    """Return the path of a file with its published name: ``path``, or in that folder; or None."""
    names = (file.name, f"{file.name}.gz")
    candidates = [path] if path.name in names else [path / name for name in names]
    return next((each for each in candidates if each.is_file()), None)


def read_unpacked(path: Path) -> bytes:
    """Return the bytes of a user's file, unpacked if its name ends in ``.gz``.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


async def download(file: File, progress: DownloadProgress) -> bytes:
    """Download a file. Raises ``MootError`` if that fails or the bytes are not the published."""
    import aiohttp

    data = bytearray()
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
    try:
        async with (
            # Nothing is unpacked: the published bytes are counted.
            aiohttp.ClientSession(
                trust_env=True, timeout=timeout, auto_decompress=False
            ) as session,
            session.get(file.url, headers={"Accept-Encoding": "identity"}) as response,
        ):
            if response.status != 200:
                raise MootError(f"{file.url} answered {response.status}")
            async for chunk in response.content.iter_chunked(1 << 16):
                data += chunk
                progress(file.name, len(data), file.bytes or None)
                if len(data) > (file.bytes or LARGEST):
                    break  # another file: the rest is not needed
    except (aiohttp.ClientError, TimeoutError) as error:
        reason = str(error) or "no answer in time"
        raise MootError(f"{file.url} could not be downloaded: {reason}") from None
    if (got := sha256(data).hexdigest()) != file.sha256:
        raise MootError(
            f"{file.url} is not the file that was published: {len(data)} bytes with SHA-256 {got}, "
            f"not {file.described}"
        )
    return bytes(data)


def _note_path(path: Path) -> Path:
    return path.with_name(path.name + ".accepted")


def _write(path: Path, data: bytes) -> None:
    try:
        write_file(path, data)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
