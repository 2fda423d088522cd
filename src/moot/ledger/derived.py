"""Derived debates: a debate whose turns are some of another's, stored without them.

From a log several arms follow: a single reply, a vote, the debate by another rule. Each of their
records refers to the debate of the base arm, of the same run, dataset, question and replicate: it
names the arm and the events that it shares, and has its own beginning and end. Whoever reads a
record gets an ordinary transcript.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import msgspec

from moot.core.errors import DamagedError, MootError
from moot.core.events import Opened, Transcript
from moot.core.stored import decode_record, describe_transcript
from moot.ledger.storage import Query
from moot.ledger.stored_records import check_content, encode

_OPENED = [name for name in Opened.__struct_fields__ if name != "question"]
_list_opened = attrgetter(*_OPENED)
_START = b'{"base":'
_BASE = (
    "SELECT transcript, transcript_digest FROM debates WHERE run = ? AND arm = ? "
    "AND dataset = ? AND question = ? AND replicate = ?"
)
_PLACE = "SELECT run, arm, dataset, question, replicate FROM debates WHERE id = ?"


class _Reference(msgspec.Struct, frozen=True):
    """A record of a derived debate.

    Attributes:
        base: the arm whose debate it refers to.
        kept: the places of the events that it shares, from 0; None for all but first and last.
        opened: the fields of its beginning that are not as in the base.
        end: its last event; the words of a verdict are left out where a shared turn has them.
    """

    base: str
    kept: tuple[int, ...] | None
    opened: dict[str, msgspec.Raw]
    end: dict[str, msgspec.Raw]


class _Events(msgspec.Struct, frozen=True):
    events: tuple[msgspec.Raw, ...]


class _Said(msgspec.Struct, frozen=True):
    id: int = 0
    text: msgspec.Raw = msgspec.Raw(b'""')


_decode = msgspec.json.Decoder(_Reference).decode
_decode_events = msgspec.json.Decoder(_Events).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_decode_said = msgspec.json.Decoder(_Said).decode
_encode = msgspec.json.Encoder().encode


def refer(transcript: Transcript, arm: str, base: Transcript) -> bytes:
    """Return the record of a debate whose turns and seats are those of another.

    Args:
        transcript: the debate; its events but the first and the last are the base's own objects.
        arm: of the base.
        base: the other debate.

    Raises:
        MootError: an event is none of the base.
    """
    own, kept = transcript.events[1:-1], None
    if own != base.events[1:-1]:
        places = {id(event): place for place, event in enumerate(base.events)}
        kept = [places.get(id(event), 0) for event in own]
    opened, other = transcript.opened, base.opened
    is_other = opened.question is not other.question and opened.question != other.question
    if 0 in (kept or ()) or is_other:
        raise MootError(f"a debate that follows from arm {arm!r} has an event of its own")
    return encode(
        {"base": arm, "kept": kept, "opened": _differ(opened, other)}
        | {"end": _shorten(transcript)}
    )


def _differ(own: Opened, base: Opened) -> dict[str, Any]:
    pairs = zip(_OPENED, _list_opened(own), _list_opened(base), strict=True)
    return {name: value for name, value, other in pairs if value is not other and value != other}


def _shorten(transcript: Transcript) -> dict[str, Any]:
    """Return the end of a debate, without words that its deciding turn has."""
    end: dict[str, Any] = msgspec.to_builtins(transcript.events[-1])
    deciding, verdict = transcript.deciding, transcript.verdict
    if deciding is not None and verdict is not None and verdict.text == deciding.text:
        del end["verdict"]["text"]
    return end


def is_derived(content: bytes) -> bool:
    """Whether the JSON of a record, or its beginning, is that of a derived debate."""
    return content.startswith(_START)


def expand(content: bytes, query: Query, place: Sequence[Any]) -> bytes:
    """Return the JSON of a transcript: that of a derived debate made whole, any other as it is.

    Args:
        content: the JSON of the record.
        query: reads the store.
        place: run, arm, dataset, question and replicate of the debate.

    Raises:
        DamagedError: the record is damaged, or the debate that it refers to is not there.
    """
    if not content.startswith(_START):
        return content
    what = describe_transcript(*place[1:])
    reference = decode_record(_decode, content, what)
    return decode_record(lambda base: _join(reference, base), _find(reference, query, place), what)


def expand_row(content: bytes, query: Query, number: int) -> bytes:
    """Do as ``expand``, for the debate in the row of a number."""
    if not content.startswith(_START):
        return content
    for place in query(_PLACE, number):
        return expand(content, query, place)
    raise DamagedError(f"the transcript of debate {number}", "its row is gone")


def _find(reference: _Reference, query: Query, place: Sequence[Any]) -> bytes:
    """Return the JSON of the debate that a record refers to."""
    run, _, *rest = place
    what = describe_transcript(*place[1:])
    for found, digest in query(_BASE, run, reference.base, *rest):
        base = check_content(found, digest, describe_transcript(reference.base, *rest))
        if not is_derived(base):
            return base
        raise DamagedError(what, f"arm {reference.base!r}, whose turns it has, is derived itself")
    raise DamagedError(what, f"the debate of arm {reference.base!r}, whose turns it has, is gone")


def _join(reference: _Reference, base: bytes) -> bytes:
    """Return the JSON of the whole transcript. Raises ``ValueError`` where the base has less."""
    events = _decode_events(base).events
    shared = range(1, len(events) - 1)
    places = shared if reference.kept is None else reference.kept
    if not all(place in shared for place in places):
        raise ValueError("an event of the base is not there")
    kept = [events[place] for place in places]
    end = dict(reference.end)
    if "verdict" in end and "text" not in (verdict := _decode_fields(end["verdict"])):
        end["verdict"] = msgspec.Raw(_encode(verdict | {"text": _find_text(verdict, kept)}))
    opened = _encode(_decode_fields(events[0]) | reference.opened)
    whole = b",".join(map(bytes, (opened, *kept, _encode(end))))
    return b'{"events":[%b]}' % whole


def _find_text(verdict: dict[str, msgspec.Raw], kept: Sequence[msgspec.Raw]) -> msgspec.Raw:
    """Return the text of the deciding turn. Raises ``ValueError`` where it is not there."""
    turn = msgspec.json.decode(verdict.get("turn", b"null"))
    for said in map(_decode_said, kept):
        if said.id == turn:
            return said.text
    raise ValueError("the deciding turn is not there")
