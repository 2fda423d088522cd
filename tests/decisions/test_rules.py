"""Each decision rule on views, rounds and ballots whose outcome is known by hand."""

from math import exp

import msgspec
import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.decision import find_rule, registry
from moot.debate.protocol import registry as protocols
from moot.debate.views import View, Views
from moot.parsing.ballot import Ballot
from moot.statistics.calibration_maps import CalibrationMap
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


MISSING = dict.fromkeys(("borda", "condorcet", "schulze", "instant-runoff"), "rankings")
MISSING |= {"approval": "approvals", "cumulative": "ballots of 10 points", "scores": "scores"}


@pytest.mark.parametrize(("rule", "missing"), MISSING.items())
def test_without_ballots_there_is_no_answer(rule, missing):
    views = stand("A", "A", "B")
    verdict = registry.get(rule).apply(views, PLACE, views, {})
    assert (verdict.answer, verdict.missing) == (None, missing)
    assert verdict.by == f"{rule.replace('-', ' ')}: {missing} missing"
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
    alone = stand("A", "A")  # nobody else scored it, so that those of all count
    own = cast(alone, [Ballot(scores={"A": 3}), Ballot(scores={"A": 8})])
    assert registry.get("scores").apply(alone, PLACE, own, {}).answer == "A"


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

    def score(rule, **given):
        return registry.get(rule).apply(views, PLACE, views, given).scores

    assert score("weighted") == {"A": 1.2, "B": 0.9}
    assert score("weighted", weights="bins") == pytest.approx({"A": 0.2, "B": 0.8})
    shares = {each: exp(logarithm) for each, logarithm in score("fusion").items()}
    total = sum(shares.values()) + 2 * (0.4 / 3) ** 2 * (0.1 / 3)  # C and D, which none holds
    assert shares["B"] / total == pytest.approx(0.548, abs=5e-4)
    assert shares["A"] / total == pytest.approx(0.411, abs=5e-4)
    sure = stand("A", "A", "B", confidences=(0.65, 0.7, 0.9))
    assert registry.get("weighted").apply(sure, PLACE, sure, {"weights": "bins"}).answer == "B"
    unsure = stand("4", "5", confidences=(0.9, None))
    verdict = registry.get("weighted").apply(unsure, NUMBER, unsure, {})
    assert (verdict.answer, verdict.by) == (None, "weighted: confidence missing")
    for rule in ("weighted", "fusion"):
        nobody = stand(None, None)
        assert registry.get(rule).apply(nobody, PLACE, nobody, {}).missing == "confidence"


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
        ("last-k", ("AAA", "ABB", "ABB"), "B", {}),
        ("last-k", ("AAA", "ABB", "ABB"), "A", {"k": 3}),
        ("last-k", ("BAA", "ABB"), "B", {}),  # a tie, and the lowest seat said B first
        ("locked", ("AAB", "ABB", "BAB"), "A", {}),
    ],
)
def test_rounds(rule, rounds, answer, given):
    views, said = speak(*rounds)
    assert registry.get(rule).apply(views, PLACE, said, given).answer == answer
    with pytest.raises(InputError, match=r"trajectory: left = -1: .* >= 0"):
        registry.get("trajectory").apply(views, PLACE, said, {"left": -1})


def test_figures_of_each_rule():
    """What answers score, and how far the best is above the second best."""
    views, said = vote(*TENNESSEE)

    def score(rule):
        verdict = registry.get(rule).apply(views, PLACE, said, {})
        return {town: verdict.scores.get(TOWNS[town]) for town in "MNCK"}, verdict.margin

    assert score("borda") == ({"M": 126, "N": 194, "C": 173, "K": 107}, 21)
    assert score("condorcet") == ({"M": -16, "N": 16, "C": -36, "K": -66}, 32)
    assert score("schulze") == ({"M": -58, "N": 58, "C": -68, "K": -83}, 116)
    assert score("instant-runoff") == ({"M": 42, "N": None, "C": None, "K": 58}, 16)
    plural = registry.get("plurality").apply(views, PLACE, said, {})
    assert (plural.scores, plural.margin) == ({}, 16)


RANKED = {"ballots": [{"ranking": ("B", "A")}, {"ranking": ("A", "B")}]}
TIED = [  # each with A and B exactly even, and B first by seat
    *((each, ("B", "A"), {}) for each in ("plurality", "trajectory", "first-round", "any-round")),
    *((each, ("B", "A"), {}) for each in ("last-k", "locked")),
    ("weighted", ("B", "A", "A", "A"), {"confidences": (0.6, 0.1, 0.2, 0.3)}),  # 0.6000000000000001
    ("borda", ("B", "A"), RANKED),
    ("schulze", ("B", "A"), RANKED),
    ("instant-runoff", ("B", "A"), {"ballots": [{"ranking": ("B",)}, {"ranking": ("A",)}]}),
    ("approval", ("B", "A"), {"ballots": [{"approved": ("A",)}, {"approved": ("B",)}]}),
    ("cumulative", ("B", "A"), {"ballots": [{"points": {"A": 10}}, {"points": {"B": 10}}]}),
    ("scores", ("B", "A"), {"ballots": [{"scores": {"A": 0.3}}, {"scores": {"B": 0.3}}]}),
    ("fusion", ("B", "A"), {"confidences": (0.7, 0.7)}),
]


@pytest.mark.parametrize(("rule", "answers", "more"), TIED)
def test_a_tie_goes_to_the_lowest_seat(rule, answers, more):
    views = stand(*answers, confidences=more.get("confidences", ()))
    said = cast(views, [Ballot(**each) for each in more.get("ballots", [{}] * len(views))])
    verdict = registry.get(rule).apply(views, PLACE, said, {})
    assert (verdict.answer, verdict.margin) == ("B", 0)


def test_a_judge_decides():
    views, judges = stand("A", "A"), stand("B", None)
    rule = registry.get("judge")
    verdict = rule.apply(views, PLACE, views, {}, judges)
    assert (verdict.answer, verdict.by, verdict.turn) == ("B", "judge", 10)
    alone = rule.apply(views, PLACE, views, {})
    assert (alone.answer, alone.missing, alone.votes) == (None, "judge", {"A": 2})


@pytest.mark.parametrize(
    ("rule", "stated"),
    [("plurality", 2), ("weighted", 1), ("borda", 1), ("approval", 0), ("cumulative", 2),
     ("scores", 0), ("judge", None)],
)  # fmt: skip
def test_what_a_rule_needs_is_counted(rule, stated):
    views = stand("A", "B", None, confidences=(0.5, None, None))
    ballots = [Ballot(ranking=("A",), points={"A": 1}), Ballot(points={"B": 1}), Ballot()]
    assert registry.get(rule).count_stated(views, cast(views, ballots)) == stated


def test_seats_weigh_what_they_are_given():
    views = stand("A", "B", "B", None)
    apply = registry.get("seat-weights").apply
    assert apply(views, PLACE, views, {"weights": "3,1,1,9"}).answer == "A"
    assert apply(views, PLACE, views, {"weights": "1,1,1,1"}).answer == "B"
    assert apply(views, PLACE, views, {"weights": "3,-1,-1,0"}).scores == {"A": 3.0, "B": -2.0}
    sure = apply(views, PLACE, views, {"accuracies": "0.9,0.6,0.6,0.5"})
    assert sure.answer == "A"  # log 9 is more than twice log 1.5
    assert sure.scores["B"] == pytest.approx(0.8109, abs=1e-4)
    lost = apply(views, PLACE, views, {"weights": "1,1"})
    assert (lost.answer, lost.missing) == (None, "weights")
    assert apply(views, PLACE, views, {}).missing == "weights"


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("seat-weights", "a number for each of 3 agents, and has 0"),
        ("seat-weights?weights=1,2", "a number for each of 3 agents, and has 2"),
        ("seat-weights?weights=1,2,x", "weights = '1,2,x'"),
        ("seat-weights?accuracies=0.5,1,0.5", "each is from 0 to 1"),
        ("seat-weights?accuracies=0.5,0.9,0.5&weights=1,2,3", "give one of them"),
        ("weighted?weights=heavy", "weights = 'heavy'"),
    ],
)
def test_weights_that_could_never_decide_are_refused_before_any_call(rule, fault):
    with pytest.raises(InputError, match=fault):
        protocols.get("society-of-minds").check({"decision": rule})
    assert protocols.get("society-of-minds").check({"decision": "seat-weights?weights=2,1,1"})


def test_a_calibrated_confidence_weighs_what_the_map_makes_of_it():
    views = stand("A", "B", "B", confidences=(0.9, 0.6, 0.6))
    apply = registry.get("weighted").apply
    assert apply(views, PLACE, views, {}).answer == "B"
    # Twice as steep: odds of 81 and 2.25, which are 0.988 and two times 0.692.
    twice = apply(views, PLACE, views, {"slope": 2.0}).scores
    assert twice == pytest.approx({"A": 0.9878, "B": 2 * 0.6923}, abs=1e-4)
    steep = {"slope": 3.0, "offset": -1.5}
    assert apply(views, PLACE, views, steep).answer == "A"
    assert registry.get("fusion").apply(views, PLACE, views, steep).answer == "A"
    of = {"kind": "platt", "source": "stated", "model": "m", "questions": "", "n": 50}
    fitted = CalibrationMap(**of, parameters=(3.0, -1.5))
    rule, options = find_rule(f"weighted?{fitted.options}")
    assert options == steep
    assert rule.apply(views, PLACE, views, options).scores["A"] == pytest.approx(fitted.apply(0.9))
    with pytest.raises(InputError, match="fit platt"):
        msgspec.structs.replace(fitted, kind="isotonic").options  # noqa: B018 -- it raises
