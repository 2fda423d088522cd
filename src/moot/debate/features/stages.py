"""Stages: a debate ends after one of them, and goes on from what is given of earlier ones."""

# ruff: noqa: ARG002 -- hooks take what those of every feature take

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.errors import InputError, check_known
from moot.debate.debate_settings import DebateSettings
from moot.debate.feature import Calls, Feature
from moot.debate.protocol_settings import OMITTED
from moot.prompts.packs import Pack


class StageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of protocols that have stages."""

    until: Annotated[
        str,
        Meta(description="the stage after which it ends, without a verdict", extra=OMITTED),
    ] = ""
    draft: Annotated[
        dict[str, Any] | None,
        Meta(
            description="stages that are given, by name: they are not asked, and none before them",
            extra=OMITTED,
        ),
    ] = None


class Stages(Feature):
    """A protocol's stages can be given, and be the last."""

    names = ("until", "draft")
    Settings = StageSettings

    def check(
        self, own: StageSettings, whole: DebateSettings, place: str, pack: Pack
    ) -> StageSettings:
        """Return the settings with each stage up to the last that is given; None for no content.

        Raises:
            UnknownName: a stage that the protocol does not have.
            InputError: the debate is to end before a stage that is given.
        """
        names, given, until = list(whole.protocol.stages), own.draft or {}, own.until
        check_known("stage", [until] if until else [], names, where=f"{place}: until")
        check_known("stage", given, names, where=f"{place}: draft")
        last = max((at for at, name in enumerate(names) if given.get(name)), default=-1)
        if until and last > names.index(until):
            raise InputError(
                f"{place}: until = {until!r}: the draft already has the {names[last]}; take it "
                "out, or end later"
            )
        filled = {name: given.get(name) or None for name in names[: last + 1]}
        return msgspec.structs.replace(own, draft=filled or None)

    def count(self, own: StageSettings, calls: Calls, whole: DebateSettings) -> Calls:
        """Return the calls without those of stages that are given or come too late.

        The turns that record what is given are one for each part of a stage.
        """
        stages, given, names = whole.protocol.stages, own.draft or {}, list(whole.protocol.stages)
        asked = names[: names.index(own.until) + 1] if own.until else names

        def add_up(end: int) -> int:
            counts = {name: calls.work_out(formulas[end], end) for name, formulas in stages.items()}
            rest = 0 if own.until else (calls.least, calls.most)[end] - sum(counts.values())
            return rest + sum(counts[name] for name in asked if name not in given)

        parts = (
            len(each) if isinstance(each, list) else each is not None for each in given.values()
        )
        return calls._replace(least=add_up(0), most=add_up(1), given=sum(parts))


FEATURE = Stages()
