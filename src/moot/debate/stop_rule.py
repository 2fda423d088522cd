"""What a registered stop is: a function of a debate's rounds, which the setting ``stop`` names."""

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.questions import Question
from moot.core.registry import Registry
from moot.debate.protocol_settings import OMITTED
from moot.debate.views import Views
from moot.parsing.same import answer_value


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """Why a debate needs no further round.

    Attributes:
        why: the reason in a few words, e.g. ``"all agree"``.
        signal: the number that was compared; None where nothing was.
        threshold: what it was compared with.
        fitted_on: the data on which the threshold was fitted, which must not be the data that is
            reported; empty where it was not fitted.
        ends: False where the check says what it compared, but does not end the debate. Such an
            ending counts as False.
    """

    why: str
    signal: float | None = None
    threshold: float | None = None
    fitted_on: str = ""
    ends: bool = True

    def __bool__(self) -> bool:
        """Return whether it ends the debate."""
        return self.ends


StageFormulas = Mapping[str, tuple[str, str]]
"""By the name of each stage, in order, the formulas of its fewest and its most calls."""


class StageReached(Exception):
    """A debate has reached the end of the stage after which it is to end."""


COMPARED = ("ends", "signal", "threshold", "fitted_on")
"""The fields of an ending that the transcript records beside the reason."""

Gate = Callable[[Views, Question], Ending | None]
"""From the views of the first round: why they are accepted, or None to debate.

An ending with ``ends=False`` also means to debate, and says what was compared.
"""
Stop = Callable[[Views, Question], Ending | None]
"""From all views so far, oldest first: why this is enough, or None to go on."""

RoundsCheck = Callable[..., Ending | None]


class Stopping(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of protocols whose rounds a registered stop can end."""

    stop: Annotated[
        str,
        Meta(
            description="checks after each round, any of which ends it: consensus, deadlock, "
            "exchange, stability; several stand with commas between them",
            extra=OMITTED,
        ),
    ] = ""
    still: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            title="The debate may end while this share still changes",
            description="for stability: the share of agents that may change their answer",
            extra=OMITTED,
        ),
    ] = 0.0
    twice: Annotated[
        int,
        Meta(
            ge=1,
            le=5,
            title="Quiet rounds in a row before it may end",
            description="for stability: in how many rounds in a row",
            extra=OMITTED,
        ),
    ] = 2


@dataclass(frozen=True, slots=True, eq=False)
class StopRule:
    """A registered stop.

    Attributes:
        name: its name in the setting ``stop``, e.g. ``"stability"``.
        check: the function.
        source: where it comes from.
        options: the names of its keyword parameters, which are settings of the debate.
    """

    name: str
    check: RoundsCheck
    source: str
    options: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.check) or "").partition("\n")[0]

    def apply(
        self, rounds: Sequence[Views], question: Question, settings: Mapping[str, Any]
    ) -> Ending | None:
        """Return why these rounds are enough; None to go on.

        Args:
            rounds: the view of every agent in each round, oldest first, agents in one order.
            question: the question.
            settings: of its options; others have the function's defaults.
        """
        return self.check(rounds, question, **settings)


registry: Registry[StopRule] = Registry("stop", "moot.stops")


def stop_rule(*, source: str, name: str = "") -> Callable[[RoundsCheck], RoundsCheck]:
    """Register a function ``(rounds, question) -> Ending | None`` as a stop.

    ``rounds`` has the views of all agents for each round so far, oldest first and agents in one
    order; an agent that was not asked in a round is there with its last view. A stop makes no call
    and changes nothing. An ending with ``ends=False`` is recorded, and the debate goes on. Keyword
    parameters are settings of the protocols with the setting ``stop``: ``still`` and ``twice``.

    Args:
        source: where it comes from.
        name: another name than the function's, whose underscores become hyphens.
    """

    def register(check: RoundsCheck) -> RoundsCheck:
        own = name or check.__name__.replace("_", "-")
        parameters = inspect.signature(check).parameters.values()
        options = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
        registry.add(own, StopRule(own, check, source, options))
        return check

    return register


def find_stops(names: str, *, where: str = "") -> list[StopRule]:
    """Return the stops that a setting ``stop`` names.

    Raises:
        UnknownName: one of them does not exist.
    """
    return [registry.get(name, where=where) for each in names.split(",") if (name := each.strip())]


def list_values(views: Views, question: Question) -> list[Hashable]:
    """Return for each view what tells its answer from others; None where it has none."""
    return [
        None if view.answer is None else answer_value(view.answer, question.kind) for view in views
    ]
