"""One question, debated: a study of one, through one call."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from moot.core.asked import Answer, Node, Said, Usage
from moot.core.events import Closed, Failed, Transcript
from moot.core.ports import Model
from moot.core.questions import Kind
from moot.debate.context import Listener
from moot.metrics.usage import thought_tokens
from moot.models.prices import Price
from moot.runtime.budget import Budget
from moot.studies.lab import name_of
from moot.studies.prepared import prepare, typed

N = TypeVar("N", int, float)


async def ask(
    question: str,
    *,
    protocol: str = "society-of-minds",
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
    held = await prepared.run_standalone(
        model=model, store=store, budget=budget, prices=prices, listen=listen
    )
    return answered(*held)


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


def answered(transcript: Transcript, run: str) -> Answer:
    """A transcript as the answer it came to."""
    opened, turns, verdict = transcript.opened, transcript.turns, transcript.verdict
    end = transcript.events[-1]
    failed = transcript.failed
    return Answer(
        answer=verdict.answer if verdict else None,
        text=verdict.text if verdict else "",
        by=verdict.by if verdict else None,
        protocol=opened.protocol,
        settings=opened.settings,
        calls=len(turns),
        usage=Usage(
            prompt_tokens=_sum(turn.prompt_tokens for turn in turns),
            completion_tokens=_sum(turn.completion_tokens for turn in turns),
            cached_tokens=sum(turn.cached_tokens for turn in turns),
            reasoning_tokens=_sum(thought_tokens(turn) for turn in turns),
        ),
        cost=_sum(turn.cost for turn in turns),
        seconds=end.seconds if isinstance(end, Closed | Failed) else 0.0,
        failed=f"{failed.kind}: {failed.reason}" if failed else None,
        simulated=opened.simulated,
        run=run,
        turns=tuple(
            Said(
                id=turn.id,
                agent=turn.agent,
                role=turn.role,
                round=turn.round,
                model=turn.model,
                answer=turn.answer,
                text=turn.text,
                reads=turn.reads,
                prompt_tokens=turn.prompt_tokens,
                completion_tokens=turn.completion_tokens,
                cached=turn.cached_tokens,
                seconds=turn.seconds,
                cost=turn.cost,
                retries=turn.retries,
                replayed=turn.replayed,
                node=turn.node,
                removed=turn.removed,
                order=turn.order,
                thought=turn.thought,
                reasoning_tokens=turn.reasoning_tokens,
                thought_only=turn.is_thought_only,
            )
            for turn in turns
        ),
        nodes=tuple(
            Node(
                name=node.node,
                layer=node.layer,
                sweep=node.sweep,
                answer=node.verdict.answer,
                reads=node.reads,
            )
            for node in transcript.nodes
        ),
    )


def _sum(values: Iterable[N | None]) -> N | None:
    """Their sum; None where any is unknown."""
    total: Any = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total  # type: ignore[no-any-return]  # begins as an int, which every number can join
