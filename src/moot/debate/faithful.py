"""Faithful debates: the settings by which a protocol follows its paper, or the paper's code.

The differences of a protocol stand in a file beside it, one table for each::

    [differences.Memory]
    paper = {memory = "chat"}
    code = {memory = "last"}

A source is followed by settings, by ``"words"`` of its own in the same file, or is the ``"same"``
as moot; it may leave the matter ``"open"``, or be ``"not followed"``, and ``why`` then says why.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from moot.core.recorded_settings import read_settings
from moot.core.stored import Arm
from moot.debate.protocol import Protocol, registry
from moot.debate.protocol_settings import Sourced
from moot.prompts.source_file import find_source_file, read_source_file

Source = Literal["paper", "code"]
Way = Literal["same", "words", "open", "not followed"]
SOURCE_NAMES = {"paper": "the paper", "code": "the paper's code"}
"""The names of sources in sentences."""


class Difference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One matter in which moot, a paper and its code are not all alike.

    Attributes:
        paper: the settings by which the paper is followed, or how else it stands; None where the
            protocol follows no paper.
        code: the same of its released code.
        where: settings in which alone the difference is one.
        why: why a source is not followed.
        about: what the difference is, where the protocol's docstring does not say so.
    """

    paper: dict[str, Any] | Way | None = None
    code: dict[str, Any] | Way | None = None
    where: dict[str, Any] = {}
    why: str = ""
    about: str = ""

    def explain(self) -> str:
        """Describe the way of each source in a sentence or two; empty where there is nothing.

        Settings stand in double backquotes.
        """
        ways = {each: self.of(each) for each in SOURCE_NAMES if self.of(each) is not None}
        told: dict[str, list[str]] = {}
        for source, way in ways.items():
            if isinstance(way, dict):
                shown = ", ".join(f"``{each}``" for each in _list_values(way))
                told.setdefault(shown, []).append(source)
            elif way == "words":
                told.setdefault("prompts of that meaning", []).append(source)
        by = (f"{' and '.join(sources)}: {shown}" for shown, sources in told.items())
        said = [f"Followed for {'; '.join(by)}."] * bool(told)
        unfollowed = [source for source, way in ways.items() if way == "not followed"]
        if unfollowed:
            said.append(f"Not followed ({', '.join(unfollowed)}): {self.why}.")
        elif self.why:
            said.append(f"{self.why[0].upper()}{self.why[1:]}.")
        return " ".join(said)

    def of(self, source: str) -> dict[str, Any] | Way | None:
        """Return the way in which a source is followed."""
        return self.paper if source == "paper" else self.code


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """The settings and words by which one debate follows a source.

    Attributes:
        source: ``"paper"`` or ``"code"``.
        settings: those that follow it, by name.
        stated: those that the study states otherwise, with its values.
        words: the differences that prompts of the source's meaning follow.
        open: the differences that are not followed, each with the reason.
    """

    source: str
    settings: dict[str, Any]
    stated: dict[str, Any]
    words: tuple[str, ...]
    open: dict[str, str]

    @property
    def sentence(self) -> str:
        """All of it in words, as a caption has it after the name of a method."""
        told = _list_values(self.settings)
        if self.words:
            told += [f"prompts of its meaning ({', '.join(self.words)})"]
        parts = [f"follows {SOURCE_NAMES[self.source]}: {', '.join(told) or 'as moot does'}."]
        if self.stated:
            parts.append(f"Stated otherwise: {', '.join(_list_values(self.stated))}.")
        if self.open:
            parts.append(f"Not followed: {', '.join(self.open)}.")
        return " ".join(parts)


def list_differences(protocol: Protocol) -> Mapping[str, Difference]:
    """Return a protocol's differences from its sources, by name; none where it follows none."""
    return _read(protocol.file) if protocol.sources else {}


@cache
def _read(file: Path) -> dict[str, Difference]:
    tables = read_source_file(find_source_file(file))["differences"]
    return msgspec.convert(tables, dict[str, Difference])


def list_settings(
    protocol: Protocol, source: str, given: Mapping[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the settings by which a protocol follows a source, with their values.

    Args:
        protocol: the protocol.
        source: ``"paper"`` or ``"code"``.
        given: the settings that are given, by which some differences are none.
    """
    usual = {each.name: each.default for each in protocol.described_settings}
    for each in list_differences(protocol).values():
        followed = each.of(source)
        if isinstance(followed, dict) and each.where.items() <= {**usual, **given}.items():
            yield from followed.items()


def _list_values(settings: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {show_value(value)}" for name, value in settings.items()]


def show_value(value: object) -> str:
    """Return a setting's value as a study file has it, without quotation marks."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def describe_arms(arms: Sequence[Arm]) -> list[str]:
    """Return a sentence for the methods that follow a source, once where it is the same for some.

    Methods that could follow a source, but not one that others do, are named as moot's own.
    """
    found: dict[tuple[str, str], list[str]] = {}
    followed = {arm.name: describe_followed(arm.protocol, arm.settings) for arm in arms}
    sources = {each.source for each in followed.values() if each is not None}
    for arm in arms:
        each = followed[arm.name]
        said = _explain_own(arm.protocol, sources) if each is None else each.sentence
        if said:
            found.setdefault((arm.protocol, said), []).append(arm.name)
    return [
        f"{names[0]}{f' (and {len(names) - 1} more)' * (len(names) > 1)} {said}"
        for (_, said), names in found.items()
    ]


def _explain_own(protocol_name: str, sources: Collection[str]) -> str:
    """Return why a method is moot's own beside others that follow sources; empty where it may."""
    protocol = registry.find(protocol_name) if sources else None
    if protocol is None or not protocol.sources or {*sources} & {*protocol.sources}:
        return ""
    told = " and ".join(SOURCE_NAMES[each] for each in sorted(sources))
    return f"is moot's own: {told} has no such protocol."


def describe_followed(protocol_name: str, settings: Mapping[str, Any]) -> Followed | None:
    """Return the source of a recorded debate, and how far; None for moot's own, or unknown.

    Args:
        protocol_name: of the debate; its package may be gone.
        settings: in force.
    """
    protocol = registry.find(protocol_name) if "faithful" in settings else None
    if protocol is None or not protocol.sources:
        return None  # the setting may be another protocol's own, of the same name
    source = read_settings(settings, Sourced).faithful
    if source not in protocol.sources:
        return None
    in_force = {**protocol.omitted, **settings}
    wanted = dict(list_settings(protocol, source, in_force))
    differences = [
        (name, each)
        for name, each in list_differences(protocol).items()
        if each.where.items() <= in_force.items()
    ]
    return Followed(
        source=source,
        settings={name: each for name, each in wanted.items() if in_force.get(name) == each},
        stated={name: in_force.get(name) for name in wanted if in_force.get(name) != wanted[name]},
        words=tuple(name for name, each in differences if each.of(source) == "words"),
        open={name: each.why for name, each in differences if each.of(source) == "not followed"},
    )
