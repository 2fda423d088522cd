"""Run one debate from its opening to its verdict or its failure."""

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from moot.core.errors import BudgetReached, CallWaits, InputError, ModelError, StoreError
from moot.core.events import (
    FORMAT,
    Closed,
    Event,
    Failed,
    NodeFinished,
    Noted,
    Opened,
    Searched,
    Seated,
    Transcript,
    Turn,
)
from moot.core.ports import Model
from moot.core.questions import Question
from moot.debate.agent_config import configure_agents
from moot.debate.context import (
    DebateContext,
    Listener,
    Neighbour,
    no_neighbour,
)
from moot.debate.debate import Debate
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import NO_SUPPLIES, Environment, Supplies, open_features
from moot.parsing.apart import APART, settle_question
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath

if TYPE_CHECKING:
    from moot.debate.steering import Steering

RAISED = (BudgetReached, CallWaits, StoreError, InputError)
"""Errors by which a debate does not fail: they are raised."""


async def run_debate(
    settings: DebateSettings,
    question: Question,
    *,
    path: CallPath,
    model: Callable[[str], Model],
    pack: Pack,
    overlay: Path | None = None,
    supplies: Supplies = NO_SUPPLIES,
    replicate: int = 0,
    number: int = 0,
    neighbour: Neighbour = no_neighbour,
    listen: Listener | None = None,
    steering: "Steering | None" = None,
) -> Transcript:
    """Run one debate and return its transcript.

    A call that fails, or a mistake in the protocol, fails this debate alone: its transcript then
    ends with the reason. What ends the whole run (budget, store, bad input) is raised, and so is
    ``CallWaits``, after which the debate is run again.

    Args:
        settings: every setting in force, with the protocol.
        question: what is debated.
        path: where every call goes.
        model: the model by name.
        pack: the prompts.
        overlay: the user's file of prompts that ``pack`` was laid over with.
        supplies: what is loaded for its features; see ``Feature.loader``.
        replicate: the study's repetition.
        number: the debate's place in the run.
        neighbour: returns another question of the run, from which ``exposure`` borrows reasons.
        listen: is told each event as it happens.
        steering: what a person asks of the debate while it runs.
    """
    if question.kind in APART:
        question = await settle_question(question)
    environment = Environment(settings, model, path, replicate, supplies)
    features = await open_features(question, environment, steering=steering)
    events: list[Event] = []
    tell = _make_listener(events, listen)
    context = DebateContext(
        path=environment.path,
        model=model,
        config_of=configure_agents(settings.agents, settings.cast, model),
        pack=pack,
        overlay=overlay,
        whole=settings,
        replicate=replicate,
        number=number,
        neighbour=neighbour,
        features=features,
    )
    tell(_describe(question, context))
    end: Closed | Failed
    began = perf_counter()
    try:
        debate = Debate(question, context, tell)
        await debate.open()
        verdict = await settings.protocol.run(debate)
        for each in features:
            if each.has("end"):
                each.feature.end(debate, each.state)
        end = Closed(verdict=verdict, seconds=perf_counter() - began)
    except RAISED:
        raise
    except Exception as error:  # noqa: BLE001 -- a failing question stays in the results, as failed
        end = Failed(
            kind=type(error).__name__,
            reason=question.hide_quotation(str(error) or repr(error)),
            retries=error.retries if isinstance(error, ModelError) else 0,
            seconds=perf_counter() - began,
        )
    tell(end)
    return Transcript(tuple(_order(events)))


def _describe(question: Question, context: DebateContext) -> Opened:
    """Return the first event of a debate."""
    settings = context.whole
    found: dict[str, Any] = {}
    for each in context.features:
        if each.has("opened"):
            found |= each.feature.opened(each.state)
    return Opened(
        question=question,
        protocol=settings.protocol.name,
        settings=dict(settings.flat),
        pack=context.pack.digest,
        replicate=context.replicate,
        simulated=any(context.model(name).simulated for name in settings.models),
        format=FORMAT,
        **found,
    )


def _make_listener(events: list[Event], listen: Listener | None) -> Listener:
    if listen is None:
        return events.append

    def tell(event: Event) -> None:
        events.append(event)
        listen(event)

    return tell


def _order(events: list[Event]) -> list[Event]:
    """Return the events with turns in the order in which they were asked for.

    In a debate with sub-debates all seats stand first, then all turns, searches and notes, and
    verdicts of sub-debates.
    """
    turns = sorted([e for e in events if isinstance(e, Turn)], key=attrgetter("id"))
    seats = [e for e in events if isinstance(e, Seated)]
    if any(each.seat.node for each in seats):
        seats.sort(key=lambda each: each.seat.number)
        nodes = [e for e in events if isinstance(e, NodeFinished)]
        nodes.sort(key=lambda node: (node.place, node.node))
        found = sorted(
            (e for e in events if isinstance(e, Searched | Noted)),
            key=lambda each: (each.after, each.node),
        )
        return [events[0], *seats, *turns, *found, *nodes, events[-1]]
    rest = iter(turns)
    return [next(rest) if isinstance(event, Turn) else event for event in events]
