"""Sentence states: the ground of each sentence of a text, as far as that was checked."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.contrib.essays.quoting.source_references import find_references
from moot.contrib.essays.quoting.sourced_figures import split_sentences
from moot.extend.words import format_count, format_things

SentenceState = Literal["found", "false", "unshown", "open", "paraphrase", "own"]
STATES: dict[SentenceState, str] = {
    "false": "with a quotation or figure that is altered or not found",
    "unshown": "with one that stands in a passage that was not shown",
    "found": "whose quotations and figures were all found",
    "open": "with a figure that names no source: not checked",
    "paraphrase": "that name a source in words of their own: not checked",
    "own": "without a source: the writer's own",
}
"""The words for sentences in each state, in the order in which they are told."""
_WORD = re.compile(r"[^\W_]")
_HEADING = re.compile(r"\s*#{1,6}\s")


class Sentence(NamedTuple):
    """A sentence of a text.

    Attributes:
        text: its words.
        start: the place of its first character in the text.
        state: what it rests on.
    """

    text: str
    start: int
    state: SentenceState


def list_sentences(text: str, quotes: Sequence[Quote]) -> list[Sentence]:
    """Return every sentence of a text with its state, headings left out.

    Of several states that fit, the first of false, unshown, open, paraphrase and found counts.

    Args:
        text: of an essay, or of anyone.
        quotes: all that was looked at in it, unsourced figures and statements included.
    """
    sentences = []
    for start, stop in split_sentences(text):
        words = text[start:stop]
        if not _WORD.search(words) or _HEADING.match(words):
            continue
        own = [e for e in quotes if e.start < stop and e.start + len(e.text) > start]
        names = bool(find_references(words))
        sentences.append(Sentence(words.strip(), start, _find_state(own, names=names)))
    return sentences


def _find_state(quotes: Sequence[Quote], *, names: bool) -> SentenceState:
    states = {quote.state for quote in quotes}
    if states & FALSE or "struck" in states:
        return "false"
    if "unshown" in states:
        return "unshown"
    unchecked = {quote.kind for quote in quotes if quote.state == "unchecked"}
    if "figure" in unchecked:
        return "open"
    if "statement" in unchecked or (names and not states):
        return "paraphrase"
    return "found" if states else "own"


def count_sentences(sentences: Sequence[Sentence]) -> str:
    """Return the number of sentences in each state, in words; empty without any."""
    if not sentences:
        return ""
    counted = (
        (sum(each.state == state for each in sentences), words) for state, words in STATES.items()
    )
    told = "; ".join(f"{format_count(many)} {words}" for many, words in counted if many)
    return f"{format_things(len(sentences), 'sentence')}: {told}."
