"""CAMEL: a user and an assistant in roles, with an aggregator (Prejudice and Fidelity)."""

from moot import Debate, Question, Verdict, protocol, verdict_from
from moot.contrib.frameworks.framework import registry as frameworks
from moot.contrib.frameworks.framework_settings import Opens, list_opened
from moot.extend.protocols import Rounds


@protocol(
    paper="arXiv:2303.17760; Prejudice and Fidelity, section 3.2 and table 7; camel-ai 0.2",
    calls="2 * rounds + 1",
    fewest="2",
    roles=("user", "assistant", "aggregator"),
    opened=list_opened(("user", "assistant")),
    needs="camel",
    kind="society",
    closing="aggregate",
    group="networks",
    faithful=("paper",),
)
async def camel(
    debate: Debate, question: Question, *, rounds: Rounds = 4, opens: Opens = "first"
) -> Verdict:
    """Let CAMEL play a user who instructs an assistant until the task is done, then sum up.

    Use it when you want to know how CAMEL's role play does on your questions; it is made for tasks
    of many steps, and one short question rarely needs it.

    The question is the task of both, and the rules they play by are the library's own. A round is
    an instruction of the user, who speaks first, and the assistant's solution. As in the library,
    the round in which the user calls the task done is the last; a reply without words, of which it
    can make nothing, ends it at once. With the aggregator they are the paper's three agents.

    Differs:
        - Roles: the paper does not name those of the two, nor which task each is given. The rules
          are the library's, the names "Team Leader" and "Problem Solver" are moot's, and both are
          given the question.
        - Opening: table 7 does not say which agents its controlled prompts go to. Appendix A names
          the side that begins: unless ``opens`` is set, the user's task is opened and the
          assistant's is not.
        - Starting round: appendix A opens it. The library repeats the task in every call; from its
          second call on an agent's task is the open question.
        - Aggregator: it is asked as in table 7: to summarise; for true or false to analyse and find
          the most consistent and correct answer too; for options to reply with the answer alone.
          For open questions, which the table has not, it summarises.
    """
    [user] = debate.seat("user", remembers=False)
    [assistant] = debate.seat("assistant", remembers=False)
    said = await frameworks.get("role-playing")(debate, user, assistant, rounds=rounds)
    [aggregator] = debate.seat("aggregator", remembers=False, debater=False)
    return verdict_from(await debate.ask(aggregator, "aggregate", others=said), by="aggregator")
