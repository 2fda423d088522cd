"""Conducting one debate from its opening to its verdict or its failure."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from moot.core.calls import Sampling
from moot.core.errors import BudgetReached, InputError, ModelError, StoreError
from moot.core.events import Closed, Event, Failed, Opened, Transcript, Turn, Verdict
from moot.core.ports import Model
from moot.core.questions import Question
from moot.debate.debate import Debate, Floor, Listener
from moot.debate.protocol import Protocol
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath

ENDS_THE_RUN = (BudgetReached, StoreError, InputError)
"""Errors that are no matter of one question."""


async def conduct(
    protocol: Protocol,
    question: Question,
    *,
    settings: dict[str, Any],
    path: CallPath,
    model: Callable[[str], Model],
    pack: Pack,
    replicate: int = 0,
    number: int = 0,
    listen: Listener | None = None,
) -> Transcript:
    """Hold one debate and return its transcript.

    A call that fails, or a mistake in the protocol, fails this debate alone: its transcript then
    ends with the reason. What ends the whole run (budget, store, bad input) is raised.

    Args:
        protocol: the algorithm.
        question: what is debated.
        settings: every setting in force, as ``Protocol.check`` gives them.
        path: where every call goes.
        model: the model by name.
        pack: the prompts.
        replicate: the study's repetition.
        number: the debate's place in the run.
        listen: is told each event as it happens.
    """
    spoken = model(settings["model"])
    events: list[Event] = []
    tell = _teller(events, listen)
    sampling = Sampling(
        temperature=settings["temperature"],
        top_p=settings["top_p"],
        max_tokens=settings["max_tokens"],
        seed=settings["seed"],
    )
    floor = Floor(
        path=path,
        model=lambda _role: spoken,
        pack=pack,
        style=settings["style"],
        sampling=sampling,
        replicate=replicate,
        number=number,
    )
    tell(
        Opened(
            question=question,
            protocol=protocol.name,
            settings=settings,
            pack=pack.digest,
            replicate=replicate,
            simulated=spoken.simulated,
        )
    )
    own = {name: settings[name] for name in protocol.own.__struct_fields__}
    began = perf_counter()
    end: Closed | Failed
    try:
        verdict = await _verdict(protocol, Debate(question, floor, tell), own)
        end = Closed(verdict=verdict, seconds=perf_counter() - began)
    except ENDS_THE_RUN:
        raise
    except Exception as error:  # noqa: BLE001 -- a failing question stays in the results, as failed
        reason = str(error) or repr(error)
        end = Failed(
            kind=type(error).__name__,
            reason=reason,
            retries=error.retries if isinstance(error, ModelError) else 0,
            seconds=perf_counter() - began,
        )
    tell(end)
    return Transcript(tuple(_ordered(events)))


async def _verdict(protocol: Protocol, debate: Debate, own: dict[str, Any]) -> Verdict:
    verdict = await protocol.algorithm(debate, debate.question, **own)
    if not isinstance(verdict, Verdict):  # an algorithm may be anybody's
        raise TypeError(f"protocol {protocol.name}: it gave back {verdict!r} and no Verdict")
    return verdict


def _teller(events: list[Event], listen: Listener | None) -> Listener:
    if listen is None:
        return events.append

    def tell(event: Event) -> None:
        events.append(event)
        listen(event)

    return tell


def _ordered(events: list[Event]) -> list[Event]:
    """Turns in the order in which they were asked for, whatever order replies arrived in."""
    turns = iter(sorted((e for e in events if isinstance(e, Turn)), key=lambda turn: turn.id))
    return [next(turns) if isinstance(event, Turn) else event for event in events]
