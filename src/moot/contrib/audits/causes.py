"""Causes: why two rules count a question otherwise, with the words that decide."""

import re
from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

import msgspec

from moot import Turn
from moot.contrib.audits.audited import AuditedDebate, AuditedRound
from moot.contrib.audits.packed_rows import PackedRows
from moot.contrib.audits.rules import (
    MOOT,
    Counting,
    Found,
    Outcome,
    Reader,
    Replies,
    Rule,
    count_majority,
    count_values,
)
from moot.extend.words import make_visible, on_one_line

Cause = Literal[
    "any agent",
    "tie",
    "unreadable",
    "prompt repeated",
    "cut off",
    "right answer odd",
    "sign dropped",
    "several answers",
    "other counting",
    "other reading",
]

CAUSES: dict[Cause, str] = {
    "any agent": "one agent that is right is enough by their rule; the most frequent answer is "
    "another",
    "tie": "two answers have as many votes; the rules break the tie otherwise",
    "unreadable": "one rule reads an answer where the other finds none",
    "prompt repeated": "the words that decide repeat the prompt, or stand word for word in replies "
    "to other questions",
    "cut off": "the reply ended because it reached the most tokens allowed",
    "right answer odd": "the right answer is missing, or is read as another value",
    "sign dropped": "a sign, a point or a comma of the number is lost",
    "several answers": "the reply has several values of this form; the rules take another one",
    "other counting": "the answers are read alike and counted otherwise",
    "other reading": "the reply is read otherwise, for none of these reasons",
}
"""Causes in the words of a table."""

_AROUND = 24
"""Signs before and after the words that decide by which they are found in other texts."""
_QUOTED = 60
"""The most signs that are quoted before the words that decide."""
_FEW = 4
"""The most words around these by which they are not found again: too many texts have them."""
_READ_AMISS: frozenset[Cause] = frozenset(
    {"unreadable", "cut off", "several answers", "other reading"}
)
_OTHERS = 2
"""Other questions in whose replies the same words are a sign of a prompt."""
ODD = 20
"""The most signs that are shown of a right answer that is read as another value."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A question that two rules count otherwise in a round.

    Attributes:
        setting: the arm; with the dataset, where debates of several are looked at.
        arm: of the setting.
        dataset: of the question.
        question: its id.
        replicate: the repetition, from 0.
        round: from 1; 0 for a verdict that is no vote.
        by_their_rule: what the question counts as by their rule.
        by_ours: the same by ours.
        cause: why.
        agent: whose reply decides; empty where none does.
        read_as: what their rule takes that reply for; None for nothing.
        answer: what moot's reader takes it for; None as above.
        words: the words that decide, with some before and after; empty where none do.
        start: where they begin in the reply.
        end: where they end.
        right: the end of the right answer, in the words of the log.
        turn: the id of that reply; 0 where none decides.
    """

    setting: str
    arm: str
    dataset: str
    question: str
    replicate: int
    round: int
    by_their_rule: Outcome
    by_ours: Outcome
    cause: Cause
    agent: str = ""
    read_as: str | None = None
    answer: str | None = None
    words: str = ""
    start: int = 0
    end: int = 0
    right: str = ""
    turn: int = 0


class CountedRow(msgspec.Struct, frozen=True):
    """A question in a round as two rules count it: what figures are computed from.

    Attributes:
        setting: as of ``Difference``.
        dataset: of the question.
        question: its id.
        replicate: the repetition, from 0.
        round: from 1; 0 for a verdict that is no vote.
        right: the right answer by moot's reader.
        by_their_rule: what it counts as by their rule; None without one.
        by_ours: the same by ours.
        by_vote: the same by a vote over what their rule reads; None where it does not say that.
        read: what their rule takes each reply for; empty where the rule does not say.
        answers: what moot's reader takes each for.
    """

    setting: str
    dataset: str
    question: str
    replicate: int
    round: int
    right: str
    by_their_rule: Outcome | None
    by_ours: Outcome
    by_vote: Outcome | None
    read: tuple[str | None, ...]
    answers: tuple[str | None, ...]


class _Reading(NamedTuple):
    """The replies of a round by two readers.

    Attributes:
        found: what their reader finds in each.
        values: the values of these.
        ours: what moot's reader finds, as values of theirs.
        right: the right answer as their reader has it.
        meant: the right answer as moot has it, as a value of theirs.
    """

    found: list[Found | None]
    values: list[Hashable | None]
    ours: list[Hashable | None]
    right: Hashable | None
    meant: Hashable | None


class _Seen:
    """In how many questions the words that decide stand: hashes, as every reply has such words."""

    def __init__(self) -> None:
        self._words, self._questions = array("q"), array("q")

    def note(self, question: str, each: AuditedRound, reading: _Reading) -> None:
        """Note the words in the replies of a round."""
        for text, found in zip(each.replies.texts, reading.found, strict=True):
            if words := take_around(text, found):
                self._words.append(hash(words))
                self._questions.append(hash(question))

    def find_usual(self, wanted: Iterable[int]) -> set[int]:
        """Return those of the words, by their hashes, that stand in replies to more questions."""
        standing: dict[int, set[int]] = {words: set() for words in wanted}
        for words, question in zip(self._words, self._questions, strict=True):
            if words in standing and len(standing[words]) <= _OTHERS:
                standing[words].add(question)
        return {words for words, questions in standing.items() if len(questions) > _OTHERS}


def take_around(text: str, found: Found | None) -> str:
    """Return the words that decide with some before and after; empty where these are too few."""
    if found is None:
        return ""
    words = text[max(0, found.start - _AROUND) : found.end + _AROUND]
    return words if len(words.split()) > _FEW else ""


class CountedRows(NamedTuple):
    """The rows of an audit.

    Attributes:
        rows: every question of every round.
        differences: those that two rules count otherwise.
        odd: the ends of the right answers that their rule reads as another value, by the question.
    """

    rows: PackedRows[CountedRow]
    differences: PackedRows[Difference]
    odd: dict[str, str]


def count_rows(debates: Iterable[AuditedDebate], theirs: Rule | None, ours: Rule) -> CountedRows:
    """Return every question of every round, and those that two rules count otherwise.

    Args:
        debates: in the order of the rows.
        theirs: the rule taken for the authors'; None without one.
        ours: moot's.
    """
    seen, rows, odd = _Seen(), PackedRows(CountedRow), dict[str, str]()
    made, around = PackedRows(Difference), array("q")
    for debate in debates:
        for each in debate.rounds:
            one, other = theirs and theirs.apply(each.replies), ours.apply(each.replies)
            reading = theirs and theirs.reader and _read(theirs.reader, each.replies)
            vote = _count_vote(theirs, reading)
            rows.append(_make_row(debate, each, reading, (one, other, vote)))
            if reading:
                seen.note(debate.question, each, reading)
                if theirs and theirs.reader and _is_odd(theirs.reader, reading):
                    odd[debate.question] = each.replies.right[-ODD:]
            if theirs and one and one != other and "right" in {one, other}:
                difference, words = _explain(debate, each, theirs, reading, (one, other))
                made.append(difference)
                around.append(hash(words))
    return CountedRows(rows, _mark_repeated(made, around, seen), odd)


def _mark_repeated(
    made: PackedRows[Difference], around: Sequence[int], seen: _Seen
) -> PackedRows[Difference]:
    """Return differences, marked where the words that decide stand in many replies.

    Args:
        made: the differences.
        around: the hashes of the words that decide each.
        seen: where such words stand.
    """
    usual, found = seen.find_usual(around), PackedRows(Difference)
    for each, words in zip(made, around, strict=True):
        if each.cause in _READ_AMISS and words in usual:
            found.append(msgspec.structs.replace(each, cause="prompt repeated"))
        else:
            found.append(each)
    return found


def _count_vote(rule: Rule | None, reading: _Reading | None) -> Outcome | None:
    """Return the mark of a question by a vote over the answers that a rule reads."""
    if rule is None or rule.reader is None or reading is None:
        return None
    return count_values(count_majority, rule.reader, reading.values, reading.right)


def _make_row(
    debate: AuditedDebate,
    each: AuditedRound,
    reading: _Reading | None,
    outcomes: tuple[Outcome | None, Outcome, Outcome | None],
) -> CountedRow:
    read = tuple(found and _show(found.value) for found in reading.found) if reading else ()
    return CountedRow(
        debate.setting,
        debate.dataset,
        debate.question,
        debate.replicate,
        each.number,
        ", ".join(each.replies.question.answers),
        *outcomes,
        read,
        each.replies.answers,
    )


def _read(reader: Reader, replies: Replies) -> _Reading:
    found = reader.read_all(replies)
    right = reader.find_right(replies)
    if reader is MOOT:
        values = [each and each.value for each in found]
        return _Reading(found, values, values, right, right)
    rights = replies.question.answers
    return _Reading(
        found,
        [each and each.value for each in found],
        [_as_value(answer, right) for answer in replies.answers],
        right,
        _as_value(rights[0], right) if rights else None,
    )


def _as_value(answer: str | None, like: Hashable | None) -> Hashable | None:
    """Return an answer of moot's reader as a value of another reader."""
    if answer is None or not isinstance(like, float | None):
        return answer
    try:
        return float(Fraction(answer))
    except (ValueError, ZeroDivisionError, OverflowError):
        return answer


def _explain(
    debate: AuditedDebate,
    each: AuditedRound,
    rule: Rule,
    reading: _Reading | None,
    outcomes: tuple[Outcome, Outcome],
) -> tuple[Difference, str]:
    """Return a difference, and the words around the place that decides."""
    cause, place = _find_cause(debate, each, rule, reading, outcomes[0])
    made = Difference(
        setting=debate.setting,
        arm=debate.arm,
        dataset=debate.dataset,
        question=debate.question,
        replicate=debate.replicate,
        round=each.number,
        by_their_rule=outcomes[0],
        by_ours=outcomes[1],
        cause=cause,
        right=on_one_line(each.replies.right[-_QUOTED:], _QUOTED),
    )
    if place is None or reading is None:
        return made, ""
    text, found = each.replies.texts[place], reading.found[place]
    turn = each.turns[place] if place < len(each.turns) else None
    start, end = (found.start, found.end) if found else (len(text), len(text))
    made = msgspec.structs.replace(
        made,
        agent=turn.agent if turn else "",
        turn=turn.id if turn else 0,
        read_as=found and _show(found.value),
        answer=each.replies.answers[place],
        words=_quote(text, start, end),
        start=start,
        end=end,
    )
    return made, take_around(text, found)


def _show(value: Hashable) -> str:
    """Return a value in words; a whole number has no decimals."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _quote(text: str, start: int, end: int) -> str:
    """Return the words that decide on one line, with some before and after."""
    first = max(0, start - _QUOTED)
    words = " ".join(text[first : end + _QUOTED // 3].split())
    dots = "…" * bool(first), "…" * (end + _QUOTED // 3 < len(text))
    return make_visible(f"{dots[0]}{words}{dots[1]}")


def _find_cause(
    debate: AuditedDebate,
    each: AuditedRound,
    rule: Rule,
    reading: _Reading | None,
    outcome: Outcome,
) -> tuple[Cause, int | None]:
    """Return the cause, and the place of the reply that decides; None without one."""
    if reading is None or rule.reader is None or rule.counting is None:
        return "other counting", None
    how, reader = rule.counting, rule.reader
    if reading.meant is None:
        return "right answer odd", None
    if (
        _is_odd(reader, reading)
        and count_values(how, reader, reading.values, reading.meant) != outcome
    ):
        return "right answer odd", None
    if count_values(how, reader, reading.ours, reading.meant) == outcome:
        return _find_counting(how, reader, reading, outcome)
    place = next(_find_decisive(how, reader, reading, outcome), None)
    if place is None:
        return "other reading", None
    return _find_reading(debate, each, reader, reading, place), place


def _is_odd(reader: Reader, reading: _Reading) -> bool:
    """Return whether a reader reads the right answer as another value than moot."""
    return reading.right is None or not _equals(reader, reading.meant, reading.right)


def _find_counting(
    how: Counting, reader: Reader, reading: _Reading, outcome: Outcome
) -> tuple[Cause, int | None]:
    """Return why answers that are read alike are counted otherwise."""
    known = [value for value in reading.ours if value is not None]
    rights = [n for n, value in enumerate(reading.ours) if _equals(reader, value, reading.meant)]
    if outcome == "unread" and None in reading.ours:
        return "unreadable", reading.ours.index(None)
    if outcome == "right" and how.name.startswith("any"):
        return "any agent", rights[0]
    votes = Counter(known).most_common(2)
    if len(votes) == 2 and votes[0][1] == votes[1][1]:
        return "tie", rights[0] if rights else 0
    if len(known) < len(reading.ours):
        return "unreadable", reading.ours.index(None)
    return "other counting", rights[0] if rights else 0


def _equals(reader: Reader, value: Hashable | None, right: Hashable | None) -> bool:
    return value is not None and right is not None and reader.equal(value, right)


def _find_decisive(
    how: Counting, reader: Reader, reading: _Reading, outcome: Outcome
) -> Iterator[int]:
    """Yield the places of replies read otherwise: first those that alone change the outcome."""
    pairs = enumerate(zip(reading.values, reading.ours, strict=True))
    differing = [place for place, (one, other) in pairs if not _is_same(reader, one, other)]
    for place in differing:
        changed = list(reading.values)
        changed[place] = reading.ours[place]
        if count_values(how, reader, changed, reading.meant) != outcome:
            yield place
    yield from differing


def _is_same(reader: Reader, one: Hashable | None, other: Hashable | None) -> bool:
    return one == other or _equals(reader, one, other)


def _find_reading(
    debate: AuditedDebate, each: AuditedRound, reader: Reader, reading: _Reading, place: int
) -> Cause:
    """Return why a reply is read otherwise."""
    text, found, ours = each.replies.texts[place], reading.found[place], each.replies.answers[place]
    if found and _repeats(text, found, _list_read(debate, each, place)):
        return "prompt repeated"
    if found and ours is not None and _drops_sign(str(found.value), ours):
        return "sign dropped"
    if place < len(each.turns) and each.turns[place].finish == "length":
        return "cut off"
    if found is None or ours is None:
        return "unreadable"
    read = {reader.read(line) for line in re.split(r"\n+|(?<=[.!?]) ", text)}
    if len({each.value for each in read if each}) > 1:
        return "several answers"
    return "other reading"


def _list_read(debate: AuditedDebate, each: AuditedRound, place: int) -> Iterator[str]:
    """Yield what an agent was shown: the question, and the turns that it read."""
    question = debate.transcript.question
    yield question.text
    yield question.context or ""
    read = each.turns[place].reads if place < len(each.turns) else ()
    shown: Sequence[Turn] = debate.transcript.turns
    yield from (turn.text for turn in shown if turn.id in read)


def _repeats(text: str, found: Found, sources: Iterable[str]) -> bool:
    """Return whether the words that decide stand in a text that the agent was shown."""
    around = take_around(text, found)
    return bool(around) and any(around in source for source in sources)


def _drops_sign(value: str, answer: str) -> bool:
    """Return whether a number is another one without its sign, its point or a comma."""
    if not re.fullmatch(r"-?\d+(\.\d+)?(/\d+)?", answer) or not re.fullmatch(r"[\d.]+", value):
        return False
    bare = value.removesuffix(".0")
    digits = answer.lstrip("-")
    is_unsigned = answer.startswith("-") and bare == digits
    is_part = len(bare) < len(digits) and (digits.endswith(bare) or digits.startswith(bare))
    return is_unsigned or (is_part and bare.isdigit())
