"""Peer ranking: scores of members from the rankings that they give one another."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from moot.contrib.review.juries import find_low_marks
from moot.extend.protocols import Standings

SelfVotes = Literal["counted", "gap", "closed"]
"""What a member's place for its own answer counts. ``"counted"``: as any other. ``"gap"``: nothing,
and the others keep their places. ``"closed"``: nothing, and those below it move up."""
RankScore = Literal["borda", "mean-rank"]
"""How places become a score: 1 for the best and 0 for the last, or the mean place from 1."""
DEADLOCK = 0.1
"""Two best members whose Borda scores are less than this apart are in deadlock."""


class PeerBallot(NamedTuple):
    """What one member says of all answers.

    Attributes:
        ranking: members by their answers, the best first.
        scores: marks by member.
    """

    ranking: Sequence[str]
    scores: Mapping[str, float]


class LowScore(NamedTuple):
    """A score far below the others that an answer has.

    Attributes:
        reviewer: the member who gives it.
        member: whose answer it is for.
        score: the score.
        bound: the least score that is no dissent.
    """

    reviewer: str
    member: str
    score: float
    bound: float


class PeerRanking:
    """The ballots of members on one another's answers, by the rules of a council.

    Args:
        members: their names, by seat.
        self_votes: what a member's place for its own answer counts.
    """

    def __init__(self, members: Sequence[str], self_votes: SelfVotes) -> None:
        self.members, self.self_votes = members, self_votes
        self.ballots: dict[str, PeerBallot] = {}
        self.top = len(members) - 1 - (self_votes == "closed")

    def add(self, reviewer: str, ballot: PeerBallot) -> None:
        """Count the ballot of a member; one without a ranking is an abstention."""
        if ballot.ranking:
            self.ballots[reviewer] = ballot

    def count_points(self, member: str) -> list[int]:
        """Return the points of a member on each ballot that ranks it: 0 for the last place."""
        return [self.top - place for place in self._places(member)]

    def _places(self, member: str) -> list[int]:
        found = []
        for reviewer, ballot in self.ballots.items():
            ranking = [each for each in ballot.ranking if each in self.members]
            if self.self_votes == "closed":
                ranking = [each for each in ranking if each != reviewer]
            if member in ranking and (self.self_votes == "counted" or member != reviewer):
                found.append(ranking.index(member))
        return found

    def score_by_borda(self, member: str) -> float | None:
        """Return the mean over ballots, 1 for the first place and 0 for the last, or None."""
        points = self.count_points(member)
        return fmean(points) / self.top if points and self.top else (1.0 if points else None)

    def score(self, member: str, aggregate: RankScore) -> float | None:
        """Return the score of a member; None where no ballot that counts ranks it."""
        if aggregate == "borda":
            return self.score_by_borda(member)
        places = self._places(member)
        return 1 + fmean(places) if places else None

    def order_members(self) -> list[str]:
        """Return the members, the best first; ties go to the better mean mark, then by seat.

        Both aggregates have one order: a mean place is the Borda score on another scale.
        """

        def key(member: str) -> tuple[float, float]:
            score = self.score_by_borda(member)
            marks = self._marks(member).values()
            return (-1.0 if score is None else score), (fmean(marks) if marks else 0.0)

        return sorted(self.members, key=key, reverse=True)  # equal ones stay in their order

    def standings(self, aggregate: RankScore) -> Standings:
        """Return the scores of all members that have one, with what tells the two best apart."""
        ordered = self.order_members()
        borda = [each for each in map(self.score_by_borda, ordered) if each is not None]
        lead = borda[0] - borda[1] if len(borda) > 1 else None
        scored = ((each, self.score(each, aggregate)) for each in ordered)
        return Standings(
            scores={each: round(score, 6) for each, score in scored if score is not None},
            lead=None if lead is None else round(lead, 6),
            deadlock=lead is not None and lead < DEADLOCK,
            ballots=len(self.ballots),
        )

    def is_settled(self, outstanding: Sequence[str]) -> bool:
        """Return whether no ballot that is still to come can take the lead from the first.

        Args:
            outstanding: the members whose ballots are still to come.
        """

        def bounds(member: str) -> tuple[float, float]:
            points = self.count_points(member)
            own = 0 if self.self_votes == "counted" else member in outstanding
            left = len(outstanding) - own
            total = len(points) + left
            low, high = sum(points), sum(points) + left * self.top
            return (low / total, high / total) if total else (0.0, float(self.top))

        if not self.ballots:
            return False
        leader = self.order_members()[0]
        others = [each for each in self.members if each != leader]
        return all(bounds(leader)[0] > bounds(each)[1] for each in others)

    def find_low_scores(self) -> list[LowScore]:
        """Return the scores far below the others of their answer, those of the best one first."""
        found = []
        for member in self.order_members():
            marks = self._marks(member)
            low, bound = find_low_marks(marks)
            found += [LowScore(who, member, marks[who], bound or 0.0) for who in low]
        return found

    def _marks(self, member: str) -> dict[str, float]:
        """Return the scores of a member's answer by reviewer, but its own if that does not count.

        A ballot that scores and does not rank is none.
        """
        return {
            reviewer: ballot.scores[member]
            for reviewer, ballot in self.ballots.items()
            if member in ballot.scores and (self.self_votes == "counted" or member != reviewer)
        }
