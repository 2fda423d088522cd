"""From a reply to its answer: what the reply commits to, or None when it commits to nothing."""

import re
from collections.abc import Iterator
from itertools import pairwise

from moot.core.options import first_alike
from moot.core.questions import Question
from moot.parsing import boolean, choice, edges, free_text, number, square
from moot.parsing.adoption import find_adopted, read_name
from moot.parsing.agent_names import hide_names
from moot.parsing.markers import find_beliefs, find_marked
from moot.parsing.other_languages import find_in_other_languages
from moot.parsing.own_words import drop_copy, take_own_words
from moot.parsing.parser import HeardAnswers, Parsed, parser
from moot.parsing.plain_text import make_plain
from moot.parsing.quoted import remove_quotes, split_turns
from moot.parsing.statements import (
    ANSWER,
    BELIEF,
    FINAL,
    LOOSE,
    Statement,
    first_clause,
    split_sentences,
)


def extract(
    text: str,
    question: Question,
    finished: bool = True,
    heard: HeardAnswers = None,
) -> str | None:
    """Return the answer that a reply commits to, in canonical form; None if it commits to none.

    Args:
        text: the reply.
        question: what was asked: its kind, and for ``choice`` its choices.
        finished: False when the reply was cut off for length: then only what it had committed to
            before counts.
        heard: what the others answered, by the name under which the agent read them, e.g.
            ``{"Agent 2": "B", "Critic": None}``; lets "Agent 2 is right", "I agree with Agent 2"
            and "the best answer is Agent 2's" adopt that answer.

    Returns:
        A letter for ``choice``, ``"true"`` or ``"false"`` for ``boolean``, a decimal or fraction
        such as ``"-0.5"`` or ``"3/4"`` for ``number``, such as ``"e5"`` for ``square``, LaTeX for
        ``math``, the stated words for ``text``.
    """
    value = None
    if finished and question.kind in _OUTRIGHT:  # a reply may be that line alone
        value = _read_outright(f"\n{text}", question)
    if value is None:
        value = _extract(take_own_words(text), question, heard, finished=finished)
    if value and question.kind == "choice":  # options of the same words are one answer
        return first_alike(value, question.choices)
    return value


def _extract(text: str, question: Question, heard: HeardAnswers, *, finished: bool) -> str | None:
    """Return the answer that a reply's own words commit to; None if they commit to none."""
    if question.kind == "math":
        from moot.parsing.mathematics.answers import read_reply

        return read_reply(text, question, heard, finished=finished)
    if question.kind == "text":
        words = free_text.read(text, finished=finished)
        return (words and read_name(words, question, heard, bare=False)) or words
    whole = make_plain(text)
    if question.kind == "boolean":
        whole = boolean.resolve_double(whole)
    for said in split_turns(whole):
        complete = finished or not whole.endswith(said)
        own = drop_copy(said, question)
        if (value := _read_turn(own, question, heard, finished=complete)) is not None:
            return value or None
    return None


def states_answer(line: str, question: Question) -> bool:
    """Return whether a line commits to an answer by itself; no expression is worked out for it."""
    if question.kind == "math":
        from moot.parsing.mathematics.answers import is_marked

        return is_marked(line)
    return extract(line, question) is not None


@parser()
def parse_answer(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer that a reply commits to."""
    return Parsed(extract(text, question, finished, heard))


@parser()
def parse_reply(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a reply that is sent on as it is: to an open question the whole of it is the answer."""
    if question.kind == "text":
        return Parsed(text.strip() or None)  # cut off or not: nothing else can be sent
    return parse_answer(text, question, finished, heard)


@parser()
def parse_text(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read no answer: the reply is only a text for others."""
    return Parsed(None)


def _read_turn(said: str, question: Question, heard: HeardAnswers, *, finished: bool) -> str | None:
    """Return the answer that one turn of a reply commits to; None if it commits to none."""
    low = said.lower()
    for level in _find_levels(said, low, question, heard, finished=finished):
        found = [s for s in level if finished or not _is_cut(s, said, question)]
        if question.kind == "square":
            found = [s for s in found if not square.only_restates(s, low, question)]
            if found and found[0].rank < ANSWER and _AMISS.search(low, max(found).end):
                return None
        if found:
            return None if _refuses(found, low) else _decide(found, low, finished=finished)
    return None


_REFUSES = re.compile(
    r"\b(?:cannot|can't|could not|unable to|not possible to|impossible to|not able to)"
    r" (?:\w+ly )?(?:provide|give|determine|decide|say|conclude|choose|select|answer|find|identify"
    r"|confirm|be determined)\b"
)
"""A sentence that declines to answer."""


def _refuses(found: list[Statement], low: str) -> bool:
    """Return whether a reply declines in its last sentence, and states no answer there."""
    last = split_sentences(low.rstrip())[-1]
    at = low.rfind(last)
    return bool(_REFUSES.search(last)) and max(found).start < at and len(found) > 1


_CLOSING = "Final answer: "
_BEGINNINGS = "\n", ". ", "! ", "? "
"""What stands before the closing words where they begin a line or a sentence."""
_SURE = re.compile(r"\nConfidence: \d{1,3}%\n\Z")
"""A line of its own that says nothing of the answer, as simulated agents have it."""
_OUTRIGHT = {
    "number": re.compile(r"-?[1-9]\d{0,14}|0"),
    "boolean": re.compile(r"true|false"),
    "square": re.compile(r"[a-h][1-8]"),
    "choice": re.compile(r"[A-Z]"),
}


_FURTHER = ("final", ":", "#", "_", "<", "[", "\\boxed", "question")
"""What may state another answer; the last one may begin a question that the model has invented."""


def _read_outright(text: str, question: Question) -> str | None:
    """Return the answer of a reply in the asked form: reasons, then at the end the final answer.

    It is a line of its own, or the last sentence. Only another final answer outranks it. So the
    levels below give the same answer, at twenty times the cost. A confidence may stand before it.

    Returns:
        None if the reply is not of this form.
    """
    reasons, _, value = text.rpartition(_CLOSING)
    value = value.rstrip()
    if not reasons.endswith(_BEGINNINGS) or not _OUTRIGHT[question.kind].fullmatch(value):
        return None
    if question.kind == "choice" and value not in question.letters:
        return None
    low = _SURE.sub("", reasons).lower()
    for sign in _FURTHER:
        if sign in low:
            return None
    return value


def _find_levels(
    said: str,
    low: str,
    question: Question,
    heard: HeardAnswers,
    *,
    finished: bool,
) -> Iterator[list[Statement]]:
    """Find the reply's statements, the plainest first, level by level, each when it is needed."""
    adopts = find_adopted(said, low, question, heard)
    said = remove_quotes(hide_names(said, question, heard))
    low = said.lower()
    marked = [
        *find_marked(said, low, question),
        *find_in_other_languages(said, low, question),
    ]
    if question.kind == "choice" and finished:
        marked += choice.find_closing(said, question)
    yield [s for s in marked if s.rank in (FINAL, ANSWER)]
    marked += find_beliefs(said, low, question)
    yield [*[s for s in marked if s.rank == BELIEF], *adopts]
    if _UNSURE.search(low):
        return
    yield list(edges.find_leading(said, low, question, finished=finished))
    if question.kind == "number":
        yield list(number.find_equation(said, low, question))
    yield list(edges.find_ending(said, question, finished=finished))
    if finished:
        yield [s for s in marked if s.rank == LOOSE]
    if question.kind == "square":
        yield list(square.find_moves(said, low))
    if question.kind == "choice":
        yield list(choice.find_assertion(said, question, finished=finished))
    if question.kind == "boolean":
        yield list(boolean.find_assertion(low, question))
    if finished:
        yield list(edges.find_conclusion(said, question))


_UNSURE = re.compile(  # each begins with a letter, as those of CONTRAST
    r"i(?<!\wi)(?:(?:'m| am) not sure (?:of|about|what|which)| (?:do not|don't) know)\b"
    r"|c(?<!\wc)(?:annot|an't) (?:decide|say which|be determined)\b"
)


_TURN = re.compile(
    r"\b(?:wait|actually|correction|sorry|instead|rather|revis\w+|updat\w+|mistake|reconsider\w*|no(?=,)"
    r"|on second thought)\b"
)
_THEN = re.compile(
    r"\b(?:so|therefore|thus|hence|finally|in conclusion|conclude|however|but|overall)\b"
)


def _decide(found: list[Statement], low: str, *, finished: bool) -> str | None:
    """Return the one value stated, or the last one if the reply says that it decides anew."""
    found = sorted(found)
    last = found[-1]
    others = [s for s in found if s.value != last.value]
    if len(found) > 1 and _leaves_open(found, low):
        return None
    if not others or last.rank == FINAL or (finished and last.rank == ANSWER):
        return last.value
    if finished and last.rank < BELIEF and _is_last(last, low):
        return last.value
    if last.rank == ANSWER and _is_settled([s.value for s in found]):
        return last.value
    between = low[others[-1].end : last.end]
    decided = _TURN.search(between) or (last.rank < FINAL and _THEN.search(between))
    return last.value if decided and (finished or last.rank >= ANSWER) else None


_SEVERAL_ANSWERS = re.compile(
    r"\b(?:two|three|several|multiple|both|different)(?: \w+){0,2} (?:answers|solutions|results)\b"
)


_IN_A_ROW = 25
"""Characters between the options that a reply goes through, one after the other."""


def _leaves_open(found: list[Statement], low: str) -> bool:
    """Return whether a reply tells of several answers, has each of them once, and takes none."""
    if len({each.value for each in found}) < len(found):
        return False
    if "".join(each.value for each in found).startswith("ABC") and all(
        after.start - before.end <= _IN_A_ROW for before, after in pairwise(found)
    ):
        return True
    told = _SEVERAL_ANSWERS.search(low, 0, found[0].start)
    between = low[found[-2].end : found[-1].end]
    return bool(told) and not (_TURN.search(between) or _THEN.search(between))


def _is_settled(values: list[str]) -> bool:
    """Return whether a second value replaced a first one, and was then stated again."""
    first, last = values.index(values[-1]), values[-1]
    return len(set(values[:first])) == 1 and values[first:] == [last] * max(2, len(values) - first)


def _is_last(statement: Statement, low: str) -> bool:
    """Return whether the statement stands in the reply's last sentence."""
    return len(first_clause(low[statement.start :])) + 3 > len(low.rstrip()) - statement.start


_OPEN_END = re.compile(
    r"[\s$€£(*:\"{\[]*-?(?:[\d.,]+ ?[*x](?: ?1?0?| ?10 ?\^ ?[({]?-?\d?)|[\d.,/]*[\d,/])?\Z"
)


_AMISS = re.compile(r"\banswer(?: is| will be|:)(?: an?)? \d{1,3}\b(?!\.\d)")
"""An answer that is stated and is no square: a plain sentence before it does not count."""


_ENDED = re.compile(r"[.!?\n]")


def _is_cut(statement: Statement, said: str, question: Question) -> bool:
    """Return whether the end of the reply may have cut the statement off.

    A number may go on where the reply ends in or just after it. A choice weaker than an answer may
    go on where no sentence ends after its start and the choice's letter is not there.
    """
    if question.kind == "choice" and statement.rank < ANSWER:  # "I think that dolphins are"
        rest = said[statement.start :]
        return not _ENDED.search(rest) and not re.search(rf"\b{statement.value}\b", rest)
    return question.kind == "number" and bool(_OPEN_END.match(said, statement.end - 1))
