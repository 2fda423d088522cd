"""Diverse methods: each agent reasons in a way of its own, and reads how the others reasoned."""

from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule, Rounds
from moot.debate.stop_rule import Stopping
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views
from moot.parsing.ballot import Ballot

PREPARES = {"step-back": "step-back", "sub-questions": "divide"}
"""The step before the answer, by the method."""

ByChain = Annotated[
    int, Meta(ge=0, le=1000, description="how many agents answer in their style at once")
]
ByStepBack = Annotated[
    int, Meta(ge=0, le=1000, description="how many first state what holds for all such questions")
]
BySubQuestions = Annotated[
    int, Meta(ge=0, le=1000, description="how many first divide the question and answer its parts")
]
HasJudge = Annotated[
    bool, Meta(description="whether a judge chooses among the last answers; else a vote")
]


def _need_agents(
    settings: dict[str, Any], where: str, *, cot: int, step_back: int, sub_questions: int
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` where there is no agent."""
    if not cot + step_back + sub_questions:
        raise InputError(f"{where}: cot, step_back and sub_questions are 0: there is no agent")
    return settings


@protocol(
    paper="openreview t6QHYUOQL7 (DMAD) and its code",
    calls="(cot + 2 * step_back + 2 * sub_questions) * rounds + judge",
    roles=("mind", "judge"),
    agreement=True,
    voters=("mind",),
    shared=Stopping,
    steered=True,
    verify=_need_agents,
)
async def diverse_methods(
    debate: Debate,
    question: Question,
    *,
    cot: ByChain = 1,
    step_back: ByStepBack = 1,
    sub_questions: BySubQuestions = 1,
    rounds: Rounds = 3,
    judge: HasJudge = False,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let agents that each reason by another method revise over each other's reasoning, then vote.

    Use it when agents of one model make the same mistakes in the same way; on questions that need
    no steps the methods differ in words alone, and it costs more than a plain debate.

    Every agent keeps its method in all rounds. By ``step_back`` it first states the principle
    behind the question, by ``sub_questions`` it first answers the parts of it, and then gives
    its answer: two calls, of which the first is no vote. In later rounds it reads the others' last
    replies whole, with what came before their answers. With agents by ``cot`` alone it is
    ``society-of-minds``. With ``judge`` a judge chooses one of the last answers; where its choice
    cannot be read the vote counts.

    Differs:
        - Methods: the code has those for images. These are the paper's for texts, as others
          recall them, but for its method by programs.
        - Judge: a choice that cannot be read is drawn at random in the code.
    """
    methods = ["cot"] * cot + ["step-back"] * step_back + ["sub-questions"] * sub_questions
    minds = debate.seat("mind", len(methods))
    team = _Team(debate, dict(zip(minds, methods, strict=True)))
    for _ in debate.until_stop(range(rounds)):
        await team.speak()
    views = Views(team.answers.values())
    if judge:
        [head] = debate.seat("judge", remembers=False, debater=False)
        candidates = views.relabel(lambda view: f"Solution {view.agent.seat.number + 1}")
        labels = tuple(view.agent.label for view in candidates)
        ruling = await debate.ask(
            head,
            "judge",
            in_round=views[0].turn.round,
            keys=("vote", *labels),
            candidates=candidates,
        )
        ballot = ruling.get(Ballot)
        chosen = [view for view in views if ballot and ballot.vote and view.answer == ballot.vote]
        if chosen:
            return verdict_from(chosen[0], by="judge")
    return debate.decide(views, decision)


class _Team:
    """Agents with a method each, and what they said last.

    Args:
        debate: the debate.
        methods: by agent.
    """

    def __init__(self, debate: Debate, methods: dict[Agent, str]) -> None:
        self.debate, self.methods = debate, methods
        self.before: dict[Agent, View] = {}
        self.answers: dict[Agent, View] = {}

    async def speak(self) -> None:
        """Let every agent prepare its answer, where its method does so, and give it."""
        others = {mind: self._show(mind) for mind in self.methods}
        first = await gather_all(
            self._begin(mind, method, others[mind]) for mind, method in self.methods.items()
        )
        said = {view.agent: view for view in first}
        prepared = {mind: view for mind, view in said.items() if self.methods[mind] in PREPARES}
        answered = await self.debate.everyone(
            prepared,
            "conclude",
            in_round=first[0].turn.round,
            prepared=prepared.__getitem__,
        )
        self.before = prepared
        self.answers = said | {view.agent: view for view in answered}

    def _show(self, mind: Agent) -> Views:
        """Return what an agent reads: the others' last replies, with what came before them."""
        return Views(
            view
            for other, answer in self.answers.items()
            if other is not mind
            for view in (self.before.get(other), answer)
            if view is not None
        )

    async def _begin(self, mind: Agent, method: str, others: Views) -> View:
        """Ask an agent for its answer, or for what its method does before."""
        if method in PREPARES:
            return await self.debate.ask(mind, PREPARES[method], votes=False, others=others)
        if not self.answers:
            return await self.debate.ask(mind, "answer")
        return await self.debate.ask(mind, "revise", others=others)
