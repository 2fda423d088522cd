"""Hopfield: communities that all read one another until they agree (MAD-Community, section 5)."""

from functools import partial
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.nodes import Nodes, plan_nodes, resolve_nodes
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import (
    CONCISE,
    Agents,
    DecisionRule,
    FreeJudge,
    Placing,
    Provenance,
    Rounds,
)
from moot.debate.stops import stop_at_consensus
from moot.debate.verdicts import majority
from moot.debate.views import Views
from moot.protocols import NODE

Communities = Annotated[
    int, Meta(ge=2, le=100, description="how many there are, where nodes are not given")
]
Sweeps = Annotated[int, Meta(ge=1, le=100, description="the most times all of them debate")]


@protocol(
    paper="MAD-Community, section 5 (proposed there, not tested)",
    calls="sweeps * nodes",
    fewest="nodes",
    agreement=True,
    style=CONCISE,
    verify=partial(resolve_nodes, default=NODE),
    group="networks",
)
async def hopfield(
    debate: Debate,
    question: Question,
    *,
    communities: Communities = 3,
    nodes: Nodes = [],  # noqa: B006 -- read, never changed
    agents: Agents = 3,
    rounds: Rounds = 2,
    placing: Placing = "user",
    provenance: Provenance = False,
    sweeps: Sweeps = 3,
    decision: DecisionRule = "plurality",
    free_judge: FreeJudge = False,
) -> Verdict:
    """Let debates exchange verdicts until all have one answer, or the sweeps are over.

    Use it when you study groups that exchange verdicts until they settle; it makes the most calls
    of all, so not for single questions.

    In every sweep each node debates anew and is shown the others' verdicts of the sweep before.
    Without agreement the most frequent answer of the last sweep counts. A node does not see its own
    verdict: in a Hopfield network none is connected with itself. An answer that a node's judge gave
    and none of its members (``free_judge``) is passed on and has no vote in the end.

    Differs:
    - the paper proposes this network and does not test it: how long it runs, and what counts
      without agreement, is open there.
    """
    planned = plan_nodes(debate, sweeps=sweeps)
    views = Views()
    for sweep in range(1, sweeps + 1):
        now = [node for node in planned if node.sweep == sweep]
        done = await gather_all(node.run(views.without_label(node.name)) for node in now)
        views = Views(node.view for node in done)
        decided = Views(node.decided for node in done)
        if stop_at_consensus(views, question):
            return majority(decided, question, by="consensus")
    return debate.decide(decided, decision)
