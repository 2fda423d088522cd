"""ReConcile: weights by confidence, groups of answers, and the end at agreement."""

import pytest

import moot
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab
from support.debates import hold


def state(answer, confidence=None, reason="So."):
    sure = "" if confidence is None else f', "confidence_level": {confidence}'
    return f'{{"reasoning": "{reason}", "answer": "{answer}"{sure}}}'


def by_seat(*replies):
    return lambda call: replies[call.draw.seat]


@pytest.mark.parametrize(
    ("confidences", "answer"),
    [
        ((0.65, 0.70, 0.90), "5"),
        ((None, None, None), "4"),
        ((0.9, 0.9, 0.9), "4"),
        ((0.1, 0.1, 0.61), "5"),
    ],
)
async def test_the_answer_with_the_largest_weight_wins(store, confidences, answer):
    replies = [state(a, c) for a, c in zip("445", confidences, strict=True)]
    transcript = await hold("reconcile", by_seat(*replies), store, rounds=1)
    assert transcript.verdict.answer == answer
    if confidences == (0.65, 0.70, 0.90):
        assert transcript.verdict.scores == pytest.approx({"4": 0.6, "5": 0.8})


async def test_an_unreadable_reply_does_not_vote_and_agreement_ends_it(store):
    transcript = await hold("reconcile", by_seat("?", state("5", "0.9"), "{"), store, rounds=1)
    assert transcript.verdict.answer == "5"
    assert [turn.answer for turn in transcript.turns] == [None, "5", None]
    agreed = Scripted(by_seat(*[state("4", 0.9)] * 3), name="agreed")
    transcript = await hold("reconcile", agreed, store)
    assert len(transcript.turns) == 3
    assert [note.why for note in transcript.notes if note.ends] == ["all agree"]


TRAINING = """question,answer,reason
What is 1+1?,2,One and one more are two.
What is 2+3?,5,Two and three are five.
What is 3+4?,7,Three and four are seven.
What is 4+5?,9,Four and five are nine.
"""


async def ask_convinced(tmp_path, replies, **more):
    """Ask one question with examples to try agents on; ``replies`` are by agent and step."""
    (tmp_path / "training.csv").write_text(TRAINING)
    sent = []

    def say(call):
        scene = call.scene
        sent.append((scene.agent, scene.step, call.messages[-1].content))
        return replies(scene.agent, scene.step, scene.question)

    given = {"convincing": 1, "rounds": 2, "examples": str(tmp_path / "training.csv")} | more
    given |= {"protocol": "reconcile", "model": Scripted(say, name="members"), "store": tmp_path}
    return await moot.ask("What is 5+6?", kind="number", **given), sent


async def test_explanations_that_corrected_another_agent_stand_before_the_question(tmp_path):
    """The second member errs and is corrected; the third errs and stays wrong."""

    def reply(agent, step, question):
        name = agent.rpartition("/")[2]
        right = question.answers[0] if question.answers else "11"
        corrected = name == "member-2" and step == "correct"
        return state(right if name == "member-1" or corrected else "99", 0.5)

    answer, sent = await ask_convinced(tmp_path, reply)
    tried = [(agent, step) for agent, step, _ in sent if "/" in agent]
    assert len(tried) == 4 + 2 + 8  # member-1 always right, member-2 corrected at once
    assert ("example-1/member-2", "correct") in tried
    assert ("example-2/member-2", "state") not in tried
    said = {(who, step): text for who, step, text in sent}
    explained = said["example-1/member-2", "correct"]
    assert "You gave the answer 99." in explained
    reason = explained.partition("explains it so:\n\n")[2].partition("\n")[0]
    assert reason
    assert reason in TRAINING
    own = {who: text for who, step, text in sent if "/" not in who and step == "state"}
    assert reason in own["member-1"]
    assert reason not in own["member-2"]
    assert reason in own["member-3"]
    again = [text for who, step, text in sent if who == "member-1" and step == "reconsider"]
    assert all(reason in text for text in again)
    asked = {who: text.index("What is 5+6?") for who, text in own.items()}
    assert own["member-1"].index(reason) < asked["member-1"]
    assert {seat.debater for seat in answer.transcript.seats if seat.node} == {False}
    assert answer.calls == len(sent)


async def test_examples_are_paid_for_once_a_run_and_priced_beforehand(tmp_path):
    (tmp_path / "training.csv").write_text(TRAINING)
    study = {
        "name": "convinced",
        "settings": {"model": "simulated/people?persuasion=1&accuracy=0.3"},
        "datasets": [{"name": "arithmetic", "n": 5, "difficulty": 3}],
    }
    examples = str(tmp_path / "training.csv")
    study["arms"] = [{"protocol": "reconcile", "convincing": 1, "examples": examples}]
    await moot.run(study, store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        run = lab.store.find_run("convinced")
        rows = list(lab.store.debates(run.id))
        paid = lab.store.sum_spent(run.id).calls
    tried = {turn.call for row in rows for turn in row.transcript.turns if turn.node}
    spoken = [turn for row in rows for turn in row.transcript.turns]
    protocol = registry.get("reconcile")
    least, most = protocol.count(protocol.check({"convincing": 1}))
    assert all(least <= len(row.transcript.turns) <= most for row in rows)
    assert 3 < len(tried) <= 24
    assert paid == len(tried) + sum(not turn.node for turn in spoken)
    assert {row.values["first-accuracy"] for row in rows} <= {0.0, 1.0}


async def test_without_explanations_it_is_told_before_anything_is_asked(tmp_path):
    (tmp_path / "training.csv").write_text(TRAINING)
    with pytest.raises(moot.InputError, match=r"convincing: .*8 examples that have an explanation"):
        await ask_convinced(tmp_path, lambda *_: "", convincing=2)
