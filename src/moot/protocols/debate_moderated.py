"""Moderated debate: two sides, a moderator who may end it, a judge of two steps (APF-Bench)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import says


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 6",
    calls="3 * rounds + 2",
    fewest="3",
    roles=("affirmative", "negative", "moderator", "judge"),
    agreement=True,
)
async def debate_moderated(debate: Debate, question: Question, *, rounds: Rounds = 5) -> Verdict:
    """Let two sides argue until a moderator prefers one; else a judge lists candidates and decides.

    The judge reads the sides' last arguments.
    """
    [affirmative] = debate.seat("affirmative")
    [negative] = debate.seat("negative")
    [moderator] = debate.seat("moderator")
    pro = await debate.ask(affirmative, "answer")
    for left in reversed(range(rounds)):
        con = await debate.ask(negative, "oppose", other=pro)
        ruling = await debate.ask(moderator, "moderate", affirmative=pro, negative=con)
        if ruling.decided:
            return says(ruling, by="moderator")
        if left:
            pro = await debate.ask(affirmative, "reply", other=con)
    [judge] = debate.seat("judge")
    await debate.ask(judge, "candidates", affirmative=pro, negative=con)
    return says(await debate.ask(judge, "conclude"), by="judge")
