"""Scores: how an agent scores the others' answers, beside giving its own (ChatEval, scored)."""

import re
from collections.abc import Mapping

import msgspec

from moot.answers.extract import extract
from moot.answers.plain import plain
from moot.core.questions import Question


class Scores(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent thinks of the answers of the round before.

    Attributes:
        scores: integers from 1 (worst) to 10 by the agent's label, casefolded and without "the"
            and, before a name, "agent": ``{"general public": 7, "agent 2": 9}``.
    """

    scores: dict[str, int]


def read_scored(
    text: str,
    question: Question,
    finished: bool = True,  # noqa: FBT001, FBT002 - as extract
    heard: Mapping[str, str | None] | None = None,
) -> tuple[str | None, Scores]:
    """The answer of a reply, and its scores such as "Scores: Round 1 - Agent 2: 8".

    Scores stand after "Scores:", in one line or in the lines that follow, or in lines that begin
    with their round; markdown, "8/10" and JSON are forgiven. A score that is no integer from 1 to
    10 does not count. Of several for one agent the one of the latest round counts, else the last.
    No answer is looked for in what gives the scores.

    Source: debate framework settings, Chateval.
    """
    said, entries = _parted(plain(text))
    found: dict[str, tuple[int, int]] = {}
    for entry in entries:
        label, score = _label(entry), _score(entry)
        of_round = int(entry["round"] or 0)
        if label and score and of_round >= found.get(label, (0, 0))[0]:
            found[label] = of_round, score
    scores = Scores(scores={label: score for label, (_, score) in found.items()})
    return extract(said, question, finished, heard), scores


_HEADER = re.compile(
    r"(?:^[-#>{\"' ]{0,6}(?:(?:my|the|final) )?scores?\b|\bscores\"?(?= ?:))"
    r"(?: \([^()\n]{0,40}\))?(?: (?:for|of|to))?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-#>*•|{\"' ]{0,6}(?:\d{1,2}[.)] )?")
_ENTRY = re.compile(
    r"(?:\bround (?P<round>\d{1,3})\b[-:,(| ]{0,4})?"
    r"\b(?P<label>[^\W\d_][\w'#]{0,24}(?:[ -][\w'#]{1,24}){0,4})"
    r"(?: ?\([^()\n]{0,30}\))?\)?\"? ?(?::|=|->|-|\||\() ?\"?"
    r"(?P<score>-?\d+(?:\.\d+)?)(?: ?(?:/|out of) ?(?P<most>\d+))?",
    re.IGNORECASE,
)


def _parted(said: str) -> tuple[str, list[re.Match[str]]]:
    """The reply without what gives the scores, and the scores."""
    kept: list[str] = []
    found: list[re.Match[str]] = []
    listing = filled = False
    for line in said.split("\n"):
        header = _HEADER.search(line)
        rest = line[header.end() :].lstrip(" :") if header else ""
        if header and (not rest or rest.endswith((":", "{")) or _ENTRY.search(rest)):
            kept.append(line[: header.start()])
            found += (entries := list(_ENTRY.finditer(rest)))
            listing, filled = True, bool(entries)
        elif entries := _listed(line, listing=listing):
            found += entries
            filled = True
        else:  # after an empty line, only a list goes on
            listing = listing and not filled and not line
            kept.append(line)
    return "\n".join(kept), found


def _listed(line: str, *, listing: bool) -> list[re.Match[str]]:
    """The scores of a line that begins with one, which in no list needs its round."""
    bullet = _BULLET.match(line)
    first = _ENTRY.match(line, bullet.end() if bullet else 0)
    if not first or not _label(first) or not (listing or first["round"]):
        return []
    return [first, *_ENTRY.finditer(line, first.end())]


_LEAD = re.compile(r"^(?:.* )?(?:the|to|for|and|give) |^agent (?=[a-z]{2})")
_OWNED = re.compile(r"'s? (?:answer|response|reply|solution)$")
_NUMBERED = re.compile(r"agent[ #-]{0,2}(\d{1,3})")
_NO_AGENT = re.compile(
    r"(?:^round \w+|\b(?:answer|result|solution|decision|conclusion|total|average|scores?|reason"
    r"|confidence))$"
)


def _label(entry: re.Match[str]) -> str | None:
    """The agent that a score is for; None where it is for no agent."""
    label = _LEAD.sub("", _OWNED.sub("", entry["label"].casefold()))
    label = _NUMBERED.sub(r"agent \1", _LEAD.sub("", label))
    return None if _NO_AGENT.search(label) else label


def _score(entry: re.Match[str]) -> int | None:
    """An integer from 1 to 10, of 10 where it says of how many; else None."""
    score = entry["score"]
    if len(score) > 2 or not score.isdecimal() or entry["most"] not in (None, "10"):
        return None
    return int(score) if 1 <= int(score) <= 10 else None
