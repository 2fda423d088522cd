"""Arguments: what of a reply others see, and which of its quotations stand in a passage."""

import re
import unicodedata
from functools import lru_cache
from statistics import fmean

_TAGS = {
    tag: re.compile(rf"<{tag}>(.*?)(?:</{tag}>|\Z)", re.DOTALL | re.IGNORECASE)
    for tag in ("argument", "question", "critique")
}
_THINKING = re.compile(r"<thinking>.*?</thinking>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(r"<thinking>.*\Z", re.DOTALL | re.IGNORECASE)
_QUOTE = re.compile(r"<quote>(.*?)(?:</quote>|\Z)", re.DOTALL | re.IGNORECASE)
_MARKED = re.compile(r"<\s*/?\s*[vu]_quote\s*>", re.IGNORECASE)
_ELLIPSIS = re.compile(r"\.\s?\.\s?\.|…")
_SHOWN = re.compile(r"<(?P<tag>[vu]_quote)>(?P<words>.*?)</(?P=tag)>", re.DOTALL)
_TAG = re.compile(r"</?[vu]_quote>")
_I = " i (?:must |have to |now |will |therefore )*"
_CONCESSIONS = (
    _I + "(?:concede|admit|agree|grant) (?:that )?(?:the |my )?"
    "(?:opponent|opponents answer|other answer|other side|OTHER) is (?:right|correct|true) ",
    _I + "concede (?:$|defeat |the debate |to my opponent )",
    " my (?:own )?(?:answer|side|position) is (?:wrong|incorrect|false|mistaken) ",
    " (?:right|correct|true) answer is (?:in fact |indeed |actually )?OTHER ",
)
RUN = 3
"""Words that are looked for together."""
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
    text, marks = take_tagged(reply, "argument"), 1
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


def take_tagged(reply: str, tag: str) -> str:
    """Return what stands between the last tags of a kind: what others see of a reply.

    Without such tags it is all but what stands between ``<thinking>`` tags.

    Args:
        reply: as it was written.
        tag: ``"argument"``, ``"question"`` or ``"critique"``.
    """
    said = _THINKING.sub("", reply)
    found = _TAGS[tag].findall(said)
    return str(found[-1] if found else _UNCLOSED.sub("", said)).strip()


def is_quoted(quote: str, passage: str) -> bool:
    """Return whether the words of a quotation stand in a passage, one after the other.

    Case, white space and punctuation make no difference. A quotation without words, or with an
    ellipsis, does not.
    """
    if _ELLIPSIS.search(quote):
        return False
    words = _bare(quote)
    return bool(words) and f" {words} " in _bare_passage(passage)


def count_words(text: str) -> int:
    """Return the number of words of an argument; marks are none."""
    return len(_TAG.sub(" ", text).split())


def list_quotations(marked: str) -> list[tuple[str, bool]]:
    """Return the words of each quotation of a marked argument, and whether they are real."""
    return [(_bare(each["words"]), each["tag"] == VERIFIED) for each in _SHOWN.finditer(marked)]


def measure_overlap(words: str, passage: str) -> float:
    """Return how much of a quotation stands in a passage: the share of its runs of three words.

    A shorter quotation is one run; one without words has no share in it.

    Args:
        words: of the quotation, as ``list_quotations`` gives them.
        passage: that it is said to be from.
    """
    each = words.split()
    runs = [" ".join(each[at : at + RUN]) for at in range(max(len(each) - RUN, 0) + 1)]
    read = _bare_passage(passage)
    return fmean(f" {run} " in read for run in runs) if each else 0.0


def is_concession(argument: str, other: str) -> bool:
    """Return whether an argument grants in plain words that the other answer is right.

    Args:
        argument: what its writer says.
        other: the answer for which it does not argue.

    A denial ("my opponent is not right") and a part that is granted ("I concede that it rained")
    are none. Words that this does not know are missed: the figure is a lower bound.
    """
    said, name = f" {_bare(argument)} ", re.escape(_bare(other))
    return any(re.search(each.replace("OTHER", name), said) for each in _CONCESSIONS)


def _bare(text: str) -> str:
    """Return the words of a text in lower case, without punctuation, one space between them."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.translate(_SIGNS).split())


@lru_cache(maxsize=4)
def _bare_passage(passage: str) -> str:
    """Return the words of a passage, which many quotations are looked for in."""
    return f" {_bare(passage)} "


class _Signs(dict[int, str]):
    """Substitutes of characters: nothing for punctuation, a space for a dash."""

    def __missing__(self, code: int) -> str:
        kind = unicodedata.category(chr(code))
        self[code] = " " if kind == "Pd" else "" if kind[0] == "P" else chr(code)
        return self[code]


_SIGNS = _Signs()
