"""Restatements: a reply that takes up the question's own words or sum and says what comes of it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from moot.core.questions import Question
from moot.parsing.statements import CLAIM, Statement
from moot.parsing.values import read

_EXPRESSION = re.compile(
    r"(?<![\d.])\(?-?\d[\d.]{0,20}+(?:\)? ?[-+*/^x] ?\(?-?\d[\d.]{0,20}+\)?){1,40}+"
)
_EQUALS = re.compile(
    r"[)\"]{0,2}(?: ?= ?|,?(?: which)? (?:equals|is equal to|is equivalent to|is|gives|results in"
    r"|makes|comes to|yields):? )(?:also |indeed |exactly |simply )?(?=[($\"']{0,2}-?[$]?[\d.])"
)


@lru_cache(maxsize=512)
def expression(text: str) -> str | None:
    """The longest arithmetic expression of a question, without blanks."""
    found = _packed(max(_EXPRESSION.findall(text.replace("×", "*")), key=len, default=""))
    return None if _FRACTION.fullmatch(found) else found


_FRACTION = re.compile(r"(?:\d+/\d+)?")
"""A fraction is a number, not a sum to work out: "3/4 is 12/4" gives no answer to "3/4 of 8"."""


def _packed(text: str) -> str:
    return text.replace(" ", "").replace("x", "*").strip(".")


def equation(said: str, low: str, question: Question) -> Iterator[Statement]:
    """The asked expression with what it comes to: "3 + 4 = 7"."""
    asked = expression(question.text)
    if not asked:
        return
    for match in _EXPRESSION.finditer(low):
        equals = _packed(match[0]) == asked and _EQUALS.match(low, match.end())
        if equals:
            value = read(said[equals.end() : equals.end() + 120], question)
            if value:
                yield Statement(match.start(), equals.end() + 1, value, CLAIM)


SMALL = frozenset(
    re.findall(
        r"\w+",
        "is are was were do does did can could will would should has have had may might must the a"
        " an of to in on at by for true false or and that this it there be with from question"
        " statement one",
    )
)
_NEGATION = re.compile(
    r"\b(?:not(?! just| only| the only| surpris)|no(?! doubt)|never|cannot|neither|unable"
    r"|incapable)\b|n't\b"
)
_TOKEN = re.compile(r"[a-z0-9]+(?:'t)?")
_AUXILIARY = re.compile(r"\b(?:can|could|would|will|should|may|might|must|is|are|was|were)\b")
_MODALS = {"can": "could", "will": "would", "is": "are", "was": "were", "cannot": "could"}
_HEDGE = re.compile(
    r"\b(?:whether|if|question|imagine|example|suppose|asked|asks|false|true|statement|depends)\b|\?"
)
_CONCLUDES = re.compile(r"(?:so|therefore|thus|hence|in conclusion|overall|finally),? ")
_SENTENCES = re.compile(r"(?<=[.!?])\s|\n")


def stem(word: str) -> str:
    """The word without a common ending."""
    for ending_ in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending_) and len(word) - len(ending_) >= 3:
            return word[: -len(ending_)]
    return word


@lru_cache(maxsize=512)
def _content(text: str) -> tuple[tuple[str, ...], bool, str | None]:
    """The words that carry a question, whether it is put in the negative, and its auxiliary."""
    low = text.lower()
    words = tuple(stem(w) for w in _TOKEN.findall(low) if w not in SMALL)
    auxiliary = _AUXILIARY.search(low)
    name = auxiliary[0] if auxiliary else None
    return words, bool(_NEGATION.search(low)), _MODALS.get(name or "", name)


def content(question: Question) -> frozenset[str]:
    """The words that carry a question, without their endings."""
    return frozenset(_content(question.text[-300:])[0])


def assertion(low: str, question: Question) -> Iterator[Statement]:
    """The asked statement asserted or denied, in its own words, early in the reply."""
    if not 0 < len(_content(question.text[-300:])[0]) <= 40:
        return
    at = 0
    found: Statement | None = None
    for count, sentence in enumerate(_SENTENCES.split(low[:3000])):
        concludes = _CONCLUDES.match(sentence)
        quotes = at > 0 and sentence.startswith('"')
        if ((found is None and count < 3) or concludes) and not quotes:
            holds = _asserted(sentence[concludes.end() if concludes else 0 :], question)
            if holds is not None:
                value = "true" if holds else "false"
                found = Statement(at, at + len(sentence), value, CLAIM)
        at += len(sentence) + 1
    if found:
        yield found


def _asserted(sentence: str, question: Question) -> bool | None:
    """Whether a sentence asserts what is asked or denies it; None where it does neither."""
    text = question.text[-300:]
    asked, negated, auxiliary = _content(text)
    clause = _claimed(sentence)
    tokens = _TOKEN.findall(clause)
    holds = bool(_NEGATION.search(clause)) == negated
    if _elliptic(asked, auxiliary, tokens):
        return holds
    if tokens[:1] in (["it"], ["they"]) and _AUXILIARY.match(" ".join(tokens[1:2])):
        tokens = [asked[0], *tokens[1:]]
    if (alike := _compared(text.lower(), clause)) is not None:
        if alike:
            return holds
        return not holds if holds != negated else None
    words = [_OPPOSITES[w] if _OPPOSITES.get(w) in asked and w not in asked else w for w in tokens]
    if not _holds(asked, auxiliary, words):
        return None
    return holds if words == tokens else not holds


def _claimed(sentence: str) -> str:
    """The main clause of a sentence, without what leads to it; empty where it is not claimed."""
    known = _KNOWN.match(sentence)
    clause = _MAIN.split(sentence[known.end() if known else 0 :], maxsplit=1)[0]
    unclaimed = '": "' in sentence or (known and _NEGATION.search(known[0]))
    return "" if unclaimed or _HEDGE.search(clause) else clause


_KNOWN = re.compile(
    r"[^.]{0,200}?\b(?:(?:is|fact|clear|known|obvious|evident|likely) that"
    r"|(?:prov|show|found|confirm|establish|demonstrat|conclud|mean)\w* that"
    r"|i (?:\w+ )?(?:believe|think|know) that) "
)
"""What leads to an assertion and stands behind it: "science has proved that …"."""
_MAIN = re.compile(r"(?<=\w),? (?:because|since|although|even though|whereas|but i)\b")
_PAIRS = (
    "east west", "north south", "larger smaller", "bigger smaller", "more less", "higher lower",
    "heavier lighter", "longer shorter", "older younger", "faster slower", "hotter colder",
    "always never", "hot cold",
)  # fmt: skip
_OPPOSITES = dict(pair.split() for pair in _PAIRS) | dict(p.split()[::-1] for p in _PAIRS)
_THAN = re.compile(r"(?P<left>.*?)\b(?P<by>\w{2,12}er|more|less|fewer)(?: \w+)? than (?P<right>.*)")


def _elliptic(asked: tuple[str, ...], auxiliary: str | None, tokens: list[str]) -> bool:
    """Whether the words are the question's answer without its subject: "it would sink"."""
    if len(tokens) < 2 or tokens[0] not in _PRONOUNS or not auxiliary:
        return False
    if _auxiliary(tokens[1]) != auxiliary:
        return False
    rest = [stem(w) for w in tokens[2:] if w not in SMALL and w != "not" and not w.endswith("ly")]
    return not rest or rest[0] in asked


_PRONOUNS = frozenset(("it", "they", "he", "she"))


def _compared(asked: str, sentence: str) -> bool | None:
    """Whether a sentence compares as the question does; False where it says the opposite."""
    there, here = _THAN.match(asked.replace("\n", " ")), _THAN.match(sentence)
    if not there or not here:
        return None
    opposite = _OPPOSITES.get(here["by"]) == there["by"]
    if not opposite and here["by"] != there["by"]:
        return None
    parts = there["left"], there["right"], here["left"], here["right"]
    left, right, first, second = (
        {stem(w) for w in _TOKEN.findall(part) if w not in SMALL} for part in parts
    )
    alike, exchanged = first & left and second & right, first & right and second & left
    return None if bool(alike) == bool(exchanged) else bool(alike) != opposite


def _auxiliary(token: str) -> str:
    """The auxiliary that a word is, whatever its time and its "not"."""
    base = token.removesuffix("'t")
    base = base[:-1] if base not in (token, "can") else base  # "couldn't" has an "n" of its own
    return _MODALS.get(base, base)


def _holds(asked: tuple[str, ...], auxiliary: str | None, tokens: list[str]) -> bool:
    """Whether a sentence says nearly all the asked words, in their order and close together."""
    if auxiliary and auxiliary not in map(_auxiliary, tokens):
        return False
    words = [stem(token) for token in tokens]
    places: list[int] = []
    for word in asked:
        start = places[-1] + 1 if places else 0
        if word in words[start:]:
            places.append(words.index(word, start))
    enough = 0.8 if len(asked) > 3 else 0.66
    exact = {word for word in asked if word[0].isdigit()} | {asked[0]}
    if not exact.issubset(words) or len(places) < max(enough * len(asked), min(2, len(asked))):
        return False
    return places[0] <= 6 and places[-1] - places[0] <= 2 * len(asked) + 6
