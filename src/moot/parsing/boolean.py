"""Booleans: how a reply says true or false, yes or no, or asserts or denies what was asked."""

import re
from collections.abc import Iterator
from functools import lru_cache

from moot.core.questions import Question
from moot.parsing.statements import BELIEF, CLAIM, LEAD, LEADING, SMALL_WORDS, Statement, stem

_ONE_WORD = r"(?![-/]| or | and |,? but (?:\w+ ){0,2}(?:no|yes|false|true)(?:[.,;!\n]|$))"
"""After a verdict: it is not taken back at once ("yes, but no")."""
_VERDICT = re.compile(
    r"[\"'(\[{]{0,2}"
    r"(?:(?:that|it|this|the|statement|claim|answer|is|was|actually|indeed|definitely|therefore"
    r"|still|:)[ :]){0,6}"
    r"[\"'(\[{]{0,2}(?P<not>not (?:actually |really |entirely )?)?"
    r"(?P<word>true|false|yes|no|correct|incorrect|right|wrong|untrue)\b" + _ONE_WORD,
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"\s(?!because|since|as\b|it\b|i\b|they\b|the\b|this\b|that\b|there\b)\w", re.IGNORECASE
)
_FOR = frozenset(("true", "yes", "correct", "right"))


def read(phrase: str) -> str | None:
    """Return the verdict that a phrase begins with, as ``"true"`` or ``"false"``."""
    phrase = phrase.lstrip(LEAD)
    match = _VERDICT.match(phrase)
    if not match:
        return None
    word = match["word"].lower()
    if word == "no" and _DETERMINER.match(phrase, match.end()):
        return None
    return "true" if (word in _FOR) != bool(match["not"]) else "false"


_DOUBLE = re.compile(
    r"\b(?:it isn't (?:true|correct|the case|right)"
    r"|(?:it(?: is|'s) )?(?:not (?:true|correct|the case|right)|false|untrue|incorrect|wrong)) that"
    r" (?:the |this |that )?(?:statement|claim|assertion|proposition|sentence|answer)"
    r" is (true|false|correct|incorrect|right|wrong|untrue)\b",
    re.IGNORECASE,
)


def resolve_double(said: str) -> str:
    """Return a reply with "it is not true that the statement is false" as "the statement is true".

    The words keep their place and their length.
    """
    if " that " not in said:
        return said

    def resolve(match: re.Match[str]) -> str:
        verdict = "false" if match[1].lower() in _FOR else "true"
        return f"the statement is {verdict}".ljust(len(match[0]))

    return _DOUBLE.sub(resolve, said)


_LAST_WORD = re.compile(r"\b(?:yes|no|true|false)\Z", re.IGNORECASE)
_PRAISE = re.compile(r"(?:\w+ ){0,2}?(?:in)?correct|right|wrong", re.IGNORECASE)


def read_end(phrase: str) -> str | None:
    """Return the verdict that a phrase ends with."""
    verdict = _LAST_WORD.search(phrase[-8:])
    return read(verdict[0]) if verdict else None


def is_praise(marker: str, phrase: str) -> bool:
    """Return whether "the answer is right" judges an answer, not the question's statement."""
    return ":" not in marker and bool(_PRAISE.match(phrase))


_STANCE = re.compile(
    r"\bi (?:\w{4,12}ly )?(?P<stance>agree|disagree) with (?:the|this) (?:statement|claim)\b"
)


_SIDE = re.compile(
    r"\b(?:reinforce|support|strengthen|defend|uphold|maintain|affirm)s?(?: the| my| our) "
    r"[\"'(]?(yes|no|true|false)[\"')]? (?:position|side|answer|stance|case|conclusion)\b"
)


def find_stances(low: str) -> Iterator[Statement]:
    """Find sentences such as "I agree with the statement", "to support the 'no' side"."""
    for match in _SIDE.finditer(low):
        yield Statement(match.start(), match.end(), read(match[1]) or "", BELIEF)
    if " with th" in low:
        for match in _STANCE.finditer(low):
            value = "true" if match["stance"] == "agree" else "false"
            yield Statement(match.start(), match.end(), value, BELIEF)


_ASSISTS = (
    r"(?![\"')]?[,.!]? ?i(?:'m|'d| am| would| do| can|'ll| will)?(?: not| n't|not|n't)?"
    r" (?:an? |here|happy|glad|ready|sorry|able|help|assist|provide|explain"
    r"|agree with your|disagree with your))"
)
"""Not after a verdict: words that are for the reader ("No, I'm not an assistant")."""
_HOLDS = "yes", "true", "possible", "not false"
_ALONE = re.compile(
    r"(?:\A[\"'(]{0,2}|[.!?\n] ?)"
    r"(?:(?:so|therefore|thus|hence|indeed|well|ok|okay|a|answer|in conclusion|overall|finally)"
    r"[,:]? )?"
    r"(?:(?:it|that|this)(?: is|'s) (?=(?:not |im)?possible))?"
    r"(yes|no|true|false|untrue|(?:not |im)?possible(?=[.,;!\n]|$)|not (?:true|false))"
    r"(?=[\"')]?(?:[,.:;!\n]|$)| because| since| it\b"
    r"| - | i\b| at all\b)" + _ONE_WORD + _ASSISTS,
)


def find_leading(low: str, question: Question) -> Iterator[Statement]:
    """Find verdicts that stand for themselves; none of a numbered list that has both."""
    found, numbered = [], set()
    for match in _ALONE.finditer(low):
        if _is_to_reader(low, match.end(), question):
            continue
        value = "true" if match[1] in _HOLDS else "false"
        found.append(Statement(match.start(1), match.end(), value, LEADING))
        if _NUMBERED.search(low, max(0, match.start(1) - 4), match.start(1)):
            numbered.add(found[-1])
    both = len({statement.value for statement in numbered}) > 1
    yield from (statement for statement in found if not (both and statement in numbered))


_NUMBERED = re.compile(r"\d[.)] ?\Z")
_YOU = re.compile(r",? you\b(?! could| can't| cannot| couldn't)[^.!?\n]{0,200}")


def _is_to_reader(low: str, at: int, question: Question) -> bool:
    """Return whether the words after a verdict are for the reader: "No, you need not vote"."""
    speaks = _YOU.match(low, at)
    if not speaks or "you" in question.text.lower():
        return False
    asked = _read_question(question.text[-300:])[0]
    return set(asked).isdisjoint(stem(word) for word in re.findall(r"[a-z]+", speaks[0]))


_SHORTLY = re.compile(
    r"(?:(?!(?:or|yes|no|not|true|false)\b)[\w']+,? ){0,4}(true|false|yes|no)[.!]?",
    re.IGNORECASE,
)


def read_conclusion(last: str, _question: Question, _said: str) -> str | None:
    """Return the verdict at the end of a last sentence of a few words: "Odd, but true."."""
    match = _SHORTLY.fullmatch(last.strip())
    return read(match[1]) if match else None


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


@lru_cache(maxsize=512)
def _read_question(text: str) -> tuple[tuple[str, ...], bool, str | None]:
    """Return the words that carry a question, whether it is negated, and its auxiliary."""
    low = text.lower()
    words = tuple(stem(w) for w in _TOKEN.findall(low) if w not in SMALL_WORDS)
    auxiliary = _AUXILIARY.search(low)
    name = auxiliary[0] if auxiliary else None
    return words, bool(_NEGATION.search(low)), _MODALS.get(name or "", name)


def find_assertion(low: str, question: Question) -> Iterator[Statement]:
    """Find the asked statement asserted or denied, in its own words, early in the reply."""
    if not 0 < len(_read_question(question.text[-300:])[0]) <= 40:
        return
    at = 0
    found: Statement | None = None
    for count, sentence in enumerate(_SENTENCES.split(low[:3000])):
        concludes = _CONCLUDES.match(sentence)
        quotes = at > 0 and sentence.startswith('"')
        if ((found is None and count < 3) or concludes) and not quotes:
            holds = _read_assertion(sentence[concludes.end() if concludes else 0 :], question)
            if holds is not None:
                value = "true" if holds else "false"
                found = Statement(at, at + len(sentence), value, CLAIM)
        at += len(sentence) + 1
    if found:
        yield found


def _read_assertion(sentence: str, question: Question) -> bool | None:
    """Return whether a sentence asserts the asked statement or denies it; None for neither."""
    text = question.text[-300:]
    asked, negated, auxiliary = _read_question(text)
    clause = _find_main_clause(sentence)
    tokens = _TOKEN.findall(clause)
    holds = bool(_NEGATION.search(clause)) == negated
    if _is_elliptic(asked, auxiliary, tokens):
        return holds
    if tokens[:1] in (["it"], ["they"]) and _AUXILIARY.match(" ".join(tokens[1:2])):
        tokens = [asked[0], *tokens[1:]]
    if (alike := _compare(text.lower(), clause)) is not None:
        if alike:
            return holds
        return not holds if holds != negated else None
    words = [_OPPOSITES[w] if _OPPOSITES.get(w) in asked and w not in asked else w for w in tokens]
    if not _says_asked(asked, auxiliary, words):
        return None
    return holds if words == tokens else not holds


def _find_main_clause(sentence: str) -> str:
    """Return a sentence's main clause without its lead; empty if it claims nothing."""
    known = _KNOWN.match(sentence)
    clause = _MAIN.split(sentence[known.end() if known else 0 :], maxsplit=1)[0]
    unclaimed = '": "' in sentence or (known and _NEGATION.search(known[0]))
    return "" if unclaimed or _HEDGE.search(clause) else clause


_KNOWN = re.compile(
    r"[^.]{0,200}?\b(?:(?:is|fact|clear|known|obvious|evident|likely) that"
    r"|(?:prov|show|found|confirm|establish|demonstrat|conclud|mean)\w* that"
    r"|i (?:\w+ )?(?:believe|think|know) that) "
)
"""The lead of an assertion that supports it: "science has proved that …"."""
_MAIN = re.compile(r"(?<=\w),? (?:because|since|although|even though|whereas|but i)\b")
_PAIRS = (
    "east west", "north south", "larger smaller", "bigger smaller", "more less", "higher lower",
    "heavier lighter", "longer shorter", "older younger", "faster slower", "hotter colder",
    "always never", "hot cold",
)  # fmt: skip
_OPPOSITES = dict(pair.split() for pair in _PAIRS) | dict(p.split()[::-1] for p in _PAIRS)
_THAN = re.compile(r"(?P<left>.*?)\b(?P<by>\w{2,12}er|more|less|fewer)(?: \w+)? than (?P<right>.*)")


def _is_elliptic(asked: tuple[str, ...], auxiliary: str | None, tokens: list[str]) -> bool:
    """Return whether the words answer the question without its subject: "it would sink"."""
    if len(tokens) < 2 or tokens[0] not in _PRONOUNS or not auxiliary:
        return False
    if _auxiliary(tokens[1]) != auxiliary:
        return False
    small = SMALL_WORDS | {"not"}
    rest = [stem(word) for word in tokens[2:] if word not in small and not word.endswith("ly")]
    return not rest or rest[0] in asked


_PRONOUNS = frozenset(("it", "they", "he", "she"))


def _compare(asked: str, sentence: str) -> bool | None:
    """Return whether a sentence compares as the question does; False if it says the opposite."""
    there, here = _THAN.match(asked.replace("\n", " ")), _THAN.match(sentence)
    if not there or not here:
        return None
    opposite = _OPPOSITES.get(here["by"]) == there["by"]
    if not opposite and here["by"] != there["by"]:
        return None
    parts = there["left"], there["right"], here["left"], here["right"]
    left, right, first, second = (
        {stem(w) for w in _TOKEN.findall(part) if w not in SMALL_WORDS} for part in parts
    )
    alike, exchanged = first & left and second & right, first & right and second & left
    return None if bool(alike) == bool(exchanged) else bool(alike) != opposite


def _auxiliary(token: str) -> str:
    """Return the auxiliary that a word is, without its tense and its "not"."""
    base = token.removesuffix("'t")
    base = base[:-1] if base not in (token, "can") else base  # "couldn't" has an "n" of its own
    return _MODALS.get(base, base)


def _says_asked(asked: tuple[str, ...], auxiliary: str | None, tokens: list[str]) -> bool:
    """Return whether a sentence has nearly all asked words, in order and close together."""
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
