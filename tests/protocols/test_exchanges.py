"""What tells debates apart in which agents read some of the others, and councils that score."""

import pytest

from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.debate.recorded import decide
from moot.metrics.debaters import find_debaters
from moot.models.scripted import Scripted
from moot.protocols.confidence_debate import mark_certainty
from moot.protocols.diverse_start import choose_farthest
from support.debates import hold


def answers(*given):
    return [f"Final answer: {each}" for each in given]


GATES = ("confidence-gate", "agreement-gate")
INNER = [
    ({"inner": "multi-persona"}, "does not begin with agents that each answer alone"),
    ({"inner": {"protocol": "free-mad", "model": "x"}}, "model: set it for the gate"),
    ({"inner": {"protocol": "free-mad", "agents": 9}}, "agents: set it for the gate"),
    ({"inner": {"protocol": "exposure", "shows": "all"}}, "expected one of"),
    ({"inner": {"shows": "all"}}, "name the protocol of the debate"),
    ({"agents": [{"role": "judge", "temperature": 0}]}, "'judge'"),
]


@pytest.mark.parametrize(
    ("name", "settings", "why"),
    [
        ("sparse-debate", {"agents": 6, "degree": 3}, "an even number, or 5 or more"),
        ("sparse-debate", {"agents": 3, "hub": 4}, "hub = 4: there are 3 agents"),
        ("group-debate", {"agents": 2, "groups": 3}, "groups = 3: there are 2 agents"),
        ("peer-review", {"agents": 2}, "agents"),
        ("confidence-debate", {"style": "concise"}, "has a form of its own"),
        ("selective-debate", {"agents": 2, "groups": 3}, "groups = 3: there are 2 agents"),
        ("diverse-start", {"agents": 5, "candidates": 4}, "candidates = 5 or more"),
        ("diverse-methods", {"cot": 0, "step_back": 0, "sub_questions": 0}, "there is no agent"),
        ("mixture-of-agents", {"steps": 2, "layers": 3}, "needs layers = 2"),
        ("mixture-of-agents", {"steps": 5, "layers": 2, "agents": 4}, "4 answers to read"),
        ("agenda-veto", {"agents": 2, "vetoes": 3}, "there are 2 members"),
        ("consensus-talk", {"agents": 1}, "agents = 1"),
        ("ensemble-refinement", {"summarise_first": True, "style": "simple"}, "has no reasoning"),
        ("jury", {"text": " "}, "empty"),
        ("jury", {"criteria": "clarity,,"}, "criteria"),
        ("council", {"chair": False, "names": True}, "needs the chair"),
        ("council", {"chair": False, "mode": "debate"}, "needs the chair"),
        ("council", {"chair": False, "ruling": "binary"}, "needs the chair"),
        ("council", {"mode": "debate", "ruling": "binary"}, "no ruling"),
        ("ballot", {"decision": "borda", "forms": "vote"}, "borda needs the form 'ranking'"),
        ("ballot", {"forms": "vote, rank"}, "unknown form of a ballot 'rank'"),
        ("ballot", {"agents": 27}, "agents = 27"),
        ("ballot", {"decision": "judge"}, "needs a judge"),
        ("debate-match", {"phases": "opening, speech"}, "opening"),
        ("debate-match", {"phases": ""}, "phases"),
        ("debate-match", {"swapped": True}, "both sides are the same agent"),
        ("oversight-consultancy", {"side": "wrong", "assigned": False}, "chooses its side"),
        ("oversight-debate", {"cast": [{"role": "judge", "evidence": "question"}]}, "sources of"),
        ("feature-gate", {"classifier": {"chnace": 1.0}}, "chnace"),
        ("feature-gate", {"classifier": "gate.json"}, "classifier"),
        ("feature-gate", {"threshold": 1.5}, "threshold"),
        ("feature-gate", {"inner": "planted-peers"}, "needs a known right answer"),
        ("feature-gate", {"inner": {"protocol": "multi-persona", "rounds": 9}}, "rounds: set it"),
        ("feature-gate", {"agents": [{"role": "voter", "temperature": 0}]}, "voter"),
        ("feature-gate", {"confidence": "consistency"}, "does not say how many answers"),
        ("agreement-gate", {"need": 2, "threshold": 0.5}, "need and threshold"),
        ("agreement-gate", {"stop": "consensus,stabilty"}, "stabilty"),
        ("agreement-gate", {"stop": "stability", "inner": "self-consistency"}, "no setting stop"),
        *((name, settings, why) for name in GATES for settings, why in INNER),
    ],
)
def test_what_cannot_be_is_refused_by_name(name, settings, why):
    with pytest.raises(InputError, match=why):
        registry.get(name).check(settings)


async def test_only_news_is_read(store):
    held = await hold("selective-debate", answers(*"44444"), store)
    assert len(held.turns) == 5, "who agrees from the start reads nothing"
    assert [note.why for note in held.notes][1:] == ["has read no news"]
    assert held.notes[0].reading.dropped["mind-2"] == {1: 2, 3: 2, 4: 2, 5: 2}
    twice = Scripted(answers("4", "4", "5", "4", "4", "5"), name="twice")
    held = await hold("selective-debate", twice, store, agents=3, rounds=2)
    assert [set(turn.reads) - {turn.id - 3} for turn in held.turns[3:]] == [{3}, {3}, {1}]
    assert held.notes[0].reading.dropped == {"mind-1": {2: 1}, "mind-2": {1: 2}, "mind-3": {2: 1}}

    def lost(call):
        return "I am lost." if call.draw.seat else "Final answer: 4"

    held = await hold("selective-debate", Scripted(lost, name="lost"), store, agents=3, rounds=5)
    assert [turn.seat for turn in held.turns] == [0, 1, 2, 1, 2], "news once, and no news ever"
    kept = [note.agents for note in held.notes if note.what == "kept"]
    assert kept == [("mind-1",), ("mind-1", "mind-2", "mind-3")]


async def test_the_most_unlike_answers_begin_and_the_others_have_no_vote(store):
    drawn = answers("4", "4", "4", "5", "6")
    given = {"candidates": 5, "agents": 3, "rounds": 2}
    held = await hold("diverse-start", [*drawn, *answers("5", "5", "6")], store, **given)
    assert {turn.seat for turn in held.turns if turn.round == 2} == {0, 3, 4}
    assert held.dismissed == {"mind-2", "mind-3"}
    distances = {"mind-1": 1.0, "mind-4": 1.0, "mind-5": 1.0}
    assert held.notes[0].reading.scores == distances
    assert held.verdict.answer == "5"
    assert held.verdict.votes == {"5": 2, "6": 1}
    again = decide(held, "plurality")
    assert (again.answer, again.votes) == ("5", {"5": 2, "6": 1})
    assert [mind.last_answer for mind in find_debaters(held)] == ["5", "5", "6"]
    places = [0.0, 0.1, 1.0, 5.0, 5.1, 9.0]
    assert choose_farthest(6, 3, lambda a, b: abs(places[a] - places[b])) == [0, 3, 5]
    assert choose_farthest(3, 1, lambda *_: 1.0) == [0]


@pytest.mark.parametrize(
    ("ruling", "verdict"),
    [('{"vote": "Solution 1"}', ("4", "judge")), ("I do not know.", ("5", "majority"))],
)
async def test_the_judge_of_methods_gives_way_to_the_vote(ruling, verdict, store):
    settings = {"cot": 3, "step_back": 0, "sub_questions": 0, "rounds": 1, "judge": True}
    held = await hold("diverse-methods", [*answers("4", "5", "5"), ruling], store, **settings)
    assert (held.verdict.answer, held.verdict.by) == verdict


APPROVES, VETOES = '{"verdict": "approved"}', '{"verdict": "rejected"}'


@pytest.mark.parametrize(
    ("votes", "settings", "verdict", "by"),
    [
        ([VETOES, VETOES, APPROVES, APPROVES], {"agents": 4}, "4", "fallback"),
        ([VETOES, APPROVES, APPROVES, "?"], {"agents": 4}, "7", "proposal"),
        ([VETOES, APPROVES, APPROVES], {"agents": 3}, "7", "proposal"),
        ([VETOES, APPROVES, APPROVES], {"agents": 3, "vetoes": 1}, "4", "fallback"),
    ],
)
async def test_vetoes_count_and_what_cannot_be_read_is_none(votes, settings, verdict, by, store):
    given = answers("4", "4", "5", "5")[: settings["agents"]]
    held = await hold("agenda-veto", [*given, *answers("7"), *votes], store, **settings)
    assert (held.verdict.answer, held.verdict.by) == (verdict, by)


async def test_scores_by_place_alone_are_all_the_same_and_unread_ones_are_the_middle(store):
    def by_place(call):
        if call.scene.step == "answer":
            return f"Final answer: {call.draw.seat}"
        return '{"scores": {"Response 1": 5, "Response 2": 3, "Response 3": 1}}'

    held = await hold("peer-review", by_place, store, agents=4)
    assert (len(held.turns), held.verdict.answer) == (36, "0")
    assert set(held.notes[0].reading.scores.values()) == {3}

    def silent(call):
        return "Final answer: 4" if call.scene.step == "answer" else "I would rather not."

    held = await hold("peer-review", Scripted(silent, name="silent"), store, agents=3)
    assert set(held.notes[0].reading.scores.values()) == {3}
    assert held.notes[0].why == "mean scores from 1 to 5; 0 of 18 reviews could be read"


def test_certainty_is_marked_against_the_others():
    assert mark_certainty([1, 2, 4], 14) == [8, 4, 2]
    assert mark_certainty([3, 3, 3], 14) == [5, 5, 5]
    assert mark_certainty([0.01, 1.01], 14)[0] == 10
