"""Parts of an essay and of its making, as a terminal, a page and Markdown alike show them."""

from collections.abc import Sequence
from typing import NamedTuple

from moot.contrib.essays.citations import Citations, name_work
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.essay_turns import member_place
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.quotation_outcomes import list_named
from moot.contrib.essays.quoting.quotation_check import STRIKE, find_span
from moot.contrib.essays.quoting.quotation_doubts import find_doubt
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import find_references
from moot.contrib.essays.quoting.sourced_figures import split_sentences
from moot.contrib.essays.sentence_states import STATES, count_sentences, list_sentences
from moot.contrib.essays.team import label
from moot.contrib.essays.written import Alternative, Remark, Written
from moot.extend.records import Passage
from moot.extend.words import (
    format_count,
    format_dollars,
    format_duration,
    format_things,
    make_visible,
    on_one_line,
)

SIMULATED = "SIMULATED. No language model was asked."
MARKS = {
    "found": "",
    "altered": "ALTERED",
    "missing": "NOT FOUND",
    "struck": "STRUCK",
    "unshown": "NOT SHOWN",
    "unchecked": "?",
}
"""Marks of quotations and figures, by what came of them."""
LOOK = "LOOK"
"""The mark of a quotation that is found, and may say something else there."""
SIDES = {"oppose": "against it", "both": "both sides weighed"}
"""Where an essay stands that is not in favour of its proposition."""
STANDS = {"discuss": "satisfied", "challenge": "persuaded"}
"""The stand that a speaker states at the end, by the prompt it replies to."""


class EssayPiece(NamedTuple):
    """A piece of an essay's text, and the quotation or figure that it is, if any."""

    text: str
    quote: Quote | None = None


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
    if not written.protocol:
        sources = ", ".join(written.settings["evidence"].split("\n"))
        return make_visible(f"checked against {sources}")
    side = SIDES.get(written.stance, "in its favour")
    models = written.models or (EssaySettings.read(written.settings).model,)
    return make_visible(" · ".join(filter(None, [side, written.protocol, *models])))


def describe_price(written: Written) -> str:
    """Return calls, tokens, money and time, in one line."""
    if not written.calls:
        return "no model answered" if written.failed else "no model was asked"
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


def outside_team(written: Written) -> list[Persona]:
    """Return the personas of the pool that are not in the team."""
    taken = {(each.description, each.claim) for each in written.personas}
    return [each for each in written.pool if (each.description, each.claim) not in taken]


def name_speaker(remark: Remark) -> str:
    """Return the name of a speaker among the others, with its persona if it has one."""
    name = name_agent(remark.role, remark.agent)
    return f"{name}: {on_one_line(remark.persona)}" if remark.persona else name


def name_agent(role: str, agent: str) -> str:
    """Return the name of an agent among the others: the label of a member, the name of another."""
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
    """Return the essay in pieces: each quotation or figure is one, and so is each text between.

    One that is struck has its quotation marks, and not the signs that strike it.
    """
    essay, found, end = written.essay or "", [], 0
    for quote in written.quotes:
        stop = quote.start + len(quote.text)
        if quote.start >= end and essay[quote.start : stop] == quote.text:
            start, margin = quote.start, 0
            if quote.state == "struck":
                (start, stop), margin = find_span(essay, quote), len(STRIKE)
            found.append(EssayPiece(essay[end : start - margin]))
            found.append(EssayPiece(essay[start:stop].replace(STRIKE, ""), quote))
            end = stop + margin
    return [each for each in [*found, EssayPiece(essay[end:])] if each.text]


def describe_point_evidence(written: Written, point: int) -> str:
    """Return the passages that a point of the plan quotes and found, in words; may be empty."""
    own = next((each for each in written.point_evidence if each.point == point), None)
    told = (
        (
            ("quotes", own.quoted),
            ("found by its words", own.found),
            ("found by the critic's answer", own.against),
        )
        if own
        else ()
    )
    return "; ".join(
        f"{what} {', '.join(f'[{each}]' for each in numbers)}" for what, numbers in told if numbers
    )


def list_unquoted(written: Written) -> list[str]:
    """Return the documents of which passages were shown, and that nobody named or quoted."""
    named = {*list_named(written.quoted_essays)}
    said = [written.plan_text, *(each.text for each in written.dialogue)]
    named |= {n for text in said for one in find_references(text) for n in one.numbers}
    used = {name_work(each.source) for each in written.passages if each.number in named}
    shown = dict.fromkeys(name_work(each.source) for each in written.passages)
    return [on_one_line(each) for each in shown if each not in used]


def list_sentence_states(written: Written) -> list[tuple[str, str, list[tuple[str, list[str]]]]]:
    """List each essay: its heading, the number of sentences in each state, and the sentences.

    Nothing is said where there were no passages, since nothing could be checked.
    """
    several, told = bool(written.alternatives), []
    for number, each in enumerate(written.quoted_essays if written.passages else (), 1):
        sentences = list_sentences(each.essay or "", each.quotes)
        by_state = {
            words: [e.text.replace(STRIKE, "") for e in sentences if e.state == s]
            for s, words in STATES.items()
        }
        listed = [(words, own) for words, own in by_state.items() if own]
        told.append((f"Essay {number}" * several, count_sentences(sentences), listed))
    return [each for each in told if each[1]]


def list_quotes(written: Written) -> list[tuple[str, tuple[Quote, ...]]]:
    """Return the checked quotations of each essay, with its heading; that of one is empty."""
    several = bool(written.alternatives)
    checked = (
        (n, tuple(quote for quote in each.quotes if quote.state != "unchecked"))
        for n, each in enumerate(written.quoted_essays, 1)
    )
    return [(f"Essay {n}" * several, quotes) for n, quotes in checked if quotes]


def mark(quote: Quote) -> str:
    """Return the mark of a quotation or figure; empty where it was found beyond doubt."""
    return MARKS[quote.state] or (LOOK if find_doubt(quote) else "")


def cite(quote: Quote) -> str:
    """Return a quotation or figure with the number that it names, and what the evidence has."""
    text = quote.text.replace(STRIKE, "") if quote.state == "struck" else quote.text
    said = f"“{text}”" if quote.kind == "words" else text
    named = f"{said} [{quote.passage}]" if quote.passage is not None else said
    if quote.found:
        doubt = find_doubt(quote)
        return f"{named}; look there: {doubt}" if doubt else named
    where = f" in [{quote.stands_in}]" if quote.stands_in is not None else ""
    if quote.state == "unshown":
        return f"{named}; it stands{where}, which the writer was not shown"
    if quote.is_moved:
        return f"{named}; it stands{where}, and not where it says"
    if quote.nearest:
        return f"{named}; the evidence has{where}: “{quote.nearest}”"
    return f"{named}; it stands{where}" if where else named


class QuotedPlace(NamedTuple):
    """The place of a quotation: the number and source of its passage, and the sentence there.

    Attributes:
        number: of the passage.
        source: its document and place in it.
        before: the beginning of the sentence.
        words: those that are quoted, or that are nearest; empty for a figure that stands there.
        after: the end of the sentence.
    """

    number: int
    source: str
    before: str = ""
    words: str = ""
    after: str = ""


def find_quoted_place(written: Written, quote: Quote) -> QuotedPlace | None:
    """Return the place of a quotation, or of the words nearest to it; None where none are near."""
    number = quote.stands_in if quote.stands_in is not None else quote.passage
    every = (*written.passages, *written.unshown)
    passage = next((each for each in every if each.number == number), None)
    if passage is None or quote.state in {"missing", "unchecked"}:
        return None
    place = QuotedPlace(passage.number, on_one_line(passage.source, 200))
    text, words = make_visible(passage.text), make_visible(quote.nearest)
    at = text.find(words) if words else -1
    if at < 0:
        return place
    stop = at + len(words)
    begins = [begin for begin, _ in split_sentences(text)]
    begin = max(each for each in begins if each <= at)
    after = text[stop : min((each for each in begins if each >= stop), default=len(text))]
    return place._replace(before=text[begin:at].lstrip(), words=words, after=after.rstrip())


def describe_evidence(written: Written, quote: Quote) -> str:
    """Return the nearest words of the documents to a quotation, with their source; else empty."""
    number = quote.stands_in if quote.stands_in is not None else quote.passage
    every = (*written.passages, *written.unshown)
    source = next((on_one_line(each.source) for each in every if each.number == number), "")
    if quote.state == "unshown":
        return f"it stands in {source}, which the writer was not shown"
    if quote.nearest and not quote.found:
        return make_visible(f"the evidence has{f' ({source})' * bool(source)}: “{quote.nearest}”")
    if doubt := find_doubt(quote):
        return f"it stands in {source}; look there: {doubt}"
    is_moved = quote.state == "altered" and source
    return f"it stands in {source}" if is_moved else _WHY.get(quote.state, "")


_WHY = {
    "missing": "nothing like it stands in the documents",
    "unchecked": "it names no source, or says nothing that can be checked",
}
"""The words of a mark where the documents have nothing instead."""


def list_known(written: Written) -> list[int]:
    """Return the numbers to which references of the essay lead; a checked text has its own."""
    return [each.number for each in written.passages] if written.protocol else []


LONGEST_NOTE = 400
"""Characters of a passage that a footnote has."""


def list_notes(
    written: Written, numbers: Sequence[int], citations: Citations | None = None
) -> list[str]:
    """Return the footnotes of a reference: the documents in their style, or each passage's words.

    Args:
        written: the essay.
        numbers: of the passages that the reference names; without any there is no footnote.
        citations: those of the essay in a style; None for the passages' sources and words.
    """
    if citations and numbers:
        return [citations.note(numbers)]
    by_number = {each.number: each for each in written.passages}
    return [
        f"{on_one_line(each.source)}: “{on_one_line(each.text, LONGEST_NOTE)}”"
        for each in map(by_number.get, numbers)
        if each
    ]


def list_references(written: Written) -> list[Passage]:
    """Return the passages that the essay quotes or names, by number."""
    if not written.protocol:
        return list(written.passages)
    named = {*list_named(written.quoted_essays)}
    return [each for each in written.passages if each.number in named]
