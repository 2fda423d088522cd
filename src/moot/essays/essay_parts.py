"""What a terminal, a page and Markdown alike say of an essay and of how it came about."""

from collections.abc import Sequence
from typing import NamedTuple

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_duration,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.passages import Passage, Quote, QuoteKind
from moot.essays.essay_turns import member_place
from moot.essays.persona_lists import Persona
from moot.essays.team import label
from moot.essays.written import Alternative, Remark, Written
from moot.parsing.quotations import split_struck
from moot.parsing.source_references import find_references

SIMULATED = "SIMULATED. No language model was asked."
MARKS = {"found": "", "altered": "ALTERED", "missing": "NOT FOUND"}
"""Marks of quotations and figures, by what came of them."""
SIDES = {"oppose": "against it", "both": "both sides weighed"}
"""Where an essay stands that is not in favour of its proposition."""
STANDS = {"discuss": "satisfied", "challenge": "persuaded"}
"""What a speaker says of itself at the end, by the prompt it replies to."""


class EssayPiece(NamedTuple):
    """A piece of an essay's text; the quotation that it is, if any; whether it is struck."""

    text: str
    quote: Quote | None = None
    struck: bool = False


class ShownEssay(NamedTuple):
    """An essay in pieces, and the heading over it; empty where it is the only one."""

    heading: str
    pieces: list[EssayPiece]


def list_essays(written: Written) -> list[ShownEssay]:
    """Return the essay, or all of several, each with how long it is and how like the others."""
    if not written.alternatives:
        return [ShownEssay("", split_at_quotes(written))]
    return [
        ShownEssay(_number_essay(each, place, len(written.alternatives)), split_at_quotes(each))
        for place, each in enumerate(written.alternatives, 1)
    ]


def _number_essay(one: Alternative, place: int, of: int) -> str:
    like = "" if one.alike is None else f", {one.alike:.0%} of it word for word as in another"
    return f"Essay {place} of {of}: {format_things(one.words, 'word')}{like}"


def essay_heading(written: Written) -> str:
    """Return which side the essay takes, by which protocol and models it was written."""
    side = SIDES.get(written.stance, "in its favour")
    models = written.models or (written.settings.get("model", ""),)
    return make_visible(" · ".join(filter(None, [side, written.protocol, *models])))


def describe_price(written: Written) -> str:
    """Return calls, tokens, money and time, in one line."""
    usage = written.usage
    known = usage.prompt_tokens is not None and usage.completion_tokens is not None
    tokens = (
        f"{format_count(usage.prompt_tokens)} + {format_things(usage.completion_tokens, 'token')}"
    )
    cost = "cost unknown" if written.cost is None else format_dollars(written.cost)
    parts = [format_things(written.calls, "call"), tokens if known else "tokens unknown"]
    return ", ".join([*parts, cost, format_duration(written.seconds)])


def why_missing(written: Written) -> str:
    """Return why there is no essay; empty where there is one."""
    if written.failed:
        return f"failed: {written.failed}"
    if written.ends_at:
        return f"ended after the {written.ends_at}, as was asked: there is no essay yet"
    return "" if written.essay else "no essay: the reply that was to be one is empty"


def list_warnings(written: Written) -> list[str]:
    """Return a sentence for each trouble, quotations that were not found included."""
    told = _count_false(written.quotes)
    if told and not written.passages:
        told.append("The writer was shown no documents: what it quotes cannot be checked.")
    if written.essay and written.passages and not list_references(written):
        told.append(f"The essay refers to none of the {len(written.passages)} passages found.")
    for place, each in enumerate(written.alternatives[1:], 2):
        told += [f"In essay {place}: {words}" for words in _count_false(each.quotes)]
    debated = [quote for remark in written.dialogue for quote in remark.quotes]
    told += [f"In the discussion: {each}" for each in _count_false(debated)]
    return [*told, *written.outcomes]


def _count_false(quotes: Sequence[Quote]) -> list[str]:
    """Return a sentence for those that are altered, and one for those that were not found."""
    told = []
    for state, words in (
        ("altered", ("is altered", "are altered")),
        ("missing", ("does not stand in the evidence", "do not stand in the evidence")),
    ):
        kinds = [quote.kind for quote in quotes if quote.state == state]
        if kinds:
            told.append(f"{_count_kinds(kinds)} {words[len(kinds) > 1]}.")
    return told


def _count_kinds(kinds: list[QuoteKind]) -> str:
    words, figures = kinds.count("words"), kinds.count("figure")
    counted = [format_things(words, "quotation")] * bool(words)
    return " and ".join(counted + [format_things(figures, "figure")] * bool(figures))


def outside_team(written: Written) -> list[Persona]:
    """Return the personas of the pool that are not in the team."""
    taken = {(each.description, each.claim) for each in written.personas}
    return [each for each in written.pool if (each.description, each.claim) not in taken]


def name_speaker(remark: Remark) -> str:
    """Return what the others call a speaker, with its persona if it has one."""
    name = name_agent(remark.role, remark.agent)
    return f"{name}: {on_one_line(remark.persona)}" if remark.persona else name


def name_agent(role: str, agent: str) -> str:
    """Return what the others call an agent: the label of a member, the name of another."""
    return label(member_place(agent)) if role == "member" else on_one_line(agent)


def describe_stand(remark: Remark) -> str:
    """Say whether a member is satisfied or the critic persuaded; empty for other turns."""
    word = STANDS.get(remark.step)
    if word is None:
        return ""
    return {True: word, False: f"not yet {word}", None: f"does not say whether {word}"}[
        remark.settled
    ]


def dialogue_heading(written: Written) -> str:
    """Return the heading of the turns on the way: of a discussion, or of drafts."""
    steps = {remark.step for remark in written.dialogue}
    return "Discussion" if steps & {*STANDS, "dialogue"} else "Drafts and remarks"


def round_starts(written: Written) -> dict[int, int]:
    """Return the number of each round of a discussion, by the id of its first turn."""
    first: dict[int, int] = {}
    for remark in written.dialogue:
        if remark.step in STANDS:
            first.setdefault(remark.round, remark.id)
    return {turn: number for number, turn in first.items()}


def split_at_quotes(written: Written | Alternative) -> list[EssayPiece]:
    """Return the essay in pieces: each quotation or figure is one, and so is each text between."""
    essay, found, end = written.essay or "", [], 0
    for quote in written.quotes:
        stop = quote.start + len(quote.text)
        if quote.start >= end and essay[quote.start : stop] == quote.text:
            found += [*_split(essay[end : quote.start]), EssayPiece(quote.text, quote)]
            end = stop
    return [*found, *_split(essay[end:])]


def _split(text: str) -> list[EssayPiece]:
    return [EssayPiece(part, struck=struck) for part, struck in split_struck(text)]


def mark(quote: Quote) -> str:
    """Return the mark of a quotation or figure; empty for one that was found."""
    return MARKS[quote.state]


def cite(quote: Quote) -> str:
    """Return a quotation or figure with the number that it names, and what the evidence has."""
    said = f"“{quote.text}”" if quote.kind == "words" else quote.text
    named = f"{said} [{quote.passage}]" if quote.passage is not None else said
    if quote.found:
        return named
    where = f" in [{quote.stands_in}]" if quote.stands_in is not None else ""
    if quote.nearest:
        return f"{named}; the evidence has{where}: “{quote.nearest}”"
    return f"{named}; it stands{where}" if where else named


def list_references(written: Written) -> list[Passage]:
    """Return the passages that the essay quotes or names, by number."""
    essays = written.alternatives or (written,)
    named = {quote.passage for essay in essays for quote in essay.quotes} | {
        number
        for essay in essays
        for each in find_references(essay.essay or "")
        for number in each.numbers
    }
    return [each for each in written.passages if each.number in named]
