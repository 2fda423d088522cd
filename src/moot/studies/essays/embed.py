"""Embeddings of essays and their points: the embedded model, or an endpoint that the user names.

The paper's own is ``openai/text-embedding-3-small`` ("Debate-to-Write", appendix B.1).
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import msgspec

from moot.core.calls import Reply
from moot.core.errors import AccessError, InputError, ModelError, RefusedError, TransientError
from moot.core.texts import clean
from moot.models import failures
from moot.models.http import HttpModel
from moot.models.names import ModelName, parse
from moot.models.providers import PROVIDERS, Provider
from moot.models.settings import Settings, settings, split
from moot.models.transport import Aiohttp
from moot.runtime.limiter import Limiter
from moot.runtime.retry import Retry
from moot.studies.essays.vectors import encode, read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

EMBEDDED = "embedded"
"""The name of the model that moot runs itself; see ``moot.models.embedding``."""
BATCH = 64
"""Texts that are sent together."""
_LETTERS_A_TOKEN = 4


class Used(msgspec.Struct, kw_only=True):
    """What embeddings took so far.

    Attributes:
        texts: embedded, equal ones of one request for embeddings once.
        calls: answered requests.
        retries: attempts that failed and were made again.
        tokens: read by the model; None where an endpoint did not tell.
        cost: in US dollars; None where the price or the tokens are unknown.
    """

    texts: int = 0
    calls: int = 0
    retries: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0

    def add(self, tokens: int | None, cost: float | None) -> None:
        """Count an answered request."""
        self.calls += 1
        self.tokens = None if self.tokens is None or tokens is None else self.tokens + tokens
        self.cost = None if self.cost is None or cost is None else self.cost + cost


class Embedder(Protocol):
    """What gives a row for each text.

    Attributes:
        name: of the model, to be printed beside every figure that comes of it.
        used: what it took so far.
    """

    name: str
    used: Used

    async def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Embed any number of texts, in order: texts x dimensions; a text without words is 0."""
        ...


def embedder(name: str) -> Embedder:
    """The embedder of a name.

    Args:
        name: ``embedded``; or, of an endpoint in OpenAI's format, ``provider/MODEL`` or
            ``http(s)://host/v1/MODEL``, with the options that models' names have.

    Raises:
        InputError: the name is none, or a key would go where it does not belong.
    """
    if name == EMBEDDED:
        return _Embedded()
    parsed = parse(name) if "/" in name else ModelName(name, name, "", {})
    if parsed.provider == "http":
        base, model = split(parsed.model)
        if model == "embeddings":
            raise InputError(
                f"embedder {parsed.model!r}: after the version write the model's name, which moot "
                f"sends to {base}/embeddings"
            )
        return _Endpoint(Provider("http", base), model, settings(parsed), name=parsed.model)
    if parsed.provider not in PROVIDERS or not parsed.model:
        raise InputError(
            f"embedder {parsed.provider!r}: write embedded, provider/MODEL such as "
            "openai/text-embedding-3-small, or an address such as http://127.0.0.1:8000/v1/MODEL; "
            f"providers: {', '.join(PROVIDERS)}"
        )
    provider = PROVIDERS[parsed.provider]
    full = f"{provider.name}/{parsed.model}"
    if "{" in provider.base:  # one's own resource, whose deployments have one's own names
        full += f"@{urlsplit(provider.address()).netloc}"
    return _Endpoint(provider, parsed.model, settings(parsed), name=full)


class _Embedded:
    """The model in this process, in a thread of its own."""

    def __init__(self) -> None:
        self.name, self.used = EMBEDDED, Used()

    async def __call__(self, texts: Sequence[str]) -> "Matrix":
        from moot.models.embedding import embed

        rows = await asyncio.to_thread(embed, texts)
        self.used.texts += len(set(texts))
        return rows


class _Vectors(Aiohttp):
    """The way to an endpoint's embeddings, which lie beside its completions."""

    def __init__(
        self, base: str, headers: Mapping[str, str], timeout: float, proxy: str | None
    ) -> None:
        from yarl import URL

        super().__init__(base, headers, timeout, proxy)
        self._url = URL(f"{base}/embeddings")


class _Endpoint(HttpModel):
    """An endpoint's embedding model: the address, the key and what failures mean are a model's.

    Args:
        provider: where it is and whose key it takes.
        model: its name there.
        settings: the options of its name.
        name: to be printed.
        retry: when and how long to wait before asking again.
    """

    def __init__(
        self,
        provider: Provider,
        model: str,
        settings: Settings,
        *,
        name: str,
        retry: Retry | None = None,
    ) -> None:
        super().__init__(provider, model, settings, name=name)
        self.name, self.used = name, Used()
        self._retry = retry or Retry()
        self._limiter = Limiter(lambda: self.limits)
        self._under_way = 0

    async def __call__(self, texts: Sequence[str]) -> "Matrix":
        """Embed texts, equal ones once; connections are closed when no call is under way."""
        import numpy as np

        texts = [clean(text) for text in texts]
        distinct = list(dict.fromkeys(text for text in texts if text.strip()))
        self._under_way += 1
        try:
            rows = await self._all(distinct)
        finally:
            self._under_way -= 1
            if not self._under_way:
                await self.close()
        width = {len(row) for row in rows} or {1}
        if len(width) > 1:
            raise RefusedError(f"{self.name}: embeddings of several lengths: {sorted(width)}")
        self.used.texts += len(distinct)
        known = dict(zip(distinct, rows, strict=True))
        zeros = np.zeros(width.pop(), dtype=np.float32)
        return np.array([known.get(text, zeros) for text in texts]).reshape(-1, len(zeros))

    async def _all(self, texts: Sequence[str]) -> "list[Matrix]":
        """A row for each text; batches are sent at the same time, and end with the first error."""
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        sent = [asyncio.ensure_future(self._batch(batch)) for batch in batches]
        try:
            return [row for batch in await asyncio.gather(*sent) for row in batch]
        finally:
            for each in sent:
                each.cancel()
            await asyncio.gather(*sent, return_exceptions=True)  # their errors are known

    async def _batch(self, texts: Sequence[str]) -> "list[Matrix]":
        """Ask within the endpoint's limits, again after a failure that may pass."""
        booked = sum(map(len, texts)) // _LETTERS_A_TOKEN + 1
        attempt = 1
        while True:
            place = await self._limiter.enter((0, 0), booked)
            taken: int | None = 0
            try:
                rows, taken = await self._once(texts)
            except ModelError as error:
                error.retries = attempt - 1
                if not isinstance(error, TransientError):
                    raise
                wait = self._retry.wait(error, attempt)
                if wait is None:
                    raise
                if error.retry_after is not None:
                    self._limiter.pause(error.retry_after)
            else:
                used = Reply(text="", prompt_tokens=taken, completion_tokens=0)
                self.used.add(taken, self.cost(used))
                return rows
            finally:
                self._limiter.leave(place, taken)
            attempt += 1
            self.used.retries += 1
            await asyncio.sleep(wait)

    async def _once(self, texts: Sequence[str]) -> "tuple[list[Matrix], int | None]":
        """A row for each text, and the tokens they took. Raises as ``HttpModel.reply`` does."""
        if self._denied:
            raise AccessError(str(self._denied), status=self._denied.status)
        if self._transport is None or self._loop is not asyncio.get_running_loop():
            self._open()
        status, headers, answer = await self._post(encode(self.model, texts))
        if not 200 <= status < 300:
            self._learn(headers)
            raise self._failure(failures.read(status, answer), headers)
        if time.monotonic() - self._learnt > 1:
            self._learnt = time.monotonic()
            self._learn(headers)
        found = read(answer)
        rows = found.rows(len(texts))
        if rows is not None:
            return rows, found.tokens
        if found.error is not None:  # a gateway's way to pass on another server's failure
            raise self._failure(failures.of(502, found.error), headers)
        said = failures.quote(failures.read(200, answer).message, failures.secrets(self.key))
        raise TransientError(
            f"{self.name}: the response holds no embedding for each of {len(texts)} texts"
            f"{': ' if said else ''}{said}"
        )

    def _open(self) -> None:
        """Read the key and make the transport, in the loop that will use it."""
        from moot.models.http import _proxy

        self._loop = asyncio.get_running_loop()
        headers = {"Content-Type": "application/json", "User-Agent": "moot"}
        headers |= self._authorization()
        proxy = _proxy(self._base)
        self._transport = _Vectors(self._base, headers, self.settings.timeout, proxy)
