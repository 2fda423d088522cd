"""Files from the Hugging Face hub: ``hf:OWNER/REPO/FILE.gguf[@REVISION]``."""

import asyncio
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import quote

from moot.core.errors import InputError

if TYPE_CHECKING:  # aiohttp imports slowly
    from aiohttp import ClientSession
    from yarl import URL

Tell = Callable[[int, int | None], None]

ENDPOINT = "https://huggingface.co"
_SOURCE = re.compile(
    r"hf:(?P<owner>[\w.-]+)/(?P<repo>[\w.-]+)/(?P<file>[\w./+ -]+\.gguf)(@(?P<revision>[\w./-]+))?",
    re.ASCII | re.IGNORECASE,
)
_ATTEMPTS = 5
_HOPS = 5


class Place(NamedTuple):
    """A file on the hub. ``revision`` is a branch, a tag or a commit."""

    owner: str
    repo: str
    file: str
    revision: str

    def url(self) -> "URL":
        """Its address, at ``HF_ENDPOINT`` or else at the public hub."""
        from yarl import URL

        base = os.environ.get("HF_ENDPOINT") or ENDPOINT
        path = (
            f"{self.owner}/{self.repo}/resolve/{quote(self.revision, safe='')}/{quote(self.file)}"
        )
        return URL(f"{base.rstrip('/')}/{path}", encoded=True)

    def under(self, directory: Path) -> Path:
        """Where it lies in a directory of files from the hub."""
        return directory / self.owner / self.repo / quote(self.revision, safe="") / self.file

    def __str__(self) -> str:
        return f"hf:{self.owner}/{self.repo}/{self.file}@{self.revision}"


class _CutError(Exception):
    """The connection broke before the file was whole."""


def parse(source: str) -> Place:
    """Take a source apart. Raises ``InputError`` if it is none."""
    match = _SOURCE.fullmatch(source)
    parts = re.split("[/@]", source.removeprefix("hf:"))
    if not match or any(part in {"", ".", ".."} for part in parts):
        raise InputError(
            f"weights {source!r}: write hf:OWNER/REPO/FILE.gguf or hf:OWNER/REPO/FILE.gguf@REVISION"
        )
    return Place(match["owner"], match["repo"], match["file"], match["revision"] or "main")


async def download(place: Place, target: Path, tell: Tell) -> None:
    """Put a file of the hub at ``target``: whole and checked against the hub's hash, or not at all.

    A broken download leaves a ``.part`` beside the target, from which the next one goes on. The
    environment variable ``HF_TOKEN`` is sent to the hub itself and to no host it redirects to.

    Args:
        place: the file.
        target: the file to make; its directory must exist.
        tell: is told how many bytes are there, and how many there will be.

    Raises:
        InputError: there is no such file, it may not be read, it cannot be had now, or it is not
            what the hub says it is.
    """
    import aiohttp

    heard = 0

    def told(done: int, total: int | None) -> None:
        nonlocal heard
        heard = done
        tell(done, total)

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
    async with aiohttp.ClientSession(timeout=timeout, trust_env=True) as session:
        failures = 0
        while failures < _ATTEMPTS:
            before = heard
            try:
                return await _receive(session, place, await _hash(session, place), target, told)
            except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
                reason = type(error).__name__
            except TimeoutError:
                reason = "timeout"
            except _CutError as error:
                reason = str(error)
            except OSError as error:
                raise InputError(f"weights {place}: {error.strerror or error}") from None
            failures = 1 if heard > before else failures + 1  # in a row, without a byte
            await asyncio.sleep(0.05 * 2**failures if failures < _ATTEMPTS else 0)
    raise InputError(
        f"weights {place}: the download broke off ({reason}); "
        "run it again to go on where it stopped"
    )


def _headers(**more: str) -> dict[str, str]:
    """The token, where there is one. aiohttp drops it when a redirect leaves the hub's address."""
    token = os.environ.get("HF_TOKEN")
    access = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Accept-Encoding": "identity", **access, **more}


async def _hash(session: "ClientSession", place: Place) -> str:
    """The SHA-256 that the hub states for a file.

    It stands in the hub's own answer, which redirects to the storage; the storage is not asked, for
    its signed addresses often allow nothing but GET.
    """
    url = place.url()
    for _ in range(_HOPS):
        async with session.head(url, headers=_headers(), allow_redirects=False) as answer:
            _accept(answer.status, place)
            stated = answer.headers.get("X-Linked-Etag", answer.headers.get("ETag", ""))
            sha256 = stated.removeprefix("W/").strip('"').lower()
            if re.fullmatch("[0-9a-f]{64}", sha256):
                return sha256
            moved = url.join(type(url)(answer.headers.get("Location", "")))
        if moved == url or moved.origin() != url.origin():
            break
        url = moved
    raise InputError(f"weights {place}: the hub states no SHA-256 to check the file against")


async def _receive(
    session: "ClientSession", place: Place, sha256: str, target: Path, tell: Tell
) -> None:
    """Get what is still missing, check the whole and move it to its place."""
    # Named after the hash: a part of another revision is never continued.
    path = target.with_name(f"{target.name}.{sha256[:12]}.part")
    with path.open("ab") as part:
        _lock(part, place)
        done = part.tell()
        asked = {"Range": f"bytes={done}-"} if done else {}
        async with session.get(place.url(), headers=_headers(**asked)) as answer:
            if answer.status != 416:  # else the part is already whole, or wrong
                _accept(answer.status, place)
                if answer.status != 206:
                    done = 0
                    part.truncate(0)
                total = done + answer.content_length if answer.content_length is not None else None
                async for block in answer.content.iter_chunked(1 << 20):
                    part.write(block)
                    done += len(block)
                    tell(done, total)
                if total is not None and done < total:
                    raise _CutError(f"{done} of {total} bytes")
        part.flush()
        found = await asyncio.to_thread(_digest, path)
    if found != sha256:
        path.unlink()
        raise InputError(
            f"weights {place}: the file received has SHA-256 {found}, the hub states {sha256}; "
            "it was deleted"
        )
    path.replace(target)


def _accept(status: int, place: Place) -> None:
    """Raise for an answer that has no file: ``_CutError`` for what may pass."""
    if status in {401, 403}:
        raise InputError(
            f"weights {place}: the hub refuses it ({status}): check the name; if the repository "
            "is private or asks to accept its licence, set HF_TOKEN to a token that may read it"
        )
    if status == 404:
        raise InputError(
            f"weights {place}: the hub has no such file (404); check name and revision"
        )
    if status == 429 or status >= 500:
        raise _CutError(f"HTTP {status}")
    if status >= 400:
        raise InputError(f"weights {place}: the hub answers HTTP {status}")


def _lock(part: BinaryIO, place: Place) -> None:
    """Hold a part for this process alone, until it is closed."""
    try:
        import fcntl
    except ImportError:  # Windows: there two at once end in a wrong hash, and the part is deleted
        return
    try:
        fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(f"weights {place}: another process is fetching this file now") from None


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
