"""``moot.ask``: one question, debated, through one call."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from moot.core.answer import Answer
from moot.core.errors import InputError, UnknownName
from moot.core.ports import Model
from moot.core.questions import Kind
from moot.core.without_await import make_sync
from moot.debate.agent_config import MODELS
from moot.debate.context import Listener
from moot.debate.own_method import adopt
from moot.debate.protocol import Protocol
from moot.debate.steering import Steering
from moot.models.prices import Price
from moot.protocols import DEFAULT
from moot.runtime.budget import Budget
from moot.studies.lab import model_name
from moot.studies.question_plan import plan_question


async def ask(
    question: str,
    *,
    protocol: str | Protocol = DEFAULT,
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
    steering: Steering | None = None,
    max_calls: int | None = None,
    max_cost: float | None = None,
    max_total_tokens: int | None = None,
    **settings: Any,  # noqa: ANN401 -- each protocol has its own, checked by name, type and range
) -> Answer:
    """Debate one question and return the answer with its transcript and price.

    Args:
        question: what is asked.
        protocol: the protocol's name, see ``moot protocols``; one of your own by its file, as
            ``"mymethod.py:second_thoughts"``, or the decorated function itself.
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
        steering: what a person asks of the debate while it runs; ``moot.Steering.of(transcript)``
            repeats what was asked of a recorded one.
        max_calls: the same as ``budget=moot.Budget(calls=…)``, as ``--max-calls``.
        max_cost: the same as ``budget=moot.Budget(cost=…)``, as ``--max-cost``.
        max_total_tokens: the same as ``budget=moot.Budget(tokens=…)``, as ``--max-total-tokens``.
            The setting ``max_tokens`` is another thing: the most tokens of one reply.
        settings: the protocol's settings, e.g. ``agents=3``, or
            ``agents=[{"model": "openai/gpt-4o-mini"}, {"temperature": 0.2}]``;
            ``models=["a/x", "b/y"]`` are models for the seats, in turn; ``evidence`` is a folder of
            documents that agents read from before they answer.

    Raises:
        InputError: something given cannot be; nothing was called.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
        StoreError: the store cannot be read or written.
    """
    check_types(locals(), TYPES)
    try:
        plan = plan_question(
            question,
            protocol=protocol if isinstance(protocol, str) else adopt(protocol).name,
            choices=choices,
            kind=kind,
            context=context,
            answer=answer,
            prompts=Path(prompts) if prompts else None,
            settings={
                **{
                    key: str(each) if isinstance(each, Path) else each
                    for key, each in settings.items()
                },
                "model": model_name(model or _first_model(settings)),
            },
            budget=(budget or Budget()).lower(
                cost=max_cost, tokens=max_total_tokens, calls=max_calls
            ),
            prices=prices,
        )
    except UnknownName as error:
        raise _add_parameters(error) from None
    if steering is not None:
        plan.require_steerable()
    return await plan.answer(model=model, store=store, listen=listen, steering=steering)


ask_sync = make_sync(ask)


def _add_parameters(error: UnknownName) -> UnknownName:
    """Return an error about a setting that knows the parameters of ``ask``, too."""
    if error.what != "setting":
        return error
    return UnknownName(error.what, error.name, {*error.valid, *TYPES}, where=error.where)


def _first_model(settings: Mapping[str, Any]) -> str | None:
    """Return the first of the models that go round the seats; None where none are listed."""
    models = settings.get(MODELS)
    if isinstance(models, list | tuple) and models and isinstance(models[0], str):
        return str(models[0])
    return None


TYPES: dict[str, tuple[Any, str]] = {
    "question": (str, "a text"),
    "protocol": (str | Protocol, "a protocol's name, or a function under @moot.protocol"),
    "model": (str | Model | None, "a name or a model"),
    "choices": (Sequence, "a list of texts"),
    "kind": (str | None, "a text"),
    "context": (str | None, "a text; how many tokens a prompt may have is the setting window"),
    "answer": (str | None, "a text"),
    "store": (str | Path | None, "a folder"),
    "prompts": (str | Path | None, "a file"),
    "budget": (Budget | None, "a Budget"),
    "max_calls": (int | None, "a number"),
    "max_cost": (int | float | None, "a number"),
    "max_total_tokens": (int | None, "a number"),
    "prices": (Mapping | None, "prices by model name"),
    "listen": (Callable | None, "a function"),
    "steering": (Steering | None, "a moot.Steering"),
}
"""The types of each parameter of ``ask``, and the same in words."""


def check_types(given: Mapping[str, object], types: Mapping[str, tuple[Any, str]]) -> None:
    """Raise ``InputError`` naming the first parameter that is not of its type.

    Args:
        given: the parameters by name.
        types: what each of them may be, and the same in words.
    """
    for name, (kinds, words) in types.items():
        if not isinstance(value := given[name], kinds):
            raise InputError(f"{name}: expected {words}, got {value!r}")
