"""A client of the files and batches API of one endpoint."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from moot.core.encoding import drop_mark
from moot.core.errors import NOT_JSON, AccessError, ModelError, RefusedError, TransientError
from moot.models import refusals
from moot.models.transport import CONNECT

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

WINDOW = "24h"
KEY = "moot"
"""The name under which a batch's metadata has moot's own key for it."""
ENDED = frozenset({"completed", "expired", "cancelled", "failed"})
_PAGE = 100
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
_SECONDS = 600.0
_SOON = 5.0
"""Seconds for a list that only an error is to name."""
_PIECE = 1 << 18


class BatchFault(msgspec.Struct, frozen=True):
    """What is wrong with a file of requests.

    Attributes:
        code: the code of the error.
        message: the error in words.
        line: the line of the file, from 1; None for the whole file.
    """

    code: str | None = None
    message: str | None = None
    line: int | None = None


class _Faults(msgspec.Struct, frozen=True):
    data: tuple[BatchFault, ...] | None = None


class BatchState(msgspec.Struct, frozen=True):
    """A batch as the endpoint shows it.

    Attributes:
        id: its id there.
        status: ``validating``, ``in_progress``, ``finalizing``, ``cancelling``, or how it ended:
            ``completed``, ``expired``, ``cancelled``, ``failed``.
        output_file_id: the file with the replies; None without any.
        error_file_id: the file with the lines that failed; None without any.
        errors: why its file was not accepted.
        request_counts: the lines: ``total``, ``completed``, ``failed``.
        metadata: what was given when it was created.
    """

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    errors: _Faults | None = None
    request_counts: dict[str, int] | None = None
    metadata: dict[str, Any] | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it will not change any more."""
        return self.status in ENDED

    @property
    def may_be_cancelled(self) -> bool:
        """Whether it goes on unless it is cancelled."""
        return not self.has_ended and self.status != "cancelling"

    @property
    def faults(self) -> tuple[BatchFault, ...]:
        """What is wrong with its file."""
        return (self.errors and self.errors.data) or ()

    def describe_faults(self, most: int) -> str:
        """Return in words what is wrong with its file: so many faults at most."""
        words = [
            f"line {each.line}: {each.message}" if each.line else f"{each.message}"
            for each in self.faults[:most]
        ]
        return "; ".join(words) or "no reason is given"

    @property
    def progress(self) -> str:
        """How far it is, in words: ``in_progress, 120 of 1,000 answered, 2 failed``."""
        counts = self.request_counts or {}
        done, total, failed = (counts.get(name) or 0 for name in ("completed", "total", "failed"))
        parts = [self.status]
        parts += [f"{done:,} of {total:,} answered"] * bool(total)
        parts += [f"{failed:,} failed"] * bool(failed)
        return ", ".join(parts)


class _Uploaded(msgspec.Struct):
    id: str


class _Listed(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: tuple[_Listed, ...] = ()


class _Page(msgspec.Struct):
    data: tuple[BatchState, ...] = ()
    has_more: bool = False


class BatchClient:
    """A client of the files and batches API.

    Requests that fail and may pass are made again a few times. An upload that was made twice
    leaves a file that nothing uses; a batch is never created twice, see ``create``.

    Args:
        name: the name of the model, for errors.
        base: the address, as of a model: ``https://…/v1``.
        headers: with the key.
        variable: the environment variable with the key, for errors.
        proxy: the address of a proxy, or None.
    """

    def __init__(
        self,
        name: str,
        base: str,
        headers: Mapping[str, str],
        *,
        variable: str = "",
        proxy: str | None = None,
    ) -> None:
        self._name, self._base, self._headers = name, base, headers
        self._variable, self._proxy = variable, proxy
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        import aiohttp

        self._session = aiohttp.ClientSession(
            headers=self._headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=_SECONDS, sock_connect=CONNECT),
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._session is not None
        await self._session.close()

    async def find_lack(self) -> str:
        """Return why the endpoint takes no batches, in words; an empty text where it does.

        Raises:
            AccessError: it does not accept the key.
            TransientError: it cannot be asked now.
        """
        try:
            await self._read("/batches", _Page, params={"limit": "1"})
        except (AccessError, TransientError):
            raise
        except ModelError as error:
            status = getattr(error, "status", None)
            return f"no batches API at {self._base}" + (f" ({status})" if status else "")
        return ""

    async def list_models(self) -> list[str]:
        """Return the names of the endpoint's models; none where it does not list them."""
        try:
            async with asyncio.timeout(_SOON):
                return [each.id for each in (await self._read_once("/models", _Models)).data]
        except (ModelError, TimeoutError):
            return []

    async def upload(self, file: Path) -> str:
        """Upload a file of requests; return its id."""
        import aiohttp

        async def attempt() -> bytes:
            form = aiohttp.FormData({"purpose": "batch"})
            with file.open("rb") as content:
                form.add_field("file", content, filename=file.name)
                return await self._ask("POST", "/files", data=form)

        return self._decode(await _persist(attempt), _Uploaded).id

    async def create(self, file: str, url: str, key: str) -> BatchState:
        """Create a batch of an uploaded file.

        Where a response is lost, the batch may have been created: it is looked for by its key
        before another is created.

        Args:
            file: the file's id.
            url: the path of its requests.
            key: moot's own key for the batch.
        """
        given = {
            "input_file_id": file,
            "endpoint": url,
            "completion_window": WINDOW,
            "metadata": {KEY: key},
        }

        async def attempt() -> bytes:
            try:
                return await self._ask("POST", "/batches", json=given)
            except TransientError:
                if (made := await self.find(key)) is not None:
                    return msgspec.json.encode(made)
                raise

        return self._decode(await _persist(attempt), BatchState)

    async def retrieve(self, batch: str) -> BatchState:
        """Return the state of a batch."""
        return await self._read(f"/batches/{batch}", BatchState)

    async def cancel(self, batch: str) -> BatchState:
        """Cancel a batch, unless it has ended; what was answered is kept, and paid for."""

        async def attempt() -> bytes:
            try:
                return await self._ask("POST", f"/batches/{batch}/cancel")
            except (RefusedError, TransientError) as error:
                if error.status not in {400, 409}:
                    raise
                return await self._ask("GET", f"/batches/{batch}")  # it may have ended meanwhile

        return self._decode(await _persist(attempt), BatchState)

    async def find(self, key: str) -> BatchState | None:
        """Return the batch that was created with a key of moot's; None where there is none."""
        after: dict[str, str] = {}
        while True:
            query = {"limit": str(_PAGE), **after}
            page = await self._read("/batches", _Page, params=query)
            for each in page.data:
                if (each.metadata or {}).get(KEY) == key:
                    return each
            if not page.has_more or not page.data:
                return None
            after = {"after": page.data[-1].id}

    async def download(self, file: str, to: Path) -> None:
        """Write the content of a file to a path."""

        async def attempt() -> bytes:
            async with self._open("GET", f"/files/{file}/content") as response:
                with to.open("wb") as out:
                    async for piece in response.content.iter_chunked(_PIECE):
                        out.write(piece)
            return b""

        await _persist(attempt)

    async def _read(self, path: str, form: type[T], **more: Any) -> T:  # noqa: ANN401 -- aiohttp's
        return self._decode(await _persist(lambda: self._ask("GET", path, **more)), form)

    async def _read_once(self, path: str, form: type[T]) -> T:
        return self._decode(await self._ask("GET", path), form)

    async def _ask(self, method: str, path: str, **more: Any) -> bytes:  # noqa: ANN401 -- aiohttp's
        async with self._open(method, path, **more) as response:
            return await response.read()

    @asynccontextmanager
    async def _open(
        self,
        method: str,
        path: str,
        **more: Any,  # noqa: ANN401 -- aiohttp's
    ) -> "AsyncIterator[aiohttp.ClientResponse]":
        """Open a response. Raises ``ModelError`` for a refusal and for a connection that fails."""
        import aiohttp

        assert self._session is not None
        try:
            async with self._session.request(
                method, self._base + path, proxy=self._proxy, allow_redirects=False, **more
            ) as response:
                if response.status >= 300:
                    body = await response.read()
                    raise self._explain(response.status, body, response.headers)
                yield response
                return
        except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
            what = type(error).__name__
        # Raised here, not above: aiohttp's errors carry the request and with it the key.
        raise TransientError(f"{self._name}: {method} {path}: {what}")

    def _explain(self, status: int, body: bytes, headers: Mapping[str, str]) -> ModelError:
        refusal = refusals.parse_refusal(status, body)
        return refusals.error_of(self._name, refusal, headers, self._variable, time.time())

    def _decode(self, body: bytes, form: type[T]) -> T:
        try:
            return msgspec.json.decode(drop_mark(body), type=form)
        except NOT_JSON as error:
            shown = json.dumps(body[:80].decode("utf-8", "replace"))
            raise ModelError(
                f"{self._name}: no answer of a batches API: {error}: {shown}"
            ) from None


async def _persist(attempt: Callable[[], Awaitable[bytes]]) -> bytes:
    """Make an attempt, and again after a while where it fails and may pass."""
    for pause in _PAUSES:
        try:
            return await attempt()
        except TransientError as error:
            await asyncio.sleep(error.retry_after or pause)
    return await attempt()
