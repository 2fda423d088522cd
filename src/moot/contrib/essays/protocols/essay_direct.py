"""Direct essays: one agent writes at once, without a plan (a baseline of Debate-to-Write)."""

from moot import Debate, Question, Verdict, protocol
from moot.contrib.essays.essay_brief import OwnOutline, check_brief, read_brief
from moot.contrib.essays.essay_writing import ESSAY_CALLS, WritingSettings, finish_essay
from moot.contrib.essays.team import Stance


@protocol(
    paper="Debate-to-Write, section 3.2 and appendix A.2 (end to end)",
    calls="alternatives + (1 if revise else 0) + (0 if revise else 1 if words else 0)",
    fewest="alternatives + (1 if revise else 0)",
    stages={"essay": ESSAY_CALLS},
    roles=("writer",),
    shared=WritingSettings,
    verify=check_brief,
    group="essays",
)
async def essay_direct(
    debate: Debate, question: Question, *, stance: Stance = "oppose", outline: OwnOutline = ""
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
    told = {"stance": stance, "outline": outline, "length": brief.length, "passages": ""}
    return await finish_essay(debate, writer, question, (), **told)
