"""Reviews: words about labelled answers, and at their end a ranking with scores."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from moot.core.questions import Question
from moot.parsing.ballots import TOP, Ballot, parse_ballot
from moot.parsing.json_fields import load_json
from moot.parsing.marks import read_mark
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import make_plain

RUBRIC: Mapping[str, float] = MappingProxyType(
    {"accuracy": 0.35, "completeness": 0.2, "clarity": 0.2, "conciseness": 0.15, "relevance": 0.1}
)
"""The weights of the criteria of a score."""
CAPS = ((5, 4.0), (7, 7.0))
"""Where the mark for accuracy is below the first number, the score is at most the second."""

_OBJECT = re.compile(r"\{(?=\s*[\"'“]?(?:ranking|scores)\b)", re.IGNORECASE)
_ARRAY = re.compile(r"\branking\b[^\n\[\]]{0,30}(\[[^\[\]]{1,2000}\])", re.IGNORECASE)
_CHAIN = re.compile(r"\branking\b[^\n:>]{0,30}:[ *]*([^\n>]{1,80}>[^\n]{1,800})", re.IGNORECASE)
_SCORES = re.compile(r"\bscores?\b[^\n{}]{0,30}(\{[^{}]{1,2000}\})", re.IGNORECASE)
_LISTED = re.compile(r"\bfinal ranking\b[^\n]{0,40}\n", re.IGNORECASE)
_LINE = re.compile(r"^[ \t*>-]{0,6}\d{1,2}[.):][ \t*]{0,4}((?:response )?[A-Z])\b", re.IGNORECASE)


class RubricBallot(Ballot, frozen=True, kw_only=True):
    """A ballot whose scores are weighted means of marks.

    Attributes:
        marks: by label and criterion, each from 1 to 10.
    """

    marks: dict[str, dict[str, float]] = msgspec.field(default_factory=dict)


@parser(reading=Ballot, gives="ranking", counts=lambda ballot, _: bool(ballot.ranking))
def parse_review(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the ranking and the scores at the end of a review.

    They are JSON with the keys "ranking" and "scores", else a list after "ranking", in brackets or
    with ">" between labels, with an object after "scores", else the numbered lines after the words
    "final ranking". A review without any of these, such as a refusal, has no reading.
    """
    found = _find_object(text, finished=finished)
    if found is None:
        found = _find_parts(text, finished=finished)
    kept = {"ranking": _order_labels(found.get("ranking")), "scores": found.get("scores")}
    said = msgspec.json.encode(kept).decode()
    return Parsed(None, parse_ballot(said, question, heard=heard).reading)


@parser(reading=RubricBallot, gives="ranking", counts=lambda ballot, _: bool(ballot.ranking))
def parse_rubric_review(
    text: str, question: Question, finished: bool, heard: HeardAnswers
) -> Parsed:
    """Read a review that marks each answer by the criteria of ``RUBRIC``.

    The score of an answer is the weighted mean of its marks; one without all marks has none.
    """
    found = _find_object(text, finished=finished) or {}
    given = found.get("scores")
    marks = {
        str(label): row
        for label, said in (given.items() if isinstance(given, dict) else ())
        if isinstance(said, dict) and (row := _read_row(said)).keys() >= RUBRIC.keys()
    }
    scores = {label: weigh_marks(row) for label, row in marks.items()}
    ranking = _order_labels(found.get("ranking")) or _list_lines(text, finished=finished)
    said = msgspec.json.encode({"ranking": ranking, "scores": scores}).decode()
    ballot = parse_ballot(said, question, heard=heard).reading
    if not isinstance(ballot, Ballot):
        return Parsed(None)
    return Parsed(None, RubricBallot(**msgspec.structs.asdict(ballot), marks=marks))


def weigh_marks(marks: Mapping[str, float]) -> float:
    """Return the score of an answer from its marks, 1 to 10; low accuracy caps it."""
    total = sum(share * marks[each] for each, share in RUBRIC.items())
    cap = next((most for below, most in CAPS if marks["accuracy"] < below), float(TOP))
    return round(min(total, cap), 4)


def _find_object(text: str, *, finished: bool) -> dict[str, Any] | None:
    """Return the last JSON object that begins with a ranking or with scores."""
    starts = list(_OBJECT.finditer(text))
    loaded = load_json(text[starts[-1].start() :], _OBJECT, finished=finished) if starts else None
    return (
        {str(key).casefold(): loaded[key] for key in loaded} if isinstance(loaded, dict) else None
    )


def _find_parts(text: str, *, finished: bool) -> dict[str, Any]:
    """Return a ranking and scores that stand apart."""
    plain = make_plain(text)
    arrays, chains, scores = (each.findall(plain) for each in (_ARRAY, _CHAIN, _SCORES))
    ranking: object = _list_lines(text, finished=finished)
    if arrays:
        ranking = re.findall(r"[\w ]+", arrays[-1])
    elif chains and finished:
        ranking = chains[-1]
    given = load_json(scores[-1], re.compile(r"\{"), finished=True) if scores else None
    return {"ranking": ranking, "scores": given}


def _list_lines(text: str, *, finished: bool) -> list[str]:
    """Return the labels of the numbered lines after the last words "final ranking"."""
    plain = make_plain(text)
    headings = list(_LISTED.finditer(plain))
    if not headings:
        return []
    lines = plain[headings[-1].end() :].splitlines()
    found = [_LINE.match(line.strip()) for line in (lines if finished else lines[:-1])]
    return [each[1] for each in found if each]


def _order_labels(ranking: object) -> object:
    """Return a ranking that is an object of places by label as a list; any other as it is."""
    if isinstance(ranking, dict) and all(
        isinstance(each, int | float) for each in ranking.values()
    ):
        return sorted(ranking, key=ranking.__getitem__)
    return ranking


def _read_row(row: dict[Any, Any]) -> dict[str, float]:
    """Return the marks of an answer by the criteria of ``RUBRIC`` for which it has one."""
    read = {each: read_mark(row.get(each), TOP) for each in RUBRIC}
    return {each: mark for each, mark in read.items() if mark is not None}
