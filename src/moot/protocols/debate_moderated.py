"""Moderated debate: two sides, a moderator who may end it, a judge of two steps (APF-Bench)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.core.recorded_settings import read_settings
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import OMITTED, Rounds
from moot.debate.sides import TwoSides, argue, check_sides, seat_arbiter
from moot.debate.verdicts import verdict_from


class ModeratedSides(TwoSides, frozen=True, kw_only=True):
    """The settings of the two sides, and of the judge's last word."""

    names_side: Annotated[
        bool, Meta(description="whether the judge's last word names the side it supports as well")
    ] = False
    judge_reads: Annotated[
        Literal["last", "first"],
        Meta(
            title="The round that the judge reads",
            description="the round whose arguments the judge lists the candidates of",
            extra=OMITTED,
        ),
    ] = "last"


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 6",
    calls="3 * rounds + 2",
    fewest="3",
    roles=("affirmative", "negative", "moderator", "judge"),
    agreement=True,
    verify=check_sides,
    shared=ModeratedSides,
    steered=True,
    group="judges",
    faithful=("paper", "code"),
)
async def debate_moderated(debate: Debate, question: Question, *, rounds: Rounds = 5) -> Verdict:
    """Let two sides argue until a moderator prefers one; else a judge lists candidates and decides.

    Use it when you study how two sides and a moderator settle a question, or a moderator's
    prejudice; for plain accuracy compare it with self-consistency first.

    The second side has to disagree in the first round alone; from then on both are asked whether
    they agree. A moderator who prefers a side and gives no answer has decided for that side's. The
    judge reads the sides' last arguments.

    Differs:
    - Ruling: a moderator who prefers no side has not decided, even if it fills in an answer: the
      paper's text goes by the preference. Its code ends the debate as soon as an answer is there.
    - Judge: it lists the candidates of the last round; the paper's code shows it the first round.
    - Agreement: the paper does not modulate it. It takes the place of "you disagree" and of "do you
      agree", for both sides, since each reads the other.
    """
    argument = await argue(debate, "moderator", rounds=rounds, keeps_opposing=False)
    if argument.verdict is not None:
        return argument.verdict
    [judge] = seat_arbiter(debate, "judge", argument.headings)
    settings = read_settings(debate.context.settings, ModeratedSides)
    shown = argument.at_first(debate.views) if settings.judge_reads == "first" else argument
    await shown.show_sides(debate, judge, "candidates", in_round=argument.round)
    step = "support" if settings.names_side else "conclude"
    last = await argument.ask(debate, judge, step, in_round=argument.round)
    return argument.read_decision(last, must=True) or verdict_from(last, by="judge")
