"""One question, debated: a study of one, through one call."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from moot.answers import openings
from moot.core.asked import Answer, Node, Said, Usage
from moot.core.errors import InputError, UnknownName
from moot.core.events import Closed, Failed, Transcript
from moot.core.ports import Model
from moot.core.questions import KINDS, Kind, Question
from moot.core.stored import Arm, RunRow, Status
from moot.core.texts import clean
from moot.debate.cast import speaking
from moot.debate.conduct import conduct
from moot.debate.floor import Listener
from moot.debate.nodes import packs
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.metrics.metric import measure
from moot.runtime.budget import Budget
from moot.runtime.retry import Retry
from moot.studies.lab import Lab, default_model, open_lab
from moot.studies.run import kept
from moot.studies.shots import Served, Shots
from moot.studies.study import ASKED

N = TypeVar("N", int, float)

OWN = "starters"
"""The dataset whose training part has moot's own examples."""


async def ask(
    question: str,
    *,
    protocol: str = "society-of-minds",
    model: str | Model | None = None,
    choices: Sequence[str] = (),
    kind: Kind | None = None,
    context: str | None = None,
    store: str | Path | None = None,
    prompts: str | Path | None = None,
    budget: Budget | None = None,
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
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        prompts: a file of prompts laid over moot's own.
        budget: the most it may cost; reaching it raises ``BudgetReached``.
        listen: is told each event of the debate as it happens.
        settings: the protocol's settings, e.g. ``agents=3``, or
            ``agents=[{"model": "openai/gpt-4o-mini"}, {"temperature": 0.2}]``.

    Raises:
        InputError: something given cannot be; nothing was called.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
        StoreError: the store cannot be read or written.
    """
    _typed(
        question=question,
        protocol=protocol,
        model=model,
        choices=choices,
        kind=kind,
        context=context,
        store=store,
        prompts=prompts,
        budget=budget,
        listen=listen,
    )
    asked = _question(question, choices, kind, context)
    algorithm = protocols.get(protocol)
    given = {"model": default_model(), **settings}
    if model is not None:
        given["model"] = model if isinstance(model, str) else model.name
    checked = algorithm.check(given)
    openings.check(asked, checked["opening"])
    served = _served(algorithm, asked, checked)
    overlay = Path(prompts) if prompts else None
    pack = algorithm.pack(overlay)
    async with open_lab(store) as lab:
        if isinstance(model, Model):
            lab.bring([model])
        for name in speaking(checked):
            lab.model(name)
        content = [asked, list(packs(algorithm, checked, overlay)), served.content]
        row = _begin(lab, algorithm, checked, content)
        lab.spend(budget or Budget(), Retry(), {}, run=row.id)
        ended: Status = "stopped"
        try:
            transcript = await conduct(
                algorithm,
                asked,
                settings=checked,
                path=lab.path,
                model=lab.model,
                pack=pack,
                overlay=overlay,
                examples=served.before(asked),
                listen=listen,
            )
            values = measure(transcript)
            await lab.store.save_debate(
                row.id, algorithm.name, "ask", asked.id, 0, transcript, values
            )
            ended = "done"
        finally:
            lab.store.set_status(row.id, ended)
    return answered(transcript, row.key)


TYPES: dict[str, tuple[Any, str]] = {
    "question": (str, "a text"),
    "protocol": (str, "a protocol's name"),
    "model": (str | Model | None, "a name or a model"),
    "choices": (Sequence, "a list of texts"),
    "kind": (str | None, "a text"),
    "context": (str | None, "a text; how many tokens a prompt may have is the setting window"),
    "store": (str | Path | None, "a folder"),
    "prompts": (str | Path | None, "a file"),
    "budget": (Budget | None, "a Budget"),
    "listen": (Callable | None, "a function"),
}
"""What each parameter of ``ask`` may be, and the same in words."""


def _typed(**given: object) -> None:
    """Whether each parameter is of its type. Raises ``InputError`` naming the one that is not."""
    for name, value in given.items():
        kinds, words = TYPES[name]
        if not isinstance(value, kinds):
            raise InputError(f"{name}: expected {words}, got {value!r}")


def _question(
    text: str, choices: Sequence[str], kind: Kind | None, context: str | None
) -> Question:
    """What was asked, as a question. Raises ``InputError`` for what cannot be one."""
    if isinstance(choices, str):
        raise InputError(f"choices: expected a list of texts, got {choices!r}")
    for choice in choices:
        if not isinstance(choice, str):
            raise InputError(f"choices: expected a text, got {choice!r}")
    if not text.strip():
        raise InputError("question: it is empty; ask something")
    if len(set(choices)) < len(choices):
        raise InputError("choices: two of them are the same")
    kind = kind or ("choice" if choices else "text")
    if kind not in KINDS:
        raise UnknownName("kind", kind, KINDS, where="question")
    if kind == "choice" and not 2 <= len(choices) <= 26:
        raise InputError("choices: a multiple-choice question needs 2 to 26 of them")
    if kind != "choice" and choices:
        raise InputError(f"choices: a question of kind {kind!r} has none; leave out the kind")
    text, options = clean(text), tuple(map(clean, choices))
    context = None if context is None else clean(context)
    name = f"ask-{blake2b(repr((text, options, context)).encode(), digest_size=5).hexdigest()}"
    return Question(id=name, kind=kind, text=text, context=context, choices=options)


def _served(protocol: Protocol, question: Question, settings: dict[str, Any]) -> Served:
    """What the few-shot styles show: from the user's file, else moot's own of this kind."""
    where = f"protocol {protocol.name}"
    shots = Shots(Path())
    served = shots.of([question], settings, dataset=OWN, parameters={}, label=OWN, where=where)
    shots.check()
    return served


def _begin(lab: Lab, protocol: Protocol, settings: dict[str, Any], content: list[Any]) -> RunRow:
    """Open the run under which the debate is kept; asking the same again goes on with it."""
    asked = msgspec.json.encode([protocol.name, settings, *content], order="deterministic")
    key = f"ask-{blake2b(asked, digest_size=5).hexdigest()}"
    arm = Arm(name=protocol.name, protocol=protocol.name, settings=settings)
    return lab.store.begin_run(key, ASKED, kept(lab, ASKED, [arm]))


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
