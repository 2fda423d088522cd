"""Embedders: who makes embeddings of texts, the model in this process or an endpoint."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from moot.core.encoding import replace_surrogates
from moot.core.errors import BudgetReached, InputError, RefusedError
from moot.core.ports import Model
from moot.models.embedding import embed
from moot.models.endpoint import Endpoint, EndpointSettings, endpoint_of, parse_settings
from moot.models.http import HttpModel
from moot.models.model_names import ModelName, parse_model_name
from moot.models.providers import AT_ADDRESS, PROVIDERS
from moot.models.vectors import EMBEDDINGS, decode_vector, embedding_call
from moot.runtime.path import CallPath

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

EMBEDDED = "embedded"
"""The name of the model that moot runs itself; see ``moot.models.embedding``."""


class Embedder:
    """Makes embeddings: a row for each text.

    Args:
        name: of the model, to be printed beside every figure that comes of it.
        model: the endpoint's; None for the model in this process.
    """

    def __init__(self, name: str, model: Model | None = None) -> None:
        self.name, self.model = name, model

    @classmethod
    def find(cls, name: str) -> "Embedder":
        """Return the embedder of a name.

        Args:
            name: ``embedded``; or, of an endpoint in OpenAI's format, ``provider/MODEL`` or
                ``http(s)://host/v1/MODEL``, with the options that models' names have.

        Raises:
            InputError: the name is none, or a key would go where it does not belong.
        """
        if name == EMBEDDED:
            return cls(EMBEDDED)
        parsed = parse_model_name(name) if "/" in name else ModelName(name, name, "", {})
        if parsed.provider != AT_ADDRESS and (parsed.provider not in PROVIDERS or not parsed.model):
            raise InputError(
                f"embedder {parsed.provider!r}: write embedded, provider/MODEL such as "
                "openai/text-embedding-3-small, or an address such as "
                "http://127.0.0.1:8000/v1/MODEL; "
                f"providers: {', '.join(PROVIDERS)}"
            )
        given = parse_settings(parsed)
        endpoint = endpoint_of(parsed, given)
        if parsed.provider == AT_ADDRESS and endpoint.model == "embeddings":
            raise InputError(
                f"embedder {parsed.model!r}: after the version write the model's name, which moot "
                f"sends to {endpoint.address.base}/embeddings"
            )
        return cls(endpoint.name, _make_model(endpoint, given))

    @staticmethod
    def embed_here(texts: Sequence[str]) -> "Matrix":
        """Return the embeddings of texts by the model in this process; see ``__call__``."""
        return embed(texts)

    async def __call__(self, texts: Sequence[str], path: CallPath) -> "Matrix":
        """Embed any number of texts, in order: texts x dimensions; a text without words is 0.

        Args:
            texts: equal ones are embedded once.
            path: by which an endpoint is asked, a call a text and all at the same time; the first
                error ends the others.

        Raises:
            ModelError: the endpoint gave no embedding of a text.
            BudgetReached: one more would break the cap; those that were paid for are recorded.
            InputError: the cap is on cost, and the model's price is unknown.
            StoreError: an embedding could not be recorded.
        """
        import numpy as np

        if self.model is None:
            return await asyncio.to_thread(self.embed_here, texts)
        texts = [replace_surrogates(text) for text in texts]
        known = await self._all(self.model, set(filter(str.strip, texts)), path)
        width = {len(row) for row in known.values()} or {1}
        if len(width) > 1:
            raise RefusedError(f"{self.name}: embeddings of several lengths: {sorted(width)}")
        zeros = np.zeros(width.pop(), dtype=np.float32)
        return np.array([known.get(text, zeros) for text in texts]).reshape(-1, len(zeros))

    async def _all(self, model: Model, texts: set[str], path: CallPath) -> "dict[str, Matrix]":
        """The row of each text."""

        async def row(text: str) -> "Matrix":
            call = embedding_call(model.name, text)
            return decode_vector((await path.reply(model, call, call.request())).text)

        ordered = sorted(texts)
        sent = [asyncio.ensure_future(row(text)) for text in ordered]
        try:
            return dict(zip(ordered, await asyncio.gather(*sent), strict=True))
        except BudgetReached:
            await asyncio.wait(sent)  # what is paid for is to be recorded
            raise
        finally:
            for each in sent:
                each.cancel()
            await asyncio.gather(*sent, return_exceptions=True)  # their errors are known


def _make_model(endpoint: Endpoint, given: EndpointSettings) -> HttpModel:
    """Return the model of an endpoint; address, key and failures are those of its models."""
    # The same name may be that of a model that is talked to: another call, with another reply.
    made = HttpModel(
        endpoint._replace(name=f"{endpoint.name} (embeddings)"),
        msgspec.structs.replace(given, seed="on"),  # nothing is drawn
        form=EMBEDDINGS,
    )
    made.endpoint += " (embeddings)"  # providers limit them apart
    return made
