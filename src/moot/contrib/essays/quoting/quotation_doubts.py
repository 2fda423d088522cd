"""Quotation doubts: words that stand in a passage, and may say something else there."""

import re
from functools import cache

from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import join_words, load_source_words
from moot.contrib.essays.quoting.sourced_figures import split_sentences

_ELLIPSIS = re.compile(r"(?:\.\s?){2}\.|…")
_SUPPLIED = re.compile(r"\s*[\[［]([^\[\]［］]*\w{2}[^\[\]［］]*)[\]］]\s*\w")
"""Words in brackets that a quotation begins with."""
MOST_ENDS = 2
"""Ends of sentences that an ellipsis may leave out: those around one sentence."""


def find_doubt(quote: Quote) -> str:
    """Return why a quotation that is found may say something else there; empty where nothing is.

    An ellipsis that leaves out a negation, or more than a sentence, and brackets at the beginning,
    which say of whom the rest is said, are the writer's. So is a speaker whom the source does not
    name for the words, where it names another.
    """
    if not quote.found or quote.kind != "words":
        return ""
    if quote.said_by:
        return f"it is given to {quote.given_to}; the source gives it to {quote.said_by}"
    if match := _SUPPLIED.match(quote.text):
        return f"“{match[1].strip()}” is the writer's"
    if not _ELLIPSIS.search(quote.text):
        return ""
    denied, kept = (_negations().findall(each) for each in (quote.nearest, quote.text))
    if len(denied) > len(kept):
        left = next((each for each in denied if each.casefold() not in map(str.casefold, kept)), "")
        return f"it leaves out “{left or denied[-1]}”"
    there, said = (
        sum(1 for _ in split_sentences(" ".join(each.split())))
        for each in (quote.nearest, quote.text)
    )
    return "it leaves out more than a sentence" if there - said > MOST_ENDS else ""


@cache
def _negations() -> re.Pattern[str]:
    words = join_words(load_source_words("negation"))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|\w+n['’]t\b", re.IGNORECASE)
