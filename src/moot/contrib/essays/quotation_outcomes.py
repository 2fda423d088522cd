"""Quotation outcomes: sentences for what essays quote and what does not stand in the passages."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from moot.contrib.essays.quoting.quotation_doubts import find_doubt
from moot.contrib.essays.quoting.quotes import Quote, QuoteKind
from moot.contrib.essays.quoting.source_references import find_references
from moot.extend.records import Passage
from moot.extend.words import format_things, on_one_line

MOST_NAMED = 5
"""The most quotations and figures that a sentence names."""
LONGEST_NAMED = 80
"""Characters of each of them, and of what the evidence has."""


class QuotedEssay(NamedTuple):
    """The text of an essay, None without one, and its quotations and figures."""

    essay: str | None
    quotes: tuple[Quote, ...]


def list_quotation_outcomes(
    essays: Sequence[QuotedEssay], debated: Iterable[Quote], passages: Sequence[Passage]
) -> Iterator[str]:
    """Yield a sentence for what is altered or not found, and where nothing can be.

    Args:
        essays: one, or all alternatives.
        debated: the quotations of the discussion.
        passages: those that planner and writer were shown.
    """
    for place, each in enumerate(essays, 1):
        told = count_quotes(each.quotes)
        yield from (f"In essay {place}: {words}" if place > 1 else words for words in told)
        if any(_count_false(each.quotes)) and not passages and place == 1:
            yield "The writer was shown no documents: what it quotes cannot be checked."
    written = [each for each in essays if each.essay]
    if written and passages and not {*list_named(written)} & {each.number for each in passages}:
        yield f"The essay refers to none of the {len(passages)} passages found."
    yield from (f"In the discussion: {words}" for words in _count_false(debated))


def list_named(essays: Iterable[QuotedEssay]) -> list[int]:
    """Return the numbers of the passages that essays name or quote, in their order."""
    named: dict[int, None] = {}
    for each in essays:
        places = [
            (one.start, number)
            for one in find_references(each.essay or "")
            for number in one.numbers
        ]
        places += [(one.start, one.passage) for one in each.quotes if one.passage is not None]
        named |= dict.fromkeys(number for _, number in sorted(places, key=lambda each: each[0]))
    return list(named)


def count_quotes(quotes: Iterable[Quote]) -> list[str]:
    """Return a sentence for each state of quotations and figures that is not "found"."""
    listed = list(quotes)
    return [*_count_false(listed), *_count_doubts(listed), *_count_rest(listed)]


def _count_doubts(quotes: Iterable[Quote]) -> Iterator[str]:
    """Yield a sentence on the quotations that are found, and may say something else there."""
    doubts = [(each, doubt) for each in quotes if (doubt := find_doubt(each))]
    if doubts:
        named = "; ".join(
            f"“{on_one_line(each.text, LONGEST_NAMED)}” ({doubt})"
            for each, doubt in doubts[:MOST_NAMED]
        )
        are = "is" if len(doubts) == 1 else "are"
        counted = format_things(len(doubts), "quotation")
        yield f"{counted} {are} found and may say something else there: {named}."


def _count_false(quotes: Iterable[Quote]) -> Iterator[str]:
    """Yield a sentence for those that are altered, and one for those that were not found."""
    listed = list(quotes)
    for state, words in (
        ("altered", ("is altered", "are altered")),
        ("missing", ("does not stand in the evidence", "do not stand in the evidence")),
    ):
        kinds = [quote.kind for quote in listed if quote.state == state]
        if kinds:
            false = [quote for quote in listed if quote.state == state]
            named = "; ".join(map(_name_false, false[:MOST_NAMED]))
            more = "; …" * (len(false) > MOST_NAMED)
            yield f"{_count_kinds(kinds)} {words[len(kinds) > 1]}: {named}{more}."


def _name_false(quote: Quote) -> str:
    """Return a quotation or figure with what the evidence has instead, each in a few words."""
    said = on_one_line(quote.text, LONGEST_NAMED)
    said = f"“{said}”" if quote.kind == "words" else said
    if quote.is_moved:
        return f"{said} (it stands in [{quote.stands_in}], and not where it says)"
    instead = on_one_line(quote.nearest, LONGEST_NAMED)
    return f"{said} (the evidence has “{instead}”)" if instead else said


def _count_rest(quotes: Iterable[Quote]) -> Iterator[str]:
    """Yield a sentence for what stands in passages that were not shown, and for what is open."""
    listed = list(quotes)
    if kinds := [quote.kind for quote in listed if quote.state == "unshown"]:
        stands = "stands" if len(kinds) == 1 else "stand"
        yield f"{_count_kinds(kinds)} {stands} in the documents, in a passage that was not shown."
    if kinds := [quote.kind for quote in listed if quote.state == "unchecked"]:
        was = "was" if len(kinds) == 1 else "were"
        named = (
            ("figure", "the figures name no source"),
            ("statement", "the statements quote neither words nor figures"),
        )
        why = ", ".join(words for kind, words in named if kind in kinds)
        yield f"{_count_kinds(kinds)} {was} not checked (marked ‹?›): {why}."


def _count_kinds(kinds: list[QuoteKind]) -> str:
    named: tuple[tuple[QuoteKind, str], ...] = (
        ("words", "quotation"),
        ("figure", "figure"),
        ("statement", "statement"),
    )
    counted = ((kinds.count(kind), name) for kind, name in named)
    return " and ".join(format_things(many, name) for many, name in counted if many)


def describe_codings(documents: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each encoding but UTF-8, with the documents that were read as it."""
    by_coding: dict[str, list[str]] = {}
    for each in documents:
        if coding := each.get("coding"):
            by_coding.setdefault(coding, []).append(on_one_line(each["document"]))
    for coding, names in by_coding.items():
        yield f"Read as {coding}, since no UTF-8: {', '.join(names)}."
