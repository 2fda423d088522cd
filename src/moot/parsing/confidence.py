"""Confidence: how sure an agent says it is, on four scales, and as a field of JSON."""

import re
from collections.abc import Callable
from typing import Any

from moot.core.calls import Reply
from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.json_fields import REASONS, answer_schema, read_answer_field, read_fields
from moot.parsing.parser import HeardAnswers, Parsed, Parser, object_schema, parser
from moot.parsing.plain_text import drop_middle
from moot.parsing.stated_confidence import choose_confidence, find_confidences, read_number


class Confidence(Reading, frozen=True, kw_only=True):
    """How sure an agent says it is of its answer.

    Attributes:
        confidence: from 0 to 1; None where the reply states none that can be read.
        raw: the words that state it.
        source: where it comes from: ``"stated"`` by the agent itself.
        reason: why, where the reply is JSON with a field for it; empty otherwise.
    """

    confidence: float | None = None
    raw: str = ""
    source: str = "stated"
    reason: str = ""


_DANGLING = re.compile(r"[ ,;–—-]+\Z")
"""Signs before a statement at the end of a line."""


LOGPROBS = "logprobs"
"""The source that is the mean probability of the reply's tokens; nothing in the prompt asks."""


def add_probability(parsed: Parsed, reply: Reply) -> Parsed:
    """Return what a reply says with the probability of its tokens as its confidence.

    A reading that the reply has stays, and so does a reply whose endpoint gave no probability.
    """
    if parsed.reading is not None or reply.token_probability is None:
        return parsed
    return parsed._replace(reading=Confidence(confidence=reply.token_probability, source=LOGPROBS))


def read_confidence(text: str, scale: str, *, finished: bool) -> tuple[Confidence | None, str]:
    """Return the confidence that a reply states, and the reply without such statements.

    It is the last one, or the last that is called the overall one. What others are said to state
    does not count. A number with a percent sign, or out of a whole, is read as it says. A bare
    number above the top of the scale, a range, a bound such as "at least 90%", and a number at the
    end of a reply that was cut off are not read.

    Args:
        text: the reply.
        scale: ``"unit"`` for 0 to 1, ``"percent"`` for 0 to 100, ``"ten"`` for 0 to 10, ``"words"``
            for the words of ``WORDS``.
        finished: False for a reply that was cut off.
    """
    shown = drop_middle(text)
    found = find_confidences(shown, scale, finished=finished)
    chosen = choose_confidence(found)
    if chosen is None:
        return None, text
    kept, at = [], 0
    for each in found:
        start, end = each.start, each.end
        if shown[start - 1 : start] == "(" and shown[end : end + 1] == ")":
            start, end = start - 1, end + 1
        before = shown[at : max(at, start)]
        kept.append(_DANGLING.sub("", before) if shown[end : end + 1] in "\n." else before)
        at = max(at, end)
    raw = " ".join(shown[chosen.start : chosen.end].split())
    return Confidence(confidence=chosen.value, raw=raw), "".join([*kept, shown[at:]])


def _make_parser(scale: str, name: str) -> Parser:
    """Register the parser of a scale."""

    def parse(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
        stated, rest = read_confidence(text, scale, finished=finished)
        # A reply that was cut off within its confidence had finished its answer before.
        last = stated.raw.rpartition(" ")[2] if stated else ""
        ended = finished or (bool(last) and text.rstrip().endswith(last))
        return Parsed(extract(rest, question, ended, heard), stated)

    return parser(reading=Confidence, name=name)(parse)


parse_confidence = _make_parser("unit", "confidence")
"""Reads an answer, and "Confidence: 0.8" beside it."""
parse_confidence_percent = _make_parser("percent", "confidence-percent")
"""Reads an answer, and "Confidence: 80" beside it."""
parse_confidence_ten = _make_parser("ten", "confidence-ten")
"""Reads an answer, and "<confidence>8</confidence>" or "Confidence: 8" beside it."""
parse_confidence_words = _make_parser("words", "confidence-words")
"""Reads an answer, and "Confidence: very likely" beside it."""


CONFIDENCE_PARSERS = {
    "unit": parse_confidence.name,
    "percent": parse_confidence_percent.name,
    "ten": parse_confidence_ten.name,
    "words": parse_confidence_words.name,
}
"""The name of each scale's parser."""


def confident_answer_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of an answer with reason and confidence."""
    return object_schema(
        {
            "reasoning": {"type": "string"},
            "answer": answer_schema(question),
            "confidence_level": {"type": "number", "minimum": 0, "maximum": 1},
        }
    )


_FIELDS = (
    ("answer", {"answer", "choice", "option"}),
    ("confidence", {"confidence", "confident"}),
    ("reason", REASONS),
)
_ALONE: Callable[[str], re.Match[str] | None] = re.compile(r"\d|\.").match


def read_unit(raw: str) -> float | None:
    """Return the confidence that a field of JSON states, 0 to 1; None where it cannot be read."""
    return read_number(raw, 0, "unit", finished=True)[0] if _ALONE(raw) else None


@parser(reading=Confidence, schema=confident_answer_schema)
def parse_confident_answer(
    text: str, question: Question, finished: bool, heard: HeardAnswers
) -> Parsed:
    """Read JSON with an answer, the reason and a confidence from 0 to 1 (ReConcile).

    A reply without JSON is read as any other, with "Confidence: 0.8" beside its answer.
    """
    said = read_fields(text, _FIELDS, finished=finished)
    if said is None:
        return parse_confidence(text, question, finished, heard)
    raw = said.get("confidence", "")
    value = read_unit(raw)
    stated = Confidence(confidence=value, raw=raw, reason=said.get("reason", ""))
    answer = read_answer_field(said.get("answer", ""), question, heard)
    return Parsed(answer, None if stated == Confidence() else stated)
