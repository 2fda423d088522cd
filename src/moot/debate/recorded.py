"""Recorded debates as views, and decided again by another rule, without a call."""

import msgspec

from moot.core.calls import Call, Reply, Sampling
from moot.core.errors import InputError, ModelError, UnknownName
from moot.core.events import Seat, Transcript, Verdict
from moot.core.ports import Limits
from moot.debate.agents import Agent, AgentConfig
from moot.debate.decision import registry as decisions
from moot.debate.graph import JUDGE
from moot.debate.protocol import registry as protocols
from moot.debate.verdicts import view_verdict
from moot.debate.views import View, Views


def decide(transcript: Transcript, rule: str, **options: object) -> Verdict:
    """Return the verdict of a recorded debate by another rule. No call is made.

    Those who vote are the roles that its protocol names as voters, else all its debaters; in a
    network, the nodes of the last sweep. Agents of sub-debates do not vote.

    Args:
        transcript: a debate that ended with a verdict.
        rule: a decision rule's name, e.g. ``"unanimity"``.
        options: of the rule, e.g. ``share=0.75`` of ``supermajority``.

    Raises:
        InputError: the debate failed, so that it has no final views; or an option is out of range.
        UnknownName: no rule has this name, or the rule has no such option.
    """
    if transcript.verdict is None:
        raise InputError("this debate failed: it has no final views to decide by")
    history = voters_of(transcript)
    found = decisions.get(rule)
    return found.apply(history.last, transcript.question, history, options)


def voters_of(transcript: Transcript) -> Views:
    """Return all views of those who vote in a recorded debate, oldest first."""
    if "nodes" in transcript.opened.settings:
        return _nodes_of(transcript)
    try:
        roles = protocols.get(transcript.opened.protocol).voters
    except (UnknownName, InputError):  # a plug-in's protocol, which is not installed now
        roles = ()
    spoken = Views(view for view in views_of(transcript) if not view.turn.node)
    if roles:
        return Views(view for view in spoken if view.turn.role in roles)
    return Views(view for view in spoken if view.agent.seat.debater)


def views_of(transcript: Transcript) -> Views:
    """Return a recorded debate as views: all turns in order, each by its agent's name."""
    agents = {seat.number: _agent_of(seat) for seat in transcript.seats}
    return Views(View(agents[turn.seat], turn) for turn in transcript.turns)


def _nodes_of(transcript: Transcript) -> Views:
    """Return the verdicts of a network's nodes as views, sweep by sweep.

    Of a network with a judge, only those that the judge reads.
    """
    settings = transcript.opened.settings
    names = {node["name"] for node in settings["nodes"]}
    edges = settings.get("edges", ())
    read = {start for start, end in edges if end == JUDGE}
    views = views_of(transcript)
    agents: dict[str, Agent] = {}
    found = []
    for node in transcript.nodes:
        if node.node in (read or names):  # not the sub-debates of a node
            name = node.node if node.sweep == 1 else f"{node.node}.{node.sweep}"
            said = Views(view for view in views if f"{view.turn.node}/".startswith(f"{name}/"))
            view = view_verdict(node.verdict, said, transcript.question)
            turn = msgspec.structs.replace(view.turn, round=node.sweep)
            found.append(View(agents.setdefault(node.node, view.agent), turn))
    return Views(found)


def _agent_of(seat: Seat) -> Agent:
    config = AgentConfig(model=RecordedModel(seat.model), style="", sampling=Sampling())
    return Agent(seat, seat.agent, config)


class RecordedModel:
    """The model of a recorded agent: it has a name, and cannot be called."""

    limits = Limits()
    simulated = False

    def __init__(self, name: str) -> None:
        self.name = self.endpoint = name

    async def reply(self, call: Call) -> Reply:
        """Raise ``ModelError``: the debate is over."""
        raise ModelError(f"{call.model}: a recorded debate cannot go on")

    def cost(self, reply: Reply) -> float | None:
        """Return the recorded cost."""
        return reply.cost

    async def close(self) -> None:
        """Do nothing: no connection is open."""
