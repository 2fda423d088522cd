"""ChatEval with scores: three roles, and the best-scored answer, as the settings paper has it."""

from statistics import fmean
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views
from moot.parsing.scored import Scores

ROLES = ("general-public", "critic", "scientist")
LONGEST = 800
"""Characters of the final answer, and of its text."""

ScoredRounds = Annotated[int, Meta(ge=2, le=1000, description="rounds; the last one gives scores")]


@protocol(
    paper="Detailed Settings for Different Multi-Agent Debate Framework, Chateval",
    calls="3 * rounds",
    roles=ROLES,
    agreement=True,
    faithful=("paper",),
)
async def chateval_scored(
    debate: Debate, question: Question, *, rounds: ScoredRounds = 2
) -> Verdict:
    """Let three roles speak in turn; in the last round they answer and score the round before.

    Use it when you want the answer that the speakers themselves score best; three roles are fixed,
    and a model that cannot keep to a form of scores makes it a poor choice.

    The answer with the highest average score counts, what agents give themselves included, an
    earlier seat before a later one of the same score; without any score, the Scientist's.

    Differs:
        - Length: the settings paper asks for an answer of at most 800 words and keeps 800
          characters of it. Here 800 characters are asked for, and kept.
        - Style: the paper knows of none. Here the style holds for Critic and Scientist before the
          last round. General Public is not asked in it: it is to say at once what it thinks and
          feels. Nor do ``simple`` and ``few-shot`` ask the two for the answer at once.
        - Own scores: the paper does not say whether agents score themselves. Here they do, like all
          others.
        - Agreement: it stands in no source. It takes the place of what Critic and Scientist are
          told to object to.
    """
    agents = [agent for role in ROLES for agent in debate.seat(role, remembers=False)]
    said = Views()
    for number in range(1, rounds + 1):
        for agent in agents:
            role = agent.seat.role
            step = "react" if role == "general-public" else "discuss"
            if number == rounds:
                step = "conclude"
            said = said.add(await debate.ask(agent, step, history=said, round=number, role=role))
    last = said.newest(agents)

    scores = [told for view in last if (told := view.get(Scores))]

    def score(view: View) -> float:
        each = [told.of(view.agent.label, rounds - 1) for told in scores]
        given = [one for one in each if one is not None]
        return fmean(given) if given else 0.0

    best = max(last, key=score)
    by = "score" if score(best) else "scientist"
    chosen = best if score(best) else last.of(agents[-1])
    told = chosen.get(Scores)
    return verdict_from(
        chosen.with_text(told.words if told else chosen.text), by=by, longest=LONGEST
    )
