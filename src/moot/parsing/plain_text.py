"""A reply without its dressing: Unicode look-alikes, Markdown and LaTeX taken off, lines kept."""

import re

from moot.core.numerals import SIGNS, join_groups, make_numerals_plain

_QUOTES = {
    ord("İ"): "I", ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"', ord("→"): "->",
    ord("⇒"): "=>", ord("\u2028"): "\n", ord("\u2029"): "\n",
}  # fmt: skip
_INVISIBLE = dict.fromkeys(
    [
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        0xAD,
        0xFEFF,
        *map(ord, "✅✔☑✓❌✗✘❎\ufe0f"),
    ]
)
_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TABLE = _FULLWIDTH | SIGNS | _QUOTES | _INVISIBLE

_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile("(?<=10)⁻?[⁰¹²³⁴-⁹]+")
_WRAPPED = re.compile(
    r"\\(?:text\w{0,6}|math(?:rm|bf|it|sf|bb)|operatorname|mbox|hbox)\s?\{([^{}]*)\}"
)
_EXPONENT = re.compile(r"\^\s?\{(-?\d{1,3})\}(?!\d)")
_LATEX = (
    ("\\times", "*"), ("\\cdot", "*"), ("\\div", "/"), ("\\left", ""), ("\\right", ""),
    ("\\,", ""), ("\\!", ""), ("\\;", " "), ("\\ ", " "), ("\\%", "%"),
    ("\\$", "$"), ("\\(", " "), ("\\)", " "), ("\\[", " "), ("\\]", " "), ("^\\circ", " degrees"),
    ("^{\\circ}", " degrees"),
)  # fmt: skip
_STARS = re.compile(
    r"\*{2,}|__+|`+|(?<![\w\s)])\*|\*(?![\w\s(\-])|(?<!\S)[*_](?=\w)|(?<=\w)_(?!\w)"
)


_RAISED = re.compile(r"(?<=\d)\*\*(?=\d)")
"""A power as programs write it: "2**3"."""
_BULLET = re.compile(r"(:[*_ ]{0,4}\n+[ \t]{0,3})[-*] (?=[*_]{0,3}\$?\d)")
"""The mark of a list's item below a colon: no sign of the number behind it."""
_LOOSE_LETTER = re.compile(r"\(\s?([A-Z])\s?\)")
"""An option's letter with blanks around it: "( C )"."""
_BLANK = re.compile(r"[^\S\n ]")

_HEAD, _TAIL = 8_000, 24_000
"""Characters read of a reply that is longer than both together: a reply answers first or last."""


def drop_middle(text: str) -> str:
    """Return the text; of one above 32,000 characters its beginning and its end."""
    return f"{text[:_HEAD]}\n\n{text[-_TAIL:]}" if len(text) > _HEAD + _TAIL else text


def make_plain(text: str) -> str:
    """Return the reply with single blanks in every line and without its dressing.

    Of a reply above 32,000 characters only the beginning and the end are kept. Never raises.
    """
    text = drop_middle(text)
    if not text.isascii():
        text = _POWER.sub(lambda power: f"^{power[0].translate(_POWERS)}", text)
        text = join_groups(text).translate(_TABLE)
    text = make_numerals_plain(text)
    if "( " in text:
        text = _LOOSE_LETTER.sub(r"(\1)", text)
    if "\\" in text:
        text = _unlatex(text)
    if ":" in text and "\n" in text:
        text = _BULLET.sub(r"\1", text)
    if "**" in text:
        text = _RAISED.sub("^", text)
    if "*" in text or "_" in text or "`" in text:
        text = _STARS.sub("", text)
    untidy = "  " in text or " \n" in text or "\n " in text or _BLANK.search(text)
    if not untidy:
        return text.strip()
    return "\n".join([" ".join(line.split()) for line in text.splitlines()])


def _unlatex(text: str) -> str:
    r"""Return LaTeX commands as plain text; ``\boxed`` stays, since it marks an answer."""
    text = _WRAPPED.sub(r"\1", text)
    text = _EXPONENT.sub(r"^\1", text)
    for command, meaning in _LATEX:
        if command in text:
            text = text.replace(command, meaning)
    return text
