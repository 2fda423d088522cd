"""Consultancy: a primary decision-maker refines its answer by a consultant's advice (APF-Bench)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import OMITTED, Rounds
from moot.debate.stops import stop_at_approval
from moot.debate.verdicts import first_answer, verdict_from
from moot.debate.views import Views
from moot.parsing.opinion import Opinion

Decides = Annotated[
    Literal["consultant", "primary"],
    Meta(
        description="whose answer counts. primary: its last one, which it gives once more after "
        "the last feedback",
        extra=OMITTED,
    ),
]


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 8",
    calls='2 * rounds + (decides == "primary")',
    fewest="2",
    roles=("primary", "consultant"),
    agreement=True,
    faithful=("paper", "code"),
)
async def consultancy(
    debate: Debate, question: Question, *, rounds: Rounds = 5, decides: Decides = "consultant"
) -> Verdict:
    """Let a consultant review an answer until satisfied; its final answer counts.

    Use it when one agent is to answer and another to review it, as with an assistant and an editor;
    not as a second opinion, since the consultant's answer counts.

    The primary decision-maker reads the consultant's feedback, and neither its answer nor its
    reason. Where the consultant gives no answer, the primary decision-maker's newest counts. With
    ``decides = "primary"`` the primary decision-maker's last answer counts: the one that satisfied
    the consultant, else one more after the last feedback.

    Differs:
    - Verdict: the paper contradicts itself on whose answer counts. Its section 3.1 says that the
      primary decision-maker's does, given after the consultant's feedback; in its table 8 and its
      code the consultant states a final answer, which counts. The default is the code's. It bears
      on what an opening does, since only the primary decision-maker is asked the opening: study
      both.
    - End: by section 3.1 the primary decision-maker may end it early, and a debate has 2 calls a
      round. No prompt of the paper asks it whether to end: here the consultant ends it, as in table
      8. An answer after the last feedback is one call more.
    - Question: it stands in the primary decision-maker's system message, as in the paper, and once
      more where it is first asked, with the style and the form of the answer.
    - No JSON: a consultant that writes none gives its words, without its answer, as feedback.
    - Agreement: the paper does not modulate it. It takes the place of what the consultant is told
      to look for.
    """
    [primary] = debate.seat("primary")
    [consultant] = debate.seat("consultant")
    answer = await debate.ask(primary, "answer")
    for number in range(1, rounds + 1):
        advice = await debate.ask(consultant, "advise", other=answer, round=number)
        if stop_at_approval(Views((advice,)), question):
            break
        if number < rounds or decides == "primary":
            opinion = advice.get(Opinion)
            feedback = advice.text_only(opinion.feedback if opinion else "")
            last = min(number + 1, rounds)
            answer = await debate.ask(primary, "refine", in_round=last, other=feedback)
    if decides == "primary":
        return verdict_from(answer, by="primary")
    return first_answer(advice, answer, by=("consultant", "primary"))
