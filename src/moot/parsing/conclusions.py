"""Conclusions: what a reply's last sentence comes to, and where its sentences let a piece go."""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing.claims import LISTED
from moot.parsing.restated import SMALL, expression, stem
from moot.parsing.statements import CLAIM, CLOSING, Statement, reported, sentence_start
from moot.parsing.values import NUMBER, SQUARE, number, option, read, squares_of

_SO = re.compile(
    r"\b(?:so|therefore|thus|hence|in total|in all|altogether|in conclusion|finally|overall|total"
    r"|as a result|means|leaving|leaves|which is(?: \w{3,13}ly| about)?(?= [$]?-?\d))\b"
)
_HENCE = re.compile(r"\b(?:so|therefore|thus|hence|leaving|leaves|which is)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{0,80}\)| out of (?:the |all )?\d[\d,.]*\d?")
_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")


def sentences(text: str) -> list[str]:
    """The sentences of the last 600 characters of a text, at least one."""
    return [part for part in _ENDS.split(text[-600:]) if part.strip()] or [""]


def closing(said: str, question: Question) -> Iterator[Statement]:
    """The value in the reply's last sentence, if that draws a conclusion and holds just one."""
    said = said.rstrip(" \n\"'}])`|")
    spoken = sentences(said)
    while len(spoken) > 1 and _POLITE.search(spoken[-1].lower()):
        spoken.pop()
    last = spoken[-1]
    if _OPEN.search(last.lower()) or last.strip() in question.text:
        return
    value = _CLOSINGS[question.kind](last, question, said) if question.kind in _CLOSINGS else None
    if value:
        at = said.rfind(last)
        yield Statement(at, at + len(last), value, CLOSING)


_POLITE = re.compile(
    r"\b(?:i hope|let me know|feel free|good luck|thank you|please|i agree with)\b(?!.*\d)"
)
"""A sentence that is for the reader and answers nothing."""
_OPEN = re.compile(r"\?|\b(?:answers?|not|agents?|minds?|step(?! \d+:))\b|n't\b")


_SO_LETTER = re.compile(
    r"(?:so|therefore|thus|hence|finally|that leaves|definitely|clearly|probably|surely)[,:]? "
    r"\(?((?-i:[A-Z]))\)?\.?$",
    re.IGNORECASE,
)


def _last_choice(last: str, question: Question, said: str) -> str | None:
    if letter := _SO_LETTER.match(last.strip()):
        return letter[1] if letter[1] in question.letters else None
    short = len(said) < 200 and (said.lstrip()[:1] in "{[`" or len(_ENDS.findall(said)) < 2)
    last = said if short else last
    if LISTED.match(last) or not (short or _SO.search(last.lower())):
        return None
    return option(last, question)


_SHORTLY = re.compile(
    r"(?:(?!(?:or|yes|no|not|true|false)\b)[\w']+,? ){0,4}(true|false|yes|no)[.!]?",
    re.IGNORECASE,
)


def _last_boolean(last: str, question: Question, _said: str) -> str | None:
    """A sentence of a few words with the verdict at its end: "Odd, but true."."""
    match = _SHORTLY.fullmatch(last.strip())
    return read(match[1], question) if match else None


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


def moves(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Where a sentence says that the piece goes: "the pawn on h2 can legally move to h4"."""
    if question.kind != "square":
        return
    for match in _MOVES.finditer(low):
        start = sentence_start(low, match.start())
        if _CANNOT.search(low, start, match.end()) or reported(low, match.start()):
            continue
        value = read(said[match.end() : match.end() + 60], question)
        if value:
            yield Statement(match.start(), match.end() + 1, value, CLAIM)


def _last_square(last: str, question: Question, _said: str) -> str | None:
    there = squares_of(question)
    found = {m["square"].lower() for m in SQUARE.finditer(last)} - there
    at_end = any(sign.isdigit() for sign in last[-4:])
    return found.pop() if len(found) == 1 and at_end and _SO.search(last.lower()) else None


def _last_number(last: str, question: Question, said: str) -> str | None:
    only = len(said) < 150 and said.strip() == last.strip() and not expression(question.text)
    sums = bool(_WORKS.search(last)) and not _on_the_way(last, question)
    concludes = only or sums or _SO.search(last.lower()) or _IS.search(last)
    before = said[: -len(last)] if said.endswith(last) else ""
    return _concluded(last, question, before) if concludes or _answers(last, question) else None


def _answers(last: str, question: Question) -> bool:
    """Whether a sentence takes up what the question asks for, in at least two of its words."""
    asked = sentences(question.text)[-1].lower()
    words = {stem(word) for word in _WORDS.findall(asked) if word not in SMALL | _ASKS}
    return len(words & {stem(word) for word in _WORDS.findall(last.lower())}) >= min(
        2, len(words) or 9
    )


_WORKS = re.compile(r"\d ?[-+*/x] ?[$]?\d[\d.,]* ?= ?[$]?-?\d[\d.,/]*(?: [a-z]{1,12}){0,3}\.?$")
"""A sum worked out at the end of a sentence: "144 - 17 = 127 rolls"."""
_IS = re.compile(r"\b[Tt]he (?:number|sum|amount|value|cost|price|count)(?: of \w+)? is ")
_WORDS = re.compile(r"[a-z]+")
_ASKS = frozenset(("what", "how", "many", "much", "which", "who", "he", "she", "they"))


_CLOSINGS = {
    "choice": _last_choice,
    "boolean": _last_boolean,
    "square": _last_square,
    "number": _last_number,
}


_CONVERTS = re.compile(
    r"(?<![-+*/x.\d] )(?<!is )(?<!are )(?<![\d./$])[$]?\d+(?:[/.]\d+)? ?= ?[$]?\d"
)


def _on_the_way(last: str, question: Question) -> bool:
    """Whether the sum that a sentence works out is only a part of the one that is asked."""
    asked = expression(question.text)
    done = _SUM.search(last)
    return bool(asked and done and "".join(done[1].split()).replace("x", "*") in asked)


_SUM = re.compile(
    r"(\(?\d[\d.,]*+(?: ?[-+*/x] ?\(?\d[\d.,]*+\)?){1,9}) ?= ?[$]?-?\d[\d.,/]*(?: [a-z]{1,12}){0,3}"
    r"\.?$"
)


_COMPARED = re.compile(r"\d[\d.,]*(?: \w{1,12})? (?:\w{2,10}er|more|less|fewer) than\b")
_COMPARES = re.compile(r"\b(?:more|less|fewer|differ\w*|how much)\b|er than\b")
"""A number that compares, "7 years older than", where the question does not ask for that."""
_PERCENT = re.compile(r"\d[\d.,]* ?(?:%|percent\b)")
"""A share, where the question does not ask for one."""
_UNDONE = re.compile(r"\d ?(?:plus|minus|times|[*+]) ?[$(]?\d[\d./]*\W*$")
"""A sum that is written, but not worked out."""


def _concluded(last: str, question: Question, before: str) -> str | None:
    """The one number of a sentence that is new after what was said, or that follows its "="."""
    last = _ASIDE.sub("", last)
    if _CONVERTS.search(last) and last.count("=") == 1:  # "1/3 = 4/12"
        return None
    result = last[last.rfind("=") :] if "=" in last else last
    if result is last and (after := _HENCE.search(last)) and NUMBER.search(last, after.end()):
        last = result = last[after.end() :]
    given = {number(match) for match in NUMBER.finditer(question.text)} if result is last else set()
    if result is last:
        if _UNDONE.search(last):  # "1/2 minus 1/4"
            return None
        asked = sentences(question.text)[-1].lower()
        if not _COMPARES.search(asked):
            last = result = _COMPARED.sub("", result)
        if "%" not in asked and "percent" not in asked:
            last = result = _PERCENT.sub("", result)
    found = [number(match) for match in NUMBER.finditer(result) if match["whole"]]
    new = list(dict.fromkeys(n for n in found if n not in given)) or list(dict.fromkeys(found))
    if not found and len(words := _SPELLED.findall(last)) == 1:
        return read(words[0], question)
    if len(new) > 1:
        known = {number(match) for match in NUMBER.finditer(before[-1000:])}
        new = [n for n in new if n not in known]
    return new[0] if len(new) == 1 else None


_SPELLED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    r"|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b"
)
