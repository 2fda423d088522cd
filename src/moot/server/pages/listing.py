"""A page of a list of debates: those that were chosen, or those of them that have some words."""

import re
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import NamedTuple

import msgspec

from moot.core.errors import DamagedError
from moot.core.events import Transcript
from moot.core.stored import decode_transcript
from moot.ledger.reader import HEAD, Reader
from moot.server.pages.index import Choice, Index, Line

MOST = 50
"""Debates on a page."""
SECONDS = 0.8
"""How long a search takes at most before it shows what it has found so far."""
WORDS = 200
"""The most characters that are searched for."""

_WHOLE = 200_000  # bytes of a transcript that is read whole for a list
_AROUND = 60  # characters on either side of what was found
_CHUNKS = (16, 1_024)  # debates that are searched at once, at first and at most
_BEGINNING = re.compile(rb'"question":"((?:[^"\\]|\\.)*)"')


class Passage(NamedTuple):
    """Where words were found, and what stands around them."""

    where: str
    before: str
    found: str
    after: str


class Entry(NamedTuple):
    """A debate in a list.

    Attributes:
        line: what the index knows of it.
        asked: the question's text, or its beginning.
        given: the verdict's answer; empty for none.
        answers: the right ones.
        reason: why it failed.
        passage: where the words were found.
    """

    line: Line
    asked: str
    given: str = ""
    answers: tuple[str, ...] = ()
    reason: str = ""
    passage: Passage | None = None


class Page(NamedTuple):
    """A page of a list.

    Attributes:
        entries: in order.
        first: the place in the list of the first entry, from 1; of a search, of the first debate
            that was searched.
        last: the same of the last.
        total: how many debates the list has.
        after: the cursor of the next page; empty if this is the last.
    """

    entries: list[Entry]
    first: int
    last: int
    total: int
    after: str


def listed(reader: Reader, index: Index, choice: Choice, cursor: str, *, most: int = MOST) -> Page:
    """The debates that come after a cursor."""
    places = index.places(choice)
    start = index.after(places, cursor, choice) if cursor else 0
    lines = [index.lines[place] for place in places[start : start + most]]
    texts = reader.transcripts([line.number for line in lines], most=_WHOLE) if lines else {}
    entries = [_entry(line, texts.get(line.number, b"")) for line in lines]
    end = start + len(lines)
    after = lines[-1].cursor if end < len(places) else ""
    return Page(entries, start + 1, end, len(places), after)


def searched(
    reader: Reader,
    index: Index,
    choice: Choice,
    cursor: str,
    text: str,
    *,
    seconds: float = SECONDS,
) -> Page:
    """The debates after a cursor whose question or replies have a text.

    Upper and lower case are the same, and so is all white space. It ends when there is a page of
    them, or after some seconds.
    """
    places = index.places(choice)
    start = index.after(places, cursor, choice) if cursor else 0
    words = text[:WORDS].split()
    wanted = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    end, size = monotonic() + seconds, _CHUNKS[0]
    entries: list[Entry] = []
    at = start
    while at < len(places) and len(entries) < MOST and (at == start or monotonic() < end):
        chunk = [index.lines[place] for place in places[at : at + size]]
        began = monotonic()
        maybe = reader.matching([line.number for line in chunk], words)
        for line in chunk:
            at += 1
            if line.number in maybe and (entry := _found(reader, line, wanted)):
                entries.append(entry)
            if len(entries) >= MOST or monotonic() > end:
                break
        if monotonic() - began < seconds / 8:
            size = min(_CHUNKS[1], 2 * size)
    after = index.lines[places[at - 1]].cursor if start < at < len(places) else ""
    return Page(entries, start + 1, at, len(places), after)


def asked(reader: Reader, numbers: Sequence[int]) -> dict[int, str]:
    """The texts of the questions of debates, by the numbers of their rows."""
    found = reader.transcripts(numbers, most=_WHOLE) if numbers else {}
    return {number: _asked(encoded) for number, encoded in found.items()}


def _entry(line: Line, encoded: bytes) -> Entry:
    try:
        transcript = decode_transcript(encoded, "a transcript")
    except DamagedError as error:
        # The beginning of a long one, or one that was held anew in between; else it is damaged.
        whole = 0 < len(encoded) != HEAD
        return Entry(line, _asked(encoded), reason=str(error) if whole else "")
    return _told(line, transcript)


def _told(line: Line, transcript: Transcript, passage: Passage | None = None) -> Entry:
    verdict, failed = transcript.verdict, transcript.failed
    return Entry(
        line,
        transcript.question.text,
        (verdict and verdict.answer) or "",
        transcript.question.answers,
        f"{failed.kind}: {failed.reason}" if failed else "",
        passage,
    )


def _asked(encoded: bytes) -> str:
    """The question, from the beginning of a transcript."""
    found = _BEGINNING.search(encoded)
    try:
        return msgspec.json.decode(b'"%b"' % found[1], type=str) if found else ""
    except (msgspec.MsgspecError, UnicodeDecodeError):  # it is damaged
        return ""


def _found(reader: Reader, line: Line, wanted: re.Pattern[str]) -> Entry | None:
    """A debate as an entry, if it has what is searched for."""
    encoded = reader.transcripts([line.number], most=2**30).get(line.number)
    if encoded is None:
        return None
    try:
        transcript = decode_transcript(encoded, "a transcript")
    except DamagedError:  # lists without a search tell of it
        return None
    for where, text in _texts(line, transcript):
        if match := wanted.search(text):
            start, end = match.span()
            around = Passage(
                where,
                ("…" if start > _AROUND else "") + _flat(text[max(0, start - _AROUND) : start]),
                _flat(match[0][: 2 * WORDS]),
                _flat(text[end : end + _AROUND]) + ("…" if end + _AROUND < len(text) else ""),
            )
            return _told(line, transcript, around)
    return None


def _flat(text: str) -> str:
    """A text on one line, its ends as they are."""
    return re.sub(r"\s+", " ", text)


def _texts(line: Line, transcript: Transcript) -> Iterator[tuple[str, str]]:
    """What is searched, and what it is."""
    question = transcript.question
    yield "question", question.text
    yield "id", line.key[2]
    yield from (("choice", choice) for choice in question.choices)
    yield "context", question.context or ""
    for turn in transcript.turns:
        yield f"{turn.agent}, round {turn.round}", turn.text
