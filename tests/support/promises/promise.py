"""What one row of ``promises`` says, the replies that rows are made of, and how they are shown."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from moot.core.calls import Call
from moot.core.events import Event, Seated, Transcript, Turn
from moot.debate.protocol import registry
from support.debates import says, timeless

Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Promise:
    """One row.

    Attributes:
        fixed: the settings that make the variant.
        settings: of the one debate that is looked at turn by turn.
        replies: to that debate, in the order in which its turns are asked for.
        reads: by turn of that debate, what its agent has in front of it.
        grid: the settings over which calls are counted, each with its least and greatest value.
        calls: how many there are, by settings and the round in which a debate ends by itself.
        ends: which of the grid says how late that can be.
        speaks: a reply with which a debate ends by itself in a round, and not before.
        exact: whether the protocol's formulas say how many calls this variant makes; else they are
            bounds over all variants.
        order_blind: the role whose agents may change places without a change of an untied verdict.
        decides: the answer of the verdict of a debate that ends in the first round.
    """

    fixed: Settings = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    replies: tuple[str, ...]
    reads: Mapping[int, set[int]]
    grid: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    calls: Callable[[Settings, int], int]
    ends: str = "rounds"
    speaks: Callable[[Call, int], str] = lambda call, ends: says(call, ends=ends)
    exact: bool = True
    order_blind: str = ""
    decides: str = "4"


def final(*answers: str) -> tuple[str, ...]:
    return tuple(f"Final answer: {answer}" for answer in answers)


def evaluation(correct: int, answer: str = "") -> str:
    return f'{{"Correctness": {correct}, "Response": "so", "Final Answer": "{answer}"}}'


def unlike(call: Call, ends: int) -> str:
    """Words and answers that differ by agent and round until a round, and are alike from then."""
    scene = call.scene
    if scene.round >= ends:
        return "We agree.\nFinal answer: 4"
    word = f"{scene.agent}{scene.round}" * 20
    return f"{word[::-1]}\nFinal answer: {10 * scene.round + call.draw.seat}"


def up_to(ends: int, has: Settings) -> int:
    return min(ends, has["rounds"])


def ends_by_itself(ends: int, has: Settings, each: int, more: int) -> int:
    """Calls of so many a round, and more when the rounds are over without an end."""
    return each * ends if ends <= has["rounds"] else each * has["rounds"] + more


NOBODY: set[int] = set()
MINDS = (
    *final("5", "4", "6"),
    *("Agent 2 is right.", *final("4", "5")),
    *(*final("4"), "I am lost.", *final("5")),
)


def every(turns: Iterable[int], reads: set[int]) -> dict[int, set[int]]:
    return dict.fromkeys(turns, reads)


def exchange(topology: str, *second: set[int]) -> Promise:
    """Exchange of thought until all agree: what Kitty, Peter and Ben read in the second round."""
    return Promise(
        fixed={"topology": topology, "stop": "consensus"},
        settings={"rounds": 2},
        replies=final("4", "5", "6", "4", "4", "6"),
        reads=every((1, 2, 3), NOBODY) | dict(enumerate(second, 4)),
        grid={"rounds": (1, 5)},
        calls=lambda has, ends: 3 * up_to(ends, has),
        speaks=unlike,
    )


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
