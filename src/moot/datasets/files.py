"""Published files on this machine: where they lie, whether they are right, how they come here.

They lie in ``<home>/<dataset>/<file>``. A file counts only with its published checksum, or with
that of another version which the user took on purpose; it lies beside it in ``<file>.accepted``.
"""

import gzip
import os
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Literal

from moot.core.errors import InputError, MootError, StoreError
from moot.core.files import at_home, write_file
from moot.datasets.dataset import File, Progress

State = Literal["ready", "other version", "damaged", "missing"]


def home() -> Path:
    """The folder of all data: ``MOOT_DATA``, else ``data`` in the user's data folder for moot."""
    if given := os.environ.get("MOOT_DATA"):
        return at_home(given, "MOOT_DATA")
    from platformdirs import user_data_path

    return user_data_path("moot", appauthor=False) / "data"


def state(path: Path, file: File) -> State:
    """Whether ``path`` holds the published file. Raises ``StoreError`` when it cannot be read."""
    try:
        got = sha256(path.read_bytes()).hexdigest()
        if got == file.sha256:
            return "ready"
        return "other version" if _accepted(path).read_bytes() == got.encode() else "damaged"
    except FileNotFoundError:
        return "damaged" if path.exists() else "missing"
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None


def published(file: File, data: bytes) -> bool:
    """Whether these are the bytes that were published."""
    return sha256(data).hexdigest() == file.sha256


def keep(path: Path, file: File, data: bytes) -> bool:
    """Store a file under ``path``. Returns whether it is the published version."""
    got = sha256(data).hexdigest()
    if got != file.sha256:
        _write(_accepted(path), got.encode())
    _write(path, data)
    return got == file.sha256


def find(file: File, path: Path, *, alone: bool) -> Path:
    """Where the user's copy of a file is: ``path`` itself, or in the folder ``path``.

    Args:
        file: what is looked for, under its published name, plain or with ``.gz``.
        path: as the user gave it.
        alone: the dataset has no other file, so that ``path`` may bear any name.

    Raises:
        InputError: when it is not there.
    """
    copy = path if alone and path.is_file() else there(file, path)
    if copy is None:
        raise InputError(f"{path} neither is nor contains a file {file.name} or {file.name}.gz")
    return copy


def there(file: File, path: Path) -> Path | None:
    """Where a file is by its published name: ``path`` itself or in that folder; None if nowhere."""
    names = (file.name, f"{file.name}.gz")
    candidates = [path] if path.name in names else [path / name for name in names]
    return next((each for each in candidates if each.is_file()), None)


def unpacked(path: Path) -> bytes:
    """The bytes of a user's file, out of its ``.gz``. Raises ``InputError`` if unreadable."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


async def download(file: File, progress: Progress) -> bytes:
    """The bytes of a file from its address. Raises ``MootError`` if they are not the published."""
    import aiohttp

    data = bytearray()
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
    try:
        async with (
            # Nothing is unpacked: what is counted is what was published.
            aiohttp.ClientSession(
                trust_env=True, timeout=timeout, auto_decompress=False
            ) as session,
            session.get(file.url, headers={"Accept-Encoding": "identity"}) as response,
        ):
            if response.status != 200:
                raise MootError(f"{file.url} answered {response.status}")
            async for chunk in response.content.iter_chunked(1 << 16):
                data += chunk
                progress(file.name, len(data), file.bytes)
                if len(data) > file.bytes:
                    break  # another file: no need to have all of it
    except (aiohttp.ClientError, TimeoutError) as error:
        reason = str(error) or "no answer in time"
        raise MootError(f"{file.url} could not be downloaded: {reason}") from None
    if (got := sha256(data).hexdigest()) != file.sha256:
        raise MootError(
            f"{file.url} is not the file that was published: {len(data)} bytes with SHA-256 {got}, "
            f"not {file.bytes} bytes with {file.sha256}"
        )
    return bytes(data)


def _accepted(path: Path) -> Path:
    return path.with_name(path.name + ".accepted")


def _write(path: Path, data: bytes) -> None:
    try:
        write_file(path, data)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None
