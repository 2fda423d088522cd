"""Arguments: what of a reply others see, and which of its quotations stand in a passage."""

import re
import unicodedata

_ARGUMENT = re.compile(r"<argument>(.*?)(?:</argument>|\Z)", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<thinking>.*?</thinking>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(r"<thinking>.*\Z", re.DOTALL | re.IGNORECASE)
_QUOTE = re.compile(r"<quote>(.*?)(?:</quote>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(r"<\s*/?\s*[vu]_quote\s*>", re.IGNORECASE)
_ELLIPSIS = re.compile(r"\.\s?\.\s?\.|…")
_TAG = re.compile(r"</?[vu]_quote>")
VERIFIED, UNVERIFIED = "v_quote", "u_quote"
"""The tags of quotations that stand in the passage, and of those that do not."""


def mark_quotes(reply: str, passage: str, most: int) -> str:
    """Return the argument of a reply, with its quotations marked by whether they are real.

    The argument stands between ``<argument>`` tags; without them it is all but what stands
    between ``<thinking>`` tags. Each ``<quote>`` becomes a ``<v_quote>`` or a ``<u_quote>``. Marks
    that the reply itself has set are taken out.

    Args:
        reply: of an advocate.
        passage: that it quotes; empty where there is none: then nothing is marked.
        most: the words to which a longer argument is cut.

    Source: Khan et al. 2024 (arXiv:2402.06782), its code.
    """
    said = _THINKING.sub("", reply)
    found = _ARGUMENT.findall(said)
    text, marks = found[-1] if found else _UNCLOSED.sub("", said), 1
    while marks:  # one mark may be hidden in another
        text, marks = _MARKED.subn("", text)
    words = re.findall(r"\S+\s*", text.strip())
    text = "".join(words[:most]).strip()

    def mark(quote: re.Match[str]) -> str:
        if not passage:
            return quote[1].strip()
        tag = VERIFIED if is_quoted(quote[1], passage) else UNVERIFIED
        return f"<{tag}>{quote[1].strip()}</{tag}>"

    return _QUOTE.sub(mark, text)


def is_quoted(quote: str, passage: str) -> bool:
    """Return whether the words of a quotation stand in a passage, one after the other.

    Case, white space and punctuation make no difference. A quotation without words, or with an
    ellipsis, does not.
    """
    if _ELLIPSIS.search(quote):
        return False
    words = _bare(quote)
    return bool(words) and f" {words} " in f" {_bare(passage)} "


def count_words(text: str) -> int:
    """Return the number of words of an argument; marks are none."""
    return len(_TAG.sub(" ", text).split())


def _bare(text: str) -> str:
    """Return the words of a text in lower case, without punctuation, one space between them."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    kept = []
    for sign in plain:
        kind = unicodedata.category(sign)
        kept.append(" " if kind == "Pd" else "" if kind[0] == "P" else sign)
    return " ".join("".join(kept).split())
