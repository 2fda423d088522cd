"""Oversight debate: two debaters have read a passage, and the judge has not (Khan et al. 2024)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot import Debate, Question, Verdict, protocol
from moot.contrib.oversight.hearing import (
    ArgumentLength,
    ArgumentRounds,
    Hearing,
    HearingSettings,
    JudgeAsks,
    verify_hearing,
)
from moot.extend.protocols import opening_values

LENGTH = ArgumentLength(asked=100, least=70, most=150)

OversightTurns = Annotated[
    Literal["simultaneous", "sequential"],
    Meta(description="whether debaters read the round before, or already who spoke before them"),
]


@protocol(
    paper="arXiv:2402.06782 (Khan et al.) and its code; arXiv:2407.04622 (Kenton et al.)",
    calls="2 * rounds * (drafts * draws + reviews) + questions * (rounds - 1) "
    "+ (1 if assigned else 2)",
    fewest="2 * rounds * (drafts + reviews) + questions * (rounds - 1) + (1 if assigned else 2)",
    roles=("debater", "judge", "rater", "critic"),
    asks=opening_values.check_wrong,
    closing="judge",
    shared=HearingSettings,
    verify=lambda settings, where: verify_hearing(settings, where, asks="questions"),
    group="oversight",
)
async def oversight_debate(
    debate: Debate,
    question: Question,
    *,
    rounds: ArgumentRounds = 3,
    turns: OversightTurns = "simultaneous",
    questions: JudgeAsks = False,
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

    With ``best_of`` above 1 each argument is written several times, and a rater who has not read
    the passage keeps the one that convinces it most; with ``critiques`` a critic who has read it
    says what is weak, and the debater writes anew. Whatever is not kept nobody reads. Give the
    rater a model of its own: as the judge's model, it picks what convinces that very judge, and
    the analysis ``oversight`` says so. With ``assigned = false`` the first debater reads the
    passage and answers, and the second argues for the other answer.

    Differs:
        - Answers: of more than two options the right one and a wrong one by hash stand.
        - Order: by hash; ``swapped`` turns it round, and asks the debaters nothing new where they
          speak at the same time and the judge asks nothing.
        - Drawing again: an argument without the length that is asked for, or without a quotation,
          is drawn again where ``draws`` is above 1; 3 in the code.
        - Ratings: of two letters the other one has what the probability of the first leaves. With
          ``rated_by = draws`` a rating is the letter's share of four draws at temperature 1.
        - Critiques: in one prompt with the draft; the code continues the conversation.
        - Temperature: the judge's is .4 below the debaters', and the rater's 0. With ``temperature
          = 0.4``, as in the shipped study, these are the code's .4 and 0; its critic has .6.
        - The judge's last line has "Vote:" and the letter; with ``letter`` it is all of its reply.
    """
    debaters = debate.seat("debater", 2, remembers=False, debater=False)
    hearing = Hearing(debate, debaters, LENGTH)
    return await hearing.hold(0, in_turn=turns == "sequential", asks=questions)
