"""Files from the Hugging Face hub: whole and checked against the hub's own hash, or not at all."""

import asyncio
import hashlib
import os
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

import msgspec

from moot.core.errors import InputError
from moot.hub.hub_file import HubFile

if TYPE_CHECKING:  # aiohttp imports slowly
    from aiohttp import ClientResponse, ClientSession

T = TypeVar("T")
Tell = Callable[[int, int | None], None]
"""Called with the bytes received and all bytes (None if unknown)."""

_ATTEMPTS = 5
_PAUSE = 0.1
"""Seconds before the second attempt; each further pause is twice as long."""
_HOPS = 5
_UNSTATED = 1 << 30
"""Bytes that are taken of a file whose length is not stated (1 GB): it may have no end."""
_SHA256, _GIT = re.compile("[0-9a-f]{64}"), re.compile("[0-9a-f]{40}")
_REASONS = {
    "GatedRepo": "its owner asks that its terms are accepted: do so on the repository's page, and "
    "set HF_TOKEN to a token of that account",
    "RepoNotFound": "no such repository, or a private one: then set HF_TOKEN to a token that may "
    "read it",
    "RevisionNotFound": "no such revision in this repository",
    "EntryNotFound": "no such file at this revision",
}
"""What the hub's header ``X-Error-Code`` means, for error texts."""


class HubStatement(msgspec.Struct, frozen=True):
    """The hub's statement about a file.

    Attributes:
        digest: the SHA-256 of the file (64 hexadecimal digits) if it is in the hub's large
            storage, else the SHA-1 that git gives its content (40 digits).
        commit: the commit that its revision is now; empty if the endpoint does not say it.
    """

    digest: str
    commit: str = ""

    def fits(self, path: Path) -> bool:
        """Whether a file is the one of the statement."""
        return path.is_file() and _digest(path, self.digest) == self.digest


class _CutError(Exception):
    """A failure that may pass, such as a connection that broke too early."""


async def ask_hub(place: HubFile) -> HubStatement:
    """Ask the hub for its statement about a file: its hash, and the commit that its revision is.

    Raises:
        InputError: there is no such file, access is denied, or the hub cannot be reached.
    """
    return await _persist(place, lambda session, _: _ask_once(session, place))


async def download_from_hub(
    place: HubFile, target: Path, tell: Tell, stated: HubStatement | None = None
) -> None:
    """Download a file of the hub to ``target``: complete and checked by its hash, or not at all.

    A broken download leaves a ``.part`` beside the target; the next one continues it. The
    environment variable ``HF_TOKEN`` is sent to the hub itself and to no host it redirects to.

    Args:
        place: the file.
        target: the file to make; its directory must exist.
        tell: is called with the bytes received and all bytes, or None.
        stated: the hub's statement about it; None to ask the hub.

    Raises:
        InputError: there is no such file, access is denied, the download fails, or the file is
            not the one that the hub states.
    """

    async def attempt(session: "ClientSession", note: Tell) -> None:
        digest = (stated or await _ask_once(session, place)).digest
        await _receive(session, place, digest, target, note)

    await _persist(place, attempt, tell)


async def _persist(
    place: HubFile,
    attempt: Callable[["ClientSession", Tell], Awaitable[T]],
    tell: Tell = lambda _done, _total: None,
) -> T:
    """Repeat an attempt until it succeeds, or fails too often in a row without a new byte."""
    import aiohttp

    heard = 0

    def note(done: int, total: int | None) -> None:
        nonlocal heard
        heard = done
        tell(done, total)

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
    # Nothing is unpacked: a part that is gone on with counts the bytes of the file itself.
    async with aiohttp.ClientSession(
        timeout=timeout, trust_env=True, auto_decompress=False
    ) as session:
        failures = 0
        while failures < _ATTEMPTS:
            before = heard
            try:
                return await attempt(session, note)
            except TimeoutError:
                reason = "timeout"
            except _CutError as error:
                reason = str(error)
            except aiohttp.ClientError as error:  # its text may hold a signed address
                reason = type(error).__name__
            except OSError as error:
                raise InputError(f"{place}: {error.strerror or error}") from None
            failures = 1 if heard > before else failures + 1
            await asyncio.sleep(_PAUSE * 2 ** (failures - 1) if failures < _ATTEMPTS else 0)
    if heard:
        said = f"the download broke off ({reason}); run it again to go on where it stopped"
    else:
        said = f"the hub cannot be reached ({reason}); run it again later"
    raise InputError(f"{place}: {said}")


def _headers(**more: str) -> dict[str, str]:
    """Return headers with the token, if any. aiohttp drops it when a redirect leaves the hub."""
    token = os.environ.get("HF_TOKEN", "").strip()
    access = {"Authorization": f"Bearer {token}"} if token else {}
    return {"Accept-Encoding": "identity", **access, **more}


async def _ask_once(session: "ClientSession", place: HubFile) -> HubStatement:
    """Return the statement in the hub's own answer.

    That answer redirects to the storage, which is not asked: its signed addresses often allow only
    GET.
    """
    url = place.url()
    for _ in range(_HOPS):
        async with session.head(url, headers=_headers(), allow_redirects=False) as answer:
            _accept(answer, place)
            headers = answer.headers
            stated = headers.get("X-Linked-Etag", headers.get("ETag", ""))
            digest = stated.removeprefix("W/").strip('"').lower()
            commit = headers.get("X-Repo-Commit", "").lower()
            if _SHA256.fullmatch(digest) or _GIT.fullmatch(digest):
                return HubStatement(digest, commit if _GIT.fullmatch(commit) else "")
            try:
                moved = url.join(type(url)(headers.get("Location", "")))
                elsewhere = moved == url or moved.origin() != url.origin()
            except ValueError:  # no address, or one without a host, such as file:///
                break
        if elsewhere:
            break
        url = moved
    raise InputError(f"{place}: the hub states no hash to check the file against")


async def _receive(
    session: "ClientSession", place: HubFile, digest: str, target: Path, tell: Tell
) -> None:
    """Download the missing bytes, check the file and move it to its place."""
    # Named after the hash: a part of another revision is never continued.
    path = target.with_name(f"{target.name}.{digest[:12]}.part")
    with path.open("ab") as part:
        _lock(part, place)
        done = part.tell()
        asked = {"Range": f"bytes={done}-"} if done else {}
        async with session.get(place.url(), headers=_headers(**asked)) as answer:
            if answer.status != 416:  # else the part is already whole, or wrong
                _accept(answer, place)
                if (packed := answer.headers.get("Content-Encoding", "identity")) != "identity":
                    raise InputError(f"{place}: the hub sends it packed, as {packed[:20]!r}")
                if answer.status != 206:
                    done = 0
                    part.truncate(0)
                total = done + answer.content_length if answer.content_length is not None else None
                async for block in answer.content.iter_chunked(1 << 20):
                    part.write(block)
                    done += len(block)
                    tell(done, total)
                    if total is None and done > _UNSTATED:
                        raise InputError(
                            f"{place}: the hub does not state its length, and it has more than "
                            f"{_UNSTATED:,} bytes"
                        )
                if total is not None and done < total:
                    raise _CutError(f"{done} of {total} bytes")
        part.flush()
        found = await asyncio.to_thread(_digest, path, digest)
    if found != digest:
        path.unlink()
        kind = "SHA-256" if len(digest) == 64 else "git SHA-1"
        raise InputError(
            f"{place}: the file received has {kind} {found}, the hub states {digest}; "
            "it was deleted"
        )
    path.replace(target)


def _accept(answer: "ClientResponse", place: HubFile) -> None:
    """Raise for an answer without a file: ``_CutError`` if that may pass."""
    status = answer.status
    if status < 400:
        return
    if answer.url.origin() != place.url().origin():
        raise _CutError(f"the hub's storage answers HTTP {status}")  # signed addresses expire
    if status == 429 or status >= 500:
        raise _CutError(f"HTTP {status}")
    said = _REASONS.get(answer.headers.get("X-Error-Code", ""))
    if said is None and status in {401, 403}:
        said = (
            "check the name; if the repository is private or asks to accept its licence, set "
            "HF_TOKEN to a token that may read it"
        )
    elif said is None and status == 404:
        said = "no such file; check name and revision"
    raise InputError(f"{place}: the hub refuses it (HTTP {status})" + (f": {said}" if said else ""))


def _lock(part: BinaryIO, place: HubFile) -> None:
    """Lock a part for this process, until it is closed."""
    try:
        import fcntl
    except ImportError:  # Windows: there two at once end in a wrong hash, and the part is deleted
        return
    try:
        fcntl.flock(part, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise InputError(f"{place}: another process is fetching this file now") from None


def _digest(path: Path, like: str) -> str:
    """Return the hash of a file, of the kind of ``like``."""
    with path.open("rb") as stream:
        if len(like) == 64:
            return hashlib.file_digest(stream, "sha256").hexdigest()
        # git hashes a content behind its kind and length; no secret hangs on it
        sha1 = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
        while block := stream.read(1 << 20):
            sha1.update(block)
        return sha1.hexdigest()
