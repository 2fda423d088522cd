"""Consultancy: a primary decision-maker refines its answer by a consultant's advice (APF-Bench)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds
from moot.debate.stops import stop_at_approval
from moot.debate.verdicts import first_answer
from moot.debate.views import Views
from moot.parsing.opinion import Opinion


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 8",
    calls="2 * rounds",
    fewest="2",
    roles=("primary", "consultant"),
    agreement=True,
)
async def consultancy(debate: Debate, question: Question, *, rounds: Rounds = 5) -> Verdict:
    """Let a consultant review an answer until satisfied; its final answer counts.

    Use it when one agent is to answer and another to review it, as with an assistant and an editor;
    not as a second opinion, since the consultant's answer counts.

    The primary decision-maker reads the consultant's feedback, and neither its answer nor its
    reason. Where the consultant gives no answer, the primary decision-maker's newest counts.

    Differs:
    - The question stands in the primary decision-maker's system message, as in the paper, and once
      more where it is first asked, with the style and the form of the answer.
    - Answers stand in a line "Final answer:"; the paper asks for them in a box at the end, and for
      0 or 1 where there are two solutions.
    - A consultant that writes no JSON gives its words, without its answer, as feedback.
    - Agreement, which the paper does not modulate, takes the place of what the consultant is told
      to look for.
    """
    [primary] = debate.seat("primary")
    [consultant] = debate.seat("consultant")
    answer = await debate.ask(primary, "answer")
    for number in range(1, rounds + 1):
        advice = await debate.ask(consultant, "advise", other=answer, round=number)
        if stop_at_approval(Views((advice,)), question):
            break
        if number < rounds:
            opinion = advice.get(Opinion)
            feedback = advice.text_only(opinion.feedback if opinion else "")
            answer = await debate.ask(primary, "refine", other=feedback)
    return first_answer(advice, answer, by=("consultant", "primary"))
