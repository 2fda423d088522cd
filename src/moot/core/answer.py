"""What ``moot.ask`` returns: the transcript of a debate, with its answer and its price."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_type_hints

import msgspec

from moot.core.events import Closed, Failed, NodeFinished, Transcript, Turn
from moot.core.notebook_display import NotebookDisplay, Row, describe_debate
from moot.core.readings import RecordedReading
from moot.core.unread import Unread, tell_by

N = TypeVar("N", int, float)


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens over a whole debate; None where an endpoint did not report all of them."""

    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cached_tokens: int = 0
    reasoning_tokens: int | None = 0

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "TokenUsage":
        """Return the sums of the tokens of these turns."""
        turns = tuple(turns)
        return cls(
            prompt_tokens=sum_known(turn.prompt_tokens for turn in turns),
            completion_tokens=sum_known(turn.completion_tokens for turn in turns),
            cached_tokens=sum(turn.cached_tokens for turn in turns),
            reasoning_tokens=sum_known(
                turn.reasoning_tokens if turn.thought else turn.reasoning_tokens or 0
                for turn in turns
            ),
        )


SHOWN = 3
"""Dissents that people are shown with an answer; the transcript has them all."""


class Dissent(msgspec.Struct, frozen=True, kw_only=True):
    """A minority of those who vote, or a reply that a protocol says contradicts the others.

    Attributes:
        agents: the names of who dissents; at least one.
        why: what they say against it, in a few words: ``"answers 13"``.
        answer: theirs; None where the dissent is no answer, as in a review.
        words: the reply of the first of them.
        turn: its id.
    """

    agents: tuple[str, ...]
    why: str
    answer: str | None = None
    words: str = ""
    turn: int | None = None


class Answer(NotebookDisplay, msgspec.Struct, frozen=True, kw_only=True):
    """A debated answer: everything about it is read from the transcript of its debate.

    Attributes:
        transcript: all events of the debate, in order.
        run: the id under which ``moot show`` finds the transcript; empty where it is not stored.
        dissents: what speaks against the answer: a minority of those who vote, or a reply that the
            protocol says contradicts the others.
        unread: the replies that should have counted for the answer and could not be read.
    """

    transcript: Transcript
    run: str = ""
    dissents: tuple[Dissent, ...] = ()
    unread: tuple[Unread, ...] = ()

    def __repr__(self) -> str:
        """Return the answer, and how it was reached, in one line."""
        of = f", run {self.run}" if self.run else ""
        return f"Answer({describe_debate(self.transcript, self.unread)}{of})"

    def __str__(self) -> str:
        """Return the answer itself; for free text the words, for none why there is none."""
        if self.answer is not None:
            return self.answer
        return self.text or repr(self)

    @property
    def records(self) -> Sequence[Row]:
        """One row for each turn."""
        return self.transcript.records

    @property
    def answer(self) -> str | None:
        """The answer in canonical form; None when the debate reached none, or failed."""
        verdict = self.transcript.verdict
        return verdict.answer if verdict else None

    @property
    def text(self) -> str:
        """The words of the deciding turn; empty when the debate failed."""
        verdict = self.transcript.verdict
        return verdict.text if verdict else ""

    @property
    def by(self) -> str | None:
        """How the answer was reached, e.g. ``"majority"``; None when the debate failed.

        It is the verdict's ``by``, but says so where one of several answers could be read.
        """
        verdict = self.transcript.verdict
        return tell_by(verdict, self.unread) if verdict else None

    @property
    def protocol(self) -> str:
        """The name of the protocol."""
        return self.transcript.opened.protocol

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting in force, defaults included."""
        return self.transcript.opened.settings

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in the order in which they were asked for."""
        return self.transcript.turns

    @property
    def nodes(self) -> tuple[NodeFinished, ...]:
        """The verdicts of a network's nodes, sweep by sweep; empty in any other debate."""
        return self.transcript.nodes

    @property
    def calls(self) -> int:
        """The number of replies, paid for or replayed."""
        return sum(not turn.is_given for turn in self.transcript.turns)

    @property
    def usage(self) -> TokenUsage:
        """The tokens of all turns."""
        return TokenUsage.of(self.transcript.turns)

    @property
    def cost(self) -> float | None:
        """US dollars, as if nothing had been replayed; None when any price is unknown."""
        return sum_known(turn.cost for turn in self.transcript.turns)

    @property
    def seconds(self) -> float:
        """The wall time of the debate; 0.0 for a transcript without an end."""
        end = self.transcript.events[-1]
        return end.seconds if isinstance(end, Closed | Failed) else 0.0

    @property
    def failed(self) -> str | None:
        """The reason why there is no verdict; None where there is one."""
        failed = self.transcript.failed
        return f"{failed.kind}: {failed.reason}" if failed else None

    @property
    def simulated(self) -> bool:
        """Whether any agent is no language model."""
        return self.transcript.opened.simulated

    def to_dict(self) -> dict[str, Any]:
        """Return what ``moot ask --json`` prints: the keys of ``KEYS``, as JSON has them.

        Each turn and each node has all its fields, also those that have their defaults.
        """
        told = {key: getattr(self, key) for key in KEYS}
        told["turns"] = [msgspec.structs.asdict(turn) for turn in self.turns]
        told["nodes"] = [msgspec.structs.asdict(node) for node in self.nodes]
        found: dict[str, Any] = msgspec.to_builtins(told)
        return found


KEYS = (
    *(
        "answer",
        "text",
        "by",
        "dissents",
        "unread",
        "protocol",
        "settings",
        "calls",
        "usage",
        "cost",
        "seconds",
    ),
    *("failed", "simulated", "run", "turns", "nodes"),
)
"""The keys of an answer in JSON."""


def sum_known(values: Iterable[N | None]) -> N | None:
    """Return the sum of these values; None where any of them is unknown."""
    total: Any = 0
    for value in values:
        if value is None:
            return None
        total += value
    return total  # type: ignore[no-any-return]  # begins as an int, which every number can join


DRAFT = "https://json-schema.org/draft/2020-12/schema"


def make_answer_schema(more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the JSON schema of what ``moot ask --json`` prints.

    An answer that was stopped has all keys, too; then ``run`` is null, and so are keys of which
    nothing is known.

    Args:
        more: the types of further keys, by name.
    """
    fields = {**_types_of_keys(), **(more or {})}
    stopped = {name: kind | None for name, kind in fields.items()}
    made = msgspec.defstruct("DebatedAnswer", [*stopped.items()])
    schema = msgspec.json.schema(made, schema_hook=_describe_reading)
    for each in schema["$defs"].values():
        each.pop("description", None)  # the docstring, which speaks of Python
        _drop_tag(each)
    return {"$schema": DRAFT, **schema}


def _drop_tag(component: dict[str, Any]) -> None:
    """Remove the key that tells events apart: turns and nodes stand without it."""
    if component.get("properties", {}).pop("event", None):
        component["required"] = [each for each in component["required"] if each != "event"]


def _types_of_keys() -> dict[str, Any]:
    fields = get_type_hints(Answer)
    return {
        key: fields.get(key) or get_type_hints(getattr(Answer, key).fget)["return"] for key in KEYS
    }


def _describe_reading(kind: type) -> dict[str, Any]:
    """Return the schema of a turn's reading: an object with its kind, or null."""
    if kind is not RecordedReading:
        raise NotImplementedError
    return {"type": ["object", "null"], "properties": {"kind": {"type": "string"}}}
