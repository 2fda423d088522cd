"""Ballot: discuss, then vote over all final answers in a stated form (Kaesberg et al. 2025)."""

from string import ascii_uppercase
from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.decision import find_rule
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import BallotRule, Rounds
from moot.debate.views import Views
from moot.parsing.ballot import FORMS
from moot.parsing.same import answer_value

ASKED_AS = {"votes": "vote", "rankings": "ranking", "approvals": "approved"}
"""The forms of ballots, where a rule that needs them calls them otherwise."""

BallotVoters = Annotated[
    int, Meta(ge=1, le=26, title="Agents", description="how many agents take part")
]
BallotForms = Annotated[
    str,
    Meta(
        description="what a ballot has: all, or some of vote, ranking, approved, points, scores, "
        "with commas"
    ),
]
Alone = Annotated[
    bool, Meta(description="whether agents vote after their first answers, without any talk")
]
Blind = Annotated[
    bool, Meta(description="whether agents read the others' answers alone in each round, no words")
]


def list_forms(forms: str) -> tuple[str, ...]:
    """Return the forms that a setting names, in their usual order."""
    named = {each.strip() for each in forms.split(",")}
    return FORMS if named == {"all"} else tuple(form for form in FORMS if form in named)


def _need_forms(
    settings: dict[str, Any], where: str, *, forms: str, decision: str
) -> dict[str, Any]:
    """The settings; the rule needs its form of a ballot."""
    for each in forms.split(","):
        if each.strip() not in {"all", *FORMS}:
            raise UnknownName("form of a ballot", each.strip(), ("all", *FORMS), where=where)
    rule, _ = find_rule(decision, where=where)
    needed = ASKED_AS.get(rule.needs, rule.needs)
    if needed in FORMS and needed not in list_forms(forms):
        raise InputError(
            f"{where}: decision {rule.name} needs the form {needed!r}, and forms = {forms!r} does "
            "not ask for it"
        )
    return settings


@protocol(
    paper="arXiv:2502.19130; Kaesberg's mallm",
    calls="agents * (rounds - alone * (rounds - 1)) + agents",
    fewest="agents * (rounds - alone * (rounds - 1))",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    steered=True,
    verify=_need_forms,
)
async def ballot(
    debate: Debate,
    question: Question,
    *,
    agents: BallotVoters = 3,
    rounds: Rounds = 2,
    forms: BallotForms = "all",
    alone: Alone = False,
    blind: Blind = False,
    decision: BallotRule = "votes",
) -> Verdict:
    """Let agents debate as in society-of-minds, then vote over all final answers by ballot.

    Use it when you want to know which way of voting serves your questions: one ballot has every
    form, and ``moot analyse decisions`` replays all rules from it without a call.

    Each agent sees the distinct final answers, each with the first reply that gives it, under
    labels and in an order of its own; which one is its own is not said. Where all agree there is
    one answer to vote on, and the ballots are asked for nevertheless. Where none
    has an answer there is nothing to vote on. A small model that cannot write JSON votes by a last
    line such as "Vote: B".

    Differs:
        - mallm asks for one form, with answers numbered from 0. Here a ballot has all forms, which
          may influence one another: ``forms=ranking`` asks for one alone. Labels are letters, but
          numbers where the options of the question have letters.
        - mallm asks again for a ballot that it cannot read, and holds another turn where the best
          tie. Here what is not read is missing, and a tie goes to the lowest seat.
        - mallm asks each agent for a clean final answer before it votes. Here the last round's
          answer is that.
        - The rule over the answers themselves is ``decision=plurality``; ``votes`` counts ballots.
    """
    minds = debate.seat("mind", agents)
    views = await debate.everyone(minds, "answer")
    last = 1 if alone else rounds
    for _ in debate.until_stop(range(last - 1)):
        shown = views.to_answers() if blind else views
        views = await debate.everyone(minds, "revise", others=shown.without)
    candidates = _find_candidates(views, question)
    asked = list_forms(forms)
    if candidates:
        await debate.everyone(
            minds,
            "vote",
            in_round=views[0].turn.round,
            votes=False,
            keys=(*asked, *_name_labels(len(candidates), question)),
            candidates=lambda agent: _label(debate, candidates, agent),
            forms=", ".join(asked),
        )
    return debate.decide(views, decision)


def _find_candidates(views: Views, question: Question) -> Views:
    """Return the first view with each distinct answer, by seat."""
    found = {
        answer_value(view.answer, question.kind): view
        for view in reversed(views)
        if view.answer is not None
    }
    return Views(view for view in views if view in found.values())


def _name_labels(many: int, question: Question) -> tuple[str, ...]:
    """Return as many labels: letters, or numbers where the question's options have letters."""
    if question.letters:
        return tuple(str(place + 1) for place in range(many))
    return tuple(ascii_uppercase[:many])


def _label(debate: Debate, candidates: Views, agent: Agent) -> Views:
    """Return the candidates in an agent's own order, under labels."""
    key = debate.question.id, *debate.key, "ballot", agent.seat.number
    labels = _name_labels(len(candidates), debate.question)
    return Views(
        view.relabel(label, view.answer, view.turn.round)
        for label, view in zip(labels, candidates.shuffle(*key), strict=True)
    )
