"""Network: communities along a graph, each reading those before it, one judge (MAD-Community)."""

from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.graph import Graph
from moot.debate.nodes import Edges, Nodes, plan_nodes, resolve_nodes, run_nodes
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
from moot.debate.verdicts import choice_from
from moot.debate.views import Views
from moot.protocols import NODE

WiringPreset = Annotated[
    Literal["short-long", "feed-forward", "cascade", "own"],
    Meta(title="Who feeds whom", description="the wiring; own: that of nodes and edges"),
]


@protocol(
    paper="MAD-Community, section 3 and figures 2 to 4",
    calls="nodes + 1",
    agreement=True,
    style=CONCISE,
    verify=partial(resolve_nodes, default=NODE),
    closing="choose",
    group="networks",
    faithful=("paper", "code"),
)
async def network(
    debate: Debate,
    question: Question,
    *,
    graph: WiringPreset = "short-long",
    nodes: Nodes = [],  # noqa: B006 -- read, never changed
    edges: Edges = [],  # noqa: B006 -- read, never changed
    agents: Agents = 3,
    rounds: Rounds = 2,
    placing: Placing = "user",
    provenance: Provenance = False,
    free_judge: FreeJudge = False,
) -> Verdict:
    """Let debates feed one another along a graph, and a judge choose among the last.

    Use it when you have a plan of several debates that feed one another; begin with one debate,
    since the price is the sum of all nodes.

    Each node is a debate of its own, by any protocol, whose agents see the verdicts of the nodes
    before it. A node starts as soon as these are done. What is set here holds for the nodes too, as
    far as their protocols know it, but for the style ``concise``, the default, which is for
    communities alone; ``agents = [{role = "judge", temperature = 0.3}]`` is for every judge.

    A node's verdict reaches a community as one more agent's reply (see ``provenance``), and a
    node of another protocol beside its question. Who judges, moderates or sums up in a node does
    not see it. The judge of the network is told what a community's judge is told, and reads the
    last nodes as Agent 1, Agent 2 and so on. As there, an answer that none of them came to is
    no verdict, unless ``free_judge`` is set, which holds for communities too. What the judge of
    a node said goes on to other nodes as it spoke.

    Differs:
    - Judge's temperature: it is 0.4 below the network's temperature (paper: always 0.3).
    """
    planned = plan_nodes(debate)
    wiring = Graph.build([node.name for node in planned], edges)
    ended = await run_nodes(wiring, planned)
    [judge] = debate.seat("judge", debater=False, cooler=COOLER, placing=placing)
    last = Views(ended[name].view for name in wiring.judged).anonymous()
    choice = await debate.ask(judge, "choose", others=last, placing=placing)
    decided = Views(ended[name].decided for name in wiring.judged)
    return choice_from(choice, decided, question, free=free_judge)
