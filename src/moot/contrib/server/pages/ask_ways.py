"""The ways to debate that a form offers, and a debate as the fields of the form."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from moot.contrib.server.config import ServerConfig, ServerPreset
from moot.contrib.server.pages.form_fields import FormField, list_form_fields, parse_form_fields
from moot.contrib.server.pages.page_rendering import make_url
from moot.extend.protocols import Protocol, protocols
from moot.extend.records import Opened
from moot.extend.studies import QuestionPlan

PRESET = "preset:"
SET = "set."
"""The prefix of the fields that are settings."""
TEXTS = ("question", "context", "choices", "kind", "answer", "after")
"""The fields of the page to ask that say what is debated."""
BUDGET = ("model", "max_cost", "max_calls")
"""The fields of every form that are no settings."""
LINK = 4_000
"""The most characters of a link with a question and its settings; servers limit their headers."""


class DebateWay(NamedTuple):
    """A way to debate that can be chosen: a protocol, or a preset of the server's owner.

    Attributes:
        name: its value in the form.
        title: its name on the page.
        about: a description, in a line.
        protocol: the protocol.
        preset: the preset; None for a protocol.
        without: settings that the form refuses for this protocol; they have no field.
    """

    name: str
    title: str
    about: str
    protocol: Protocol
    preset: ServerPreset | None = None
    without: frozenset[str] = frozenset()

    @property
    def when(self) -> str:
        """When to take it, in a sentence or two; of a preset the owner says so in ``about``."""
        return "" if self.preset and self.preset.about else self.protocol.when

    @property
    def counted_by(self) -> list[str]:
        """The labels of the settings on which the number of its calls depends."""
        words = dict.fromkeys(re.findall(r"[a-z_]+", self.protocol.max_calls))
        labels = {field.name: field.label for field in self.fields()}
        return [labels[name] for name in words if name in labels]

    def fields(self) -> list[FormField]:
        """Return the fields of its settings."""
        every = list_form_fields(self.protocol, self.preset.settings if self.preset else {})
        return [field for field in every if field.name not in self.without]


def list_ways(config: ServerConfig) -> dict[str, DebateWay]:
    """Return the ways that the owner allows, by name, presets first."""
    ways = []
    for name, preset in config.presets.items():
        about = preset.about or f"A preset of {preset.protocol}."
        ways.append(DebateWay(PRESET + name, name, about, protocols.get(preset.protocol), preset))
    known = map(protocols.get, config.protocols)
    ways += [DebateWay(by.name, by.name, by.summary, by) for by in known if by.is_installed]
    return {way.name: way for way in ways}


class WayGroup(NamedTuple):
    """Ways to debate that stand together in a list.

    Attributes:
        title: the heading.
        when: when to take one of them; empty where the heading says it.
        ways: the ways, in order.
    """

    title: str
    when: str
    ways: list[DebateWay]


def group_ways(every: Mapping[str, DebateWay], default: str) -> list[WayGroup]:
    """Return the ways in groups: the recommended one, the owner's presets, protocols by kind."""
    first = every[default]
    presets = [each for each in every.values() if each.preset and each is not first]
    found = [WayGroup("Recommended", "", [first]), WayGroup("Of this server", "", presets)]
    others = [each for each in every.values() if not each.preset and each is not first]
    for group in sorted({each.protocol.group for each in others}):
        ways = [each for each in others if each.protocol.group == group]
        found.append(WayGroup(group.title, group.when, ways))
    return [each for each in found if each.ways]


def default_way(config: ServerConfig) -> str:
    """Return the name of the way that is chosen first."""
    names = list(list_ways(config))
    return QuestionPlan.PROTOCOL if QuestionPlan.PROTOCOL in names else names[0]


def list_changed(way: DebateWay, given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings among the fields of a form that differ from those of the way."""
    shown = {SET + field.name: field.value for field in way.fields()}
    return {name: given[name] for name, value in shown.items() if given.get(name, value) != value}


def link_to_form(
    way: DebateWay, given: Mapping[str, str], page: str = "/ask", texts: Sequence[str] = TEXTS
) -> str:
    """Return the URL of a filled form; empty where it would be too long for a link.

    Args:
        way: the way to debate that is chosen.
        given: the fields of the form.
        page: the URL of the form.
        texts: the fields that say what is debated.
    """
    plain = {name: text for name, text in given.items() if name in (*texts, *BUDGET)}
    url = make_url(page, **plain, protocol=way.name, **list_changed(way, given))
    return url if len(url) <= LINK else ""


def fill_form(config: ServerConfig, opened: Opened) -> dict[str, str]:
    """Return the fields of the form that asks for a debate again.

    They are empty where the form cannot: for a conversation, and where the owner does not allow
    its protocol.
    """
    question, way = opened.question, find_way(config, opened)
    if question.earlier_messages or question.secret or way is None:
        return {}
    fields = list_form_fields(way.protocol, opened.settings)
    texts = {
        "question": question.text,
        "choices": "\n".join(question.choices),
        "kind": "" if question.choices else question.kind,
        "context": question.context or "",
        "answer": next(iter(question.answers), ""),
        "protocol": way.name,
        "of": way.name,
        "model": "" if way.preset else str(opened.settings["model"]),
    }
    given = texts | {SET + field.name: field.value for field in fields}
    return {name: text for name, text in given.items() if text}


def find_way(config: ServerConfig, opened: Opened) -> DebateWay | None:
    """Return the way that a debate goes: a preset of its settings, else its protocol, or None."""
    ways = [way for way in list_ways(config).values() if way.protocol.name == opened.protocol]
    is_preset = (way for way in ways if _is_preset_of(way, opened.settings))
    return next(is_preset, ways[-1] if ways else None)


def _is_preset_of(way: DebateWay, settings: Mapping[str, Any]) -> bool:
    """Whether a debate has the model and all lists of a preset, which no form can set."""
    own = way.preset.settings if way.preset else {}
    hidden = own.keys() - {field.name for field in way.fields()}
    return bool(own) and all(settings.get(name) == own[name] for name in hidden)


def settings_of(way: DebateWay, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings that a form asks for. Raises ``InputError`` for what is no number."""
    own = {name.removeprefix(SET): text for name, text in given.items() if name.startswith(SET)}
    settings = dict(way.preset.settings) if way.preset else {}
    return settings | parse_form_fields(way.fields(), own)


def find_field(way: DebateWay, message: str, texts: Sequence[str] = TEXTS) -> str:
    """Return the field of the form that an error is about; empty where it names none."""
    return next(_fields_named(way, message, texts), "")


def _fields_named(way: DebateWay, message: str, texts: Sequence[str]) -> Iterator[str]:
    for field in way.fields():
        if f"setting {field.name} " in message or message.startswith(f"{field.title}:"):
            yield SET + field.name
    for name, words in (
        ("kind", ("unknown kind",)),
        ("answer", ("answer = ", "right answer is not known")),
        ("max_cost", ("the most cost", "cap on cost")),
        ("max_calls", ("the most calls", " or more, and this one may make ")),
        ("model", ("is not allowed here",)),
    ):
        if any(each in message for each in words):
            yield name
    yield from (name for name in texts if message.startswith(f"{name}:"))
