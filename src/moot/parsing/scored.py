"""Scores: how an agent scores the others' answers, beside giving its own (ChatEval, scored)."""

import re
from collections.abc import Iterable, Iterator

from moot.core.questions import Question
from moot.core.readings import Reading
from moot.parsing.extract import extract
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import drop_middle, make_plain


class Scores(Reading, frozen=True, kw_only=True):
    """The scores that an agent gives the others, and the words of its final answer.

    Attributes:
        words: the words of its final answer, with their markup: those under "Answer:", else the
            whole reply; both without the words that give scores.
        given: integers from 1 (worst) to 10, by the round whose answers they are for (0 if the
            reply names no round), then by the agent's label, casefolded and without "the" and,
            before a name, "agent": ``{1: {"general public": 7, "agent 2": 9}}``.
    """

    words: str
    given: dict[int, dict[str, int]]

    def of(self, label: str, round: int) -> int | None:  # noqa: A002 - the word for it
        """Return the score of an agent's answer of a round, from 1 to 10; None without one.

        A score for no stated round counts for every round, but less than one for this round.
        """
        name = _name(label)
        return self.given.get(round, {}).get(name, self.given.get(0, {}).get(name))


@parser(reading=Scores, gives="scores", counts=lambda scores, _: bool(scores.given))
def parse_scored(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer of a reply, and its scores such as "Scores: Round 1 - Agent 2: 8".

    Scores stand after "Scores:", in one line or in the lines that follow, or in lines that begin
    with their round; markdown, "8/10" and JSON are forgiven. A round once named is that of the
    scores after it too. A score that is no integer from 1 to 10 does not count. Of several for one
    agent and round the last counts. The words that give scores are not read for an answer.

    Source: debate framework settings, Chateval.
    """
    said, entries = _split_scores(drop_middle(text))
    given: dict[int, dict[str, int]] = {}
    for of_round, entry in entries:
        label, score = _name(entry["label"]), _score(entry)
        if label and score:
            given.setdefault(of_round, {})[label] = score
    scores = Scores(words=_words(said), given=given)
    return Parsed(extract(said, question, finished, heard), scores)


_HEADER = re.compile(
    r"(?:^[-#>{\"' ]{0,6}(?:(?:my|the|final) )?scores?\b|\bscores\"?(?= ?:))"
    r"(?: \([^()\n]{0,40}\))?(?: (?:for|of|to))?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[-#>*•|{\"' ]{0,6}(?:\d{1,2}[.)] )?")
_ENTRY = re.compile(
    r"(?:\bround (?P<round>\d{1,3})\b[-:,(| ]{0,4})?"
    r"\b(?P<label>[^\W\d_][\w'#]{0,24}(?:[ -][\w'#]{1,24}){0,4})"
    r"(?: ?\((?:round (?P<within>\d{1,3})|[^()\n]{0,30})\))?\)?\"? ?(?::|=|->|-|\||\() ?\"?"
    r"(?P<score>-?\d+(?:\.\d+)?)(?: ?(?:/|out of) ?(?P<most>\d+))?",
    re.IGNORECASE,
)


_ROUND = re.compile(r"\bround (\d{1,3})\b[-:\"'{(|) ]*\Z", re.IGNORECASE)
_ROUND_ALONE = re.compile(r"[-#>*•|{\"' ]{0,6}round \d{1,3}\b[-:\"'{(|) ]*", re.IGNORECASE)
_Entry = tuple[int, re.Match[str]]
"""A score, after the round whose answers it is for; 0 for none."""


def _split_scores(text: str) -> tuple[str, list[_Entry]]:
    """Return the reply without the words that give scores, and the scores."""
    kept: list[str] = []
    found: list[_Entry] = []
    listing = filled = False
    of_round = 0
    for dressed in text.splitlines():
        line = make_plain(dressed)
        header = _HEADER.search(line)
        rest = line[header.end() :].lstrip(" :") if header else ""
        if header and (not rest or rest.endswith((":", "{")) or _ENTRY.search(rest)):
            kept.append(_before(header, dressed))
            entries = list(_add_rounds(line, _ENTRY.finditer(line, header.end()), header.start()))
            of_round = entries[-1][0] if entries else _round(line[header.start() :])
            found += entries
            listing, filled = True, bool(entries)
        elif listing and _ROUND_ALONE.fullmatch(line):
            of_round = _round(line)
        elif entries := _find_in_line(line, of_round, listing=listing):
            of_round = entries[-1][0] if listing else 0
            found += entries
            filled = True
        else:  # after an empty line, only a list goes on
            listing = listing and not filled and not line
            kept.append(dressed)
    return "\n".join(kept), found


def _before(header: re.Match[str], dressed: str) -> str:
    """Return the words before the scores in their line, with their markup if that is known."""
    if not header.start():
        return ""
    again = _HEADER.search(dressed)
    return dressed[: again.start()] if again else header.string[: header.start()]


def _find_in_line(line: str, of_round: int, *, listing: bool) -> list[_Entry]:
    """Return the scores of a line that begins with one; outside a list it must have a round."""
    bullet = _BULLET.match(line)
    first = _ENTRY.match(line, bullet.end() if bullet else 0)
    if not first or not _name(first["label"]) or not (listing or first["round"]):
        return []
    entries = [first, *_ENTRY.finditer(line, first.end())]
    return list(_add_rounds(line, entries, 0, of_round))


def _add_rounds(
    line: str, entries: Iterable[re.Match[str]], at: int, of_round: int = 0
) -> Iterator[_Entry]:
    """Find scores with their rounds: a round holds until another is named."""
    for entry in entries:
        own = entry["round"] or entry["within"]
        named = int(own) if own else _round(entry["label"]) or _round(line[at : entry.start()])
        of_round = named or of_round
        yield of_round, entry
        at = entry.end()


def _round(words: str) -> int:
    """Return the round that words end with; 0 for none."""
    named = _ROUND.search(words)
    return int(named[1]) if named else 0


_LEAD = re.compile(r"^(?:.* )?(?:the|to|for|and|give) |^agent (?=[a-z]{2})")
_OWNED = re.compile(r"(?:'s? (?:answer|response|reply|solution))?(?: (?:(?:in|of) )?round \d+)?$")
_NUMBERED = re.compile(r"agent[ #-]{0,2}(\d{1,3})")
_NO_AGENT = re.compile(
    r"(?:^round \w+|\b(?:answer|result|solution|decision|conclusion|total|average|scores?|reason"
    r"|confidence))$"
)


def _name(label: str) -> str:
    """Return an agent's label in short; empty if the words name no agent."""
    label = _LEAD.sub("", _OWNED.sub("", label.casefold(), count=1))
    label = _NUMBERED.sub(r"agent \1", _LEAD.sub("", label))
    return "" if _NO_AGENT.search(label) else label


def _score(entry: re.Match[str]) -> int | None:
    """Return a score if it is an integer from 1 to 10, and of 10 if it says of how many."""
    score = entry["score"]
    if len(score) > 2 or not score.isdecimal() or entry["most"] not in (None, "10"):
        return None
    return int(score) if 1 <= int(score) <= 10 else None


_ANSWER = re.compile(
    r"(?:^|(?<=[.!?]) )[-#>*_{ ]{0,6}\"?(?:(?:my|the|short|and|final) ){0,4}answer"
    r"(?: \([^()\n]{0,40}\))?[*_\"]{0,4} ?:[*_]{0,3}",
    re.IGNORECASE | re.MULTILINE,
)


def _words(said: str) -> str:
    """Return the words under the last "Answer:" that has words, else the whole reply."""
    end = len(said)
    for marker in reversed(list(_ANSWER.finditer(said))):
        if words := said[marker.end() : end].strip():
            opened = marker[0].count("**") % 2  # "**Answer: 42**"
            words = words.removesuffix("**").rstrip() if opened else words
            return _unquote(words) if '"' in marker[0] else words
        end = marker.start()
    return said.strip()


_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"')


def _unquote(words: str) -> str:
    """Return the words of a string in JSON."""
    string = _STRING.match(words)
    return string[1] if string else words.rstrip(" \n\"',{}")
