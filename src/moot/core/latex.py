"""LaTeX as answers have it: without the marks around it, and whether it is whole."""

import re

LONGEST = 500
"""Characters beyond which LaTeX is no short answer."""
_LOST = {
    "\x0c": "\\f",
    "\x08": "\\b",
    "\t": "\\t",
    "\r": "\\r",
    "\n": "\\n",
    "\x07": "\\a",
    "\x0b": "\\v",
}
_COMMAND = re.compile(
    "\x0c(?=rac\\b|orall\\b|loor\\b)|\x08(?=oxed\\b|egin\\b|eta\\b|inom\\b|ar\\b|mod\\b|ig)"
    "|\t(?=ext|imes\\b|heta\\b|frac\\b|an\\b|au\\b|o\\b|binom\\b)"
    "|\r(?=ight\\b|angle\\b|ho\\b|floor\\b|ceil\\b)|\n(?=eq?\\b|u\\b|otin\\b|abla\\b)"
    "|\x07(?=lpha\\b|rc|pprox\\b)|\x0b(?=ec\\b|arphi\\b|ert\\b)"
)
"""Commands whose backslash and first letter JSON took for one sign: form feed and ``rac``."""
_AROUND = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
BOX = re.compile(r"\\f?boxed\s*\{")


def restore_commands(text: str) -> str:
    r"""Return the text with LaTeX commands that JSON damaged: a tab and ``ext`` are ``\text``."""
    if text.isprintable():
        return text
    return _COMMAND.sub(lambda lost: _LOST[lost[0]], text)


def strip_marks(text: str) -> str:
    r"""Return LaTeX without ``$…$``, ``\(…\)``, ``\boxed{}`` and the like around it."""
    text = restore_commands(text).strip()
    while len(text) <= 2 * LONGEST:  # longer ones are no answers
        before = text
        for left, right in _AROUND:
            inner = text[len(left) : -len(right)]
            marked = text.startswith(left) and text.endswith(right)
            alone = left not in inner and right not in inner.replace("\\" + right, "")
            if marked and alone and len(text) >= len(left + right):
                text = inner.strip()
        if (box := BOX.match(text)) and find_close(text, box.end()) == len(text) - 1:
            text = text[box.end() : -1].strip()
        if text == before:
            break
    return text


def find_close(text: str, start: int) -> int | None:
    """Return the place of the brace that closes the one before ``start``; None without one near."""
    depth, at = 1, start
    while at < min(len(text), start + 2 * LONGEST):
        sign = text[at]
        if sign == "\\":
            at += 1
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                return at
        at += 1
    return None


def take_last_box(text: str) -> tuple[int, str] | None:
    """Return the place and the content of the last box that is closed; None without one."""
    for box in reversed(list(BOX.finditer(text))[-_BOXES:]):
        if (end := find_close(text, box.end())) is not None:
            return box.start(), text[box.end() : end]
    return None


_BOXES = 20
"""Boxes from the end of a text, of which the last that is closed counts."""


def is_whole(text: str) -> bool:
    """Return whether LaTeX is not empty, not too long, and closes each brace that it opens."""
    return bool(text) and len(text) <= LONGEST and find_close(text + "}", 0) == len(text)
