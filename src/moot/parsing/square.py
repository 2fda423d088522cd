"""Squares: how a reply says on which square of the chess board a move ends."""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing.statements import (
    ANSWER,
    CLAIM,
    CONCLUDES,
    LEADING,
    Statement,
    find_sentence_start,
    first_clause,
    is_reported,
)
from moot.parsing.statements import NOUNS as MARKING

NOUNS = (*MARKING, "square", "destination", "move")
"""Nouns that mark a square."""


SQUARE = re.compile(
    r"(?<![A-Za-z0-9])(?:[KQRBN]?[a-h][1-8](?:\s?(?:->|-|x|to)\s?|)|[KQRBN][a-h]?[1-8]?x?|[a-h]x)?"
    r"(?P<square>[a-hA-H][1-8])(?:=?[QRBNqrbn])?(?![A-Za-z0-9])"
)
_SQUARES = re.compile(
    r"\s?(?:\([a-z ]{1,40}\))?(?:,? or|,? and|,|/)?\s?(?:on |to )?"
    r"[\"'(]?[a-h][1-8](?:[a-h][1-8])?(?![a-z0-9])",
    re.IGNORECASE,
)
_PIECE = r"(?:piece|pawn|knight|bishop|rook|queen|king)"
_ORIGIN = re.compile(
    rf"\b(?:{_PIECE} on|(?P<starts>{_PIECE} (?:at|in|of)|starts (?:at|on|in|from)"
    r"|starting (?:at|on|in|from|square is)))"
    r"(?: the)?(?: square)?[ \"'(]{1,3}\Z",
    re.IGNORECASE,
)
"""Before a square: it is where the piece stands, as in "the pawn on e2 goes to e4"."""


def read(phrase: str) -> str | None:
    """Return the square that a phrase names as the end of a move; None for several."""
    phrase = first_clause(phrase)
    match = SQUARE.search(phrase)
    if match and (origin := _ORIGIN.search(phrase, max(0, match.start() - 30), match.start())):
        match = SQUARE.search(phrase, match.end()) or (None if origin["starts"] else match)
    if not match or _SQUARES.match(phrase, match.end()):
        return None
    return match["square"].lower()


def read_end(phrase: str) -> str | None:
    """Return the square that a phrase ends with."""
    tail = phrase[-60:]
    found = list(SQUARE.finditer(tail))
    return found[-1]["square"].lower() if found and len(tail) - found[-1].end() <= 12 else None


def read_alone(words: str) -> str | None:
    """Return the square of a move that the words are and nothing else; None for other words."""
    match = SQUARE.match(words)
    return read(words) if match and match.end() == len(words) else None


def is_alone(phrase: str) -> bool:
    """Return whether a sentence is a square and nothing else: "only e4"."""
    return (
        bool(SQUARE.match(phrase.removeprefix("only ")))
        and first_clause(phrase).strip()[-1:].isdigit()
    )


def find_squares(question: Question) -> frozenset[str]:
    """Return the squares that a question names by themselves, such as the piece's own."""
    found = SQUARE.finditer(question.text[-2000:])
    return frozenset(match["square"].lower() for match in found if len(match[0]) == 2)


_MOVES = re.compile(
    r"(?:\b(?:can|could|may|might|will|would|should|must|to|i'd|i'll|\A|[.!\n] ?)"
    r"(?: ?\w{2,12}ly| also| then| only| now)? ?"
    r"(?:be )?(?:moved?|go|jump|advance|step|travel|land|end|capture|take|placed?|play|put|reach)"
    r"|\b(?:moves|goes|jumps|advances|steps|lands|ends|captures|takes|reaches)"
    r"|\bsquare(?: \w{1,12})? is)"
    r"(?: (?:it|(?:the|my|your|this|that)(?: \w{1,12}){1,2}?)(?: (?:on|at|from) [a-h][1-8])?)?"
    r"(?: up| down| forward| directly| diagonally| straight| legally)?"
    r"(?: to| on| onto| at| in"
    r"|(?<=capture)|(?<=captures)|(?<=take)|(?<=takes)|(?<=reaches)|(?<=play)|(?<=reach)|(?<=is))"
    r"(?: the| an?)?(?: \w{3,11})?(?: square)?(?: on| at)? [\"'(]{0,2}"
    r"(?=[KQRBNa-h]?[a-hA-H]?x?[a-hA-H][1-8])"
)
_CANNOT = re.compile(r"\b(?:not|never|if|cannot|unless|whether|which|what)\b|n't\b")


def find_moves(said: str, low: str) -> Iterator[Statement]:
    """Yield a claim for each sentence that moves any piece to a square: "it can move to h4".

    Sentences that deny it or ask, and what others are reported to say, are left out.

    Args:
        said: the reply.
        low: the same in lower case, of the same length.
    """
    for match in _MOVES.finditer(low):
        start = find_sentence_start(low, match.start())
        if _CANNOT.search(low, start, match.end()) or is_reported(low, match.start()):
            continue
        value = read(said[match.end() : match.end() + 60])
        if value:
            yield Statement(match.start(), match.end() + 1, value, CLAIM)


def read_conclusion(last: str, question: Question, _said: str) -> str | None:
    """Return the one square that a last sentence concludes with, at its end."""
    there = find_squares(question)
    found = {m["square"].lower() for m in SQUARE.finditer(last)} - there
    at_end = any(sign.isdigit() for sign in last[-4:])
    return found.pop() if len(found) == 1 and at_end and CONCLUDES.search(last.lower()) else None


def only_restates(statement: Statement, low: str, question: Question) -> bool:
    """Return whether a plain sentence only repeats a square of the question."""
    if statement.rank >= ANSWER or statement.rank == LEADING:
        return False
    ends_there = _ENDS_ON.search(low, statement.start, statement.end)
    return statement.value in find_squares(question) and not ends_there


_ENDS_ON = re.compile(r"\bends? (?:up )?(?:on|at)\b")
