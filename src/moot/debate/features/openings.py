"""Openings: those who speak first are asked whether a value is the right answer."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, place_errors
from moot.core.questions import Question
from moot.debate.context import DebateContext
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import Environment, Feature, Questions
from moot.debate.opening_values import Distance, Opening, Squares, check_opening, draw_opening
from moot.parsing.kinds import settle_answers


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
    ) -> tuple[str, ...]:
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
        return await settle_answers(values, question) if values else ()

    def equip(self, state: tuple[str, ...], context: DebateContext) -> DebateContext:
        """Return the context of a debate with the values that are put forward."""
        return msgspec.structs.replace(context, opening=state)


FEATURE = Openings()
