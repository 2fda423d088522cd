"""Scores of members from the rankings that they give one another."""

from itertools import permutations, product

import pytest

from moot.contrib.review.peer_ranking import PeerBallot, PeerRanking

ABC = ("A", "B", "C")


def rank(self_votes="gap", members=ABC, scores=(), **rankings):
    ranking = PeerRanking(members, self_votes)
    for reviewer, order in rankings.items():
        ranking.add(reviewer, PeerBallot(order, dict(scores).get(reviewer, {})))
    return ranking


@pytest.mark.parametrize(
    ("aggregate", "self_votes", "scores"),
    [
        ("mean-rank", "counted", (4 / 3, 2, 8 / 3)),
        ("borda", "gap", (0.75, 0.75, 0.25)),
        ("borda", "closed", (0.5, 1, 0)),
    ],
)
def test_places_become_scores(aggregate, self_votes, scores):
    ranking = rank(self_votes, A="ABC", B="ACB", C="BAC")
    found = {each: ranking.score(each, aggregate) for each in ABC}
    assert found == pytest.approx(dict(zip(ABC, scores, strict=True)))
    assert ranking.standings(aggregate).scores == pytest.approx(found, abs=1e-6)


def test_a_score_of_zero_is_a_score_and_an_answer_on_no_ballot_has_none():
    ranking = rank(A="CB")
    assert ranking.standings("borda").scores == {"C": 1.0, "B": 0.5}
    assert rank(B="AC").standings("borda").scores == {"A": 1.0, "C": 0.5}
    assert rank(B="ABC").standings("borda").scores == {"A": 1.0, "C": 0.0}
    assert rank().standings("borda").scores == {}


def test_ties_go_to_the_better_mean_mark_then_to_the_lower_seat():
    ballots = {"A": "ABC", "B": "ACB", "C": "BAC"}
    assert rank(**ballots).order_members() == ["A", "B", "C"]
    marks = {"A": {"B": 9}, "B": {"A": 5}, "C": {"A": 6, "B": 9}}
    assert rank(scores=marks, **ballots).order_members() == ["B", "A", "C"]
    own = {"A": {"A": 10}, "B": {"B": 1}}
    assert rank(scores=own, **ballots).order_members() == ["A", "B", "C"]
    assert rank(**ballots).standings("borda").deadlock
    clear = rank("closed", **ballots).standings("borda")
    assert (clear.lead, clear.deadlock) == (0.5, False)
    assert rank().standings("borda").lead is None


def test_a_mark_for_ones_own_answer_is_no_dissent_unless_it_counts():
    scores = {who: {"A": mark} for who, mark in zip("ABCD", (1, 9, 9, 9), strict=True)}
    ballots = dict.fromkeys("ABCD", "ABCD")
    assert not rank("gap", "ABCD", scores, **ballots).find_low_scores()
    assert rank("counted", "ABCD", scores, **ballots).find_low_scores()[0].reviewer == "A"


FIVE = ("A", "B", "C", "D", "E")


def test_the_leader_is_settled_when_no_ballot_can_take_the_lead():
    ballots = {"A": "ABCDE", "B": "ACDEB", "C": "ADEBC", "D": "AEBCD"}
    three = rank(members=FIVE, **{each: ballots[each] for each in "ABC"})
    assert not three.is_settled(["D", "E"])
    assert rank(members=FIVE, **ballots).is_settled(["E"])
    assert not rank(members=FIVE).is_settled(["E"])


@pytest.mark.parametrize("self_votes", ["counted", "gap", "closed"])
def test_who_is_settled_stays_first_whatever_the_last_ballot_says(self_votes):
    """Every last ballot is tried, for many first ones."""
    members = ("A", "B", "C", "D")
    orders = ["".join(each) for each in permutations(members)]
    settled = 0
    for first in product(orders[::5], repeat=3):
        ballots = dict(zip("ABC", first, strict=True))
        ranking = rank(self_votes, members, **ballots)
        if ranking.is_settled(["D"]):
            settled += 1
            leader = ranking.order_members()[0]
            for last in orders:
                whole = rank(self_votes, members, **ballots, D=last)
                assert whole.order_members()[0] == leader
    assert settled
