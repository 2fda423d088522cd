"""Community: agents debate in turn over one history, and a judge chooses (MAD-Community)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import (
    CONCISE,
    COOLER,
    Agents,
    FreeJudge,
    Placing,
    Provenance,
    Rounds,
)
from moot.debate.stop_rule import Stopping
from moot.debate.verdicts import choice_from
from moot.debate.views import Views


@protocol(
    paper="MAD-Community, section 3 and figure 1",
    calls="agents * rounds + 1",
    roles=("member", "judge"),
    agreement=True,
    style=CONCISE,
    shared=Stopping,
    closing="choose",
    group="judges",
    faithful=("paper", "code"),
)
async def community(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    placing: Placing = "user",
    provenance: Provenance = False,
    free_judge: FreeJudge = False,
) -> Verdict:
    """Let agents speak in turn over all that was said, then a judge choose among the last.

    Use it when short answers are enough and tokens are few: replies have fewer than 50 words; not
    where the reasoning itself has to be long.

    Members criticise what was said and answer in JSON, the answer first and then a reason, together
    in fewer than 50 words: the style ``concise``. A reply is passed on as one line: who, which
    answer, because of what. Another ``style`` takes its place, with its own form and without the
    limit; replies are then passed on whole. The judge reads the newest response of each member and
    nothing else, chooses one of them, and speaks 0.4 below the members' temperature (paper: 0.7 and
    0.3), unless it has one of its own. Where it gives an answer that none of them gives, the
    verdict has no answer; ``free_judge`` lets it count, as the released code does. Answers to open
    questions are not compared.

    As a node of a network, members find what came in from other nodes among the replies, as Agent
    1, Agent 2 and so on, before the members, who are numbered on from there. With ``provenance`` it
    stands beside the question instead, under the other nodes' names, with the advice to weigh it.

    Differs:
    - Options: they keep the letters (A), (B) and so on; the paper numbers them from 1.
    - Names: the released code calls members Agent A, Agent B. Letters are taken here, so all agents
      have numbers.
    - Subject: the released prompts speak of graduate questions in biology, physics or chemistry;
      ours name no subject, as any question can be asked.
    - First member: it is not asked to criticise replies that do not exist.
    - Judge: it chooses one of the responses, as the paper says; the released code lets it take any
      option (``free_judge``). What follows where it chooses none is open in the paper.
    """
    came = bool(debate.context.given)
    said = Views() if provenance else debate.take_given()
    alone = agents == 1 and not came
    members = debate.seat(
        "member", agents, remembers=False, labels=said.next_label, placing=placing, alone=alone
    )
    for _ in debate.until_stop(range(rounds)):
        said = await debate.in_turn(members, "speak", said, placing=placing, alone=alone, came=came)
    [judge] = debate.seat("judge", debater=False, cooler=COOLER, placing=placing)
    last = said.newest(members)
    choice = await debate.ask(judge, "choose", others=last, placing=placing)
    return choice_from(choice, last, question, free=free_judge)
