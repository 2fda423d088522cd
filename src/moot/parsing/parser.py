"""Parsers: how a reply is read, by the name that a prompt's ``reads_as`` has.

A parser is a function of a reply. It returns the answer that the reply commits to and what else the
reply says. ``@parser`` registers one; another package brings its own by an entry point in the group
``moot.parsers``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from moot.core.errors import InputError
from moot.core.events import Turn
from moot.core.questions import Question
from moot.core.readings import Reading, readings
from moot.core.registry import Registry

R = TypeVar("R", bound=Reading)

HeardAnswers = Mapping[str, str | None] | None
"""What the others answered, by the label under which the agent read them."""


class Parsed(NamedTuple):
    """What a parser finds in a reply.

    Attributes:
        answer: in canonical form, as ``moot.extract`` gives it; None if the reply commits to none.
        reading: what else the reply says; None if it says nothing that the parser looks for.
    """

    answer: str | None
    reading: Reading | None = None


ParserFunction = Callable[..., Parsed]

Counts = Callable[[Any, Mapping[str, Any]], bool]
"""From a reading and the settings of its debate to whether it counts for a verdict."""


Keyed = Callable[[dict[str, Any], Sequence[str]], dict[str, Any]]
"""From the schema of a parser and what the prompt asked for to the schema of a reply to it."""

KEYS = "keys"
"""The parameter of functions that are given what the prompt asked for."""


@dataclass(frozen=True, slots=True)
class Parser:
    """A registered way to read a reply.

    Attributes:
        name: what ``reads_as`` calls it: its function's name without ``parse_``, with hyphens.
        function: from the reply's text, the question, whether the reply was finished rather than
            cut off, and what the agent had heard, to what the reply says. Pure; never raises. Where
            it has a keyword parameter ``keys``, it is given what the prompt asked for, such as the
            forms of a ballot.
        reading: the kind of reading that it yields; None if it yields none.
        schema: the JSON schema for a question that holds a model to this form; None if the reply is
            no JSON.
        keyed: what the schema is where the prompt asked for ``keys``; None for the same.
        gives: what a reply that counts for a verdict gives, in words such as ``"ranking"``; empty
            for replies that are not counted.
        counts: whether a reading has that.
    """

    name: str
    function: ParserFunction
    reading: type[Reading] | None = None
    schema: Callable[[Question], dict[str, Any]] | None = None
    gives: str = ""
    counts: Counts = lambda *_: True
    keyed: Keyed | None = None

    def __call__(
        self,
        text: str,
        question: Question,
        finished: bool = True,
        heard: HeardAnswers = None,
        keys: tuple[str, ...] = (),
    ) -> Parsed:
        """Read a reply.

        Raises:
            TypeError: the function returned no ``Parsed``, or a reading that it did not declare.
        """
        if keys and KEYS in (self.function.__kwdefaults__ or ()):
            parsed = self.function(text, question, finished, heard, keys=keys)
        else:
            parsed = self.function(text, question, finished, heard)
        if not isinstance(parsed, Parsed):
            raise TypeError(f"parser {self.name}: it returned {parsed!r} and no moot.Parsed")
        if parsed.reading is not None and type(parsed.reading) is not self.reading:
            declared = self.reading.__name__ if self.reading else "none"
            raise TypeError(
                f"parser {self.name}: its reading is {parsed.reading!r}; it declares {declared}"
            )
        return parsed


registry: Registry[Parser] = Registry(
    "parser", "moot.parsing", group="moot.parsers", table="PARSERS"
)
"""Parsers by name."""


def parser(
    *,
    reading: type[Reading] | None = None,
    schema: Callable[[Question], dict[str, Any]] | None = None,
    name: str = "",
    gives: str = "",
    counts: Counts = lambda *_: True,
    keyed: Keyed | None = None,
) -> Callable[[ParserFunction], Parser]:
    """Register a function ``(text, question, finished, heard) -> Parsed`` as a parser.

    With a parameter ``*, keys=()`` it is also given the ``keys`` of ``Debate.ask``.

    Args:
        reading: the subclass of ``moot.Reading`` that it yields.
        schema: from a question to the JSON schema that holds a model to this form.
        name: another name than the function's.
        gives: what a reply that counts for a verdict gives, in words such as ``"ranking"``. Replies
            without it are named as unread.
        counts: whether a reading has that, by the settings of the debate, too.
        keyed: from that schema and the ``keys`` of ``Debate.ask`` to the schema of that reply.

    Raises:
        InputError: when it decorates, if the name or the kind of reading is taken.
    """

    def register(function: ParserFunction) -> Parser:
        own_name = name or function.__name__.removeprefix("parse_").replace("_", "-")
        if reading is not None:
            tag = reading.__struct_config__.tag
            if not isinstance(tag, str):
                raise InputError(f"parser {own_name!r}: the tag of its reading is not a text")
            readings.add(tag, reading)
        made = Parser(own_name, function, reading, schema, gives, counts, keyed)
        registry.add(own_name, made)
        return made

    return register


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON schema of an object with all of these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def get_reading(turn: Turn, question: Question, kind: type[R], parser: str) -> R | None:
    """Return a turn's reading of one kind, beside its answer; None if it has none.

    It is the one that the transcript records. A transcript of format 1 records no readings: its
    reply is parsed again.

    Args:
        turn: whose reply it is.
        question: as it was put to the agent.
        kind: the kind of reading.
        parser: the name of the parser, for a transcript of format 1.
    """
    reading: object = turn.reading
    if not turn.parser:
        reading = registry.get(parser)(turn.text, question, turn.finish != "length").reading
    return reading if isinstance(reading, kind) else None
