"""A protocol in full: what it does, its source, settings and calls, and who reads whom."""

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, wrap
from typing import Any

import msgspec

from moot.core.events import Transcript
from moot.debate.faithful import list_differences
from moot.debate.protocol import Protocol
from moot.debate.protocol_settings import SettingInfo, list_usual
from moot.reports.reading_graph import draw_reading_graph, list_edges

WIDTH = 79
DIFFERS = "Differs:"
"""The section of an algorithm's docstring that lists where it differs from paper and code."""
USE = "Use it when "
"""How the paragraph of an algorithm's docstring begins that says what it is good for."""
STEPS = range(0, 101, 10)
"""The percentages at which a page shows how agents are told to agree."""


class Portrait(msgspec.Struct, frozen=True, kw_only=True):
    """A protocol as ``moot protocols --json`` prints it.

    Attributes:
        name: as it is asked for.
        summary: what it does, in one line.
        use: when to use it and when not, a sentence: "Use it when …"; empty where it does not say.
        about: the rest of what is said about it: paragraphs, each on one line.
        differs: where it differs from its paper and the paper's code, and why: the items of the
            docstring's section ``Differs:``, then those that its paper's protocols share, each with
            the settings by which ``faithful`` follows a source.
        paper: where it comes from.
        roles: of its agents; empty for a network, whose nodes have theirs, and for a gate.
        calls: of one debate, as formulas over its settings: the most, after "to" where it can end
            early, and before that the fewest.
        fewest: calls of one debate at default settings.
        most: the same.
        styles: the prompt styles in which its agents can answer alone.
        own: the settings that it alone has, or for which it has a default of its own.
        settings: all its settings, its own first.
        modulates: the prompts in which an agent is told how far to agree, e.g. ``"step.revise"``.
        agreement: what it is told there, at 0, 10, … 100 %; empty where no prompt has the slot.
        needs: what has to be installed besides, as pip is told; empty where nothing has.
    """

    name: str
    summary: str
    about: tuple[str, ...]
    paper: str
    roles: tuple[str, ...]
    calls: str
    fewest: int
    most: int
    styles: tuple[str, ...]
    own: tuple[str, ...]
    settings: tuple[SettingInfo, ...]
    use: str = ""
    differs: tuple[str, ...] = ()
    modulates: tuple[str, ...] = ()
    agreement: tuple[str, ...] = ()
    needs: str = ""

    @property
    def at_defaults(self) -> str:
        """How many calls a debate makes at default settings."""
        return str(self.most) if self.fewest == self.most else f"{self.fewest} to {self.most}"

    @property
    def other_roles(self) -> str:
        """Whose roles its agents have, where it has none of its own."""
        return "those of its debate" if "inner" in self.own else "those of its nodes"


def describe_protocol(protocol: Protocol) -> Portrait:
    """Describe a protocol by its docstring, its settings and a rehearsed debate."""
    summary, *about = (inspect.getdoc(protocol.algorithm) or "").split("\n\n")
    differs = [each for each in about if each.startswith(DIFFERS)]
    uses = [each for each in about if each.startswith(USE)]
    fewest, most = protocol.count(protocol.check({}, absent=True))
    pack = protocol.pack()
    modulates = pack.places("agreement")
    return Portrait(
        name=protocol.name,
        summary=_flat(summary),
        about=tuple(_flat(each) for each in about if each not in (*differs, *uses)),
        paper=protocol.paper,
        roles=protocol.roles,
        calls=protocol.calls,
        fewest=fewest,
        most=most,
        styles=tuple(pack.styles),
        use=_flat(" ".join(uses)),
        own=(*protocol.own.__struct_fields__, *_list_changes(protocol)),
        settings=tuple(protocol.described_settings),
        differs=tuple(_add_followed(protocol, [item for each in differs for item in _items(each)])),
        modulates=modulates,
        agreement=tuple(map(pack.agreement, STEPS)) if modulates else (),
        needs=f"moot[{protocol.name}]" if protocol.needs else "",
    )


def _list_changes(protocol: Protocol) -> Iterator[str]:
    """Yield the settings of every protocol that have another default here."""
    usual = list_usual()
    for setting in protocol.described_settings:
        if setting.name in usual and setting.default != usual[setting.name]:
            yield setting.name


def as_text(seen: Portrait, rehearsed: Transcript, given: Mapping[str, Any]) -> str:
    """For a terminal of 80 columns.

    Args:
        seen: the protocol.
        rehearsed: a debate by it.
        given: the settings of that debate which differ from their defaults.
    """
    facts = [
        ("source", seen.paper),
        ("roles", ", ".join(seen.roles) or seen.other_roles),
        ("calls", f"{seen.calls} (at defaults: {seen.at_defaults})"),
        ("styles", ", ".join(seen.styles)),
    ]
    if seen.needs:
        facts.append(("needs", f"pip install '{seen.needs}'"))
    shared = [setting for setting in seen.settings if setting.name not in seen.own]
    own = [setting for setting in seen.settings if setting.name in seen.own]
    parts = [
        fill(f"{seen.name}: {seen.summary}", WIDTH),
        *(fill(each.replace("``", ""), WIDTH) for each in (seen.use, *seen.about) if each),
        "\n".join(
            fill(f"{name + ':':<8}{told}", WIDTH, subsequent_indent=" " * 8) for name, told in facts
        ),
    ]
    if seen.differs:
        items = [fill(f"- {each}", WIDTH, subsequent_indent="  ") for each in seen.differs]
        parts.append("\n".join(["where it differs from paper and code", *items]).replace("``", ""))
    if own:
        parts.append("\n".join(["its own settings", *_settings(own)]))
    parts.append("\n".join(["settings of every protocol", *_settings(shared)]))
    parts += [fill(f"who reads whom{_with(given)}", WIDTH), draw_reading_graph(rehearsed)]
    return "\n\n".join(parts)


def as_data(seen: Portrait, rehearsed: Transcript, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all of it as data, who reads whom included."""
    said: dict[str, Any] = msgspec.to_builtins(seen)
    return said | {"rehearsal": {"settings": dict(given), **list_edges(rehearsed)}}


def format_setting(value: object) -> str:
    """Return a setting's value as it is written on the command line."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _items(section: str) -> list[str]:
    """Return the items of a list in a docstring's section, each on one line."""
    return [_flat(each) for each in re.split(r"^ *- ", section, flags=re.MULTILINE)[1:]]


def _add_followed(protocol: Protocol, items: Sequence[str]) -> Iterator[str]:
    """Yield where a protocol differs, with how a source is followed there."""
    differences = list_differences(protocol)
    shared = [f"{name}: {each.about}" for name, each in differences.items() if each.about]
    for item in (*items, *shared):
        found = differences.get(item.partition(":")[0])
        followed = "" if found is None else found.explain()
        yield f"{item} {followed}".strip()


def _settings(settings: Sequence[SettingInfo]) -> Iterator[str]:
    """Yield one setting after the other: name, default and values, and below them the meaning."""
    for each in settings:
        default = f" = {format_setting(each.default)}" if each.default != "" else ""
        first = f"  {each.name + default:<26} "
        yield from wrap(
            first + each.type,
            WIDTH,
            subsequent_indent=" " * len(first),
            drop_whitespace=True,
            break_on_hyphens=False,
        )
        yield from _wrap_lines(each.help, " " * 6)


def _wrap_lines(text: str, indent: str) -> list[str]:
    return wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _with(given: Mapping[str, Any]) -> str:
    """Return the settings that differ, in brackets; that they are the defaults where none does."""
    told = ", ".join(f"{name} = {format_setting(value)}" for name, value in given.items())
    return f" ({told})" if told else " (at default settings)"


def _flat(paragraph: str) -> str:
    return " ".join(paragraph.split())
