"""Findings: what reviewers of a text find in it, and what they think of one another's findings."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from moot import Parsed, Question, Reading, extract, parser
from moot.extend.protocols import (
    REASONS,
    HeardAnswers,
    answer_schema,
    load_json,
    object_schema,
    read_answer_field,
    split_words,
)

Severity = Literal["high", "medium", "low", ""]
FindingStance = Literal["agree", "disagree", "unsure"]
MOST_READ = 50
"""The most findings of one reply that are read."""
LONGEST = 1_000
"""Characters of a finding, or of a reason, that are kept."""
SHORT = 200
"""Characters of the longest reply that may say in words that there is nothing to find."""


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that a reviewer finds in a text.

    Attributes:
        what: what is wrong or missing, and what would be right.
        where: the place, in the reviewer's words: a quotation, a line, a file; empty without one.
        severity: how much it matters; empty where the reply does not say.
    """

    what: str
    where: str = ""
    severity: Severity = ""


class FindingVote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a reviewer thinks of one finding.

    Attributes:
        vote: whether it holds.
        reason: why.
        same_as: the labels of findings that say the same.
    """

    vote: FindingStance
    reason: str = ""
    same_as: tuple[str, ...] = ()


class FindingList(Reading, frozen=True, kw_only=True):
    """The findings of one reviewer, in the order of the reply."""

    findings: tuple[Finding, ...] = ()


class FindingVotes(Reading, frozen=True, kw_only=True):
    """A reviewer's votes, by the label under which a finding was shown."""

    votes: dict[str, FindingVote] = msgspec.field(default_factory=dict)


_TEXT = {"type": "string"}


def findings_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of a list of findings, with an answer where one is asked for."""
    one = {"severity": {"type": "string", "enum": ["high", "medium", "low"]}, "where": _TEXT}
    return _with_answer({"findings": _array(object_schema({**one, "what": _TEXT}))}, question)


def votes_schema(question: Question) -> dict[str, Any]:
    """Return the JSON schema of votes on findings, with an answer where one is asked for."""
    vote = {"type": "string", "enum": ["agree", "disagree", "unsure"]}
    one = {"finding": _TEXT, "vote": vote, "reason": _TEXT, "same_as": _array(_TEXT)}
    return _with_answer({"votes": _array(object_schema(one))}, question)


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _with_answer(properties: dict[str, Any], question: Question) -> dict[str, Any]:
    if question.kind != "text":
        properties["answer"] = answer_schema(question)
    return object_schema(properties)


@parser(reading=FindingList, schema=findings_schema, gives="list of findings")
def parse_findings(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read JSON with a list of findings, or lines such as "- [high] line 3: the sum is wrong".

    An empty list, or a short reply such as "No findings.", says that there are none. The answer is
    that of the key "answer"; an open question has none.
    """
    rows, answer = _read_rows(text, "findings", question, heard, finished=finished)
    found = [made for row in rows if (made := _make_finding(row))]
    if not rows:
        found = [*_read_bullets(text, finished=finished)]
    listed = tuple(dict.fromkeys(found))[:MOST_READ]
    read = listed or (finished and _says_none(text))
    return Parsed(answer, FindingList(findings=listed) if read else None)


@parser(reading=FindingVotes, schema=votes_schema, gives="votes on findings")
def parse_finding_votes(
    text: str, question: Question, finished: bool, heard: HeardAnswers
) -> Parsed:
    """Read JSON with a vote on each finding, or lines such as "F2: disagree, it is stated below".

    Labels that did not stand in the prompt do not count; of two votes on one finding the later one
    does. The answer is that of the key "answer"; an open question has none.
    """
    labels = {_strip_label(each): each for each in heard or ()}
    rows, answer = _read_rows(text, "votes", question, heard, finished=finished)
    if not rows:
        rows = [*_read_vote_lines(text, finished=finished)]
    votes = {}
    for row in rows:
        label = labels.get(_strip_label(row.get("finding")))
        vote = _read_opinion(row.get("vote"))
        if label and vote:
            same = row.get("same_as") or ()
            named = map(_strip_label, same if isinstance(same, list) else [same])
            others = tuple(labels[each] for each in named if each in labels)
            reason = _shorten(row.get("reason"))
            alike = tuple(each for each in dict.fromkeys(others) if each != label)
            votes[label] = FindingVote(vote=vote, reason=reason, same_as=alike)
    return Parsed(answer, FindingVotes(votes=votes) if votes else None)


_EMPTY_LIST = re.compile(r"(?:`{3}\w*)?\s*\[\s*\]\s*(?:`{3})?")
_NONE = re.compile(
    r"(?:[\w' ]{0,30}\b)?no (?:\w{1,12} )?(?:findings|issues|problems|errors)\b[\w' ]{0,30}",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"[*_# ]*(?:final )?answer:.*", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:but|except|apart|although|however|besides|not)\b", re.IGNORECASE)
_OPENING = re.compile(r"[{\[](?=\s*[\"{\]])")
_KEYS = {
    "where": {"where", "location", "place", "line", "lines", "file", "quote"},
    "severity": {"severity", "priority", "level", "importance"},
    "vote": {"vote", "position", "opinion", "verdict", "agree"},
    "same_as": {"same", "duplicate", "duplicates"},
    "reason": REASONS,
    "finding": {"finding", "label", "id"},
    "what": {"what", "issue", "problem", "description", "finding", "text", "message", "title"},
}
"""Words in keys of a finding or a vote."""


def _says_none(text: str) -> bool:
    """Return whether a reply says that there is nothing to find, and says nothing else."""
    if _EMPTY_LIST.fullmatch(text.strip()):
        return True
    loaded = load_json(text, _OPENING, finished=True)
    if isinstance(loaded, dict):
        return any("findings" in str(k).casefold() and v == [] for k, v in loaded.items())
    if len(text) > SHORT or _EXCEPT.search(text):
        return False
    parts = re.split(r"[.!\n]", _ANSWER.sub("", text))
    said = [each.strip("*_# ") for each in parts if each.strip("*_# ")]
    return bool(said) and all(_NONE.fullmatch(part) for part in said)


def _read_rows(
    text: str, named: str, question: Question, heard: HeardAnswers, *, finished: bool
) -> tuple[list[dict[str, Any]], str | None]:
    """Return the objects of the JSON list with this name, and the answer beside it."""
    loaded = load_json(text, _OPENING, finished=finished)
    top: Mapping[str, Any] = loaded if isinstance(loaded, dict) else {}
    listed: object = next((v for k, v in top.items() if named in str(k).casefold()), None)
    if not isinstance(listed, list | dict):
        listed = loaded if isinstance(loaded, list) else []
    if isinstance(listed, dict):  # {"F1": "agree"} or {"F1": {"vote": "agree"}}
        listed = [
            {"finding": key, **(value if isinstance(value, dict) else {"vote": value})}
            for key, value in listed.items()
        ]
    rows = [row for row in listed if isinstance(row, dict)]
    named_rows = [_rename(row, named) for row in rows]
    if question.kind == "text":
        return named_rows, None
    stated = top.get("answer")
    if isinstance(stated, bool):
        stated = str(stated).casefold()
    if isinstance(stated, str | int | float):
        return named_rows, read_answer_field(str(stated), question, heard)
    return named_rows, extract(text, question, finished=finished)


def _rename(row: Mapping[str, Any], named: str) -> dict[str, Any]:
    """Return a row with the names of its fields in place of its keys, the first of each."""
    wanted = ("where", "severity", "what") if named == "findings" else tuple(_KEYS)
    renamed: dict[str, Any] = {}
    for key, value in row.items():
        words = split_words(str(key))
        name = next((name for name in wanted if words & _KEYS[name]), None)
        if name:
            renamed.setdefault(name, value)
    return renamed


def _make_finding(row: Mapping[str, Any]) -> Finding | None:
    what = _shorten(row.get("what"))
    if not what:
        return None
    return Finding(
        what=what,
        where=_shorten(row.get("where")),
        severity=_read_severity(str(row.get("severity"))),
    )


def _shorten(said: object) -> str:
    """Return a value as one line of text; empty for what is none."""
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        return ""
    return " ".join(str(said).split())[:LONGEST]


_SEVERITIES: dict[Severity, set[str]] = {
    "high": {"high", "critical", "blocker", "blocking", "severe", "major", "error"},
    "medium": {"medium", "moderate", "warning"},
    "low": {"low", "minor", "nit", "trivial", "info", "suggestion"},
}
_OPINIONS: dict[FindingStance, set[str]] = {
    "disagree": {"disagree", "disagrees", "reject", "no", "false", "invalid", "wrong"},
    "unsure": {"unsure", "uncertain", "unclear", "neutral", "abstain", "maybe"},
    "agree": {"agree", "agrees", "accept", "yes", "true", "valid", "confirm", "confirmed"},
}


def _read_severity(said: str) -> Severity:
    words = split_words(said)
    return next((name for name, among in _SEVERITIES.items() if words & among), "")


def _read_opinion(said: object) -> FindingStance | None:
    """Return the vote that a value states; "not agree" is a no."""
    if isinstance(said, bool):
        return "agree" if said else "disagree"
    words = split_words(str(said))
    if words & {"not", "cannot", "don"} and words & _OPINIONS["agree"]:
        return "disagree"
    return next((name for name, among in _OPINIONS.items() if words & among), None)


def _strip_label(said: object) -> str:
    return str(said).strip(" []().:\"'*").casefold()


_BULLET = re.compile(
    r"^ {0,4}(?:[-*•]|\d{1,2}[.)])\s+(?:[*\[(]{0,3}(\w{3,12})[\])*]{1,3}:?\s*)?(\S.*)$",
    re.MULTILINE,
)
_PLACE = re.compile(r"^(.{1,120}?): (?=\S)")
_VOTE_LINE = re.compile(
    r"^[-*#> ]{0,4}\**\[?(F\d{1,3})\]?\**\s*[:.)-]{1,2}\s*(.{1,1000})$",
    re.IGNORECASE | re.MULTILINE,
)


def _read_bullets(text: str, *, finished: bool) -> Iterator[Finding]:
    """Find the items of a plain list; where the reply was cut off, the last line is none."""
    whole = text if finished else text[: text.rfind("\n") + 1]
    for match in _BULLET.finditer(whole):
        severity = _read_severity(match[1] or "")
        said = match[2] if severity or not match[1] else f"{match[1]} {match[2]}"
        place = _PLACE.match(said)
        where = place[1] if place else ""
        yield Finding(
            what=_shorten(said[place.end() :] if place else said), where=where, severity=severity
        )


def _read_vote_lines(text: str, *, finished: bool) -> Iterator[dict[str, Any]]:
    """Find lines that begin with the label of a finding, then a vote."""
    whole = text if finished else text[: text.rfind("\n") + 1]
    for match in _VOTE_LINE.finditer(whole):
        first, _, rest = match[2].partition(" ")
        vote, _, reason = match[2].partition(",") if "," in match[2][:20] else (first, "", rest)
        yield {"finding": match[1], "vote": vote, "reason": reason.strip(" -:—")}
