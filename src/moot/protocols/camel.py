"""CAMEL: a user and an assistant in roles, with an aggregator (Prejudice and Fidelity)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Rounds
from moot.debate.verdicts import says


@protocol(
    paper="arXiv:2303.17760; Prejudice and Fidelity, section 3.2 and table 7; camel-ai 0.2",
    calls="2 * rounds + 1",
    fewest="2",
    roles=("user", "assistant", "aggregator"),
    needs="camel",
)
async def camel(debate: Debate, question: Question, *, rounds: Rounds = 4) -> Verdict:
    """Let CAMEL play a user who instructs an assistant until the task is done, then sum up.

    The question is the task of both, and the rules they play by are the library's own. A round is
    an instruction of the user, who speaks first, and the assistant's solution. As in the library,
    the round in which the user calls the task done is the last; a reply without words, of which it
    can make nothing, ends it at once. With the aggregator they are the paper's three agents.
    """
    from moot.society.role_playing import converse  # the library is there: ``check`` has looked

    [user] = debate.seat("user", remembers=False)
    [assistant] = debate.seat("assistant", remembers=False)
    said = await converse(debate, user, assistant, rounds=rounds)
    [aggregator] = debate.seat("aggregator", remembers=False)
    return says(await debate.ask(aggregator, "aggregate", others=said), by="aggregator")
