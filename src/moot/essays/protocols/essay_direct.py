"""Direct essays: one agent writes at once, without a plan (a baseline of Debate-to-Write)."""

from moot import Debate, Question, Verdict, protocol
from moot.essays.team import Stance, essay_verdict


@protocol(
    paper="Debate-to-Write, section 3.2 and appendix A.2 (end to end)",
    calls="1",
    roles=("writer",),
)
async def essay_direct(debate: Debate, question: Question, *, stance: Stance = "oppose") -> Verdict:
    """Let one agent write an argued essay about a proposition, in one go.

    Use it when you want an essay for one call, or the baseline of the others; no one plans or
    checks it.

    An empty reply is no essay: the verdict then has no answer.
    """
    [writer] = debate.seat("writer", remembers=False, debater=False, stance=stance)
    return essay_verdict(await debate.ask(writer, "essay", stance=stance), question)
