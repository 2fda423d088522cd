"""Council: members answer, rank all answers without names, and a chair writes the verdict."""

import re
from string import ascii_uppercase
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot import (
    Agent,
    Ballot,
    Debate,
    InputError,
    Question,
    Verdict,
    View,
    Views,
    protocol,
    verdict_from,
)
from moot.contrib.review.peer_ranking import PeerBallot, PeerRanking, RankScore, SelfVotes
from moot.extend.protocols import ApprovalRuling, Standings

MOST_DISSENTS = 3
"""The most reviews that are recorded as a dissent."""

Members = Annotated[int, Meta(ge=2, le=26, description="how many members there are")]
LabelOrder = Annotated[
    Literal["each", "once", "none"],
    Meta(
        description="the order of the answers, and so their labels. each: drawn for each reviewer; "
        "once: drawn once for all; none: by seat"
    ),
]
AggregatedBy = Annotated[RankScore, Meta(description="how places in rankings become scores")]
OwnVotes = Annotated[
    SelfVotes,
    Meta(
        title="What a member's place for its own answer counts",
        description="a member's place for its own answer. counted: it counts as any other; gap: it "
        "does not, and the other answers keep their places; closed: it does not, and the answers "
        "below it move up",
    ),
]
Chair = Annotated[
    bool, Meta(description="whether a chair writes the verdict; else the best ranked answer is it")
]
HasNames = Annotated[bool, Meta(description="whether the chair is told which model wrote what")]
Mode = Annotated[
    Literal["consensus", "debate"],
    Meta(
        title="How the chair writes",
        description="debate: the chair first sets out the positions under six headings",
    ),
]
RulesBy = Annotated[
    Literal["synthesis", "binary", "tie-breaker"],
    Meta(
        description="what the chair gives. synthesis: an answer; binary: approved or rejected; "
        "tie-breaker: the same, and what decides where the two best answers are in deadlock"
    ),
]
EndsEarly = Annotated[
    bool,
    Meta(description="whether members review one by one, until the best answer cannot be caught"),
]
HasRubric = Annotated[
    bool, Meta(description="whether scores come from marks for five criteria, of stated weights")
]


class _ChairChoice(msgspec.Struct):
    chair: bool
    names: bool = False
    mode: str = "consensus"
    ruling: str = "synthesis"


def _need_chair(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """The settings; what only a chair can do needs one."""
    own = msgspec.convert(settings, _ChairChoice)
    for field in msgspec.structs.fields(own)[1:]:
        value = getattr(own, field.name)
        if not own.chair and value != field.default:
            raise InputError(f"{where}: {field.name} = {value!r} needs the chair: chair = true")
    if own.mode == "debate" and own.ruling != "synthesis":
        raise InputError(f"{where}: mode = 'debate' has no ruling: leave ruling = 'synthesis'")
    return settings


@protocol(
    paper="karpathy/llm-council; amiable-dev/llm-council; an order for each reviewer is our own",
    calls="2 * agents + chair",
    fewest="2 * agents + chair - early * (agents - 1)",
    roles=("member", "chair"),
    voters=("member",),
    opened=("member",),
    verify=_need_chair,
    closing="synthesise",
    group="councils",
)
async def council(
    debate: Debate,
    question: Question,
    *,
    agents: Members = 4,
    shuffle: LabelOrder = "each",
    aggregate: AggregatedBy = "borda",
    self_votes: OwnVotes = "gap",
    chair: Chair = True,
    names: HasNames = False,
    mode: Mode = "consensus",
    ruling: RulesBy = "synthesis",
    early: EndsEarly = False,
    rubric: HasRubric = False,
) -> Verdict:
    """Let members answer, rank all answers without names, and a chair write the verdict.

    Use it when several different models can answer, and you want one answer with what speaks
    against it; with one model for all seats it is an expensive vote: compare it with a plain vote.

    A member reads its own answer among the others and is not told which it is. Its place for it
    does not count. A review without a ranking is an abstention. The chair reads all answers, all
    reviews and the scores; where its reply has no answer, the best ranked one counts, if any is. A
    review with a score far below the others' is recorded as a dissent, three at most.

    Differs:
        - The codes show answers in one order for all: that of the seats, or one drawn. Here each
          reviewer has an order of its own; what the chair reads of a review has the chair's labels.
        - Names: in both codes the chair reads the names of the models. Here it does with ``names``.
        - Ties go to the better mean score, then to the lower seat, never to chance.
        - Early end: by what outstanding ballots could still change, own votes left out.
        - Ruling: a question that asks for neither yes or no nor an open text is ruled on by its
          best ranked answer: approved, that is the verdict; rejected, there is none.
    """
    members = debate.seat("member", agents, remembers=False)
    answers = await debate.everyone(members, "answer")
    held = _Council(debate, answers, PeerRanking([_name(each) for each in answers], self_votes))
    step = "review-by-rubric" if rubric else "review"
    reviews = await held.collect_reviews(members, step, shuffle, early=early)
    standings = held.ranking.standings(aggregate)
    debate.record_count(standings, f"{aggregate} over {standings.ballots} of {agents} rankings")
    held.record_dissents(reviews)
    best = next(view for view in answers if _name(view) == held.ranking.order_members()[0])
    if not chair:
        by = aggregate if standings.scores else f"{aggregate}: no rankings"
        return verdict_from(best, by=by) if standings.scores else Verdict(answer=None, by=by)
    [head] = debate.seat("chair", debater=False, remembers=False)
    shown = held.show_chair(reviews, standings, shuffle, names=names)
    if ruling == "synthesis":
        said = await debate.ask(head, "synthesise", in_round=3, **shown, mode=mode)
        if said.answer is None and best.answer is not None and standings.scores:
            return verdict_from(best, by=aggregate)
        return verdict_from(said, by="chair")
    tied = "tied" if standings.deadlock and ruling == "tie-breaker" else ""
    return _rule(await debate.ask(head, "rule", in_round=3, **shown, tied=tied), best)


def _rule(said: View, best: View) -> Verdict:
    """Return the verdict of a chair that approves or rejects."""
    found = said.get(ApprovalRuling)
    if found is None or found.approved is None:
        return Verdict(answer=None, text=said.text, by="chair: no ruling", turn=said.turn.id)
    if said.answer is not None:
        return verdict_from(said.with_text(found.reason), by="chair")
    if found.approved:
        return verdict_from(best, by="chair")
    return Verdict(answer=None, text=found.reason, by="chair: rejected", turn=said.turn.id)


class _Council:
    """A council that has answered.

    Args:
        debate: the debate.
        answers: of the members, by seat.
        ranking: counts their ballots.
    """

    def __init__(self, debate: Debate, answers: Views, ranking: PeerRanking) -> None:
        self.debate, self.answers, self.ranking = debate, answers, ranking
        self.orders: dict[int, Views] = {}

    async def collect_reviews(
        self, members: list[Agent], step: str, shuffle: str, *, early: bool
    ) -> Views:
        """Return the reviews, by seat; with ``early`` only as many as settle the ranking."""

        def others(member: Agent) -> Views:
            seat = member.seat.number
            self.orders[seat] = _label(self._order(shuffle, seat))
            return self.orders[seat]

        if not early:
            reviews = await self.debate.everyone(members, step, votes=False, others=others)
            for review in reviews:
                self._count(review)
            return reviews
        reviews = Views()
        for place, member in enumerate(members, 1):
            said = await self.debate.ask(member, step, votes=False, others=others(member))
            reviews = reviews.add(said)
            self._count(said)
            left = [_name(each) for each in self.answers[place:]]
            if left and self.ranking.is_settled(left):
                self.debate.keep(members[place:], "the best answer cannot be caught any more")
                break
        return reviews

    def _order(self, shuffle: str, *seat: int) -> Views:
        """Return the answers in the order that a seat is shown; without a seat the chair's."""
        if shuffle == "none":
            return self.answers
        key = seat if shuffle == "each" else ()
        return self.answers.shuffle(self.debate.question.id, *self.debate.key, "council", *key)

    def _count(self, review: View) -> None:
        ballot = review.get(Ballot)
        if ballot is not None:
            self.ranking.add(_name(review), PeerBallot(ballot.ranking, ballot.scores))

    def record_dissents(self, reviews: Views) -> None:
        """Record the reviews that score an answer far below the others, each once."""
        by_name = {_name(view): view for view in reviews}
        low = {each.reviewer: each for each in reversed(self.ranking.find_low_scores())}
        for each in list(reversed(low.values()))[:MOST_DISSENTS]:
            why = f"scores the answer of {each.member} far below the others"
            view = by_name[each.reviewer]
            self.debate.record_dissent(view, why, signal=each.score, threshold=each.bound)

    def show_chair(
        self, reviews: Views, standings: Standings, shuffle: str, *, names: bool
    ) -> dict[str, Any]:
        """Return what the chair reads: answers, reviews with the chair's labels, and scores."""
        ordered = self._order(shuffle)
        own: dict[str | None, str] = {
            _name(view): _letter(place) for place, view in enumerate(ordered)
        }

        def label(view: View, words: str) -> View:
            words = f"{words} ({view.turn.model})" if names else words
            return view.relabel(words, view.answer, view.turn.round)

        shown = []
        for place, view in enumerate(reviews, 1):
            given = self.orders[view.agent.seat.number]
            text = _replace_labels(
                view.text, {each.agent.label: own[each.answer] for each in given}
            )
            same = text == view.text
            review = view if same else view.with_text(text, "with the chair's labels")
            shown.append(label(review, f"Review {place}"))
        return {
            "answers": Views(label(view, own[_name(view)]) for view in ordered),
            "reviews": Views(shown),
            "scores": {own[member]: score for member, score in standings.scores.items()},
        }


def _name(view: View) -> str:
    return view.agent.seat.agent


def _letter(place: int) -> str:
    return f"Response {ascii_uppercase[place]}"


def _label(views: Views) -> Views:
    """Return the answers as responses A, B, …; what a ballot ranks are their writers' names."""
    return Views(
        view.relabel(_letter(place), _name(view), view.turn.round)
        for place, view in enumerate(views)
    )


_LABEL = re.compile(r"\b(?:Response|response) +\**([A-Z])\b|(?<=[\"'])([A-Z])(?=[\"'])")


def _replace_labels(text: str, labels: dict[str, str]) -> str:
    """Return a review with other labels in place of those that its writer was shown."""

    def replace(found: re.Match[str]) -> str:
        letter = found[1] or found[2]
        other = labels.get(f"Response {letter}")
        return found[0] if other is None else found[0][: -len(letter)] + other[-1]

    return _LABEL.sub(replace, text)
