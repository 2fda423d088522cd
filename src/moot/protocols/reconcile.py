"""ReConcile: agents of different models confer at a round table and vote by their confidence."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule, Rounds, SeveralAgents
from moot.debate.stops import stop_at_consensus
from moot.debate.views import View, Views
from moot.parsing.same import answer_value, majority


@protocol(
    paper="ReConcile (arXiv:2309.13007)",
    calls="agents * rounds",
    fewest="agents",
    roles=("member",),
    voters=("member",),
)
async def reconcile(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 3,
    decision: DecisionRule = "weighted?weights=bins&unstated=0",
) -> Verdict:
    """Let agents answer with reasons and confidence, confer until they agree, and vote by weight.

    Use it when several different models answer and their confidence tells something; where all
    state the same high confidence, its vote is a plain one.

    Between rounds each agent is asked afresh. It reads, answer by answer, the most frequent first,
    how many hold it, and the reasons and the confidence of each, its own among them, without names.
    A debate ends as soon as all agree. In the vote a confidence of 1 weighs 1.0, from 0.9 on 0.8,
    from 0.8 on 0.5, above 0.6 0.3, and all others, or none stated, 0.1.

    Differs:
        - The paper's code shows the two most frequent answers; here all are shown, as in the paper.
        - It replaces an unreadable reply by an answer at random; here such a reply does not vote.
        - Examples in which a human explanation corrects an agent are left out: they need a training
          part with explanations.
    """
    members = debate.seat("member", agents, remembers=False)
    views = await debate.everyone(members, "state")
    for _ in range(rounds - 1):
        if debate.ends(stop_at_consensus, views):
            break
        table, counts = _group(debate, views)
        views = await debate.everyone(members, "reconsider", others=table, counts=counts)
    return debate.decide(views, decision)


def _group(debate: Debate, views: Views) -> tuple[Views, dict[str, str]]:
    """Return the views by answer, the most frequent first, and how many hold each answer."""
    kind = debate.question.kind
    _, votes = majority(views.answers, kind)
    spelling = {answer_value(answer, kind): answer for answer in votes}

    def find_answer(view: View) -> str:
        return spelling[answer_value(view.answer, kind)] if view.answer is not None else ""

    def show(view: View) -> View:
        sure = "" if view.confidence is None else f"{view.confidence:g}"
        text = debate.word("held", reason=view.reason, confidence=sure)
        shown = view.with_text(text, "reason and confidence")
        return shown.relabel("", find_answer(view) or None, view.turn.round)

    ranked = sorted(votes, key=lambda each: -votes[each])
    table = [
        show(view) for answer in [*ranked, ""] for view in views if find_answer(view) == answer
    ]
    return Views(table), {answer: str(votes[answer]) for answer in ranked}
