"""Decision rules: live, by a setting, and over a recorded debate, without a call."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.decision import decision, registry
from moot.debate.protocol import registry as protocols
from moot.debate.recorded import decide
from moot.debate.verdicts import majority
from moot.debate.views import Views
from support.debates import hold, stand

NUMBER = Question(id="q", kind="number", text="?", answer="4")


@pytest.mark.parametrize(
    ("rule", "answers", "answer", "by"),
    [
        ("plurality", ("4", "5", "5"), "5", "majority"),
        ("absolute-majority", ("4", "5", "5"), "5", "absolute majority"),
        ("absolute-majority", ("4", "5", "5", None), None, "no absolute majority"),
        ("absolute-majority", (None,), None, "no absolute majority"),
        ("supermajority", ("4", "5", "5"), "5", "supermajority"),
        ("supermajority", ("4", "5", "5", "5", "6"), None, "no supermajority"),
        ("supermajority", (None, None), None, "no supermajority"),
        ("unanimity", ("5", "5.0", "10/2"), "5", "unanimity"),
        ("unanimity", ("5", "5", None), None, "no unanimity"),
        ("unanimity", ("4", "5", "5"), None, "no unanimity"),
    ],
)
def test_each_rule(rule, answers, answer, by):
    views = stand(*answers)
    verdict = registry.get(rule).apply(views, NUMBER, views, {})
    assert (verdict.answer, verdict.by) == (answer, by)
    if answer is not None:
        assert verdict.turn == 10 + answers.index(answer)


@pytest.mark.parametrize(
    ("answers", "winner", "turn", "votes"),
    [
        (("4", "5", "5"), "5", 11, {"4": 1, "5": 2}),
        (("4", "5"), "4", 10, {"4": 1, "5": 1}),
        ((None, None, "5"), "5", 12, {"5": 1}),
        ((None, None), None, None, {}),
        (("1", "1/2", "0.5"), "1/2", 11, {"1": 1, "1/2": 2}),
    ],
)
def test_the_lowest_seat_of_a_majority_speaks_for_it(answers, winner, turn, votes):
    verdict = majority(stand(*answers), NUMBER)
    assert (verdict.answer, verdict.turn, verdict.votes) == (winner, turn, votes)
    assert (verdict.by, verdict.text) == ("majority", f"said {winner}" if winner else "")


def test_a_share_is_an_option():
    views = stand("5", "5", "4")
    rule = registry.get("supermajority")
    assert rule.apply(views, NUMBER, views, {"share": 0.6}).answer == "5"
    assert rule.apply(views, NUMBER, views, {"share": 0.7}).answer is None
    with pytest.raises(InputError, match=r"share = 0\.5: .* > 0\.5"):
        rule.apply(views, NUMBER, views, {"share": 0.5})
    with pytest.raises(InputError, match="supermajority: share = 'most': Expected `float`"):
        rule.apply(views, NUMBER, views, {"share": "most"})
    with pytest.raises(UnknownName, match="decision supermajority: unknown option 'shre'"):
        rule.apply(views, NUMBER, views, {"shre": 0.5})


def test_a_rule_of_one_s_own_may_look_at_every_round():
    @decision(source="a test", name="earliest-word")
    def of_the_first_round(views: Views, question: Question, *, history: Views) -> Verdict:
        """Take the first answer of the first who spoke."""
        return Verdict(answer=history[0].answer, by=f"{len(views)} of {len(history)}")

    try:
        views, history = stand("5", "5"), stand("4", "4", "5", "5")
        verdict = registry.get("earliest-word").apply(views, NUMBER, history, {})
        assert (verdict.answer, verdict.by) == ("4", "2 of 4")
        with pytest.raises(UnknownName, match="history"):
            registry.get("earliest-word").apply(views, NUMBER, history, {"history": views})
    finally:
        registry._found.pop("earliest-word")


@pytest.mark.parametrize(
    ("decision", "error"),
    [
        ("plurarity", "unknown decision rule 'plurarity'"),
        ("borda", "borda counts ballots, for which agents of this protocol are not asked"),
        ("judge", "judge needs a judge, and this protocol seats none"),
        ("supermajority?share=0.4", r"share = '0\.4': .* > 0\.5"),
        ("supermajority?shre=0.6", "unknown option 'shre'"),
        ("supermajority?0.6", r"options are written as in supermajority\?share=0\.75"),
    ],
)
def test_a_rule_that_cannot_decide_is_refused_before_any_call(decision, error):
    society = protocols.get("society-of-minds")
    with pytest.raises(InputError, match=error):
        society.check({"decision": decision})
    assert "decision" not in society.check({"decision": "plurality"})
    assert society.check({"decision": "unanimity"})["decision"] == "unanimity"


async def test_a_protocol_that_votes_decides_by_its_setting_and_so_does_a_recorded_debate(store):
    replies = ["Final answer: 4", "Final answer: 5", "Final answer: 5"]
    found = {}
    rules = ("plurality", "unanimity", "supermajority?share=0.6", "supermajority?share=0.7")
    for rule in rules:
        transcript = await hold("self-consistency", replies, store, samples=3, decision=rule)
        found[rule] = transcript.verdict.answer
        assert decide(transcript, rule) == transcript.verdict
    assert [*found.values()] == ["5", None, "5", None]
    assert decide(transcript, "supermajority", share=0.6).answer == "5"


async def test_voters_are_those_whom_the_protocol_names_or_all_who_debate(store):
    """In an ensemble refinement, the second stage votes; with a judge, those whom it judges."""
    replies = [*["Final answer: 4"] * 2, *["Final answer: 5"] * 3]
    given = {"reasonings": 2, "aggregations": 3, "decision": "unanimity"}
    refined = await hold("ensemble-refinement", replies, store, **given)
    assert refined.verdict.answer == "5"
    assert decide(refined, "unanimity") == refined.verdict


async def test_in_a_network_its_nodes_vote(store):
    def script(call):
        return f"Final answer: {5 if 'C2' in call.scene.agent else 4}"

    held = await hold("hopfield", script, store, communities=3, agents=1, rounds=1, sweeps=2)
    assert held.verdict.votes == {"4": 2, "5": 1}
    again = decide(held, "plurality")
    assert (again.answer, again.votes, again.turn) == ("4", {"4": 2, "5": 1}, held.verdict.turn)
    assert decide(held, "unanimity").answer is None


async def test_a_judge_of_a_recorded_debate_is_compared_with_a_vote(store):
    def script(call):
        return f'{{"answer": "{4 if call.scene.role == "judge" else 5}", "reason": "so"}}'

    held = await hold("community", script, store, agents=3, rounds=1)
    assert (decide(held, "judge").answer, decide(held, "plurality").answer) == ("4", "5")
    assert decide(held, "judge").turn == held.verdict.turn


async def test_a_debate_that_failed_has_nothing_to_decide_by(store):
    failed = await hold("single", [], store)
    assert failed.failed
    with pytest.raises(InputError, match="this debate failed"):
        decide(failed, "plurality")
