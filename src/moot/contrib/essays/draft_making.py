"""How a draft is made of an essay: of one that is whole, or that ended after a stage."""

from collections.abc import Mapping
from typing import Any

from moot import InputError
from moot.contrib.essays.draft import PERSONA, Draft, DraftRemark, read_personas_given
from moot.contrib.essays.essay_turns import member_place
from moot.contrib.essays.team import label
from moot.extend.protocols import protocols

_KEPT = ("stance", "model")
"""Settings that a draft has, be they the protocol's defaults or not."""
_LEFT_OUT = {"until", "draft", "people", "revise", "alternatives"}
"""Settings that it does not have: what was done once, and the team, which it has itself."""
_SPOKEN = ("discuss", "challenge", "dialogue")
"""The prompts whose replies are the discussion."""


def make_draft(essay: Mapping[str, Any]) -> Draft:
    """Return the draft of an essay, to be edited and gone on from.

    Args:
        essay: as ``moot write --json`` prints it.

    Raises:
        InputError: it is no such object.
    """
    try:
        found = protocols.get(essay["protocol"]).described_settings
        usual = {each.name: each.default for each in found}
        return Draft(
            proposition=essay["proposition"],
            protocol=essay["protocol"],
            settings={
                name: "null" if value is None else value  # as TOML, which has no null, can say it
                for name, value in essay["settings"].items()
                if name not in _LEFT_OUT and (name in _KEPT or value != usual.get(name, value))
            },
            personas=read_personas_given([_pick(each) for each in essay["pool"]], "pool"),
            team=read_personas_given([_pick(each) for each in essay["personas"]], "personas"),
            dialogue=tuple(
                DraftRemark(speaker=_name_speaker(each), text=each["text"])
                for each in essay["dialogue"]
                if each["step"] in _SPOKEN and each["text"].strip()
            ),
            plan=essay["plan_text"],
            essay=essay["essay"] or "",
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"no essay as moot write --json prints it: {error!r}") from None


def _pick(persona: Mapping[str, Any]) -> dict[str, Any]:
    return {name: persona[name] for name in PERSONA}


def _name_speaker(turn: Mapping[str, Any]) -> str:
    """Return the name of a speaker, as agents call it."""
    if turn["role"] != "member":
        return str(turn["role"]).title()
    return label(member_place(turn["agent"]))
