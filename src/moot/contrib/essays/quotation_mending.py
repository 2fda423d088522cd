"""Quotation mending: a writer is asked once to mend what it did not quote; the rest is struck."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from moot import Agent, Debate, Question, Verdict, View
from moot.contrib.essays.essay_parts import cite
from moot.contrib.essays.quoting.quotation_check import check_quotations, is_elsewhere, strike_quote
from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.contrib.essays.team import essay_verdict
from moot.contrib.essays.unshown_passages import look_up_quotations
from moot.extend.records import Passage

Strict = Annotated[
    bool,
    Meta(
        description="whether the writer is asked once to mend what is not in the passages, and "
        "what remains is struck"
    ),
]


async def mend_quotations(
    debate: Debate,
    writer: Agent,
    essay: View,
    question: Question,
    *,
    passages: Sequence[Passage],
    shown: str,
    stance: str,
) -> Verdict:
    """Return the verdict of an essay in which all that it quotes stands in the passages.

    A writer whose quotations and figures all stand in the documents is not asked. What it leaves in
    place, or quotes anew, is struck through, but for what stands elsewhere in the documents than it
    says. An empty reply mends nothing.

    Args:
        debate: in which the essay was written.
        writer: who wrote it.
        essay: its turn.
        question: the proposition.
        passages: those that the writer was shown.
        shown: the same, as its prompt shows them.
        stance: for or against it.
    """
    text = essay_verdict(essay, question).text
    unshown = await look_up_quotations(debate, [text], passages, question)
    false = _find_false(text, passages, question, unshown)
    if false:
        mended = await debate.ask(
            writer,
            "mend",
            stance=stance,
            essay=essay,
            quotes="\n".join(f"- {cite(quote)}" for quote in false),
            passages=shown,
        )
        essay = essay if mended.answer is None else mended
    verdict = essay_verdict(essay, question)
    if question.kind != "text" or verdict.answer is None:
        return verdict
    text = verdict.answer
    if false:
        known = [*passages, *unshown]
        unshown += await look_up_quotations(debate, [text], known, question)
    for quote in reversed(_find_false(text, passages, question, unshown)):
        if not is_elsewhere(quote, passages):
            text = strike_quote(text, quote)
    return replace(verdict, answer=text, text=text)


def _find_false(
    essay: str | None,
    passages: Sequence[Passage],
    question: Question,
    unshown: Sequence[Passage],
) -> list[Quote]:
    """Return the quotations altered or not found, without those struck in a revised essay."""
    known = [question.text]
    quotes = check_quotations(essay or "", passages, known, strict=True, unshown=unshown)
    return [quote for quote in quotes if quote.state in FALSE]
