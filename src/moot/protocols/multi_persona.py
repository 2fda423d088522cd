"""Multi-Persona: an angel, a devil and a judge who may end early (Liang et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds
from moot.debate.sides import TwoSides, argue, check_sides
from moot.debate.verdicts import verdict_from

ReplyStep = Annotated[
    Literal["advice", "agreement"],
    Meta(
        description="what the side that answered first is asked from round 2 on: to take the "
        "other's words as advice, or whether it agrees"
    ),
]
STEPS = {"advice": "reply", "agreement": "agree"}


@protocol(
    paper="arXiv:2305.19118; Smit et al. 2024, appendices A.5 and A.6",
    calls="3 * rounds + 1",
    fewest="3",
    roles=("affirmative", "negative", "judge"),
    agreement=True,
    verify=check_sides,
    shared=TwoSides,
    steered=True,
    group="judges",
    faithful=("paper", "code"),
)
async def multi_persona(
    debate: Debate, question: Question, *, rounds: Rounds = 3, replies: ReplyStep = "advice"
) -> Verdict:
    """Let an affirmative answer and a negative contradict until a judge has made up its mind.

    Use it when you want every answer to be contradicted once, and a judge to rule; a strong
    negative side can talk a judge out of a right answer.

    The affirmative (angel) answers, the negative (devil) is told that it disagrees, and the judge
    reads both. The debate ends when the judge clearly prefers an answer. When no round decided, the
    judge is asked once more, still in the last round, and must decide; it does not read its own
    inconclusive ruling on that round. A ruling that supports a side and gives no answer of its own
    decides for that side's.

    Differs:
        - Ruling: as in the paper, a debate goes on where the judge has no clear preference, also
          when the judge filled in an answer. The paper's code ends it at any answer filled in.
        - Reply: the paper lists an instruction to take the other's words as advice; its code never
          uses it, and asks the angel from round 2 on whether it agrees, with reasons. The paper's
          is the default; the figures were made with the code's. The devil is told in every round
          that it disagrees, as in the code.
        - Agreement: as in the code it takes the place of "you disagree", for the devil alone. That
          debaters need not agree in everything stays in both system messages, as there.
        - Question: both sources put it into the system message. Here the side that answers first
          has it in its first prompt alone, so that no agent is asked twice.
        - Last judgement: its keys are the paper's three; the code has no ``Supported Side`` there.
        - First call: the code's angel has no system message in its first call.
    """
    argument = await argue(debate, "judge", rounds=rounds, reply=STEPS[replies])
    if argument.verdict is not None:
        return argument.verdict
    argument.arbiter.forget()
    last = await argument.show_sides(debate, argument.arbiter, "decide", in_round=argument.round)
    return argument.read_decision(last, must=True) or verdict_from(last, by="judge")
