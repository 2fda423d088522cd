"""Oversight consultancy: one consultant has read a passage, and the judge has not."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.hearing import (
    ArgumentDraws,
    ArgumentLength,
    ArgumentRounds,
    Hearing,
    Swapped,
    find_consultant_side,
)
from moot.debate.protocol import protocol

LENGTH = ArgumentLength(asked=200, least=140, most=300)

ConsultantSide = Annotated[
    Literal["hash", "right", "wrong"],
    Meta(description="the answer that the consultant argues for; hash: either, by the question"),
]


@protocol(
    paper="arXiv:2402.06782 (Khan et al.) and its code; arXiv:2407.04622 (Kenton et al.)",
    calls="rounds * draws + asks * (rounds - 1) + 1",
    fewest="rounds + asks * (rounds - 1) + 1",
    roles=("consultant", "judge"),
    needs_answer=True,
    closing="judge",
    verify=lambda settings, _: settings | {"asks": settings["rounds"] > 0},
)
async def oversight_consultancy(
    debate: Debate,
    question: Question,
    *,
    rounds: ArgumentRounds = 3,
    side: ConsultantSide = "hash",
    draws: ArgumentDraws = 1,
    swapped: Swapped = False,
    asks: Annotated[bool, Meta(description="filled in: the judge asks between rounds")] = True,
) -> Verdict:
    """Let one consultant who has read a passage argue for an answer before a judge who has not.

    Use it when you want to know how well a single adviser, who may argue for a wrong answer,
    convinces a judge that cannot check it; it is the baseline of ``oversight-debate`` in studies.

    The judge is told that the consultant may be arguing for a wrong answer, and asks it something
    between rounds. Quotations are checked against the passage. ``side = right`` and ``side =
    wrong`` in two arms tell how often the judge follows a right and a wrong adviser.

    Differs:
        - Order, temperatures, drawing again and the judge's last line: as in ``oversight-debate``.
    """
    [consultant] = debate.seat("consultant", remembers=False, debater=False)
    [judge] = debate.seat("judge", remembers=False, debater=False)
    hearing = Hearing(debate, judge, swapped=swapped, length=LENGTH, draws=draws)
    place = find_consultant_side(question, side, *debate.key)
    for number in range(1, rounds + 1):
        remark = await hearing.ask_judge(number) if number > 1 else None
        said = await hearing.argue(consultant, place, number, remark)
        hearing.arguments = hearing.arguments.add(said)
    return await hearing.decide([consultant], rounds or 1)
