"""Arms that follow from a log without a call."""

from itertools import count

import pytest

from moot.contrib.imports.arms import Method, MethodTurns, label_methods
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.logged_questions import QuestionKind
from moot.contrib.imports.transcripts import make_transcript

NAMES = ("A", "B", "C")


def debate(*rounds, judge="", names=NAMES, **more):
    """A debate of one reply of each agent a round, by their answers."""
    agents = [LoggedAgent(name=name) for name in names]
    turns = [
        LoggedTurn(agent=name, text=f"The answer is {answer}.", round=number)
        for number, answers in enumerate(rounds, 1)
        for name, answer in zip(names, answers, strict=False)
    ]
    if judge:
        agents.append(LoggedAgent(name="J", role="judge", answers=False))
        turns.append(LoggedTurn(agent="J", text=f"The answer is {judge}.", round=len(rounds)))
    asked = LoggedQuestion(text="2 + 2?", answer="4")
    given = {"id": "q", "question": asked, "agents": tuple(agents), "turns": tuple(turns)}
    return LoggedDebate(**(given | more))


def arms_of(*debates, votes=True, label=""):
    method = Method.of(debates[0])
    found = MethodTurns(method)
    for each in debates:
        found.add(each)
    return found.list_arms(label, votes=votes)


def derive(held, arms=None):
    """Return the verdict and the calls of every arm but the base."""
    made = make_transcript(held, QuestionKind("number"), source="log").transcript
    found = (arms or arms_of(held)).derive(made)
    return {arm.name: (each.verdict.answer, len(each.turns)) for arm, each in found}


SOCIETY = debate("454", "554", "545", verdict=LoggedVerdict(answer="4"))


def test_replies_and_votes_follow_from_a_debate():
    found = arms_of(SOCIETY)
    assert [arm.name for arm in found.every if arm.kind != "rule"] == [
        *("first reply", "vote of round 1", "vote of round 2", "vote of round 3", "debate"),
    ]
    assert [arm.kind for arm in found.every[:5]] == ["single", "vote", "vote", "vote", "debate"]
    assert found.baseline == "vote of round 1"
    assert {arm.kind for arm in found.every[5:]} == {"rule"}


def test_the_verdicts_of_what_follows():
    found = derive(SOCIETY)
    assert found["first reply"] == ("4", 1)
    assert found["vote of round 1"] == ("4", 3)
    assert found["vote of round 2"] == ("5", 6)
    assert found["vote of round 3"] == ("5", 9)
    # last answers: 5, 4, 5; all answers: 4, 5, 4, 5, 5, 4, 5, 4, 5
    assert found["debate by absolute-majority"] == ("5", 9)
    assert found["debate by supermajority"] == ("5", 9)
    assert found["debate by unanimity"] == (None, 9)
    assert found["debate by any-round"] == ("5", 9)


def test_without_a_verdict_the_last_vote_is_the_debate():
    found = arms_of(debate("454", "554"))
    assert "vote of round 2" not in [arm.name for arm in found.every]
    assert "vote of round 1" in [arm.name for arm in found.every]


def test_a_judge_makes_the_last_vote_an_arm():
    held = debate("454", judge="5")
    assert derive(held)["vote of round 1"] == ("4", 3)


def test_a_vote_and_a_single_reply_are_what_they_are():
    vote, single = arms_of(debate("454")), arms_of(debate("4", names=("A",)))
    assert (vote.base.name, vote.base.kind, vote.baseline) == ("vote", "vote", "first reply")
    assert (single.base.name, single.base.kind, single.derived) == ("single reply", "single", {})


def test_texts_have_no_votes():
    assert [arm.name for arm in arms_of(SOCIETY, votes=False).every] == ["first reply", "debate"]


def test_nothing_follows_where_nobody_answers():
    agents = tuple(LoggedAgent(name=name, answers=False) for name in NAMES)
    assert [arm.name for arm in arms_of(debate("454", "554", agents=agents)).every] == ["debate"]


def test_a_round_of_one_agent_has_no_vote():
    late = debate("454", "5")
    assert "vote of round 2" not in derive(late, arms_of(SOCIETY))


def test_a_failed_debate_has_its_first_replies():
    found = derive(debate("454", "55", error="rate limit"), arms_of(SOCIETY))
    assert found == {
        "first reply": ("4", 1),
        "vote of round 1": ("4", 3),
        "vote of round 2": ("5", 5),
    }


def test_an_own_protocol_needs_its_roles():
    own = debate("454", "554", method="society-of-minds")
    other = debate("454", "554", method="society-of-minds", judge="4")
    unknown = debate("454", "554", method="round-table")
    named = [MethodTurns(Method.of(each)) for each in (own, other, unknown)]
    for found, held in zip(named, (own, other, unknown), strict=True):
        found.add(held)
    assert [each.protocol for each in named] == ["society-of-minds", "recorded", "round-table"]
    assert [each.debater for each in named] == ["mind", "debater", "debater"]


def test_models_are_named_where_all_debates_have_the_same():
    def agents(*models):
        return tuple(
            LoggedAgent(name=name, model=model) for name, model in zip(NAMES, models, strict=True)
        )

    mixed = debate("454", "554", agents=agents("x", "y", "x"))
    assert arms_of(mixed).base.settings == {"model": "x + y"}
    unlike = debate("454", "554", agents=agents("x", "x", "x"))
    assert arms_of(mixed, unlike).base.settings == {}


LABELS = [
    ([("a", {"rounds": 2}), ("a", {"rounds": 3})], ["rounds=2", "rounds=3"]),
    ([("a", {"rounds": 2}), ("b", {"rounds": 3})], ["a", "b"]),
    ([("a", {"rounds": 2})], [""]),
    (
        [("a", {"n": 1, "r": 1}), ("a", {"n": 1, "r": 2}), ("a", {"n": 2, "r": 1})],
        ["n=1, r=1", "n=1, r=2", "n=2, r=1"],
    ),
    ([("a", {}), ("a", {"swapped": True})], ["", "swapped=True"]),
]


@pytest.mark.parametrize(("methods", "labels"), LABELS)
def test_the_shortest_words_tell_methods_apart(methods, labels):
    numbers = count()
    found = []
    for name, settings in methods:
        held = debate("454", "554", id=f"q{next(numbers)}", method=name, settings=settings)
        found.append(MethodTurns(Method.of(held)))
        found[-1].add(held)
    assert label_methods(found) == labels
