"""Each decision rule on views, rounds and ballots whose outcome is known by hand."""

import msgspec
import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.decision import registry
from moot.debate.views import View, Views
from moot.parsing.ballot import Ballot
from support.debates import stand

PLACE = Question(id="q", kind="choice", text="Where?", choices=("M", "N", "C", "K"), answer="B")
TOWNS = dict(zip("MNCK", "ABCD", strict=True))
NUMBER = Question(id="q", kind="number", text="?", answer="4")


def vote(*voters):
    """Views of voters with rankings such as "MNCK", each with its first as its own answer."""
    rankings = [tuple(TOWNS[town] for town in voter) for voter in voters]
    views = stand(*[ranking[0] for ranking in rankings])
    return views, cast(views, [Ballot(ranking=ranking) for ranking in rankings])


def cast(views, ballots):
    """All that voters said: their answers, then their ballots, which are no votes."""
    spoken = [
        View(
            view.agent,
            msgspec.structs.replace(view.turn, id=1000 + place, reading=ballot, votes=False),
        )
        for place, (view, ballot) in enumerate(zip(views, ballots, strict=True))
    ]
    return views.add(*spoken)


TENNESSEE = ["MNCK"] * 42 + ["NCKM"] * 26 + ["CKNM"] * 15 + ["KCNM"] * 17
CYCLE = ["MNC"] * 4 + ["NCM"] * 3 + ["CMN"] * 2


@pytest.mark.parametrize(
    ("rule", "voters", "winner"),
    [
        ("plurality", TENNESSEE, "M"),
        ("instant-runoff", TENNESSEE, "K"),
        ("borda", TENNESSEE, "N"),
        ("condorcet", TENNESSEE, "N"),
        ("schulze", TENNESSEE, "N"),
        ("schulze", CYCLE, "M"),
        ("condorcet", CYCLE, None),
        ("borda", ["MN", "NM", "CM"], "M"),  # what is not ranked shares the places that are left
        ("instant-runoff", ["M", "M", "N"], "M"),
    ],
)
def test_rankings(rule, voters, winner):
    views, said = vote(*voters)
    verdict = registry.get(rule).apply(views, PLACE, said, {})
    assert verdict.answer == (winner and TOWNS[winner])
    if rule == "condorcet" and winner is None:
        assert verdict.by == "condorcet: cycle"


@pytest.mark.parametrize("rule", ["borda", "condorcet", "schulze", "instant-runoff"])
def test_without_rankings_there_is_no_answer(rule):
    views = stand("A", "A", "B")
    verdict = registry.get(rule).apply(views, PLACE, views, {})
    assert verdict.answer is None
    assert verdict.by.endswith(": no rankings")
    assert verdict.votes == {"A": 2, "B": 1}


def test_approvals_points_and_scores():
    views = stand("4", "5", "5")
    said = cast(
        views,
        [
            Ballot(approved=("4",), points={"4": 10}, scores={"4": 9, "5": 8}),
            Ballot(approved=("5.0", "4"), points={"5": 6, "4": 4}, scores={"4": 6, "5": 10}),
            Ballot(approved=("4", "5"), points={"5": 11}, scores={"4": 2, "5": 10}),
        ],
    )

    def decide(rule, **given):
        return registry.get(rule).apply(views, NUMBER, said, given).answer

    assert decide("approval") == "4"
    assert decide("cumulative") == "4"  # 14 to 6: the third ballot has a point too many
    assert decide("cumulative", points=11) == "5"
    assert decide("scores") == "5"  # 8 by the first, against a mean of 4 by the others
    assert decide("scores", own=True) == "5"
    for rule, missing in [
        ("approval", "no approvals"),
        ("cumulative", "no 10 points"),
        ("scores", "no scores"),
    ]:
        verdict = registry.get(rule).apply(views, NUMBER, views, {})
        assert (verdict.answer, verdict.by) == (None, f"{rule}: {missing}")


def test_confidences():
    """Figures of methods: plurality and linear A, bins B, fusion B .548 to A .411."""
    views = stand("A", "A", "B", confidences=(0.6, 0.6, 0.9))

    def decide(rule, **given):
        return registry.get(rule).apply(views, PLACE, views, given).answer

    assert decide("plurality") == "A"
    assert decide("weighted") == "A"
    assert decide("weighted", weights="bins") == "B"
    assert decide("weighted", weights="log-odds") == "B"
    assert decide("fusion") == "B"


def test_bins_of_reconcile():
    views = stand("A", "A", "B", confidences=(0.65, 0.7, 0.9))
    rule = registry.get("weighted")
    assert rule.apply(views, PLACE, views, {"weights": "bins"}).answer == "B"
    with pytest.raises(InputError, match="weights = 'heavy'"):
        rule.apply(views, PLACE, views, {"weights": "heavy"})


def speak(*rounds):
    """Views of several rounds, each a text with a letter for each agent, "-" for none."""
    first = stand(*rounds[0])
    said = []
    for number, answers in enumerate(rounds):
        for view, answer in zip(first, answers, strict=True):
            turn = msgspec.structs.replace(
                view.turn,
                id=len(said) + 1,
                round=number + 1,
                answer=None if answer == "-" else answer,
            )
            said.append(View(view.agent, turn))
    return Views(said).last, Views(said)


@pytest.mark.parametrize(
    ("rule", "rounds", "answer", "given"),
    [
        ("trajectory", ("AAB", "ABB"), "B", {}),  # A 37.5, B 45
        ("trajectory", ("AAA", "ABB"), "A", {}),  # A 45, B 30, although B leads the last round
        ("trajectory", ("AAB", "AAB"), "A", {}),  # A 60, B 30
        ("trajectory", ("AAA", "ABB"), "B", {"taken": 80}),
        ("trajectory", ("A-B", "-BB"), "B", {}),
        ("trajectory", ("--", "--"), None, {}),
        ("first-round", ("AAB", "BBB"), "A", {}),
        ("any-round", ("AAA", "ABB", "ABB"), "A", {}),
        ("any-round", ("AAA", "ABB", "ABB"), "B", {"last": 2}),
        ("locked", ("AAB", "ABB", "BAB"), "A", {}),
    ],
)
def test_rounds(rule, rounds, answer, given):
    views, said = speak(*rounds)
    assert registry.get(rule).apply(views, PLACE, said, given).answer == answer


def test_points_of_a_way_are_not_negative():
    views, said = speak("AB")
    with pytest.raises(InputError, match="trajectory: left = -1"):
        registry.get("trajectory").apply(views, PLACE, said, {"left": -1})
