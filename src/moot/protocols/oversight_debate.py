"""Oversight debate: two debaters have read a passage, and the judge has not (Khan et al. 2024)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.hearing import (
    ArgumentDraws,
    ArgumentLength,
    ArgumentRounds,
    Hearing,
    JudgeAsks,
    Swapped,
)
from moot.debate.protocol import protocol
from moot.debate.views import Views

LENGTH = ArgumentLength(asked=100, least=70, most=150)

OversightTurns = Annotated[
    Literal["simultaneous", "sequential"],
    Meta(description="whether debaters read the round before, or already who spoke before them"),
]


@protocol(
    paper="arXiv:2402.06782 (Khan et al.) and its code; arXiv:2407.04622 (Kenton et al.)",
    calls="2 * rounds * draws + questions * (rounds - 1) + 1",
    fewest="2 * rounds + questions * (rounds - 1) + 1",
    roles=("debater", "judge"),
    needs_answer=True,
    closing="judge",
    verify=lambda settings, _: (
        settings | {"questions": settings["questions"] and settings["rounds"] > 0}
    ),
)
async def oversight_debate(
    debate: Debate,
    question: Question,
    *,
    rounds: ArgumentRounds = 3,
    turns: OversightTurns = "simultaneous",
    questions: JudgeAsks = False,
    draws: ArgumentDraws = 1,
    swapped: Swapped = False,
) -> Verdict:
    """Let two debaters who have read a passage argue for two answers before a judge who has not.

    Use it when you want to know whether a weaker judge finds the truth between two stronger
    models; it is for studies, since it needs the right answer, and of no use where the judge can
    read the passage itself.

    One debater argues for the right answer and one for a wrong one; neither is told which is right,
    and the judge knows of the passage what they tell it. Quotations in their arguments are checked
    against the passage: the judge sees which are real. With ``rounds = 0`` the judge decides
    without any argument: the naive judge of the paper. Its expert judge is ``single``, which reads
    the passage.

    Differs:
        - Answers: of more than two options the right one and a wrong one by hash stand.
        - Order: by hash; ``swapped`` turns it round, and asks the debaters nothing new where they
          speak at the same time.
        - Drawing again: an argument without the length that is asked for, or without a quotation,
          is drawn again where ``draws`` is above 1; 3 in the code.
        - Questions: the judge asks both debaters in one reply, without tags. Its questions stand in
          the next prompts of the debaters alone.
        - Open form: debaters that choose their answer themselves are not here.
        - Debaters and judge have the temperature of the settings; the code's have .4 and 0.
        - The judge's last line has "Vote:" and the letter.
    """
    debaters = debate.seat("debater", 2, remembers=False, debater=False)
    [judge] = debate.seat("judge", remembers=False, debater=False)
    hearing = Hearing(debate, judge, swapped=swapped, length=LENGTH, draws=draws)
    for number in range(1, rounds + 1):
        remark = await hearing.ask_judge(number) if questions and number > 1 else None
        if turns == "sequential":
            for side in hearing.order:
                said = await hearing.argue(debaters[side], side, number, remark)
                hearing.arguments = hearing.arguments.add(said)
            continue
        asked = [hearing.argue(each, side, number, remark) for side, each in enumerate(debaters)]
        hearing.arguments = Views((*hearing.arguments, *await gather_all(asked)))
    return await hearing.decide(debaters, rounds or 1)
