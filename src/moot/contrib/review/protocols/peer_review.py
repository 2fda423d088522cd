"""Peer review: every member scores all answers, three at a time and in both directions."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Annotated, Literal

from msgspec import Meta

from moot import Agent, Ballot, Debate, Question, Verdict, View, Views, protocol, verdict_from
from moot.extend.protocols import Standings, gather_all

SHOWN = 3
"""How many answers stand in one prompt."""

Reviewed = Annotated[int, Meta(ge=SHOWN, le=26, description="how many members there are")]
TopScore = Annotated[
    Literal[3, 5, 7, 10],
    Meta(
        title="The best score of an answer",
        description="the best score of an answer; the worst is 1",
    ),
]
Triples = Annotated[
    bool,
    Meta(description="whether three answers stand in a prompt, in both directions; else one alone"),
]
SelfScores = Annotated[bool, Meta(description="whether a member's scores of its own answer count")]


@protocol(
    paper="arXiv:2512.23213 (LLM-PeerReview) and its code",
    calls="agents + agents * agents * (1 + triples)",
    roles=("member",),
    voters=("member",),
    opened=("member",),
    first="member",
    group="councils",
)
async def peer_review(
    debate: Debate,
    question: Question,
    *,
    agents: Reviewed = 4,
    top: TopScore = 5,
    triples: Triples = True,
    self_scores: SelfScores = True,
) -> Verdict:
    """Let members answer, score all answers in flipped triples, and take the best answer.

    Use it when several models answer open questions and no vote can count their answers; it makes
    the most calls of the councils, and one model for all seats scores what it would write itself.

    The answers stand in a circle, in an order drawn once. A member sees three that follow each
    other, from every place on, and each of these triples backwards: so each member scores each
    answer six times, twice at each place of a prompt, and a liking for a place adds nothing.
    A member's score of an answer is the mean of these. A prompt whose scores cannot be read counts
    as the middle score for each of its answers, and is counted. The answer with the highest mean
    over the members is the verdict; of a tie the one of the lower seat.

    Differs:
        - Members: the code is written for four. Triples in a circle are its general form.
        - Judges: the code has them decode greedily. Here they have the settings of the members.
        - Weights: the paper's second variant estimates over a whole run how reliable judges are.
          It is the analysis ``review-weights``, and no part of a debate.
    """
    members = debate.seat("member", agents, remembers=False)
    answers = await debate.everyone(members, "answer")
    circle = answers.shuffle(question.id, *debate.key, "peer-review")
    shown = list(_list_triples(circle)) if triples else [Views([view]) for view in circle]
    asked = [(member, views) for member in members for views in shown]
    reviews = await gather_all(_review(debate, *each, top) for each in asked)
    marks: dict[tuple[Agent, Agent], list[float]] = {}
    read = 0
    for (member, views), review in zip(asked, reviews, strict=True):
        found = _read_marks(review, views, top)
        read += found is not None
        for view, mark in zip(views, found or [(1 + top) / 2] * len(views), strict=True):
            marks.setdefault((member, view.agent), []).append(mark)
    means = {
        author: fmean(
            fmean(given)
            for (judge, of), given in marks.items()
            if of is author and (self_scores or judge is not author)
        )
        for author in members
    }
    best = max(answers, key=lambda view: means[view.agent])
    ranked = sorted(members, key=lambda each: -means[each])
    debate.record_count(
        Standings(scores={each.seat.agent: means[each] for each in ranked}, ballots=read),
        f"mean scores from 1 to {top}; {read} of {len(reviews)} reviews could be read",
    )
    return verdict_from(best, by="peer-review")


def _list_triples(circle: Views) -> Iterator[Views]:
    """Yield three answers that follow each other, from every place on, in both directions."""
    for start in range(len(circle)):
        triple = [circle[(start + step) % len(circle)] for step in range(SHOWN)]
        yield Views(triple)
        yield Views(reversed(triple))


async def _review(debate: Debate, member: Agent, views: Views, top: int) -> View:
    """Ask a member for the scores of some answers, under numbers."""
    return await debate.ask(
        member,
        "score",
        in_round=2,
        votes=False,
        keys=("scores", *_number(views)),
        others=Views(
            view.relabel(label, view.agent.seat.agent, view.turn.round)
            for label, view in zip(_number(views), views, strict=True)
        ),
        top=top,
    )


def _number(views: Views) -> tuple[str, ...]:
    return tuple(f"Response {place}" for place in range(1, len(views) + 1))


def _read_marks(review: View, views: Views, top: int) -> Sequence[float] | None:
    """Return the score of each answer; None where not each has one from 1 to the best."""
    ballot = review.get(Ballot)
    found = [ballot.scores.get(view.agent.seat.agent) for view in views] if ballot else [None]
    marks = [mark for mark in found if mark is not None and 1 <= mark <= top]
    return marks if len(marks) == len(views) else None
