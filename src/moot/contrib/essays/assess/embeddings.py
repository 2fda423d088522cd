"""Embeddings of essays and their points: who makes them, and the run that pays for them.

They are made by the embedded model, or by an endpoint that the user names; the paper's own is
``openai/text-embedding-3-small`` ("Debate-to-Write", appendix B.1). A run of their own pays for
them, so that what they took is told apart from what the essays and their judge took, and a budget
counts what was paid for them before.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from moot import (
    BudgetReached,
    Model,
    Price,
    Reply,
    UnknownName,
)
from moot.contrib.essays.assess.model_judge import MOST_POINTS
from moot.contrib.essays.run_essays import Essay
from moot.extend.records import RunRow, Spent
from moot.extend.stores import RunLedger
from moot.extend.studies import Embedder, Estimate, Lab, encode_study
from moot.extend.words import (
    format_dollars,
    format_things,
    on_one_line,
    show_name,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

LETTERS_A_TOKEN = 4
_POINT = 20
"""Tokens expected of a point."""
USUAL = 3
"""Points that a judge is expected to list of an essay."""


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
    """The joint price and time of a judge and of an endpoint's embeddings.

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
