"""Exchange of thought: Kitty, Peter and Ben over four topologies (Yin et al. 2023)."""

from collections.abc import Coroutine, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import OMITTED, DecisionRule, Remembered, acts_where
from moot.debate.stops import stop_at_consensus
from moot.debate.verdicts import all_agree, answer_share, verdict_from
from moot.debate.views import View, Views
from moot.parsing.similar import is_similar, plain_ratio

ROLES = ("kitty", "peter", "ben")
"""Two leaves and the parent, in the settings paper."""
READS: dict[str, dict[str, set[str]]] = {
    "debate": {"kitty": {"peter"}, "peter": {"kitty"}, "ben": {"kitty", "peter"}},
    "memory": {role: set(ROLES) for role in ROLES},
    "report": {"kitty": {"ben"}, "peter": {"ben"}, "ben": {"kitty", "peter"}},
    "relay": {"kitty": {"ben"}, "peter": {"kitty"}, "ben": {"peter"}},
}
AFTER_SETTINGS_PAPER = {"stop": "similarity", "rounds": 3, "reply": "review"}
"""What holds in the topology ``debate`` where it is not set."""
AFTER_EOT = {"stop": "consensus", "rounds": 6, "reply": "revise"}
"""What holds in the other topologies where it is not set: an answer and five exchanges."""

Topology = Annotated[
    Literal["debate", "memory", "report", "relay"],
    Meta(description="who reads whom: a pair and one that sees both; all; a centre; a ring"),
]
StopBy = Annotated[
    Literal["similarity", "consensus"] | None,
    Meta(
        title="When it ends",
        description="ends when the leaves' answers are alike, or when all three have one; none: "
        "similarity in debate, else consensus",
    ),
]
ByTopology = Annotated[
    Annotated[int, Meta(ge=1, le=1000)] | None,
    Meta(title="Rounds", description="the most rounds there are; none: 3 in debate, else 6"),
]
ReplyWay = Annotated[
    Literal["review", "revise"] | None,
    Meta(
        title="What agents are asked for after the first round",
        description="asks for a solution and then a review of the friends', or for a new solution "
        "without comments; none: review in debate, else revise",
    ),
]
Similarity = Annotated[float, Meta(ge=0, le=1)]
_ACTS = acts_where(
    {"stop": "similarity", "kind": "text"},
    {"stop": "similarity", "compare": "texts"},
    {"stop": "similarity", "compare": "replies"},
)
EndAbove = Annotated[
    Similarity,
    Meta(
        title="How alike open answers are to count as one",
        description="by similarity, open answers of the leaves are alike above this, as are "
        "replies of which one has no answer; answers of other kinds are equal or not",
        extra=_ACTS,
    ),
]
ExitAbove = Annotated[
    Similarity,
    Meta(
        title="How alike one agent's answers are when it stops",
        description="the same for a leaf's own two answers, for it to leave",
        extra=_ACTS,
    ),
]
Compared = Annotated[
    Literal["answers", "texts", "replies"],
    Meta(
        description="what is compared of two replies: their answers, the texts of these whatever "
        "their kind, as difflib does, or all words",
        extra=OMITTED,
    ),
]


def _fill_defaults(settings: dict[str, Any], _: str, *, topology: str) -> dict[str, Any]:
    """The settings, with those that depend on the topology."""
    usual = AFTER_SETTINGS_PAPER if topology == "debate" else AFTER_EOT
    return settings | {name: usual[name] for name in usual if settings[name] is None}


@protocol(
    paper="arXiv:2312.01823; Detailed Settings for Different Multi-Agent Debate Framework, EoT",
    calls="3 * rounds",
    fewest="3",
    roles=ROLES,
    agreement=True,
    verify=_fill_defaults,
    faithful=("paper", "code"),
)
async def exchange_of_thought(
    debate: Debate,
    question: Question,
    *,
    topology: Topology = "debate",
    stop: StopBy = None,
    rounds: ByTopology = None,
    reply: ReplyWay = None,
    end_above: EndAbove = 0.85,
    exit_above: ExitAbove = 0.9,
    compare: Compared = "answers",
    memory: Remembered = "chat",
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let three agents exchange thoughts along a topology, with their confidence.

    Use it when you compare who may read whom among three agents; the number of agents is fixed, so
    not for larger groups.

    In every round all read the round before; but in ``debate`` Ben reads what the two leaves, Kitty
    and Peter, have just said. By ``similarity`` the exchange ends when the leaves' answers are
    alike, once Ben has read another; a leaf that gives a like answer twice in a row leaves; when
    both have left, Ben answers once more at most. His last answer counts. Open answers are alike
    when their texts are, above a share; answers of any other kind when they are equal. Of replies
    one of which has no answer, all words are compared. By ``consensus`` the exchange ends when all
    three have one answer, before any exchange too; else the majority counts. An agent's confidence
    is the share of its most frequent answer; it is shown with its reply once the agent has given
    two answers.

    Differs:
        - Topology: the settings paper governs ``debate``, Yin et al. and their code the other
          topologies: how it ends, how many rounds there are, whether agents comment on their
          friends' solutions and what Ben does follow the one or the other, unless they are set.
        - Compared: the settings paper compares the texts of answers of any kind. Near is not equal
          for 12 and 13, or A and B: there, ``end_above`` and ``exit_above`` do nothing. Equal
          answers are alike however they are spelled.
        - Whole reply: the settings paper does not say whether it is an answer. ``compare=replies``
          takes it for one, of any kind. Two replies that differ in one letter are 0.94 alike then,
          so that leaves of different answers end it.
        - Junk: ``difflib.SequenceMatcher`` takes frequent letters for junk in texts from 200
          characters on. Here no letter is junk, and of each text the first 4,000 characters are
          compared.
        - Leaving: the settings paper lets any agent leave. Here Ben stays as long as a leaf does:
          he decides, and would not read what it still says.
        - Reply: the settings paper takes the solution of a leaf and its review for one reply, the
          solution first; so does ``reply=review``. The code wants a new solution without comments.
        - No answer: a reply without one counts in no confidence and is shown with none. The code
          counts it like any other answer.
        - Memory: the code shows an agent its own last solution and its friends' alone. The settings
          paper does not say; here the whole chat is the default.
        - Centre: the code has Kitty in the centre of ``report`` and of ``debate``. Here it is Ben,
          as in the settings paper.
        - Agreement: it stands in no source. It takes the place of "You need not agree", and is said
          to all but the Ben who brings solutions together.
    """
    assert rounds is not None  # worked out by ``_fill_defaults``, as the next
    assert reply is not None
    agents = [
        agent
        for role in ROLES
        for agent in debate.seat(role, memory=memory, topology=topology, way=reply)
    ]
    friends = _Friends(debate, agents, topology, reply, compare)
    kitty, peter, ben = friends.said
    gone: set[Agent] = set()
    for wave in _plan_waves(topology, stop, rounds):
        number = {friends.agent(role): at for role, at in wave.items() if 0 < at <= rounds}
        there = [agent for agent in number if agent not in gone]
        if not there:
            break
        await friends.speak(there)
        if stop == "consensus":
            if ben in number and stop_at_consensus(friends.newest(), question):
                break
            continue
        gone |= {leaf for leaf in {kitty, peter} & {*there} if friends.is_settled(leaf, exit_above)}
        if gone == {kitty, peter}:
            rounds = max(kitty.round, peter.round)  # nothing new is said to Ben after this
        heard = topology == "debate" or ben.round > 1  # before that Ben has read no friend
        if heard and there != [ben] and friends.alike(kitty, peter, end_above):
            rounds = number[kitty]  # Ben may still have this round before him
    if stop == "consensus":
        return debate.decide(friends.newest(), decision)
    return verdict_from(friends.said[ben][-1], by="ben")


class _Friends:
    """The three agents and what they have said.

    Attributes:
        said: the replies of each agent, oldest first.
    """

    def __init__(
        self, debate: Debate, agents: Sequence[Agent], topology: str, way: str, compare: str
    ) -> None:
        self.debate, self.question = debate, debate.question
        self.topology, self.way, self.compare = topology, way, compare
        self.said = dict.fromkeys(agents, Views())

    def agent(self, role: str) -> Agent:
        """The agent of a role."""
        return next(agent for agent in self.said if agent.seat.role == role)

    def newest(self) -> Views:
        """The newest reply of each agent."""
        return Views(views[-1] for views in self.said.values())

    async def speak(self, agents: Sequence[Agent]) -> None:
        """Ask these agents at once and keep what they say."""
        views = await gather_all([self._ask(agent) for agent in agents])
        for agent, view in zip(agents, views, strict=True):
            self.said[agent] = self.said[agent].add(view)

    def is_settled(self, agent: Agent, above: float) -> bool:
        """Whether an agent's newest two replies are alike."""
        own = self.said[agent]
        return len(own) > 1 and self._is_alike(own[-2], own[-1], above)

    def alike(self, one: Agent, other: Agent, above: float) -> bool:
        """Whether the newest replies of two agents are alike."""
        return self._is_alike(self.said[one][-1], self.said[other][-1], above)

    def _is_alike(self, one: View, other: View, above: float) -> bool:
        """Whether two replies have like answers; where one has none, whether their words are."""
        if self.compare == "replies" or one.answer is None or other.answer is None:
            return is_similar(one.text, other.text, above=above)
        if self.compare == "texts":
            return plain_ratio(one.answer, other.answer) > above
        return all_agree(Views((one, other)), self.question) or (
            self.question.kind == "text" and is_similar(one.answer, other.answer, above=above)
        )

    def _ask(self, agent: Agent) -> Coroutine[Any, Any, View]:
        others = self._read_by(agent)
        if not others:
            return self.debate.ask(agent, "answer")
        synthesises = self.topology == "debate" and agent.seat.role == "ben"
        step = "synthesise" if synthesises else self.way
        sure = {
            view.agent.label: share
            for view in others
            if (share := answer_share(self.said[view.agent], self.question)) is not None
        }
        return self.debate.ask(agent, step, others=others, sure=sure)

    def _read_by(self, agent: Agent) -> Views:
        """What an agent is shown: the newest replies of those it reads, as far as there are any."""
        read = READS[self.topology][agent.seat.role] - {agent.seat.role}
        return Views(
            views[-1] for other, views in self.said.items() if other.seat.role in read and views
        )


def _plan_waves(topology: str, stop: str | None, rounds: int) -> list[dict[str, int]]:
    """Return the waves of speech: in each, the agents that speak at once, with their round.

    In ``debate`` Ben speaks after the two others. They wait for him where his answer may end the
    exchange, else go on meanwhile: they do not read him. Rounds but 1 to ``rounds`` are silent.
    """
    numbers = range(1, rounds + 1)
    if topology != "debate":
        return [dict.fromkeys(ROLES, number) for number in numbers]
    if stop == "consensus":
        return [dict.fromkeys(who, number) for number in numbers for who in (ROLES[:2], ROLES[2:])]
    return [{"ben": ahead - 1} | dict.fromkeys(ROLES[:2], ahead) for ahead in range(1, rounds + 2)]
