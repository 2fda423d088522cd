"""Confidences: how sure debaters are of each answer, by a scale, its tokens, or further calls."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from moot.core.confidence_scales import P_TRUE
from moot.core.errors import InputError
from moot.debate.agent_config import styles_in
from moot.debate.asked_confidence import CONSISTENCY, LOGPROBS
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import Calls, Feature
from moot.debate.protocol_settings import MORE_DRAWS, OMITTED, ConfidenceSource
from moot.prompts.packs import Pack


class ConfidenceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of confidences."""

    confidence: Annotated[
        ConfidenceSource | None,
        Meta(
            description="how sure debaters are: on a scale, or by logprobs, consistency or p-true; "
            "none: not asked",
            extra=OMITTED,
        ),
    ] = None
    more_draws: Annotated[
        int,
        Meta(
            ge=1,
            le=1000,
            description="how often confidence = consistency draws each answer again",
            extra=OMITTED,
        ),
    ] = MORE_DRAWS


class Confidences(Feature):
    """The answers of debaters have a confidence."""

    names = ("confidence", "more_draws")
    Settings = ConfidenceSettings

    def is_on(self, own: ConfidenceSettings) -> bool:
        """Return whether a source of confidences is set."""
        return own.confidence is not None

    def check(
        self, own: ConfidenceSettings, whole: DebateSettings, place: str, pack: Pack
    ) -> ConfidenceSettings:
        """Return the settings; the nodes of a network are checked one by one.

        Raises:
            InputError: no reply of the debate's agents could have a confidence.
        """
        if own.confidence == LOGPROBS:
            return own
        protocol, where = whole.protocol, f"{place}: setting confidence = {own.confidence!r}"
        if own.confidence in {CONSISTENCY, P_TRUE}:
            if not protocol.answers:
                raise InputError(
                    f"{where}: it takes further calls for each answer, and this protocol does not "
                    "say how many answers it has; choose a scale, such as percent"
                )
            if own.confidence == CONSISTENCY and whole.agents.temperature == 0:
                raise InputError(f"{where}: at temperature = 0 all draws of a prompt are the same")
            return own
        if protocol.needs:
            raise InputError(
                f"{where}: {protocol.needs} writes the prompts, and does not ask for it"
            )
        for style in () if whole.is_network else sorted(styles_in(whole.flat)):
            if (form := pack.step(style).reads_as) != "answer":
                raise InputError(
                    f"{where}: a reply in style {style!r} has a form of its own ({form}), without "
                    "a place for it; use a style that ends in a plain answer, such as cot"
                )
        return own

    def count(self, own: ConfidenceSettings, calls: Calls, whole: DebateSettings) -> Calls:
        """Return the calls with the further ones that each answer takes."""
        further = {CONSISTENCY: own.more_draws, P_TRUE: 1}.get(str(own.confidence), 0)
        if not further:
            return calls
        fewest, answers = calls.answers()
        return calls._replace(
            least=calls.least + further * min(calls.least, fewest),
            most=calls.most + further * answers,
        )

    def prompts(self, own: ConfidenceSettings, whole: DebateSettings, pack: Pack) -> Iterator[str]:
        """Yield the digests of the words that ask how sure an agent is."""
        yield pack.confidence_digest
        if own.confidence == P_TRUE:
            yield pack.check_digest


FEATURE = Confidences()
