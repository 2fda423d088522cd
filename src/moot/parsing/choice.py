"""Choices: how a reply names an option, by its letter or by its text."""

import re
from collections.abc import Iterator
from functools import lru_cache

from moot.core.options import first_alike
from moot.core.questions import Question
from moot.parsing.plain_text import make_plain
from moot.parsing.statements import (
    ANSWER,
    CLAIM,
    CONCLUDES,
    LEAD,
    LEADING,
    NO_VALUE,
    SENTENCE_END,
    SMALL_WORDS,
    Statement,
    first_clause,
    is_reported,
    stem,
)
from moot.parsing.statements import NOUNS as MARKING

NOUNS = (*MARKING, "letter")
"""Nouns that mark an option."""


_LETTER = re.compile(
    r"(?:(?:the|correct|right|best|final|option|choice|letter|answer|is|number)[ :]{1,2}){0,4}"
    r"(?P<open>[\"'(\[{<]{0,2})(?P<letter>[A-Za-z])(?P<close>[\"')\]}>.:,;/$]{0,2})(?![\w'-])",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"[\"')\]}]{0,2}\s?(?:,? or|,? and|,|/|&|\+)\s?[\"'(\[]?([A-Z])[\"')\].,]{0,2}(?![\w'])",
)
_GOES_ON = re.compile(
    r"\s?(?:$|\n|is\b|as\b|because\b|since\b|for\b|with\b|was\b|would\b|seems\b|[^\w\s])"
)


def read(phrase: str, question: Question) -> str | None:
    """Return the letter that a phrase begins with, or that of the option it names."""
    if exact := _find_exact(first_clause(phrase), question):
        return exact
    phrase = _skip_placeholder(phrase.lstrip(LEAD), question)
    match = _LETTER.match(phrase)
    if match and _names_choice(match, phrase[match.end() :]):
        letter = match["letter"].upper()
        return (
            letter if letter in question.letters and not names_several(phrase, question) else None
        )
    said = first_clause(phrase)
    return find_option(said, question) or _find_shortened(said, question)


def names_several(phrase: str, question: Question) -> bool:
    """Return whether a phrase begins with the letters of two options: "A and C"."""
    match = _LETTER.match(phrase.lstrip(LEAD))
    other = _ANOTHER.match(match.string, match.end("letter")) if match else None
    if not match or not other or match["letter"].upper() == other[1]:
        return False
    return {match["letter"].upper(), other[1]} <= {*question.letters}


def _skip_placeholder(phrase: str, question: Question) -> str:
    """Return a phrase without the form's "(X)" that stands before the option itself."""
    return phrase[4:] if phrase.startswith("(X) ") and "X" not in question.letters else phrase


def _names_choice(match: re.Match[str], rest: str) -> bool:
    """Return whether a single letter names an option, and is no word such as "a" or "I"."""
    letter, close = match["letter"], match["close"]
    marked = close[:1] in (")", "]", "}", ":", ".") or bool(match["open"])
    named = match.start("open") > 0 and not match[0].lower().startswith(("the a", "is a"))
    alone = bool(_GOES_ON.match(rest))
    if letter.isupper():
        return letter not in "AI" or marked or alone or close.startswith(",")
    if not rest.strip() or (match["open"] and close):
        return True
    return letter not in "ai" and ((marked and close[:1] != ".") or alone or named)


_NAMED = re.compile(r"(?:\(|\b(?i:option|choice) [\"(]?)([A-Z])(?=[)\"]|\b)")
_NOT = frozenset(("not", "never", "t", "neither", "wrong", "incorrect"))


def find_option(phrase: str, question: Question) -> str | None:
    """Return the letter that the phrase names, or that of the one option whose text it has.

    Returns:
        None if it names several, or denies the one that it names.
    """
    held = f" {_normalize(phrase)} "
    texts = [f" {_normalize(choice)} " for choice in question.choices]
    letters = {match[1] for match in _NAMED.finditer(phrase)} & set(question.letters)
    if letters:
        for text in sorted(filter(str.strip, texts), key=len, reverse=True):
            held = held.replace(text, " ")  # an option's own "not" denies nothing
        return letters.pop() if len(letters) == 1 and _NOT.isdisjoint(held.split()) else None
    found = [
        (text, letter)
        for text, letter in zip(texts, question.letters, strict=False)
        if text in held and not text.isspace()
    ]
    widest = [
        (text, letter)
        for text, letter in found
        if not any(text != other and text in other for other, _ in found)
        and not any(_goes_on_as(held, text, other) for other in texts)
    ]
    widest = widest or _find_continued(held, texts, question)
    widest = _join_alike(widest, phrase, question)
    if len(widest) != 1 or not _NOT.isdisjoint(held.replace(widest[0][0], " ").split()):
        return None
    return widest[0][1]


def _join_alike(
    found: list[tuple[str, str]], phrase: str, question: Question
) -> list[tuple[str, str]]:
    """Return options found with the first of each answer, and without those of other signs.

    Options of the same words are one answer. Those that differ in signs, case or plural are
    several: of them the phrase names the one whose exact text it has.
    """
    if len(found) < 2 or len({text for text, _ in found}) > 1:
        return found
    firsts = {first_alike(letter, question.choices) for _, letter in found}
    if len(firsts) > 1:
        texts = dict(zip(question.letters, _write_plain(question.choices), strict=False))
        held = [each for each in sorted(firsts) if _has_exactly(phrase, texts[each])]
        firsts = {
            each
            for each in held
            if not any(
                texts[each] != texts[other] and texts[each] in texts[other] for other in held
            )
        }
    return [(found[0][0], each) for each in sorted(firsts)]


@lru_cache(maxsize=512)
def _write_plain(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of options as a plain reply has them, in their own case and signs."""
    return tuple(" ".join(make_plain(choice).split()) for choice in choices)


def _has_exactly(phrase: str, text: str) -> bool:
    """Return whether a phrase has a text with its own case and signs, as whole words."""
    return bool(text and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", phrase))


def _find_exact(phrase: str, question: Question) -> str | None:
    """Return the letter of the option whose exact text a phrase is; None where it is a letter."""
    phrase = phrase.strip(" .")
    if len(phrase) < 2 and phrase in question.letters:
        return None
    texts = _write_plain(question.choices)
    return (
        question.letters[texts.index(phrase)] if phrase in texts[: len(question.letters)] else None
    )


def _goes_on_as(held: str, text: str, other: str) -> bool:
    """Return whether an option's words go on in a phrase as those of another, longer option do."""
    if len(other) <= len(text) or not other.startswith(text):
        return False
    following = held[held.find(text) + len(text) :].split()[:1]
    return bool(following) and following == other[len(text) :].split()[:1]


def _find_continued(held: str, texts: list[str], question: Question) -> list[tuple[str, str]]:
    """Return the options that a phrase begins as, and goes on as in nearly all of their words."""
    found = []
    for text, longer, letter in (
        (text, longer, letter)
        for longer, letter in zip(texts, question.letters, strict=False)
        for text in texts
        if text in held and _goes_on_as(held, text, longer)
    ):
        rest = set(longer[len(text) :].split())
        said = set(held[held.find(text) + len(text) :].split())
        if len(rest & said) >= _NEARLY * len(rest):
            found.append((longer, letter))
    return found


_NEARLY = 0.7


def hide_options(low: str, question: Question) -> str:
    """Return a reply in lower case, in the same length, without the words of the options.

    What an option says itself denies and doubts nothing: "B) It is not soluble".
    """
    for choice in sorted(question.choices, key=len, reverse=True):
        words = " ".join(choice.lower().split()).rstrip(".")
        if len(words) > _SHORTEST_HIDDEN and words in low:
            low = low.replace(words, "x" * len(words))
    return low


_SHORTEST_HIDDEN = 5


def _find_shortened(phrase: str, question: Question) -> str | None:
    """Return the letter of the one option whose text has the phrase: "none of the above"."""
    words = _normalize(phrase)
    if len(words) < 4:
        return None
    held = [
        letter
        for choice, letter in zip(question.choices, question.letters, strict=False)
        if f" {words} " in f" {_normalize(choice)} "
    ]
    return held[0] if len(held) == 1 else None


_PLURAL = re.compile(r"(?<=[a-z]{3})s\Z")
_NO_WORD = re.compile(r"[^\w%+./-]+|[.](?!\d)")


def _normalize(text: str) -> str:
    """Return the words of a text without case, signs and plural endings."""
    return " ".join([_PLURAL.sub("", word) for word in _NO_WORD.sub(" ", text.casefold()).split()])


_ALONE = re.compile(r"\(?[A-Z]\)?")
_NAMED_LAST = re.compile(r"\b(?:option|choice) \(?([a-z])\)?$", re.IGNORECASE)
_LETTERED = re.compile(r"(?:^|[\s(\[\"'])([A-Z])[)\]\"',.:]{0,2}(?: [^.\n]{0,60})?$")


def read_end(phrase: str, question: Question) -> str | None:
    """Return the letter of the option that a phrase ends with."""
    tail = phrase[-70:]
    named = _NAMED_LAST.search(tail)
    if named and named[1].upper() in question.letters:
        return named[1].upper()
    match = _LETTERED.search(tail)
    if match and match[1] in question.letters:
        article = match[1] == "A" and match.end(1) < len(tail.rstrip(")].,:\"'"))
        if not article or match[0][match.end(1) - match.start() :][:1] in (")", ".", ":"):
            return match[1]
    return find_option(phrase[-200:], question)


def is_alone(phrase: str, question: Question) -> bool:
    """Return whether a sentence is a letter and nothing else: "(B)"."""
    said = first_clause(phrase).strip()
    return bool(_ALONE.fullmatch(said)) and said.strip("()") in question.letters


LISTED = re.compile(r"^[\"(\[]?(?!A:)([A-Z])[).:\]](?!\n)", re.MULTILINE)
"""A line that begins with a letter, as in a list of options; "A:" begins an answer."""


def find_leading(said: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """Find a letter or an option's text that opens the reply, and letters alone on a line."""
    if not finished and _only_lists(said, question):
        return
    listed = {match[1] for match in LISTED.finditer(said)}
    listing = len(listed) > 1
    opening = len(said) - len(said.lstrip())
    at = 0
    for line in said.split("\n"):
        alone = 0 < len(line) < 4 and line[-1] != ":"
        lists = listing and (LISTED.match(line) or (line.startswith("A:") and "\nB:" in said))
        lists = lists or (listing and bool(_SECOND.match(said, at + len(line))))
        if alone or (at == opening and not lists):
            value = _read_opening(line, question)
            if value:
                yield Statement(at, at + len(line), value, LEADING)
        at += len(line) + 1


_SECOND = re.compile(r"\n+[\"(\[]?B[).:\]]")
"""The second option of a list, below a line that has the first one somewhere."""
_OPENING = re.compile(
    r"(?P<named>option |choice )?[\"(\[]?(?P<letter>[A-Za-z])"
    r"(?:(?P<close>[\")\].:,]{1,2})(?=\s|$|[\"*])|$)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[^,;]*?\b(?:(?:is|are|was|were|do|does|did) (?:not|incorrect|wrong)|\w+n't)\b"
)
_KEY = re.compile(r"\{ ?\"[\w ]{1,20}\" ?: ?(?=\"[A-Z][.)])")
_ASKED = re.compile(r"[^.!?\n]{0,12}\b[A-Z]\)?\?")
"""A line that begins with a question whether it is an option: "So (A)?"."""


def _read_opening(line: str, question: Question) -> str | None:
    """Return the option that a line names at its beginning."""
    if (exact := _find_exact(line, question)) or _ASKED.match(line):
        return exact
    if key := _KEY.match(line):  # {"choice": "B) Rome", …
        line = line[key.end() :]
    match = _OPENING.match(line)
    if match:
        letter, close, body = match["letter"], match["close"] or "", line[match.end() :]
        marked = match["named"] or close[:1] in (")", "]", ":")
        if letter.islower() and not marked and len(line) > 2:
            return None
        if _DENIED.match(
            hide_options(first_clause(body).lower(), question)
        ):  # "A) Paris is not on the Seine."
            return None
        named = find_option(first_clause(body), question)
        if letter == "A" and close == ":":  # "A:" is also how an answer is labelled
            return named
        return letter.upper() if letter.upper() in question.letters else named
    said = first_clause(line[line.rfind("=") + 1 :])
    named = find_option(said, question) if len(line) < 120 else None
    counts = bool(named) and question.choices[question.letters.index(named or "A")].isdigit()
    return None if counts and len(said) > 30 else named


def _only_lists(said: str, question: Question) -> bool:
    """Return whether the reply is no more than the first option, as where a list begins."""
    only = LISTED.match(said.strip())
    if not only or only[1] != "A":
        return False
    return question.choices[0].casefold().startswith(said.strip()[only.end() :].strip().casefold())


def find_repeated(said: str, question: Question) -> Iterator[Statement]:
    """Find an option that the last line names again, after all were listed in their order."""
    last = said.rfind("\n") + 1
    listed = LISTED.findall(said, 0, last)
    again = LISTED.match(said, last)
    if again and again[1] in listed and listed == list(question.letters):
        yield Statement(last, len(said), again[1], LEADING)


_CLOSING = re.compile(
    r"(?:^|[.!?:\n\"'] ?)"
    r"\(([A-Z])(?P<more>(?:\)?(?:,| and| or|/| ?[&+]|,? and)? ?\(?[A-Z]){1,5})?\)[.!]?\Z"
)

_FILLED = re.compile(r"^\(X\):? ?(\S.*)", re.MULTILINE)
"""A line in the asked form that keeps its X: "(X) B) Rome"."""


def find_closing(said: str, question: Question) -> Iterator[Statement]:
    """Find the letter in brackets that a reply ends with, behind a sentence or in its own line.

    It is the form that is asked for most. Of several letters the reply commits to none. Some keep
    the form's X, and put the option behind it.
    """
    closing = _CLOSING.search(said.rstrip())
    if closing and closing[1] in question.letters:
        value = NO_VALUE if closing["more"] else closing[1]
        yield Statement(closing.start(1), closing.end(), value, ANSWER)
    filled = [*_FILLED.finditer(said)] if "X" not in question.letters else []
    if len(filled) == 1 and (option := _read_filled(filled[0][1], question)):
        yield Statement(filled[0].start(), filled[0].end(), option, ANSWER)


_SHORT_LINE = 120


def _read_filled(line: str, question: Question) -> str | None:
    """Return the option that the words behind the form's X name; long ones by a letter alone."""
    if names_several(line, question):
        return None
    said = first_clause(line)
    option = _read_opening(line, question)
    if option is None and len(said) <= _SHORT_LINE and not _OPENING.match(line):
        option = read(said, question)
        option = None if option and _is_loose(said, option, question) else option
    return option


_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?![\s\"')])|[.!?][\"')]?\s(?=[a-z]))+")
_WORDS = re.compile(r"[a-z]+")
_ASKS = frozenset(("what", "how", "many", "much", "which", "who", "following", "best", "most"))
_DRAWS = re.compile(
    r"\bconclu(?:de|ded|des|sion)\b|^\W*(?:therefore|thus|hence|so)\b.{0,100}\b(?:is|are|was)\b"
)
_DENIES = re.compile(
    r"\b(?:not|cannot|never|neither|nor|wrong|incorrect|false|except|reject\w*|agents?|could|might"
    r"|may|would|i)\b|n't\b"
)
_SUPPOSES = re.compile(
    r"\W*(?:\d+\W+)?(?:if|suppose|option|whether|while|although|unlike)\b|[^.]*\?"
)
_LISTED_FIRST = re.compile(r"[\s:?.]*[(\[]?a[).:\]]")
_MOST_SENTENCES = 60


def find_assertion(said: str, question: Question, *, finished: bool) -> Iterator[Statement]:
    """Find sentences that complete the question with one option, or conclude with one."""
    low = said.lower()
    asked, before, repeated = _find_asked(question.text, question.choices[0])
    if repeated in low and _LISTED_FIRST.match(low, low.find(repeated) + len(repeated)):
        before = frozenset()  # the question with its options, such as a prompt saved as a reply
    keys = [
        max(choice.lower().split(), key=len, default="").rstrip("s.,")
        for choice in question.choices
    ]
    for count, sentence in enumerate(_SENTENCE.finditer(said)):
        words = sentence[0]
        stated = _find_stated(words, question)
        if not (stated or any(key in words.lower() for key in keys) or _NAMED.search(words)):
            continue
        cut = not finished and sentence.end() == len(said)
        if count > _MOST_SENTENCES or len(words) < 12 or cut or _SUPPOSES.match(words.lower()):
            continue
        spoken = {stem(word) for word in _WORDS.findall(words.lower())}
        completes = _completes(asked, spoken) or (
            bool(_NAMED.search(words)) and _completes(before, spoken)
        )
        draws = stated or completes or _DRAWS.search(words.lower())
        reported = is_reported(low, sentence.end() - 1)
        if not draws or (reported and not _begins_as(words, question)):
            continue
        if _DENIES.search(hide_options(words.lower(), question)):
            continue
        value = stated or find_option(words, question)
        if value is None or (not stated and _is_loose(words, value, question)):
            continue
        yield Statement(sentence.start(), sentence.end(), value, CLAIM)


@lru_cache(maxsize=512)
def _find_asked(text: str, first: str) -> tuple[frozenset[str], frozenset[str], str]:
    """Return the words that an option completes: of the last sentence, and of that before options.

    Args:
        text: of a question.
        first: the first option.

    Returns:
        The stems of both, and the sentence before the options; none where the text lists no option.
    """
    listed = re.search(rf"(?<!\w)[(\[]?A[).:\]] ?{re.escape(first.strip())}(?!\w)", text)
    before = _last_sentence(text[: listed.start()]) if listed else ""
    return _stems_of(_last_sentence(text)), _stems_of(before), before.strip(" :?.")


def _stems_of(sentence: str) -> frozenset[str]:
    """Return the stems of the words that carry a question's meaning."""
    words = (word for word in _WORDS.findall(sentence) if word not in SMALL_WORDS | _ASKS)
    return frozenset(map(stem, words))


def _completes(asked: frozenset[str], spoken: set[str]) -> bool:
    return len(asked & spoken) >= max(2, 0.6 * len(asked))


def _begins_as(words: str, question: Question) -> bool:
    """Return whether a sentence begins as the question does: "According to Freud, …"."""
    lead = words.lower().partition(",")[0].strip()
    return lead.startswith("according to") and lead in question.text.lower()


_STATES = re.compile(
    r"\b(?:is|are|was|were|be|remains?|means?|equals?)(?: an?| the)?:? "
    r"[\"(\[]?(?P<letter>[A-Z])(?:[\")\]]|[.:](?= )) ?(?P<text>.+)",
    re.DOTALL,
)
"""A predicate that is an option, with its letter and its text: "is (B) Paris"."""
_OTHER_MARK = re.compile(r"(?<!\w)[A-Z][)\]]|\([A-Z]\b")
_LISTS = re.compile(r"\b(?:options?|choices?|possibilit\w+|alternatives?|another|first|second)\b")


def _find_stated(words: str, question: Question) -> str | None:
    """Return the letter of the one option that a sentence predicates, letter and text alike."""
    found = _STATES.search(words)
    if not found or found["letter"] not in question.letters:
        return None
    if _LISTS.search(words[: found.start()].lower()) or _OTHER_MARK.search(found["text"]):
        return None
    option = _normalize(question.choices[question.letters.index(found["letter"])])
    return found["letter"] if f"{_normalize(found['text'])} ".startswith(f"{option} ") else None


def _is_loose(words: str, letter: str, question: Question) -> bool:
    """Return whether a short option, such as a number, only stands somewhere in a sentence."""
    option = _normalize(question.choices[question.letters.index(letter)])
    if len(option) > _SHORTEST_HIDDEN or f"({letter})" in words:
        return False
    return not _normalize(words).endswith(f" {option}")


def _last_sentence(text: str) -> str:
    """Return the last sentence of a question in lower case, as what an option completes."""
    found = [each[0] for each in _SENTENCE.finditer(text) if each[0].strip()]
    return found[-1].lower() if found else ""


_SO_LETTER = re.compile(
    r"(?:so|therefore|thus|hence|finally|that leaves|definitely|clearly|probably|surely)[,:]? "
    r"\(?((?-i:[A-Z]))\)?\.?$",
    re.IGNORECASE,
)


def read_conclusion(last: str, question: Question, said: str) -> str | None:
    """Return the option that a reply's last sentence concludes with."""
    if letter := _SO_LETTER.match(last.strip()):
        return letter[1] if letter[1] in question.letters else None
    short = len(said) < 200 and (said.lstrip()[:1] in "{[`" or len(SENTENCE_END.findall(said)) < 2)
    last = said if short else last
    if LISTED.match(last) or not (short or CONCLUDES.search(last.lower())):
        return None
    return find_option(last, question)
