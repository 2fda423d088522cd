"""A page of a list of debates: the chosen ones, or those of them that contain a text."""

import re
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import NamedTuple

import msgspec

from moot import Transcript
from moot.contrib.server.pages.index import DebateFilter, DebateIndex, DebateLine
from moot.extend.faults import DamagedError
from moot.extend.records import decode_transcript
from moot.extend.stores import StoreReader

MOST = 50
"""Debates on a page."""
SECONDS = 0.8
"""The longest time of a search; then it shows what it has found."""
LONG = 200
"""Characters from which on an answer is a text to read."""
WORDS = 200
"""The most characters of a text that is searched for."""

_WHOLE = 200_000  # bytes of a transcript that is read whole for a list
_AROUND = 60  # characters shown on either side of the text
_CHUNKS = (16, 1_024)  # debates that are searched at once, at first and at most
_BEGINNING = re.compile(rb'"question":"((?:[^"\\]|\\.)*)"')


class TextMatch(NamedTuple):
    """Where a text was found, and the words around it."""

    where: str
    before: str
    found: str
    after: str


class DebateEntry(NamedTuple):
    """A debate in a list.

    Attributes:
        line: its entry in the index.
        asked: the question's text, or its beginning.
        given: the verdict's answer; empty for none.
        answers: the right answers.
        reason: why it failed.
        passage: where the text was found.
    """

    line: DebateLine
    asked: str
    given: str = ""
    answers: tuple[str, ...] = ()
    reason: str = ""
    passage: TextMatch | None = None

    @property
    def is_long(self) -> bool:
        """Whether the answer is a text to read, like an essay."""
        return len(self.given) > LONG


class DebatePage(NamedTuple):
    """A page of a list.

    Attributes:
        entries: in order.
        first: the place in the list of the first entry, from 1; of a search, of the first debate
            that was searched.
        last: the same of the last.
        total: how many debates the list has.
        after: the cursor of the next page; empty if this is the last.
    """

    entries: list[DebateEntry]
    first: int
    last: int
    total: int
    after: str


def list_page(
    reader: StoreReader,
    index: DebateIndex,
    choice: DebateFilter,
    cursor: str,
    *,
    places: Sequence[int] | None = None,
    most: int = MOST,
) -> DebatePage:
    """Return the page of debates after a cursor: those of the choice, or at these places."""
    if places is None:
        places = index.places(choice)
    start = index.after(places, cursor, choice) if cursor else 0
    lines = [index.lines[place] for place in places[start : start + most]]
    texts = reader.transcripts([line.number for line in lines], most=_WHOLE) if lines else {}
    entries = [_entry(line, texts.get(line.number, b"")) for line in lines]
    end = start + len(lines)
    after = lines[-1].cursor if end < len(places) else ""
    return DebatePage(entries, start + 1, end, len(places), after)


def read_search(text: str) -> str:
    """Return a text that is searched for, of at most ``WORDS`` characters, on one line."""
    return " ".join(text[:WORDS].split())


def search_page(
    reader: StoreReader,
    index: DebateIndex,
    choice: DebateFilter,
    cursor: str,
    text: str,
    *,
    seconds: float = SECONDS,
) -> DebatePage:
    """Return the debates after a cursor whose question or replies contain a text.

    Case and the kind of white space do not matter. The search ends with a full page, or after so
    many seconds.
    """
    places = index.places(choice)
    start = index.after(places, cursor, choice) if cursor else 0
    words = text[:WORDS].split()
    wanted = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    end, size = monotonic() + seconds, _CHUNKS[0]
    entries: list[DebateEntry] = []
    at = start
    while at < len(places) and len(entries) < MOST and (at == start or monotonic() < end):
        chunk = [index.lines[place] for place in places[at : at + size]]
        began = monotonic()
        maybe = reader.find_words([line.number for line in chunk], words)
        for line in chunk:
            at += 1
            if line.number in maybe and (entry := _match(reader, line, wanted)):
                entries.append(entry)
            if len(entries) >= MOST or monotonic() > end:
                break
        if monotonic() - began < seconds / 8:
            size = min(_CHUNKS[1], 2 * size)
    after = index.lines[places[at - 1]].cursor if start < at < len(places) else ""
    return DebatePage(entries, start + 1, at, len(places), after)


def _entry(line: DebateLine, encoded: bytes) -> DebateEntry:
    try:
        transcript = decode_transcript(encoded, "a transcript")
    except DamagedError as error:
        # It is the beginning of a long one, was replaced in between, or is damaged.
        whole = 0 < len(encoded) != StoreReader.HEAD
        return DebateEntry(line, decode_question(encoded), reason=str(error) if whole else "")
    return _decode_entry(line, transcript)


def _decode_entry(
    line: DebateLine, transcript: Transcript, passage: TextMatch | None = None
) -> DebateEntry:
    verdict, failed = transcript.verdict, transcript.failed
    return DebateEntry(
        line,
        transcript.question.text,
        (verdict and verdict.answer) or "",
        transcript.question.answers,
        failed.words if failed else "",
        passage,
    )


def decode_question(encoded: bytes) -> str:
    """Return the question from the beginning of a transcript."""
    found = _BEGINNING.search(encoded)
    try:
        return msgspec.json.decode(b'"%b"' % found[1], type=str) if found else ""
    except (msgspec.MsgspecError, UnicodeDecodeError):  # it is damaged
        return ""


def _match(reader: StoreReader, line: DebateLine, wanted: re.Pattern[str]) -> DebateEntry | None:
    """Return a debate as an entry if it contains the text."""
    encoded = reader.transcripts([line.number], most=2**30).get(line.number)
    if encoded is None:
        return None
    try:
        transcript = decode_transcript(encoded, "a transcript")
    except DamagedError:  # lists without a search report it
        return None
    for where, text in _texts(line, transcript):
        if match := wanted.search(text):
            start, end = match.span()
            around = TextMatch(
                where,
                ("…" if start > _AROUND else "") + _flat(text[max(0, start - _AROUND) : start]),
                _flat(match[0][: 2 * WORDS]),
                _flat(text[end : end + _AROUND]) + ("…" if end + _AROUND < len(text) else ""),
            )
            return _decode_entry(line, transcript, around)
    return None


def _flat(text: str) -> str:
    """Return a text on one line, its ends unchanged."""
    return re.sub(r"\s+", " ", text)


def _texts(line: DebateLine, transcript: Transcript) -> Iterator[tuple[str, str]]:
    """Yield each text that is searched, and its name."""
    question = transcript.question
    yield "question", question.text
    yield "id", line.key[2]
    yield from (("choice", choice) for choice in question.choices)
    yield "context", question.context or ""
    for turn in transcript.turns:
        yield f"{turn.agent}, round {turn.round}", turn.text
