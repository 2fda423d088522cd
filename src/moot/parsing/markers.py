"""Markers: the words by which a reply says outright what its answer is."""

import re
from collections.abc import Iterator

from moot.core.questions import Question
from moot.parsing import boolean, choice, square
from moot.parsing.kinds import NOUNS_OF, is_several, read, read_end, read_whole
from moot.parsing.square import SQUARE
from moot.parsing.statements import (
    ANSWER,
    BELIEF,
    CONTRAST,
    FINAL,
    LOOSE,
    NO_VALUE,
    Statement,
    find_sentence_start,
    is_reported,
)

_REACH = 300
"""Characters after a marker within which its answer must stand."""
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
_BOXED = re.compile(
    r"\\f?boxed\s?(?:\{((?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+)\}|(-?[\dA-Z](?![\dA-Za-z.])))"
)
_LONGEST_BOX = 300
_TAGGED = re.compile(
    r"<(?:final[ _-]?)?answer>([^<>]{1,300})(?:</(?:final[ _-]?)?answer>|\Z)", re.IGNORECASE
)
_EQUALS = re.compile(r" ?\$? ?(?:=|is) ?([^\n]{1,80})")
_HEADED = re.compile(r"#{4,}[ \n]{0,3}([^\n]{1,40})(?=\n|$)")
_BULLETS = re.compile(r"\n(?:[-*•]|\d[.)]) [^\n]{0,200}\n(?:[-*•]|\d[.)]) ")
_STEPS = re.compile(r"\n?1[.)] ?[A-Z*]")  # "the solution: 1. First, …"
_OTHERS_NOUN = re.compile(
    r"(?<![a-z])(?:original|originally|starting|current|earlier|previous|first|initial|old|different|his|her|their|others?'?"
    r"|another|wrong|incorrect|possible|example|sample|alternative|no|what|which|any|each|every"
    r"|whose|agents'|\b(?!(?:it|that|here|there|what|question|problem|equation|riddle)'s)"
    r"[a-z]{2,20}(?: ?-?\w{1,3})?'s"
    r"|if|whether|weighing|considering|checking|finding|suppose|assum(?:e|ing)|unless|not"
    r"|to(?: (?!say\b|conclude\b|state\b)\w{2,12})?"
    r"|reason for|explanation for|\w{3,14} behind)"
    r"(?: that)?(?: the| my)?(?: \w{1,12})?[ (\"]{0,2}$"
    r"|\b(?:at|reach\w*|get|got|find|found|explain\w*) (?:this|that|the|my) $"
)


def find_marked(said: str, low: str, question: Question) -> Iterator[Statement]:
    r"""Find answers under a marker: "final answer:", "the answer is", ``\boxed{}``, "####"."""
    if "boxed" in low:
        yield from _find_boxed(said, question)
    if "answer>" in low:
        yield from _find_tagged(said, question)
    if "####" in low:
        for match in _HEADED.finditer(said):
            line = match[1]
            short = ":" not in line and not line.lower().startswith(("step", "part"))
            if short and (value := read(line, question)) is not None:
                yield Statement(match.start(), match.end(), value, FINAL)
    for noun in NOUNS_OF[question.kind]:
        at = low.find(noun)
        while at >= 0:
            end = at + len(noun)
            if found := _read_marker(said, low, at, end, question):
                yield found
            at = low.find(noun, end)


def _find_boxed(said: str, question: Question) -> Iterator[Statement]:
    r"""Find what stands in a box, or is equal to it: ``\boxed{answer} = 7``.

    A box that holds more than one number states that: its value is ``NO_VALUE``.
    """
    for match in _BOXED.finditer(said):
        words = " ".join((match[2] or match[1]).split())
        if len(words) > _LONGEST_BOX:
            continue
        value = read_whole(words, question)
        if value is None and (more := _EQUALS.match(said, match.end())):
            value = read(more[1], question)
        if value is not None:
            yield Statement(match.start(), match.end(), value, FINAL)


def _find_tagged(said: str, question: Question) -> Iterator[Statement]:
    """Find what stands between tags, as reasoning models are trained to: "<answer>12</answer>"."""
    for match in _TAGGED.finditer(said):
        words = " ".join(match[1].split())
        if "boxed" not in words and (value := read_whole(words, question)) is not None:
            yield Statement(match.start(), match.end(), value, FINAL)


def _read_marker(said: str, low: str, at: int, end: int, question: Question) -> Statement | None:
    """Return the statement that the marking noun at ``at`` begins; None if it begins none."""
    lead = low[max(0, at - 40) : at]
    match = None if lead[-1:].isalpha() else _AFTER.match(low, end, end + _REACH)
    if lead.endswith("final ") and not match:
        match = (
            _BARELY.match(low, end) or (_HEADING.search(lead) and _BELOW.match(low, end)) or None
        )
    if not match:
        return None
    noun, marker = low[at:end], match[0]
    phrase = said[match.end() : match.end() + _REACH].lstrip(" \n:")
    if not _names(noun, marker, lead, phrase) or _enumerates(said, match.end(), question):
        return None
    value = _value(marker, phrase, question)
    if value is None and is_several(phrase, question):
        value = NO_VALUE
    if value is None or _OTHERS_NOUN.search(lead) or is_reported(low, at):
        return None
    return Statement(at, match.end() + 1, value, _rank(noun, marker, lead))


def _rank(noun: str, marker: str, lead: str) -> int:
    """Return how plainly a noun marks the words after it as the answer."""
    if lead.endswith("your "):
        return LOOSE
    if lead.endswith(("final ", "final_")) or (lead.endswith("_") and marker[:1] in ('"', "'")):
        return FINAL
    if noun in ("answer", "solution"):
        return ANSWER
    return ANSWER if noun in _PLACES and _DESTINATION.search(lead) else BELIEF


_PLACES = "square", "destination"


def _names(noun: str, marker: str, lead: str, phrase: str) -> bool:
    """Return whether the words after a noun are what it names: "the move is e4"."""
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
    """Return whether a list follows: of possibilities, or of the steps to a number."""
    if question.kind == "number" and _STEPS.match(said, at - 1):
        return True
    return bool(_BULLETS.match(said, at - 1))


def _value(marker: str, phrase: str, question: Question) -> str | None:
    """Return the value of the phrase after a marker.

    Returns:
        None if the phrase is a question, denies its value, or has it too far from the marker.
    """
    if phrase[:4].lower() == "not " and question.kind != "boolean":
        rather = _RATHER.match(phrase)
        return read(phrase[rather.end() :], question) if rather else None
    if _is_question(phrase) or _is_far(phrase, question) or _REASONS.match(phrase):
        return None
    if question.kind == "boolean" and boolean.is_praise(marker, phrase):
        return None
    return read(phrase, question)


_RATHER = re.compile(r"not [^.\n]{1,40}?(?:, ?it(?: is|'s)|,? but(?: rather)?(?: it(?: is|'s))?) ")
"""What precedes the value in "not A, it is D" and in "not A but D"."""
_DESTINATION = re.compile(
    r"\b(?:destination|correct|valid|legal|right|target|best|my|final|updated|next|natural|logical)"
    r" \Z"
)
_REASONS = re.compile(r"(?:based|calculated|determined|obtained|derived|found) ", re.IGNORECASE)
_FAR = re.compile(r"[^\d\n]{0,40}?\b(?:because|since)\b|[^\d]{60}")


def _is_far(phrase: str, question: Question) -> bool:
    """Return whether a number or square comes too late in the phrase to be the marked one."""
    if question.kind == "square":
        found = SQUARE.search(phrase)
        lead = phrase[: found.start()] if found else phrase
        return len(lead) > _LONG or bool(_ASIDE.search(lead))
    return question.kind == "number" and bool(_FAR.match(phrase))


_LONG = 80
"""Characters between a marker and its square beyond which the square is of another matter."""
_ASIDE = re.compile(
    r"\b(?:because|since|as (?!follows)|for example|such as|e\.g|regex|like|not|which|where"
    r"|currently|represented|assigned)\b|\(x\b",
    re.IGNORECASE,
)


def _is_question(phrase: str) -> bool:
    """Return whether the sentence that the phrase ends is a question."""
    end = _STOP.search(phrase)
    return end is not None and end[0] == "?"


_STOP = re.compile(r"[.!\n?]")
_BELIEF = re.compile(
    r"\b(?=[chilprstuy])(?:"  # what else a word begins with is passed quickly
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


def find_beliefs(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Find answers that the speaker holds to be right: "I am sure it is B", "B is right"."""
    judges = question.kind == "boolean"
    if question.kind == "choice":
        low = choice.hide_options(low, question)
    for match in _BELIEF.finditer(low):
        phrase = said[match.end() : match.end() + 120]
        if not judges and (match["thing"] or (match["bare"] and not _is_alone(phrase, question))):
            continue
        near = max(find_sentence_start(low, match.start()), match.start() - 12)
        if is_reported(low, match.start()) or _DOUBT.search(low, near, match.start()):
            continue
        if not _is_near(phrase, question) or _MORE.match(phrase):
            continue
        value = None if match["bare"] and " that " in phrase[:14] else read(phrase, question)
        if value is not None:
            rank = LOOSE if match["bare"] else BELIEF
            yield Statement(match.start(), match.end() + 1, value, rank)
    if judges:
        yield from boolean.find_stances(low)
    if any(word in low for word in _PRAISES):
        yield from _find_praised(said, low, question)


def _find_praised(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Find answers that are called right: "B is right", "e5 seems most likely"."""
    for match in _RIGHT.finditer(low):
        start = find_sentence_start(low, match.start())
        lead = low[start : match.start()].removesuffix(" which")
        end = start + len(lead)
        if turns := list(CONTRAST.finditer(lead)):
            start += turns[-1].end()
        if _DOUBT.search(low, start, end) or _SPEAKER.search(low, start, end):
            continue
        if is_reported(low, match.start()):
            continue
        value = read_end(said[start : match.start()], question)
        if value is not None:
            yield Statement(start, match.end(), value, BELIEF)


def _is_alone(phrase: str, question: Question) -> bool:
    """Return whether a sentence such as "it is e4" or "it's (B)" has a value and nothing else."""
    if question.kind == "choice":
        return choice.is_alone(phrase, question)
    return question.kind == "square" and square.is_alone(phrase)


def _is_near(phrase: str, question: Question) -> bool:
    """Return whether a number or square stands at the phrase's beginning."""
    if question.kind in ("number", "square"):
        return any(sign.isdigit() for sign in phrase[:24]) and not _PART.match(phrase)
    return True


_PART = re.compile(
    r"(?:an? )?(?:multiple|factor|part|divisible|less|more|greater|step)\b", re.IGNORECASE
)
