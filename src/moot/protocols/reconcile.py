"""ReConcile: agents of different models confer at a round table and vote by their confidence."""

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Example, Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import OMITTED, DecisionRule, Rounds, SeveralAgents
from moot.debate.stops import stop_at_consensus
from moot.debate.views import View, Views, compose_view
from moot.parsing.same import answer_value, is_correct, majority

Convincing = Annotated[
    int,
    Meta(
        ge=0,
        le=4,
        description="worked examples before the question whose explanation has corrected another "
        "agent: as many of each of them; each agent is tried on up to four for one",
        extra=OMITTED,
    ),
]


@protocol(
    paper="ReConcile (arXiv:2309.13007)",
    calls="agents * rounds + 8 * agents * convincing",
    fewest="agents + agents * convincing",
    roles=("member",),
    voters=("member",),
    steered=True,
)
async def reconcile(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 3,
    decision: DecisionRule = "weighted?weights=bins&unstated=0",
    convincing: Convincing = 0,
) -> Verdict:
    """Let agents answer with reasons and confidence, confer until they agree, and vote by weight.

    Use it when several different models answer and their confidence tells something; where all
    state the same high confidence, its vote is a plain one.

    Between rounds each agent is asked afresh. It reads, answer by answer, the most frequent first,
    how many hold it, and the reasons and the confidence of each, its own among them, without names.
    A debate ends as soon as all agree. In the vote an answer weighs 1 where its confidence is 1;
    0.8 where it is at least 0.9; 0.5 where it is at least 0.8; 0.3 where it is above 0.6; and 0.1
    where it is lower, or not stated.

    With ``convincing`` agents are first tried on examples of a training part. One that is wrong
    reads the example's explanation and answers again; if it is right then, the others are shown
    the example before the question, in every round. All questions have the same examples, so that
    these calls are paid for once a run.

    Differs:
        - The paper's code shows the two most frequent answers; here all are shown, as in the paper.
        - It replaces an unreadable reply by an answer at random; here such a reply does not vote.
        - Its convincing examples are given, four for each of its models. Here they are found by
          trying the models that debate; without ``convincing``, the default, there are none.
    """
    members = debate.seat("member", agents, remembers=False)
    shown: dict[str, Any] = {}
    if convincing:
        corrected = await _find_convincing(debate, members, convincing)
        shown["convincing"] = lambda member: _show_examples(debate, member, corrected)
    views = await debate.everyone(members, "state", **shown)
    for _ in debate.until_stop(range(rounds - 1), stop_at_consensus):
        table, counts = _group(debate, views)
        views = await debate.everyone(members, "reconsider", others=table, counts=counts, **shown)
    return debate.decide(views, decision)


async def _find_convincing(
    debate: Debate, members: Sequence[Agent], wanted: int
) -> dict[Agent, list[Example]]:
    """Return the examples whose explanation corrects each member, at most as many as wanted."""
    found: dict[Agent, list[Example]] = {member: [] for member in members}
    for place, example in enumerate(debate.context.examples, 1):
        lacking = [member for member in members if len(found[member]) < wanted]
        if not lacking:
            break
        inner, tried = debate.set_aside(
            example.question, members, f"example-{place}", turns=2 * len(members)
        )
        own = dict(zip(tried, members, strict=True))
        first = await inner.everyone([a for a in tried if own[a] in lacking], "state")
        wrong = [v for v in first if v.answer and not is_correct(v.answer, example.question)]
        answer = example.question.answers[0]
        explained = compose_view(tried[0], example.reason, answer, f"argument for {answer}")
        again = await inner.everyone(
            [view.agent for view in wrong], "correct", own=Views(wrong).of, other=explained
        )
        for view in again:
            if is_correct(view.answer, example.question):
                found[own[view.agent]].append(example)
    return found


def _show_examples(debate: Debate, reader: Agent, corrected: dict[Agent, list[Example]]) -> str:
    """Return the examples that corrected others, as a member reads them; empty without one."""
    every = {
        example.question.id: example
        for member, examples in corrected.items()
        if member is not reader
        for example in examples
    }
    pack = debate.context.pack
    told = [debate.word("corrected", **pack.example(example)) for example in every.values()]
    return debate.word("convincing", examples="\n\n".join(told)) if told else ""


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
