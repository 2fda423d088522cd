"""Moderated debate: two sides, a moderator who may end it, a judge of two steps (APF-Bench)."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds
from moot.debate.sides import (
    ShownFirst,
    SidesAs,
    SpeaksFirst,
    SwapsLabels,
    TellsPersonas,
    argue,
    check_sides,
    seat_arbiter,
)
from moot.debate.verdicts import verdict_from

NamesSide = Annotated[
    bool, Meta(description="whether the judge's last word names the side it supports as well")
]


@protocol(
    paper="Prejudice and Fidelity, section 3.1 and appendix H, table 6",
    calls="3 * rounds + 2",
    fewest="3",
    roles=("affirmative", "negative", "moderator", "judge"),
    agreement=True,
    verify=check_sides,
)
async def debate_moderated(
    debate: Debate,
    question: Question,
    *,
    rounds: Rounds = 5,
    speaks_first: SpeaksFirst = "affirmative",
    shown_first: ShownFirst = "affirmative",
    sides_as: SidesAs = "label",
    tells_personas: TellsPersonas = False,
    swaps_labels: SwapsLabels = False,
    names_side: NamesSide = False,
) -> Verdict:
    """Let two sides argue until a moderator prefers one; else a judge lists candidates and decides.

    The second side has to disagree in the first round alone; from then on both are asked whether
    they agree. A moderator who prefers a side and gives no answer has decided for that side's. The
    judge reads the sides' last arguments.

    Differs:
    - A moderator who prefers no side has not decided, even if it fills in an answer: the paper's
      text goes by the preference. Its code ends the debate as soon as an answer is there.
    - The judge lists the candidates of the last round; the paper's code shows it the first round.
    - Answers stand in a line "Final answer:"; the paper asks for them in a box at the end, and for
      0 or 1 where there are two solutions.
    - Agreement, which the paper does not modulate, takes the place of "you disagree" and of "do you
      agree", for both sides, since each reads the other.
    """
    argument = await argue(
        debate,
        "moderator",
        rounds=rounds,
        speaks_first=speaks_first,
        shown_first=shown_first,
        sides_as=sides_as,
        tells_personas=tells_personas,
        swaps_labels=swaps_labels,
        keeps_opposing=False,
    )
    if argument.verdict is not None:
        return argument.verdict
    [judge] = seat_arbiter(debate, "judge", argument.headings)
    await argument.show_sides(debate, judge, "candidates", in_round=rounds)
    step = "support" if names_side else "conclude"
    last = await argument.ask(debate, judge, step, in_round=rounds)
    return argument.read_decision(last, must=True) or verdict_from(last, by="judge")
