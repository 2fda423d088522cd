"""An AutoGen group chat of agents, with an aggregator (Prejudice and Fidelity)."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot import Debate, InputError, Question, Verdict, protocol, verdict_from
from moot.contrib.frameworks.framework import registry as frameworks
from moot.contrib.frameworks.framework_settings import (
    EndsAtConsensus,
    Opens,
    SeveralAgents,
    list_opened,
)
from moot.extend.protocols import Rounds

CHOICE = 3
"""The fewest agents between whom a selector can choose, as none speaks twice in a row."""


HasSelector = Annotated[bool, Meta(description="whether one more agent says who speaks next")]


class _SelectorChoice(msgspec.Struct):
    selector: bool
    agents: int


def _check_selector(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` where a selector has no choice."""
    own = msgspec.convert(settings, _SelectorChoice)
    if own.selector and own.agents < CHOICE:
        raise InputError(
            f"{where}: selector = true: of {own.agents} agents the other always speaks "
            f"next; it needs agents = {CHOICE} or more"
        )
    return settings


@protocol(
    paper="Prejudice and Fidelity, section 3.2 and table 7; AutoGen AgentChat 0.7",
    calls="agents * rounds * (1 + 3 * selector) + 1",
    fewest="agents * (rounds - consensus * (rounds - 1)) * (1 + selector) + 1",
    roles=("agent", "selector", "aggregator"),
    agreement=True,
    verify=_check_selector,
    opened=list_opened(("agent",)),
    needs="autogen_agentchat",
    kind="society",
    closing="aggregate",
    group="networks",
    faithful=("paper",),
)
async def autogen(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 4,
    selector: HasSelector = False,
    consensus: EndsAtConsensus = True,
    opens: Opens = "first",
) -> Verdict:
    """Let an AutoGen group chat of agents take turns, round after round, then sum up.

    Use it when you want to know how an AutoGen group chat does on your questions; it is no method
    of its own, and needs the library.

    Each agent has its own context of messages and is sent what every other says. The chat is a
    round robin, or a selector is asked who is to speak next: up to three times, until it names one
    agent, and not the one who has just spoken; a round is then as many turns as there are agents.
    One more agent is given the whole chat, and settles on an answer.

    Differs:
        - Roles: table 7 sends the agents the task and no role. Here they have none either; a file
          of prompts can give them one (``role.agent``).
        - Opening: table 7 does not say which agents its controlled prompts go to. Appendix A names
          the side that begins, so that ``opens`` is the first agent unless it is set.
        - Team: the paper does not say which of AutoGen it uses, nor that agreement of all agents
          ends the chat: ``selector`` and ``consensus`` are moot's.
        - Aggregator: it is asked as in table 7: to summarise; for true or false to analyse and find
          the most consistent and correct answer too; for options to reply with the answer alone.
          For open questions, which the table has not, it summarises.
        - Agreement: it stands in no source. An agent that is told how far to agree has these words
          as its role.
    """
    seats = debate.seat("agent", agents, remembers=False)
    chooser = debate.seat("selector", remembers=False, debater=False)[0] if selector else None
    aggregator = debate.seat("aggregator", remembers=False, debater=False)[0]
    converse = frameworks.get("group-chat")
    view = await converse(debate, seats, chooser, aggregator, rounds=rounds, consensus=consensus)
    return verdict_from(view, by="aggregator")
