"""Direct essays: one agent writes at once, without a plan (a baseline of Debate-to-Write)."""

from moot import Debate, Question, Verdict, protocol
from moot.essays.essay_brief import BriefSettings, Outline, check_brief, read_brief
from moot.essays.team import Stance, essay_verdict


@protocol(
    paper="Debate-to-Write, section 3.2 and appendix A.2 (end to end)",
    calls="1",
    roles=("writer",),
    shared=BriefSettings,
    verify=check_brief,
)
async def essay_direct(
    debate: Debate, question: Question, *, stance: Stance = "oppose", outline: Outline = ""
) -> Verdict:
    """Let one agent write an argued essay about a proposition, in one go.

    Use it when you want an essay for one call, or the baseline of the others; no one plans or
    checks it.

    An empty reply is no essay: the verdict then has no answer.
    """
    brief = read_brief(debate)
    [writer] = debate.seat(
        "writer", remembers=False, debater=False, stance=stance, brief=brief.writer
    )
    essay = await debate.ask(writer, "essay", stance=stance, outline=outline, length=brief.length)
    return essay_verdict(essay, question)
