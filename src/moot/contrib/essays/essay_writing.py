"""The last calls of an essay: it is written, once or several times, and revised by a remark."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from moot import Agent, Debate, Question, Verdict
from moot.contrib.essays.essay_brief import BriefSettings
from moot.contrib.essays.essay_length import adjust_length
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.quotation_mending import mend_quotations
from moot.contrib.essays.team import essay_verdict
from moot.contrib.essays.unshown_passages import look_up_quotations
from moot.extend.protocols import IN_WORDS, OMITTED, gather_all
from moot.extend.records import Passage

MOST_ALTERNATIVES = 10
ESSAY_CALLS = (
    "1 if revise else alternatives",
    "1 if revise else alternatives + strict + (1 if words else 0)",
)
"""The fewest and the most calls of the stage ``essay``; a revision follows it."""


class WritingSettings(BriefSettings, frozen=True, kw_only=True):
    """The settings of protocols whose writer can write several essays, and revise one."""

    alternatives: Annotated[
        int,
        Meta(
            ge=1,
            le=MOST_ALTERNATIVES,
            description="how many essays are written from the same plan; the first is the verdict",
            extra=OMITTED,
        ),
    ] = 1
    revise: Annotated[
        str,
        Meta(
            max_length=10_000,
            description="a remark, in your words, by which the essay is revised; empty: it is not",
            extra_json_schema={**IN_WORDS, "about": "draft"},
            extra=OMITTED,
        ),
    ] = ""


async def finish_essay(
    debate: Debate,
    writer: Agent,
    question: Question,
    found: Sequence[Passage] = (),
    **told: Any,  # noqa: ANN401 -- what fills the slots of the prompts
) -> Verdict:
    """Have the essay written, and revised if a remark says how; return the verdict.

    Of several alternatives, which are draws of the last call, the first that is not empty counts.
    Only where one is written, and no remark asks for another, is its length mended. An essay of a
    draft that no remark revises is checked, and nobody is asked for anything.

    Args:
        debate: its settings are those of ``WritingSettings``; with ``strict`` quotations that do
            not stand in the passages are mended.
        writer: who writes.
        question: the proposition.
        found: the passages that the writer is shown.
        told: what fills the slots of the prompts.
    """
    asked = EssaySettings.read(debate.context.settings)
    many, remark = asked.alternatives, asked.revise
    written, number = debate.get_given("essay"), writer.round + 1
    essays = await gather_all(
        debate.ask(writer, "essay", in_round=number, given=written, **told)
        for _ in range(1 if remark or written else many)
    )
    debate.end_stage("essay")
    if remark:
        told |= {"essay": essays[0], "remark": remark}
        essays = await gather_all(
            debate.ask(writer, "revise", in_round=number + 1, **told) for _ in range(many)
        )
    essay = next((each for each in essays if each.answer is not None), essays[0])
    if many == 1 and not remark:
        essay = await adjust_length(debate, writer, essay, question, passages=told["passages"])
    if asked.strict and (remark or not written):
        return await mend_quotations(
            debate,
            writer,
            essay,
            question,
            passages=found,
            shown=told["passages"],
            stance=told["stance"],
        )
    verdict = essay_verdict(essay, question)
    texts = [verdict.text, *(each.answer for each in essays if many > 1)]
    await look_up_quotations(debate, texts, found, question)
    return verdict
