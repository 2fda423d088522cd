"""Multi-Persona: an angel, a devil and a judge who may end early (Liang et al. 2023)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import says


@protocol(
    paper="arXiv:2305.19118",
    calls="3 * rounds + 1",
    fewest="3",
    roles=("affirmative", "negative", "judge"),
    agreement=True,
)
async def multi_persona(debate: Debate, question: Question, *, rounds: Rounds = 3) -> Verdict:
    """Let an affirmative answer and a negative contradict until a judge has made up its mind.

    The affirmative reads the negative, the negative the affirmative's newest, the judge both. When
    no round decided, the judge is asked once more and must.
    """
    [affirmative] = debate.seat("affirmative")
    [negative] = debate.seat("negative")
    [judge] = debate.seat("judge")
    pro = await debate.ask(affirmative, "answer")
    for left in reversed(range(rounds)):
        con = await debate.ask(negative, "oppose", other=pro)
        ruling = await debate.ask(judge, "judge", affirmative=pro, negative=con)
        if ruling.decided:
            return says(ruling, by="judge")
        if left:
            pro = await debate.ask(affirmative, "rebut", other=con)
    return says(await debate.ask(judge, "decide"), by="judge")
