"""One question, debated: a study of one, through one call."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.core.answer import Answer
from moot.core.ports import Model
from moot.core.questions import Kind
from moot.debate.context import Listener
from moot.models.prices import Price
from moot.protocols import USUAL
from moot.runtime.budget import Budget
from moot.studies.lab import name_of
from moot.studies.prepared import prepare, typed


async def ask(
    question: str,
    *,
    protocol: str = USUAL,
    model: str | Model | None = None,
    choices: Sequence[str] = (),
    kind: Kind | None = None,
    context: str | None = None,
    answer: str | None = None,
    store: str | Path | None = None,
    prompts: str | Path | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    listen: Listener | None = None,
    **settings: Any,  # noqa: ANN401 -- each protocol has its own, checked by name, type and range
) -> Answer:
    """Debate one question and return the answer with its transcript and price.

    Args:
        question: what is asked.
        protocol: the protocol's name, see ``moot protocols``.
        model: a model or its name; ``MOOT_MODEL``, else the embedded one, when not given.
        choices: options, for a multiple-choice question.
        kind: what the answer looks like; ``choice`` where there are choices, else ``text``.
        context: a passage to read before the question.
        answer: what is right, where you know it: agents are not told, but openings such as
            ``opening="control-wrong"`` need it.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        prompts: a file of prompts laid over moot's own.
        budget: the most it may cost; reaching it raises ``BudgetReached``.
        prices: of the models, by name, where they are unknown or others; ``moot.Price``.
        listen: is told each event of the debate as it happens.
        settings: the protocol's settings, e.g. ``agents=3``, or
            ``agents=[{"model": "openai/gpt-4o-mini"}, {"temperature": 0.2}]``.

    Raises:
        InputError: something given cannot be; nothing was called.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
        StoreError: the store cannot be read or written.
    """
    given = {
        "question": question,
        "protocol": protocol,
        "model": model,
        "choices": choices,
        "kind": kind,
        "context": context,
        "answer": answer,
        "store": store,
        "prompts": prompts,
        "budget": budget,
        "prices": prices,
        "listen": listen,
    }
    typed(given, TYPES)
    prepared = prepare(
        question,
        protocol=protocol,
        choices=choices,
        kind=kind,
        context=context,
        answer=answer,
        prompts=Path(prompts) if prompts else None,
        settings={**settings, "model": name_of(model)},
    )
    transcript, run = await prepared.run_standalone(
        model=model, store=store, budget=budget, prices=prices, listen=listen
    )
    return Answer(transcript=transcript, run=run)


TYPES: dict[str, tuple[Any, str]] = {
    "question": (str, "a text"),
    "protocol": (str, "a protocol's name"),
    "model": (str | Model | None, "a name or a model"),
    "choices": (Sequence, "a list of texts"),
    "kind": (str | None, "a text"),
    "context": (str | None, "a text; how many tokens a prompt may have is the setting window"),
    "answer": (str | None, "a text"),
    "store": (str | Path | None, "a folder"),
    "prompts": (str | Path | None, "a file"),
    "budget": (Budget | None, "a Budget"),
    "prices": (Mapping | None, "prices by model name"),
    "listen": (Callable | None, "a function"),
}
"""What each parameter of ``ask`` may be, and the same in words."""
