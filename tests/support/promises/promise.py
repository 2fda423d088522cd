"""How the transcript of a promise is shown, one line an event."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from moot.core.events import Event, Seated, Transcript, Turn
from moot.debate.protocol import registry
from support.debates import timeless

OF_WORDING = ("pack", "call", "prompt_tokens", "completion_tokens", "prefix_share")
"""Fields that go with the wording of prompts, which may change."""
OF_EVERY_TURN = (
    "id",
    "agent",
    "seat",
    "role",
    "step",
    "round",
    "model",
    "text",
    "answer",
    "reads",
    "cost",
)


def in_lines(transcript: Transcript) -> str:
    """A transcript, one line an event, with the fields that are not the defaults."""
    lines = [_as_line(event) for event in timeless(transcript).events[1:]]
    opened = transcript.opened
    defaults = registry.get(opened.protocol).check({})
    settings = {key: value for key, value in opened.settings.items() if defaults.get(key) != value}
    settings.pop("model")
    return "\n".join([f"{opened.protocol} {settings} {opened.opening or ''}".strip(), *lines])


def _as_line(event: Event) -> str:
    fields = dict(_fields(event))
    match event:
        case Seated():
            seat = dict(_fields(event.seat))
            more = _as_words(seat, ("number", "agent", "role", "model"))
            return f"  seat {event.seat.number} {event.seat.agent} ({event.seat.role}){more}"
        case Turn():
            more = _as_words(fields, OF_EVERY_TURN)
            reads = f" reads {','.join(map(str, event.reads))}" if event.reads else ""
            return (
                f"  {event.id} {event.agent} in round {event.round}, {event.step}:{reads}{more} "
                f"{event.text!r} = {event.answer}"
            )
        case _:
            return f"  {type(event).__name__}{_as_words(fields, ())}"


def _as_words(fields: Mapping[str, Any], known: tuple[str, ...]) -> str:
    return "".join(f" {key}={value!r}" for key, value in fields.items() if key not in known)


def _fields(struct: Any) -> Iterable[tuple[str, Any]]:
    """The names and values of fields that differ from their defaults, but those of wording."""
    for each in msgspec.structs.fields(struct):
        value = getattr(struct, each.name)
        default = None if each.default is msgspec.NODEFAULT else each.default
        if each.name in OF_WORDING or value == default or value in ({}, ()):
            continue
        yield (
            each.name,
            msgspec.to_builtins(dict(_fields(value)))
            if isinstance(value, msgspec.Struct)
            else value,
        )
