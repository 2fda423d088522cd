"""Openings: those who speak first are asked whether a value is the right answer."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, place_errors
from moot.core.questions import Question
from moot.debate.debate_settings import DebateSettings
from moot.debate.exchange import Exchange
from moot.debate.feature import Environment, Feature, Questions
from moot.debate.hooks import Inner
from moot.debate.opening_values import Distance, Opening, Squares, check_opening, draw_opening
from moot.parsing.apart import settle_answers
from moot.parsing.shuffle import show_letter


class OpeningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of openings."""

    opening: Annotated[
        Opening, Meta(description="asks who speaks first whether a value is the right answer")
    ] = "open"
    distance: Annotated[
        Distance, Meta(description="how far off a wrong number is that is put forward")
    ] = "near"
    squares: Annotated[
        Squares, Meta(description="how many squares are put forward: as many as are right, or one")
    ] = "all"
    put: Annotated[
        str | None, Meta(description="the value that opening = 'put' puts forward, of your own")
    ] = None


class PutForward(NamedTuple):
    """What is put forward.

    Attributes:
        values: asked about as the right answer; none of an open question.
        roles: which are all asked so; empty where only the first seat is.
    """

    values: tuple[str, ...]
    roles: tuple[str, ...]


class Openings(Feature):
    """Values are put forward to those who speak first."""

    names = ("opening", "distance", "squares", "put")
    Settings = OpeningSettings
    for_whole = True

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return that a value of the user's is put forward, where nothing else is said."""
        return {"opening": "put"} if given.get("put") is not None else {}

    def check_together(self, every: Sequence[tuple[OpeningSettings, str]]) -> None:
        """Raise ``InputError`` where a value of the user's is put forward by no arm."""
        used = {own.put for own, _ in every if own.opening == "put"}
        for own, place in every:
            if own.put is None or own.put in used:
                continue
            if len(every) > 1:
                why = "is put forward by no arm; set opening = 'put' in this arm or in another"
            else:
                why = (
                    f"is not put forward: opening = {own.opening!r} puts forward another value, or "
                    "none; leave out one of the two, or set opening = 'put'"
                )
            raise InputError(f"{place}: put = {own.put!r} {why}")

    def check_questions(
        self, own: OpeningSettings, whole: DebateSettings, questions: Questions, place: str
    ) -> None:
        """Raise ``InputError`` where there is no value to open a question with."""
        if own.opening == "open":
            return
        for where, asked in questions.items():
            for question in asked:
                with place_errors(where):
                    check_opening(question, own.opening, own.put)

    async def open(
        self, own: OpeningSettings, question: Question, environment: Environment
    ) -> PutForward:
        """Return the values that are put forward; none of an open question."""
        values = draw_opening(
            question,
            own.opening,
            environment.settings.agents.seed,
            environment.replicate,
            distance=own.distance,
            squares=own.squares,
            put=own.put,
        )
        settings = environment.settings
        return PutForward(
            await settle_answers(values, question) if values else (),
            settings.protocol.roles_of_opening(settings.flat),
        )

    def opened(self, state: PutForward) -> dict[str, Any]:
        """Return the values that are put forward."""
        return {"opening": state.values}

    def inherit(self, state: PutForward | None, inner: Inner) -> PutForward | None:
        """Return the same values for the debate of those who speak first."""
        if state is None or inner.aside or inner.settings.protocol is None:
            return state
        roles = inner.settings.protocol.roles_of_opening(inner.settings.flat)
        return PutForward(state.values, roles) if inner.is_first else None

    def beside(self, state: PutForward, exchange: Exchange) -> str:
        """Return whether a value is right, as it is asked of those who have not yet spoken."""
        agent, order = exchange.agent, exchange.order
        role, number = agent.seat.role, agent.seat.number
        if agent.round or not (role in state.roles if state.roles else number == 0):
            return ""
        exchange.opening = tuple([show_letter(each, order) or each for each in state.values])
        if not exchange.opening:
            return ""
        return exchange.turns.context.pack.opening(exchange.prompter.question, exchange.opening)


FEATURE = Openings()
