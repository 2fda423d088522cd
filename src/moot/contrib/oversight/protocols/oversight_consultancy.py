"""Oversight consultancy: one consultant has read a passage, and the judge has not."""

from typing import Annotated, Literal

from msgspec import Meta

from moot import Debate, Question, Verdict, protocol
from moot.contrib.oversight.argued_answers import find_consultant_side
from moot.contrib.oversight.hearing import (
    ArgumentLength,
    ArgumentRounds,
    Hearing,
    HearingSettings,
    verify_hearing,
)
from moot.extend.protocols import opening_values

LENGTH = ArgumentLength(asked=200, least=140, most=300)

ConsultantSide = Annotated[
    Literal["hash", "right", "wrong"],
    Meta(description="the answer that the consultant argues for; hash: either, by the question"),
]


@protocol(
    paper="arXiv:2402.06782 (Khan et al.) and its code; arXiv:2407.04622 (Kenton et al.)",
    calls="rounds * (drafts * draws + reviews) + asks * (rounds - 1) + (1 if assigned else 2)",
    fewest="rounds * (drafts + reviews) + asks * (rounds - 1) + (1 if assigned else 2)",
    roles=("consultant", "judge", "rater", "critic"),
    asks=opening_values.check_wrong,
    closing="judge",
    shared=HearingSettings,
    verify=lambda settings, where: verify_hearing(settings | {"asks": True}, where, asks="asks"),
    group="oversight",
)
async def oversight_consultancy(
    debate: Debate,
    question: Question,
    *,
    rounds: ArgumentRounds = 3,
    side: ConsultantSide = "hash",
    asks: Annotated[bool, Meta(description="filled in: the judge asks between rounds")] = True,
) -> Verdict:
    """Let one consultant who has read a passage argue for an answer before a judge who has not.

    Use it when you want to know how well a single adviser, who may argue for a wrong answer,
    convinces a judge that cannot check it; it is the baseline of ``oversight-debate`` in studies.

    The judge is told that the consultant may be arguing for a wrong answer, and asks it something
    between rounds. Quotations are checked against the passage. ``side = right`` and ``side =
    wrong`` in two arms tell how often the judge follows a right and a wrong adviser. With
    ``assigned = false`` the consultant reads the passage, answers, and argues for its answer.

    Differs:
        - Order, temperatures, drawing again, ratings and the judge's last line: as in
          ``oversight-debate``.
    """
    advocates = debate.seat("consultant", remembers=False, debater=False)
    place = find_consultant_side(question, side, *debate.key)
    return await Hearing(debate, advocates, LENGTH).hold(place, asks=asks)
