"""AgentVerse: recruited experts criticise a solution until an evaluator finds it correct."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.gather_all import gather_all
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds
from moot.debate.stops import stop_at_approval
from moot.debate.verdicts import first_answer
from moot.debate.views import Views
from moot.parsing.evaluation import Evaluation
from moot.parsing.experts import Experts

COOLER = 0.4
"""How far below the debate's temperature the evaluator speaks."""

Critics = Annotated[int, Meta(ge=1, le=100, description="how many critics are recruited")]


@protocol(
    paper="arXiv:2308.10848; Detailed Settings for Different Multi-Agent Debate Framework",
    calls="1 + rounds * (experts + 2)",
    fewest="experts + 3",
    roles=("role-assigner", "solver", "critic", "evaluator"),
    opened=("solver",),
    agreement=True,
    group="judges",
    faithful=("paper", "code"),
)
async def agentverse(
    debate: Debate, question: Question, *, experts: Critics = 2, rounds: Rounds = 3
) -> Verdict:
    """Recruit experts, let them criticise a solution, and repeat until it is found correct.

    Use it when a task needs knowledge of several fields and a solution can be improved by
    criticism; not where a short factual answer is wanted, since an evaluator that errs ends it.

    The evaluator's answer counts. Where it gives none, the solution counts that it calls correct;
    else the last critic's improved answer that is one, else the solution. To improve, the solver
    reads the critics and the evaluator's advice, and neither its score nor its answer.

    Differs:
        - Prompts: the settings paper breaks off before the prompts of solver, critic and evaluator.
          What they convey follows its description, and AgentVerse's configuration for sums (mgsm).
        - Evaluator: it weighs the critics' replies too, as in the settings paper. AgentVerse's sees
          the solution alone.
        - Advice: neither source says what the solver is shown of the evaluation. Here it is the
          advice (``Response``); an evaluator that labels none gives none.
        - Token: AgentVerse's critics close with a token where they agree. Here they have none: the
          settings paper knows of none, and the evaluator alone ends the debate.
        - Evaluator's temperature: it is 0.4 below that of the others, 0.3 by default. That is
          AgentVerse's, whose other agents speak at 0.
        - Agreement: it stands in no source. It takes the place of what a critic is told to look
          for.
    """
    [assigner] = debate.seat("role-assigner", debater=False)
    [solver] = debate.seat("solver")
    named, solution = await gather_all(  # the solver's first answer waits for no expert
        [debate.ask(assigner, "recruit", experts=experts), debate.ask(solver, "answer")]
    )
    recruited = named.get(Experts)
    roles = recruited.roles if recruited else ()
    expert = dict(enumerate(roles)).get
    critics = debate.seat("critic", experts, labels=expert, expert=expert)
    [evaluator] = debate.seat("evaluator", cooler=COOLER, debater=False)
    for left in reversed(range(rounds)):
        reviews = await debate.everyone(critics, "criticise", solution=solution)
        found = await debate.ask(evaluator, "evaluate", solution=solution, reviews=reviews)
        evaluation = found.get(Evaluation)
        if stop_at_approval(Views((found,)), question):
            return first_answer(found, solution, by=("evaluator", "solver"))
        if left:
            response = evaluation.response if evaluation else ""
            advice = found.text_only(response) if response else None
            solution = await debate.ask(solver, "improve", reviews=reviews, advice=advice)
    by = ("evaluator", *(["critic"] * experts), "solver")
    return first_answer(found, *reversed(reviews), solution, by=by)
