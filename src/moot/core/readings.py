"""Readings: what a reply says beside its answer, as the transcript records it.

A reading is a frozen struct with a tag: a ruling, scores, a confidence. A parser makes it from the
reply's text, once, when the reply arrives. From then on it is read from ``Turn.reading``.
"""

from typing import Any

import msgspec

from moot.core.questions import WITHHELD
from moot.core.registry import Registry


class RecordedReading:
    """What ``Turn.reading`` holds: a ``Reading``, or an ``UnknownReading``."""

    __slots__ = ()


class Reading(
    msgspec.Struct,
    RecordedReading,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="kind",
    tag=str.lower,
):
    """What a reply says beside its answer. Subclass it, and give the class to ``@moot.parser``.

    The kind of a reading is the name of its class in lower case, or the class argument ``tag``. It
    stands in the transcript's JSON under the key ``kind``, with the fields beside it.
    """

    def in_words(self) -> str:
        """Return as Markdown what a page shows in place of a reply in JSON; empty for the reply."""
        return ""

    @classmethod
    def register(cls) -> None:
        """Make the kind known to those who read transcripts, where no parser yields it."""
        readings.add(str(cls.__struct_config__.tag), cls)

    @property
    def needs_no_answer(self) -> bool:
        """Whether a reply with this reading is whole without an answer, so that none is missing."""
        return "answer" not in self.__struct_fields__


class UnknownReading(dict[str, Any], RecordedReading):
    """A reading that no installed parser knows, as it stands in the transcript's JSON."""

    @property
    def kind(self) -> str:
        """The kind that the transcript names, ``"confidence"``; empty if it names none."""
        return str(self.get("kind", ""))


readings: Registry[type[Reading]] = Registry(
    "reading", "moot.parsing", group="moot.parsers", table="READINGS", by_name=False
)
"""The kinds of readings, by their tags. A parser registers the kind that it yields."""


def kind_of(reading: RecordedReading | None) -> str:
    """Return the kind of a reading: its tag, such as ``"ruling"``; empty for none."""
    if isinstance(reading, Reading):
        return str(reading.__struct_config__.tag)
    return reading.kind if isinstance(reading, UnknownReading) else ""


def decode_reading(_: type, raw: Any) -> RecordedReading:  # noqa: ANN401 -- JSON is anything
    """Return the reading that a transcript's JSON holds; a ``dec_hook`` of msgspec.

    A reading of a kind that is not registered, or whose fields do not fit, is kept as it is.

    Args:
        raw: the decoded JSON object.

    Raises:
        TypeError: it is no object.
    """
    if not isinstance(raw, dict):
        raise TypeError(f"a reading is an object, not {type(raw).__name__}")
    kind = readings.find(str(raw.get("kind", "")))
    if kind is not None:
        try:
            return msgspec.convert(raw, kind, str_keys=True)
        except msgspec.ValidationError:  # recorded by another version of the parser's package
            pass
    return UnknownReading(raw)


def withhold_texts(reading: RecordedReading) -> RecordedReading:
    """Return the reading without its texts: numbers, judgements and the keys of tables stay."""
    raw = msgspec.to_builtins(reading, str_keys=True)
    kept = {key: value if key == "kind" else _withhold(value) for key, value in raw.items()}
    return decode_reading(RecordedReading, kept)


def _withhold(value: Any) -> Any:  # noqa: ANN401 -- JSON is anything
    if isinstance(value, str):
        return value and WITHHELD
    if isinstance(value, dict):
        return {key: _withhold(each) for key, each in value.items()}
    return [_withhold(each) for each in value] if isinstance(value, list | tuple) else value


LONGEST = 24
"""Characters beyond which a text of a reading is not listed: the reply says it."""


def list_fields(reading: RecordedReading) -> list[tuple[str, str]]:
    """Return a reading's fields as pairs of name and value, for people.

    Empty fields, the answer, and texts above 24 characters are left out: the turn's answer and its
    text show these. Of a reading whose kind is not known all fields are listed.
    """
    raw = msgspec.to_builtins(reading, str_keys=True)
    known = isinstance(reading, Reading)
    return [
        (name.replace("_", " "), _write(value))
        for name, value in raw.items()
        if name != "kind"
        and value not in (None, "", [], {})
        and not (known and (name == "answer" or _is_long(value)))
    ]


def describe_reading(reading: RecordedReading | None) -> str:
    """Return a reading in a line, ``"confidence: value 0.8"``; empty if none is to be listed."""
    fields = [] if reading is None else list_fields(reading)
    if reading is None or not fields:
        return ""
    note = "" if isinstance(reading, Reading) else " (no parser for it is installed)"
    listed, kind = ", ".join(f"{name} {value}" for name, value in fields), kind_of(reading)
    return f"{listed}{note}" if fields[0][0] == kind else f"{kind}: {listed}{note}"


def _is_long(value: Any) -> bool:  # noqa: ANN401 -- JSON is anything
    if isinstance(value, dict | list | tuple):
        return any(map(_is_long, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and len(value) > LONGEST


def _write(value: Any) -> str:  # noqa: ANN401 -- JSON is anything
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {_write(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_write, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
