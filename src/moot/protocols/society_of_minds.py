"""Society of minds: answer alone, read one another, revise, vote (Du et al. 2023)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import ProtocolKind, protocol
from moot.debate.protocol_settings import Agents, DecisionRule, HasSummary, Remembered, Rounds
from moot.debate.stop_rule import Stopping

ExchangeOrder = Annotated[
    Literal["simultaneous", "sequential"],
    Meta(
        title="Who is read: the round before, or all so far",
        description="whether agents read the round before, or already those before them",
    ),
]


def _find_kind(settings: Mapping[str, Any]) -> ProtocolKind:
    """Return that it is a debate, but for one agent or one round: the latter is a vote."""
    alone = settings.get("agents", 2) == 1 or settings.get("rounds", 2) == 1
    return "control" if alone else "debate"


@protocol(
    paper="arXiv:2305.14325; Smit et al. 2024, appendix A.5",
    calls="agents * rounds + summary * (rounds - 1)",
    answers="agents * rounds",
    roles=("mind", "summariser"),
    agreement=True,
    voters=("mind",),
    first="mind",
    shared=Stopping,
    kind=_find_kind,
    faithful=("paper", "code"),
)
async def society_of_minds(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    exchange: ExchangeOrder = "simultaneous",
    summary: HasSummary = False,
    memory: Remembered = "chat",
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let every agent revise its answer in the light of the others', then vote.

    Use it when you want the plain debate of the literature: all answer, read one another and vote;
    agents tend to agree, so compare it with self-consistency at its price.

    In a simultaneous round, the paper's, all agents read what was said in the round before; in a
    sequential one, the benchmark's code, each reads the newest of everyone. With a summary a
    summariser tells, between rounds, what has been said, and agents read that instead: the summary
    of all answers, their own among them. An agent alone checks its own answer.

    Differs:
        - First round: the paper (table 3) has chain-of-thought prompts; the benchmark's code sends
          the bare question.
        - Order: agents of the paper read the round before, those of the benchmark's code the newest
          of everyone.
        - Memory: an agent of the paper keeps its whole conversation, the default. The benchmark's
          code sends the question, the agent's last answer and the others' newest alone.
        - Messages: the code joins these three in one message; here they are three.
        - Names: the sources show "one agent's solution" without a name; here agents have numbers.
        - Question: it is repeated where an agent revises, and shown to the summariser. The sources
          do neither.
        - Agreement: as in the code, it takes the place of "as advice, with care". With a summary it
          speaks of the agents whose answers are summed up.
    """
    minds = debate.seat("mind", agents, remembers=not summary, memory=memory)
    scribes = debate.seat("summariser", remembers=False, debater=False) if summary else []
    views = await debate.everyone(minds, "answer")
    for _ in debate.until_stop(range(rounds - 1)):
        if scribes:
            [told] = await debate.everyone(scribes, "summarise", others=views)
            alone = agents == 1
            views = await debate.everyone(minds, "revise-by-summary", summary=told, alone=alone)
        elif exchange == "simultaneous":
            views = await debate.everyone(minds, "revise", others=views.without)
        else:
            for mind in minds:
                view = await debate.ask(mind, "revise", others=views.without(mind))
                views = views.replace_newest(view)
    return debate.decide(views, decision)
