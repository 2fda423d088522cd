"""``moot.write``: one proposition, argued in an essay."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moot import Budget, InputError, Model, Price, Transcript, UnknownName
from moot.core.without_await import make_sync
from moot.debate.context import Listener
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.essays.written import Written, describe_essay
from moot.studies import question_plan
from moot.studies.lab import model_name
from moot.studies.question_plan import QuestionPlan, check_types, plan_question

PROTOCOL, STANCE = "debate-to-write", "oppose"
"""The defaults."""

STANCES = "oppose", "support"
SHARED = "protocol", "model", "store", "prompts", "budget", "prices", "listen"
TYPES: dict[str, tuple[Any, str]] = {
    "proposition": (str, "a text"),
    "stance": (str, "'oppose' or 'support'"),
    "evidence": (str | Path | None, "a folder"),
    **{name: question_plan.TYPES[name] for name in SHARED},
}
"""What each parameter of ``write`` may be, and the same in words."""


async def write(
    proposition: str,
    *,
    stance: str = STANCE,
    protocol: str = PROTOCOL,
    model: str | Model | None = None,
    evidence: str | Path | None = None,
    store: str | Path | None = None,
    prompts: str | Path | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    listen: Listener | None = None,
    **settings: Any,  # noqa: ANN401 -- each protocol has its own, checked by name, type and range
) -> Written:
    """Argue over a proposition and return the essay with how it came about and its price.

    Args:
        proposition: what is argued over, as a sentence.
        stance: ``oppose`` for an essay against it, ``support`` for one in its favour.
        protocol: ``debate-to-write``, or another that writes essays: ``essay-direct``,
            ``essay-plan``, ``americano``.
        model: a model or its name; ``MOOT_MODEL``, else the embedded one, when not given.
        evidence: a folder of documents (.txt, .md, .html, .pdf, .docx) that the essay may quote.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        prompts: a file of prompts laid over moot's own.
        budget: the most it may cost; reaching it raises ``BudgetReached``.
        prices: of the models, by name, where they are unknown or others; ``moot.Price``.
        listen: is told each event as it happens.
        settings: the protocol's settings, e.g. ``team=3, rounds=2``.

    Raises:
        InputError: something given cannot be; nothing was called.
        BudgetReached: the budget does not suffice; what was paid for is in the store.
        StoreError: the store cannot be read or written.
    """
    check_types({name: value for name, value in locals().items() if name in TYPES}, TYPES)
    plan = plan_essay(
        proposition,
        stance=stance,
        protocol=protocol,
        evidence=evidence,
        prompts=prompts,
        settings={**settings, "model": model_name(model)},
        budget=budget,
        prices=prices,
    )
    answer = await plan.answer(model=model, store=store, listen=listen)
    return describe_essay(answer.transcript, answer.run)


write_sync = make_sync(write)


def plan_essay(
    proposition: str,
    *,
    stance: str,
    protocol: str,
    evidence: str | Path | None,
    prompts: str | Path | None,
    settings: Mapping[str, Any],
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
) -> QuestionPlan:
    """Check all that was given to ``write``, and return the plan. Raises ``InputError``."""
    if not proposition.strip():
        raise InputError("proposition: it is empty; state what is to be argued over")
    if stance not in STANCES:
        raise UnknownName("stance", stance, STANCES)
    writes = find_essay_protocol(protocol)
    own = {"stance": stance}
    if evidence is not None:
        if not str(evidence):
            raise InputError("evidence: it is empty; name a folder, or leave it out")
        takes = [each.name for each in essay_protocols() if takes_evidence(each)]
        if protocol not in takes:
            raise InputError(
                f"evidence {evidence}: protocol {protocol} takes none; "
                f"those that do: {', '.join(takes)}"
            )
        own["evidence"] = str(evidence)
    return plan_question(
        proposition,
        protocol=writes.name,
        prompts=Path(prompts) if prompts else None,
        settings={**settings, **own},
        budget=budget,
        prices=prices,
    )


def find_essay_protocol(name: str) -> Protocol:
    """Return the protocol of this name. Raises ``UnknownName`` if it writes no essays."""
    try:
        found = protocols.get(name)
    except UnknownName:
        found = None
    if found is None or not _has_setting(found, "stance"):
        valid = [each.name for each in essay_protocols()]
        raise UnknownName("protocol", name, valid, where="an essay")
    return found


def essay_protocols() -> list[Protocol]:
    """Return every protocol that writes essays: those with a setting ``stance``."""
    return [each for each in protocols if _has_setting(each, "stance")]


def takes_evidence(protocol: Protocol) -> bool:
    """Return whether a protocol's agents may quote from a folder of documents."""
    return _has_setting(protocol, "evidence")


def is_essay(transcript: Transcript) -> bool:
    """Return whether a debate writes an essay: whether its protocol has a setting ``stance``."""
    return "stance" in transcript.opened.settings


def _has_setting(protocol: Protocol, setting: str) -> bool:
    """Return whether the protocol's algorithm has a setting of this name."""
    return setting in protocol.own.__struct_fields__
