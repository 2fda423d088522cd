"""Statements: the places where a reply says outright what its answer is."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from moot.core.questions import Kind, Question
from moot.parsing.values import NUMBER, SQUARE, clause, number, option, read

FINAL, ANSWER, BELIEF, LEADING, LOOSE, CLAIM, CLOSING = 6, 5, 4, 3, 2, 2, 1
"""How plainly it is said: as final, as the answer, as what is right; a value on its own; as "your
answer is …" or "it is …"; in a plain sentence; as what the last sentence comes to."""

_REACH = 300
"""Characters after a marker within which its answer must stand."""


class Statement(NamedTuple):
    """One answer stated: from where to where in the reply, what it is, how plainly it is said."""

    start: int
    end: int
    value: str
    rank: int


_NOUNS = "answer", "solution", "option", "choice", "result", "verdict", "conclusion", "response"
_NOUNS_OF: dict[Kind, tuple[str, ...]] = {
    "choice": (*_NOUNS, "letter"),
    "boolean": _NOUNS,
    "number": (*_NOUNS, "total"),
    "square": (*_NOUNS, "square", "destination", "move"),
    "text": _NOUNS,
}
_AFTER = re.compile(
    r"[\"']?(?: ?\((?!=)[^()\n]{0,30}\))?"
    r"(?: (?:i|you|we)(?: am| are| now)?"
    r" (?:h[eo]ld(?:ing)?|chose|choose|propose|suggest|prefer|give|pick)"
    r"(?: instead| now| to be right)?)?"
    r"(?: (?:to|for|of|after|that|which|where)(?! (?:be|is)\b) "
    r"(?:[^.:\n=?\"]|\"[^\"\n]{0,200}\"){0,90}?)??"
    r"(?:(?:,? (?:which|that))?"
    r"(?: is|'s| are| would be| should be| must be| will be| was| becomes| remains| stays| to:)"
    r"(?![\w'])"
    r"|[\"']? ?(?:[:=]|->|=>))"
    r"[:,\s]*+"
    r"(?:(?:indeed|actually|therefore|thus|still|clearly|simply|definitely|likely|probably|now|also"
    r"|equal to),? )?+"
    r"(?:[{\[][\s{]*+(?:[\"'][\w ]{1,30}[\"'] ?: ?)?)?",
)
_BARELY = re.compile(r" (?:- |of )?(?=[^\n]{1,10}(?:\n|$))")
_BELOW = re.compile(r"\n+(?=[^\n]{1,40}(?:\n|$))")
_HEADING = re.compile(r"(?:\A|\n)[#> ]*(?:(?:my|the) )?final \Z")
_BOXED = re.compile(r"\\boxed ?\{([^{}\n]{0,200})\}")
_EQUALS = re.compile(r" ?\$? ?(?:=|is) ?([^\n]{1,80})")
_HEADED = re.compile(r"#{4,}[ \n]{0,3}([^\n]{1,40})(?=\n|$)")
_BULLETS = re.compile(r"\n(?:[-*•]|\d[.)]) [^\n]{0,200}\n(?:[-*•]|\d[.)]) ")

_STEPS = re.compile(r"\n?1[.)] ?[A-Z*]")  # "the solution: 1. First, …"

_OTHERS_NOUN = re.compile(
    r"(?:original|originally|starting|current|earlier|previous|first|initial|old|different|his|her|their|others?'?"
    r"|another|wrong|incorrect|possible|example|sample|alternative|no|what|which|any|each|every"
    r"|whose|agents'|\b(?!(?:it|that|here|there|what|question|problem|equation|riddle)'s)"
    r"[a-z]{2,20}(?: ?-?\w{1,3})?'s"
    r"|if|whether|weighing|considering|checking|finding|suppose|assum(?:e|ing)|unless|not"
    r"|to(?: (?!say\b|conclude\b|state\b)\w{2,12})?"
    r"|reason for|explanation for|\w{3,14} behind)"
    r"(?: that)?(?: the| my)?(?: \w{1,12})?[ (\"]{0,2}$"
)
_SAID = re.compile(
    r"\b(?:agents?(?: \w{1,3})?|they|he|she|others?|sides?|opponent|mind(?: \d+)?|debater|people"
    r"|affirmative|negative|someone|some|you(?! should| must))[^.\n]{0,30}?"
    r" (?:said|says?|claim|claims|claimed|argue[sd]?|thinks?|thought|believe[sd]?|answer(?:s|ed)"
    r"|suggest(?:s|ed)?|state[sd]?|told|tells|chose|choose|report(?:s|ed)?|propose[sd]?|gave|gives)\b"
    r"|\b(?:that|which|who) (?:says?|said|states?|reads?|claims?)\b"
    r"|\baccording to\b|\b(?:originally|initially|earlier|previously)\b|\b(?:premise|example)\b"
)
_AGREES = re.compile(r"\b(?:agree|concur|convinced|correctly|rightly)\b")
_CONTRAST = re.compile(r"\bbut\b|\bhowever\b|, (?:i|my|we)\b")


def sentence_start(low: str, at: int) -> int:
    """Where the sentence that holds the position begins, at most 200 characters before it."""
    floor = max(0, at - 200)
    start = max(low.rfind(mark, floor, at) for mark in (". ", "\n", "? ", "! ", "; "))
    return floor if start < 0 else start + 1


def reported(low: str, at: int) -> bool:
    """Whether what stands at the position is told as someone else's, or as of old."""
    lead = low[sentence_start(low, at) : at]
    turns = list(_CONTRAST.finditer(lead))
    if turns:
        lead = lead[turns[-1].end() :]
    said = _SAID.search(lead)
    return bool(said) and not (said is not None and _AGREES.search(lead))


def markers(said: str, low: str, question: Question) -> Iterator[Statement]:
    r"""Answers under a marker: "final answer:", "the answer is", ``\boxed{}``, "####"."""
    if "\\boxed" in low:
        yield from _boxed(said, question)
    if "####" in low:
        for match in _HEADED.finditer(said):
            line = match[1]
            short = ":" not in line and not line.lower().startswith(("step", "part"))
            if short and (value := read(line, question)) is not None:
                yield Statement(match.start(), match.end(), value, FINAL)
    for noun in _NOUNS_OF[question.kind]:
        at = low.find(noun)
        while at >= 0:
            end = at + len(noun)
            if found := _marked(said, low, at, end, question):
                yield found
            at = low.find(noun, end)


def _boxed(said: str, question: Question) -> Iterator[Statement]:
    r"""What stands in a box, or is equal to it: ``\boxed{answer} = 7``."""
    for match in _BOXED.finditer(said):
        value = read(match[1], question)
        if value is None and (more := _EQUALS.match(said, match.end())):
            value = read(more[1], question)
        if value is not None:
            yield Statement(match.start(), match.end(), value, FINAL)


def _marked(said: str, low: str, at: int, end: int, question: Question) -> Statement | None:
    """The statement that a marking noun at ``at`` begins, if it does begin one."""
    lead = low[max(0, at - 40) : at]
    match = None if lead[-1:].isalpha() else _AFTER.match(low, end, end + _REACH)
    if lead.endswith("final ") and not match:
        match = (
            _BARELY.match(low, end) or (_HEADING.search(lead) and _BELOW.match(low, end)) or None
        )
    if not match or _OTHERS_NOUN.search(lead) or reported(low, at):
        return None
    noun, marker = low[at:end], match[0]
    phrase = said[match.end() : match.end() + _REACH].lstrip(" \n:")
    if not _names(noun, marker, lead, phrase) or _enumerates(said, match.end(), question):
        return None
    value = _value(marker, phrase, question)
    if value is None:
        return None
    return Statement(at, match.end() + 1, value, _rank(noun, marker, lead))


def _rank(noun: str, marker: str, lead: str) -> int:
    """How plainly a noun marks what follows it as the answer."""
    if lead.endswith("your "):
        return LOOSE
    if lead.endswith(("final ", "final_")) or (lead.endswith("_") and marker[:1] in ('"', "'")):
        return FINAL
    if noun in ("answer", "solution"):
        return ANSWER
    return ANSWER if noun in _PLACES and _DESTINATION.search(lead) else BELIEF


_PLACES = "square", "destination"


def _names(noun: str, marker: str, lead: str, phrase: str) -> bool:
    """Whether what follows the noun is what it names, rather than what happens to it."""
    if noun == "move":  # "the last move is e4" only tells the game
        return bool(
            _DESTINATION.search(lead) and SQUARE.search(phrase[: 12 if ":" in marker else 30])
        )
    if noun == "total":  # a sum on the way is not the answer
        return bool(_DESTINATION.search(lead))
    if noun not in _PLACES and marker.startswith((" that ", " which ", " where ")):
        return False
    return noun == "answer" or "=" not in marker


def _enumerates(said: str, at: int, question: Question) -> bool:
    """Whether a list follows: of possibilities, or of the steps to a number."""
    if question.kind == "number" and _STEPS.match(said, at - 1):
        return True
    return bool(_BULLETS.match(said, at - 1))


def _value(marker: str, phrase: str, question: Question) -> str | None:
    """The value of a phrase behind a marker; None where it is asked for, denied, or too far off."""
    if phrase[:4].lower() == "not " and question.kind != "boolean":
        rather = _RATHER.match(phrase)
        return read(phrase[rather.end() :], question) if rather else None
    if _asks(phrase) or _far(phrase, question) or _REASONS.match(phrase):
        return None
    if question.kind == "boolean" and _praise(marker, phrase):
        return None
    return read(phrase, question)


_RATHER = re.compile(r"not [^.\n]{1,40}?(?:, ?it(?: is|'s)|,? but(?: rather)?(?: it(?: is|'s))?) ")
"""What precedes the value in "not A, it is D" and in "not A but D"."""
_DESTINATION = re.compile(
    r"\b(?:destination|correct|valid|legal|right|target|best|my|final|updated|next|natural|logical)"
    r" \Z"
)
_REASONS = re.compile(r"(?:based|calculated|determined|obtained|derived|found) ", re.IGNORECASE)
_PRAISE = re.compile(r"(?:\w+ ){0,2}?(?:in)?correct|right|wrong", re.IGNORECASE)


def _praise(marker: str, phrase: str) -> bool:
    """Whether "the answer is right" judges another answer, rather than the question's statement."""
    return ":" not in marker and bool(_PRAISE.match(phrase))


_FAR = re.compile(r"[^\d\n]{0,40}?\b(?:because|since)\b|[^\d]{60}")


def _far(phrase: str, question: Question) -> bool:
    """Whether a number or square comes too late in the phrase to be what the marker names."""
    if question.kind == "square":
        square = SQUARE.search(phrase)
        lead = phrase[: square.start()] if square else phrase
        return len(lead) > _LONG or bool(_ASIDE.search(lead))
    return question.kind == "number" and bool(_FAR.match(phrase))


_LONG = 80
"""Characters between a marker and its square beyond which the square is of another matter."""
_ASIDE = re.compile(
    r"\b(?:because|since|as (?!follows)|for example|such as|e\.g|regex|like|not|which|where"
    r"|currently|represented|assigned)\b|\(x\b",
    re.IGNORECASE,
)


def _asks(phrase: str) -> bool:
    """Whether the sentence that the phrase ends is a question."""
    end = re.search(r"[.!\n]|\?", phrase)
    return bool(end) and end is not None and end[0] == "?"


_BELIEF = re.compile(
    r"\b(?:"
    r"i(?: am|'m)(?: now| still| quite| very| fairly| pretty)? "
    r"(?:sure|certain|convinced|confident)(?: that)?"
    r"|i(?: still| now| also| do| would| will|'d|'ll)?"
    r" (?:believe|think|choose|pick|select|say|conclude|go with|opt for|stay with|stick with"
    r"|stand by|agree|vote for|suggest|recommend|prefer)(?: that)?"
    r"(?: you (?:prefer|choose|pick|select))?"
    r"|you (?:should|must) (?:choose|pick|select)"
    r"|(?:so|therefore|thus|hence),? it(?=(?: is|'s) )"
    r"|(?:chang|updat|revis|correct|switch)(?:e|ed|ing) my (?:\w{1,8} )?answer (?:from \S{1,9} )?to"
    r"|the (?:best|correct|right)(?: one)?(?= is )"
    r"|(?P<thing>the |this |that )(?:statement|claim|proposition|sentence|assertion)"
    r"(?: [\"'][^\"'\n]{0,120}[\"']| that [^.\n]{1,120}?)?(?= is\b)"
    r"|i(?:'ll| will| still| now)? (?:maintain|keep(?: to)?|retain|reaffirm|confirm)"
    r" my (?:\w{1,10} ){0,2}(?:answer|choice|position|view)(?: of)?"
    r"|(?:points|leads) (?:me |us )?(?:strongly |clearly )?to"
    r"|it(?= (?:should|must|has to) be )"
    r"|(?P<bare>it|this|that)(?= is|'s))"
    r"(?: (?:it|this|that|the (?:statement|claim|answer))(?: is|'s)| is|'s"
    r"| (?:would|should|must|has to) be)?(?![\w']):? "
    r"(?:indeed |therefore |also |\w{3,14}ly )?"
)
_RIGHT = re.compile(
    r"[\"']? (?:is|are|was|seems|appears|looks|as|being)"
    r"(?: to be| indeed| also| actually| definitely| therefore| clearly| the| a)*"
    r" (?:right|correct|best|true answer|answer|final answer|only (?:correct|one|option|choice)"
    r"|(?:a |one )?(?:valid|legal) (?:destination|square|move|choice)"
    r"|(?:most|more) (?:likely|plausible|probable|accurate|reasonable|appropriate|suitable))\b"
)
_DOUBT = re.compile(
    r"\b(?:if|whether|why|not|n't|unless|no|which|what|says?|said|claims?|thinks?|believes?|argues?)\b"
)
_SPEAKER = re.compile(
    r"\b(?:agents?|minds?|experts?|debaters?|persons?|speakers?)[ #-]{1,2}\w{1,3}(?:'s \w+)?\Z"
)
_MORE = re.compile(r"\(?[A-Z]\)? is (?!right|correct|the |best|my |indeed|true|more likely|most)")


_PRAISES = (
    " only ",
    " valid ",
    " legal ",
    " right",
    " correct",
    " best",
    " answer",
    " most ",
    " more ",
)


def beliefs(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Answers that the speaker stands behind: "I am sure it is B", "B is right"."""
    boolean = question.kind == "boolean"
    for match in _BELIEF.finditer(low):
        phrase = said[match.end() : match.end() + 120]
        if not boolean and (match["thing"] or (match["bare"] and not _only(phrase, question))):
            continue
        near = max(sentence_start(low, match.start()), match.start() - 12)
        if reported(low, match.start()) or _DOUBT.search(low, near, match.start()):
            continue
        if not _near(phrase, question) or _MORE.match(phrase):
            continue
        value = None if match["bare"] and " that " in phrase[:14] else read(phrase, question)
        if value is not None:
            rank = LOOSE if match["bare"] else BELIEF
            yield Statement(match.start(), match.end() + 1, value, rank)
    if boolean and " with th" in low:
        for match in _STANCE.finditer(low):
            value = "true" if match["stance"] == "agree" else "false"
            yield Statement(match.start(), match.end(), value, BELIEF)
    if any(word in low for word in _PRAISES):
        yield from _praised(said, low, question)


def _praised(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Answers that are called right: "B is right", "e5 seems most likely"."""
    for match in _RIGHT.finditer(low):
        start = sentence_start(low, match.start())
        lead = low[start : match.start()].removesuffix(" which")
        end = start + len(lead)
        if turns := list(_CONTRAST.finditer(lead)):
            start += turns[-1].end()
        if _DOUBT.search(low, start, end) or _SPEAKER.search(low, start, end):
            continue
        if reported(low, match.start()):
            continue
        value = _last(said[start : match.start()], question)
        if value is not None:
            yield Statement(start, match.end(), value, BELIEF)


_STANCE = re.compile(
    r"\bi (?:\w{4,12}ly )?(?P<stance>agree|disagree) with (?:the|this) (?:statement|claim)\b"
)


def _only(phrase: str, question: Question) -> bool:
    """Whether a sentence such as "it is e4" or "it's (B)" says a value and nothing else."""
    said = clause(phrase).strip()
    if question.kind == "choice":
        return bool(_ALONE.fullmatch(said)) and said.strip("()") in question.letters
    square = SQUARE.match(phrase.removeprefix("only "))
    return question.kind == "square" and bool(square) and said[-1:].isdigit()


_ALONE = re.compile(r"\(?[A-Z]\)?")


def _near(phrase: str, question: Question) -> bool:
    """Whether a number or square stands at the phrase's beginning, not only further on."""
    if question.kind in ("number", "square"):
        return any(sign.isdigit() for sign in phrase[:24]) and not _PART.match(phrase)
    return True


_PART = re.compile(
    r"(?:an? )?(?:multiple|factor|part|divisible|less|more|greater|step)\b", re.IGNORECASE
)


_VERDICT = re.compile(r"\b(?:yes|no|true|false)\Z", re.IGNORECASE)
_NAMED = re.compile(r"\b(?:option|choice) \(?([a-z])\)?$", re.IGNORECASE)
_LETTERED = re.compile(r"(?:^|[\s(\[\"'])([A-Z])[)\]\"',.:]{0,2}(?: [^.\n]{0,60})?$")


def _last(phrase: str, question: Question) -> str | None:
    """The value that a phrase ends with."""
    phrase = phrase.removesuffix(" which").rstrip(" ,\"'")
    if question.kind == "boolean":
        verdict = _VERDICT.search(phrase[-8:])
        return read(verdict[0], question) if verdict else None
    if question.kind == "choice":
        named = _NAMED.search(phrase[-70:])
        if named and named[1].upper() in question.letters:
            return named[1].upper()
        match = _LETTERED.search(phrase[-70:])
        if match and match[1] in question.letters:
            article = match[1] == "A" and match.end(1) < len(phrase[-70:].rstrip(")].,:\"'"))
            if not article or match[0][match.end(1) - match.start() :][:1] in (")", ".", ":"):
                return match[1]
        return option(phrase[-200:], question)
    tail = phrase[-60:]
    found = list((SQUARE if question.kind == "square" else NUMBER).finditer(tail))
    if not found or len(tail) - found[-1].end() > 12:
        return None
    return found[-1]["square"].lower() if question.kind == "square" else number(found[-1])
