"""Consultancy: a primary decision-maker refines its answer by a consultant's advice (APF-Bench)."""

from moot.answers.opinion import Opinion
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import first_said


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 8",
    calls="2 * rounds",
    fewest="2",
    roles=("primary", "consultant"),
    agreement=True,
)
async def consultancy(debate: Debate, question: Question, *, rounds: Rounds = 5) -> Verdict:
    """Let a consultant review an answer until satisfied; its final answer counts.

    Where the consultant gives none, the primary decision-maker's newest counts.
    """
    [primary] = debate.seat("primary")
    [consultant] = debate.seat("consultant")
    answer = await debate.ask(primary, "answer")
    for left in reversed(range(rounds)):
        advice = await debate.ask(consultant, "advise", other=answer)
        opinion = advice.told(Opinion)
        if opinion and opinion.satisfied:
            break
        if left:
            answer = await debate.ask(primary, "refine", other=advice)
    return first_said(advice, answer, by=("consultant", "primary"))
