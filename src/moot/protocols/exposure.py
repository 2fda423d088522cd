"""Exposure: one debate, eight ways to show agents what the others said."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.fillers import join_fillers
from moot.debate.protocol import ProtocolKind, protocol
from moot.debate.protocol_settings import Agents, DecisionRule, Rounds
from moot.debate.stop_rule import Stopping
from moot.debate.views import View, Views, draw_order, strip_answers
from moot.parsing.same import majority

BORROWED = frozenset({"foreign", "unrelated"})
"""What is shown comes from another question."""

Shown = Annotated[
    Literal["nothing", "tally", "stances", "vacuous", "foreign", "unrelated", "echo", "reasons"],
    Meta(
        description="what agents are shown of the others. nothing: nothing; tally: how many gave "
        "each answer; stances: bare answers; vacuous: answers, with words that say nothing; "
        "foreign: answers, with a reason from another question; unrelated: replies to another "
        "question; echo: their own reply under the others' names; reasons: whole replies"
    ),
]
MatchesLength = Annotated[
    bool, Meta(description="whether words that say nothing are as many as the reply's")
]
Peers = Annotated[
    Annotated[int, Meta(ge=1, le=999)] | None,
    Meta(description="how many others each reads, those on the next seats; none: all"),
]
Repeats = Annotated[
    bool, Meta(description="whether each revision is drawn twice, of which the last one counts")
]
Donors = Annotated[
    bool,
    Meta(
        title="Foreign reasons come from the next question of the run",
        description="whether foreign and unrelated borrow from the run's next question; else, or "
        "where there is none, from a list of moot's own",
    ),
]


def _ask_donors_where_shown(
    settings: dict[str, Any], _: str, *, shows: str, donors: bool
) -> dict[str, Any]:
    """The settings, with donors only where something of theirs is shown."""
    return settings | {"donors": donors and shows in BORROWED}


def _find_kind(settings: Mapping[str, Any]) -> ProtocolKind:
    """Return that it is a debate where agents read all of each other's reasons, else a control."""
    return "debate" if settings.get("shows", "reasons") == "reasons" else "control"


@protocol(
    paper="arXiv:2606.00820 (three counterfactual arms), arXiv:2605.00914 (noise control); "
    "one protocol for all is our own",
    calls="agents * rounds + donors * agents + repeats * agents * (rounds - 1)",
    fewest="agents * rounds + repeats * agents * (rounds - 1)",
    answers="agents * rounds",
    roles=("mind",),
    agreement=True,
    verify=_ask_donors_where_shown,
    voters=("mind",),
    first="mind",
    shared=Stopping,
    kind=_find_kind,
)
async def exposure(
    debate: Debate,
    question: Question,
    *,
    shows: Shown = "reasons",
    agents: Agents = 3,
    rounds: Rounds = 2,
    match_length: MatchesLength = True,
    peers: Peers = None,
    repeats: Repeats = False,
    donors: Donors = True,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let every agent revise its answer after it saw a stated part of what the others said.

    Use it when you want to know why a debate changes answers: by reflection, by conformity or by
    reasons; it is a control for studies, and ``reasons`` alone is a method.

    With ``reasons`` it is ``society-of-minds``, call for call. The other ways are its controls:
    what changes under ``nothing`` is due to reflection; what ``stances`` changes beyond that is due
    to conformity; what ``vacuous`` changes beyond ``stances`` is due to the look of a reason; only
    the rest is due to the reasons themselves. The first round is that of ``self-consistency``.

    Differs:
        - The papers' wordings were not to be had: prompts are ours, those of ``society-of-minds``.
        - Peers: 2605.00914 draws at random whom an agent reads. Here it is those on the next seats,
          so that all are read equally often.
    """
    minds = debate.seat("mind", agents)
    borrowed = await debate.ask_neighbour(minds) if donors else Views()
    shown = _Exposure(debate, shows, borrowed, match_length=match_length)
    views = await debate.everyone(minds, "answer")
    for _ in debate.until_stop(range(rounds - 1)):
        before = views
        for again in range(repeats + 1):
            views = await shown.revise(minds, before, peers, counts=again == repeats)
    return debate.decide(views, decision)


def _choose_peers(views: Views, agent: Agent, peers: int | None) -> Views:
    """Return the views of those on the next seats, as many as an agent reads, by seat."""
    own = views.index(views.of(agent))
    others = (*views[own + 1 :], *views[:own])[:peers]
    return Views(sorted(others, key=views.index))


class _Exposure:
    """What agents are shown of the others.

    Args:
        debate: the debate.
        shows: the way.
        borrowed: replies to another question, by seat; empty for none.
        match_length: whether fillers are as long as the replies that they stand for.
    """

    def __init__(self, debate: Debate, shows: str, borrowed: Views, *, match_length: bool) -> None:
        self.debate, self.shows, self.borrowed = debate, shows, borrowed
        self.match_length = match_length

    async def revise(
        self, minds: list[Agent], views: Views, peers: int | None, *, counts: bool
    ) -> Views:
        """Let all agents revise at once, and return their views.

        Args:
            minds: the agents.
            views: of the round before.
            peers: how many others each reads; None for all.
            counts: False for a draw that is made again: the agents forget it.
        """
        number = views[0].turn.round + 1

        def others(agent: Agent) -> Views:
            return _choose_peers(views, agent, peers)

        if self.shows == "tally" and len(minds) > 1:
            revised = await self.debate.everyone(
                minds,
                "revise-by-tally",
                reads=lambda agent: others(agent).named("tally"),
                in_round=number,
                votes=counts,
                tally=lambda agent: self._count(others(agent)),
            )
        else:
            revised = await self.debate.everyone(
                minds,
                "revise",
                in_round=number,
                votes=counts,
                others=lambda agent: self._show(agent, views, others(agent)),
            )
        if not counts:
            for mind in minds:
                mind.forget()
        return revised

    def _show(self, agent: Agent, views: Views, others: Views) -> Views:
        """Return what an agent is shown of the others."""
        match self.shows:
            case "nothing" | "tally":  # a tally of one agent is of none
                return Views()
            case "reasons":
                return others
            case "echo":
                own = views.of(agent)
                labels = [each.agent.label for each in others]
                echoes = (own.relabel(label, own.answer, own.turn.round) for label in labels)
                return Views(echoes).named("echo")
            case "unrelated":
                return Views(self._swap(agent, view) for view in others)
            case _:
                return Views(self._state(agent, view) for view in others)

    def _state(self, agent: Agent, view: View) -> View:
        """Return another's answer alone, or with words in place of its reason."""
        reason, part = "", "answer"
        if self.shows == "vacuous":
            reason, used = self._fill(agent, view)
            part = f"answer; filler {' '.join(map(str, used))}"
        elif self.shows == "foreign":
            reason, source = self._borrow(agent, view)
            part = f"answer; {source}"
        text = self.debate.word("state", reason=reason, answer=view.answer)
        return view.with_text(text, part)

    def _fill(self, agent: Agent, view: View) -> tuple[str, list[int]]:
        """Return words that say nothing, and the numbers of the sentences in the pack."""
        bank = self.debate.word("fillers").splitlines()
        order = self._draw(agent, view, len(bank))
        return join_fillers(bank, order, len(view.text.split()) if self.match_length else 0)

    def _borrow(self, agent: Agent, view: View) -> tuple[str, str]:
        """Return a reason from another question, and where it comes from."""
        donor = self._find_donor(view)
        if donor is not None:
            return strip_answers(donor.text, self.debate.question), f"reason of #{donor.turn.id}"
        bank = self.debate.word("reasons").splitlines()
        place = self._draw(agent, view, len(bank))[0]
        return bank[place], f"reason {place} of the list"

    def _swap(self, agent: Agent, view: View) -> View:
        """Return a reply to another question under another's label."""
        donor = self._find_donor(view)
        if donor is not None:
            return donor.relabel(view.agent.label, donor.answer, view.turn.round)
        reason, source = self._borrow(agent, view)
        return view.text_only(reason, source)

    def _find_donor(self, view: View) -> View | None:
        seat = view.agent.seat.number
        return next((each for each in self.borrowed if each.agent.seat.draws_as == seat), None)

    def _draw(self, agent: Agent, view: View, many: int) -> list[int]:
        debate, seats = self.debate, (agent.seat.number, view.agent.seat.number)
        return draw_order(many, debate.question.id, *debate.key, view.turn.round, *seats)

    def _count(self, others: Views) -> dict[str, str]:
        """Return each distinct answer with its count, the most frequent first."""
        _, votes = majority(others.answers, self.debate.question.kind)
        silent = sum(view.answer is None for view in others)
        rows = sorted(votes.items(), key=lambda each: -each[1])
        return {answer: str(count) for answer, count in rows} | (
            {"": str(silent)} if silent else {}
        )
