"""Embeddings of essays and their points: who makes them, and the run that pays for them.

They are made by the embedded model, or by an endpoint that the user names; the paper's own is
``openai/text-embedding-3-small`` ("Debate-to-Write", appendix B.1). A run of their own pays for
them, so that what they took is told apart from what the essays and their judge took, and a budget
counts what was paid for them before.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from moot import (
    BudgetReached,
    InputError,
    Model,
    ModelName,
    Price,
    RefusedError,
    Reply,
    UnknownName,
)
from moot.contrib.essays.assess.model_judge import MOST_POINTS
from moot.contrib.essays.run_essays import Essay
from moot.extend.calls import CallPath, parse_model_name
from moot.extend.records import RunRow, Spent
from moot.extend.stores import RunLedger
from moot.extend.studies import Estimate, Lab, encode_study
from moot.extend.words import (
    format_dollars,
    format_things,
    on_one_line,
    replace_surrogates,
    show_name,
)
from moot.models.embedding import embed
from moot.models.endpoint import Endpoint, EndpointSettings, endpoint_of, parse_settings
from moot.models.http import HttpModel
from moot.models.providers import AT_ADDRESS, PROVIDERS
from moot.models.vectors import EMBEDDINGS, decode_vector, embedding_call
from moot.studies.plan import LETTERS_A_TOKEN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

EMBEDDED = "embedded"
"""The name of the model that moot runs itself; see ``moot.models.embedding``."""
_POINT = 20
"""Tokens expected of a point."""
USUAL = 3
"""Points that a judge is expected to list of an essay."""


class Embedder:
    """Makes embeddings: a row for each text.

    Args:
        name: of the model, to be printed beside every figure that comes of it.
        model: the endpoint's; None for the model in this process.
    """

    def __init__(self, name: str, model: Model | None = None) -> None:
        self.name, self.model = name, model

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
            return await asyncio.to_thread(embed, texts)
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


def find_embedder(name: str) -> Embedder:
    """Return the embedder of a name.

    Args:
        name: ``embedded``; or, of an endpoint in OpenAI's format, ``provider/MODEL`` or
            ``http(s)://host/v1/MODEL``, with the options that models' names have.

    Raises:
        InputError: the name is none, or a key would go where it does not belong.
    """
    if name == EMBEDDED:
        return Embedder(EMBEDDED)
    parsed = parse_model_name(name) if "/" in name else ModelName(name, name, "", {})
    if parsed.provider != AT_ADDRESS and (parsed.provider not in PROVIDERS or not parsed.model):
        raise InputError(
            f"embedder {parsed.provider!r}: write embedded, provider/MODEL such as "
            "openai/text-embedding-3-small, or an address such as http://127.0.0.1:8000/v1/MODEL; "
            f"providers: {', '.join(PROVIDERS)}"
        )
    given = parse_settings(parsed)
    endpoint = endpoint_of(parsed, given)
    if parsed.provider == AT_ADDRESS and endpoint.model == "embeddings":
        raise InputError(
            f"embedder {parsed.model!r}: after the version write the model's name, which moot "
            f"sends to {endpoint.address.base}/embeddings"
        )
    return _endpoint(endpoint, given)


def _endpoint(endpoint: Endpoint, given: EndpointSettings) -> Embedder:
    """Return the embedder of an endpoint; address, key and failures are those of its models."""
    # The same name may be that of a model that is talked to: another call, with another reply.
    made = HttpModel(
        endpoint._replace(name=f"{endpoint.name} (embeddings)"),
        msgspec.structs.replace(given, seed="on"),  # nothing is drawn
        form=EMBEDDINGS,
    )
    made.endpoint += " (embeddings)"  # providers limit them apart
    return Embedder(endpoint.name, made)


class Embeddings:
    """The embeddings of a run's essays, while they are made.

    Args:
        lab: whose path they are asked by; its store must be writable for those of an endpoint.
        embedder: makes them.
        run: pays for them; None for the model in this process.

    Attributes:
        run: the same.
        stopped: None while all were made, else why not.
    """

    def __init__(self, lab: Lab, embedder: Embedder, run: RunRow | None) -> None:
        self._lab, self._embedder, self.run = lab, embedder, run
        self.stopped: str | None = None

    async def embed(self, texts: Iterable[str]) -> "dict[str, Matrix]":
        """Return the embedding of each text; none where the budget does not suffice for all.

        Raises:
            ModelError: the endpoint gave no embedding of a text.
            StoreError: an embedding could not be recorded.
        """
        distinct, path = list(dict.fromkeys(texts)), self._lab.path
        if self.run is not None:
            path = path.branch(RunLedger(self._lab.store, self.run.id))
        try:
            rows = await self._embedder(distinct, path)
        except BudgetReached as reached:
            self.stopped = str(reached)
            return {}
        return dict(zip(distinct, rows, strict=True))

    def describe(self) -> str:
        """Return who made them, and if they are paid for, what they took and why some lack."""
        said = on_one_line(self._embedder.name)
        if self.run is not None:
            said += describe_payment(self._lab.store.sum_spent(self.run.id))
        return said + (f"; not all were made: {self.stopped}" if self.stopped else "")


def describe_payment(spent: Spent) -> str:
    """Return the calls that were paid for, and the money."""
    cost = "cost unknown" if spent.unknown_cost_calls else format_dollars(spent.cost)
    return f", {format_things(spent.calls, 'call')} paid for, {cost}"


@asynccontextmanager
async def open_embeddings(lab: Lab, row: RunRow, embedder: Embedder) -> AsyncIterator[Embeddings]:
    """Begin the run that pays for the embeddings of a run's essays, and end it."""
    run = None
    if embedder.model is not None:
        name, stem = f"{row.name}-embedded", row.key.rpartition("-")[0]
        digest = blake2b(repr((row.key, embedder.model.name)).encode(), digest_size=5).hexdigest()
        key = f"{stem}-embedded-{digest}"
        run = await lab.begin_run(key, name, encode_study(lab, name, (), debates=0))
    made, whole = Embeddings(lab, embedder, run), False
    try:
        yield made
        whole = made.stopped is None
    finally:
        if run is not None:
            lab.store.set_status(run.id, "done" if whole else "stopped")
        if embedder.model is not None:
            await embedder.model.close()


def name_prices(
    models: Sequence[tuple[str, Model]], prices: Mapping[str, Price]
) -> dict[str, Price]:
    """Return the prices that were stated, by the names under which the models' calls go.

    Args:
        models: all who are asked, with the name that the user gave.
        prices: by such a name, or by that under which the model's calls go.

    Raises:
        UnknownName: a price is stated of a model that is not asked.
    """
    found: dict[str, Price] = {}
    for written, price in prices.items():
        meant = [model.name for name, model in models if written in (name, model.name)]
        if not meant:
            known = {show_name(name) for name, _ in models}
            raise UnknownName("model", show_name(written), known, where="price")
        found |= dict.fromkeys(meant, price)
    return found


def add_embeddings(
    estimate: Estimate,
    essays: Sequence[Essay],
    model: Model | None,
    prices: Mapping[str, Price],
) -> Estimate:
    """What a judge and the embeddings of an endpoint will take together.

    Args:
        estimate: of the judge.
        essays: of the run, whose points are listed by the judge.
        model: the endpoint's; nothing is added without one.
        prices: by the names under which models' calls go.
    """
    if model is None:
        return estimate
    texts = {each.text for each in essays}
    usual, points = len(essays) * USUAL, len(essays) * MOST_POINTS
    tokens = sum(map(len, texts)) // LETTERS_A_TOKEN + points * _POINT
    size = Reply(text="", prompt_tokens=tokens, completion_tokens=0)
    cost = prices.get(model.name, model.cost)(size)

    def add(what: Any, calls: int, tokens: int) -> Any:  # noqa: ANN401 -- an estimate, or its part
        priced = None if cost is None or what.cost is None else what.cost + cost
        return msgspec.structs.replace(
            what, calls=what.calls + calls, tokens=what.tokens + tokens, cost=priced
        )

    fewer = tokens - (points - usual) * _POINT
    expected = estimate.expected and add(estimate.expected, len(texts) + usual, fewer)
    most: Estimate = add(estimate, len(texts) + points, tokens)
    fewest = estimate.fewest + len(texts)
    return msgspec.structs.replace(most, expected=expected, fewest=fewest)
