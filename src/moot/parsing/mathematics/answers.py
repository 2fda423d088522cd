r"""Mathematics: which expression a reply states as its answer, and in which form.

Read are, the later of the two where there are both, the last ``\boxed{…}`` and the last line
"Final answer: …"; else "the answer is …"; else the last ``$…$`` of the closing sentence; else a
reply that is nothing but an expression. What stands there decides: LaTeX that cannot be read is no
answer, and nothing weaker takes its place.
"""

import re

from moot.core.errors import InputError
from moot.core.latex import BOX, restore_commands, take_last_box
from moot.core.questions import Question
from moot.parsing.adoption import find_adopted
from moot.parsing.mathematics.plain import is_prose, make_plain, read_plain
from moot.parsing.mathematics.process import forms, require_installed
from moot.parsing.named import read_name
from moot.parsing.parser import HeardAnswers
from moot.parsing.plain_text import drop_middle
from moot.parsing.plain_text import make_plain as undress

_FINAL = re.compile(
    r"(?:^|(?<=[\s#>*_.!?(]))(?:(?:my|the|our)\s+)?(?:final|proposed|improved|updated)"
    r"[ _]answer[\"'*_]*(?:\s+(?:is|would be)\b|\s*[:=]|[ *_]*(?=\n))[*_]*\s*(?:is\b\s*:?\s*)?",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|\n)(?:#### (?=[^\n]{1,60}\s*$)|[ >#*_-]*(?:answer|result|a)[*_]*\s*:[*_]*[ \t]*)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"\b(?:the|my|our|an?)\s+(?:(?:final|correct|updated|simplified|right|required)\s+)?"
    r"(?:answer|solution|result|value|sum|probability|area|expression)\s+(?:is|equals|would be)"
    r"(?:\s+(?:therefore|thus|indeed|also|equal to))?\s*:?\s*(?!not\b)",
    re.IGNORECASE,
)
_SEGMENT = re.compile(
    r"\$\$(.{1,999}?)\$\$|(?<!\\)\$((?:[^$\\]|\\.){1,999}?)\$|\\\((.{1,999}?)\\\)"
    r"|\\\[(.{1,999}?)\\\]",
    re.DOTALL,
)
_SENTENCE = re.compile(r"[.!?]\s+(?=[A-Z\\$])|\n\s*\n")
_DRESSING = " \t\n*_`\"'>"
_PLACEHOLDER = re.compile(
    r"(?:\\text\{)?(?:(?:your |the )?(?:final )?answer(?: here)?|n/?a|\.\.\.|…|undetermined"
    r"|un(?:known|able|sure|certain|clear)\b.*|(?:i|we) [a-z]{2}.*)\}?",
    re.IGNORECASE,
)
_SHORT = 120
"""Characters of a reply that may be an expression alone."""


def find_form(latex: str) -> str | None:
    """Return the canonical form of an expression; None where it is damaged or takes too long.

    Numbers and words need no algebra and are read here, all else in a process of its own.
    """
    plain = make_plain(latex)
    if plain is None or _PLACEHOLDER.fullmatch(plain):
        return None
    if (known := read_plain(plain)) is not None:
        return known
    return None if is_prose(plain) else forms.find(latex)


def settle(answer: str, *, where: str) -> str:
    """Return the canonical form of a right answer, or of one that a user gives.

    Args:
        answer: LaTeX.
        where: names its place in errors.

    Raises:
        InputError: it cannot be read, or math-verify is not installed.
    """
    require_installed()
    if (form := find_form(answer)) is None:
        raise InputError(
            f"{where}: its answer {answer!r} cannot be read as mathematics: expected LaTeX of a "
            "number, expression, set, interval, tuple, matrix or equation, or a few words"
        )
    return form


def read_reply(text: str, question: Question, heard: HeardAnswers, *, finished: bool) -> str | None:
    """Return the answer that a reply commits to, in canonical form; None if it commits to none."""
    if finished and (field := _JSON.search(text)):
        return find_form(restore_commands(field[1].replace("\\\\", "\\")))
    said = drop_middle(restore_commands(text)).strip()
    stated = _find_stated(said, finished=finished)
    if stated is not None:
        named = read_name(stated, question, heard)
        return find_form(stated) if named is None else named
    plain = undress(said)
    adopted = [each.value for each in find_adopted(plain, plain.lower(), question, heard)]
    if len(set(adopted)) == 1:
        return adopted[0]
    closing = _find_closing(said) if finished else None
    return None if closing is None else find_form(closing)


def read_phrase(phrase: str) -> str | None:
    """Return the answer that a phrase begins with, up to the end of its sentence."""
    return find_form(_pick(phrase))


def is_marked(line: str) -> bool:
    """Return whether a line states an answer by a mark; no expression is read for it."""
    return _find_stated(line, finished=True) is not None


def _find_stated(said: str, *, finished: bool) -> str | None:
    """Return the expression that the reply marks as its answer; None without a mark."""
    box = take_last_box(said)
    for pattern in (_FINAL, _LABEL, _IS):
        marks = list(pattern.finditer(said))
        # "Final answer" may also be a heading, with nothing below it.
        while marks and not said[marks[-1].end() :].strip(_DRESSING):
            marks.pop()
        if marks and (pattern is _FINAL or box is None):
            mark = marks[-1]
            if box is not None and box[0] > mark.start():
                break
            line, ended, _ = said[mark.end() :].lstrip(_DRESSING).partition("\n")
            if _opens_block(line):
                line, ended = said[mark.end() :].lstrip(_DRESSING), "\n"
            return _pick(line) if finished or ended else None
    if box is not None:
        return None if _TWO_BOXES.search(said) else box[1]
    damaged = finished and BOX.search(said)  # a box that is never closed
    return "" if damaged else None


_TWO_BOXES = re.compile(r"\\boxed\{[^{}]{1,80}\}\$? or \$?\\boxed\{[^{}]{1,80}\}\W*$")
"""Two answers, of which the last alone is none."""


def _opens_block(line: str) -> bool:
    r"""Return whether a line opens ``\[`` or ``$$`` that is closed below it."""
    return line.startswith(("\\[", "$$")) and not _SEGMENT.match(line)


def _pick(line: str) -> str:
    """Return the expression in the words after a mark: all of them, or the one between marks."""
    line = _DENIED.split(line.strip(_DRESSING), maxsplit=1)[0]
    segments = _list_segments(line)
    if segments and not _SIGNS.search(_SEGMENT.sub("", line)):  # only words stand around them
        return ", ".join(segments)
    if BOX.search(line):
        box = take_last_box(line)
        return box[1] if box else ""
    if not segments:
        line = _SENTENCE.split(line, maxsplit=1)[0]
    again = _IS.match(line)
    return (line[again.end() :] if again else line).strip(_DRESSING)


_DENIED = re.compile(r",?\s+(?:and |but )?not\s+(?=[$\\])")
"""Begins what an answer is said not to be."""
_JSON = re.compile(
    r"\A\s*(?:```(?:json)?\s*)?\{\s*\"answer\"\s*:\s*\"((?:[^\"\n\\]|\\[^\"\n]){1,999})\"\s*\}\s*(?:```)?\s*\Z"
)
"""A reply that is one JSON object with the answer; its backslashes may be doubled."""
_SIGNS = re.compile(r"[\d=<>+*/^\\()\[\]{}]")
"""Signs of an expression that stands outside of marks, too."""


_JOINED = re.compile(
    r"solutions (?:are|is)\b|[$)] (?:and|or) (?:[$]|\\\()[^$]{1,200}(?:[$]|\\\))\W*$"
)
"""Several expressions of a closing sentence that are one answer together: the last is none."""


def _list_segments(text: str) -> list[str]:
    """Return the expressions between marks, such as ``$…$``."""
    return [str(found[found.lastindex or 0]) for found in _SEGMENT.finditer(text)]


def _find_closing(said: str) -> str | None:
    """Return the last expression between marks of the closing sentence, or the reply if short."""
    sentences = [each for each in _SENTENCE.split(said.strip()) if each and each.strip()]
    last = sentences[-1] if sentences else ""
    if found := _list_segments(last):
        joined = len(found) > 1 and _JOINED.search(last)
        return None if joined else found[-1]
    alone = len(said) <= _SHORT and "\n" not in said and (" " not in said or not is_prose(said))
    return said if alone else None
