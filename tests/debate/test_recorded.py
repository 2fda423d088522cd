"""Dissents: minorities of those who vote, and what a protocol recorded as one."""

import msgspec

import moot
from moot.core.questions import Question
from moot.debate.recorded import list_dissents
from moot.models.scripted import Scripted
from support.debates import hold

OPEN = Question(id="o", kind="text", text="What is a debate?")


def final(*answers):
    queue = iter(answers)
    return lambda _: f"Because.\nFinal answer: {next(queue)}"


async def test_a_minority_of_a_vote_is_a_dissent_with_its_words(store):
    transcript = await hold("self-consistency", final(4, 5, 4, "4.0", 6, 5), store, samples=6)
    five, six = list_dissents(transcript)
    assert (five.agents, five.answer, five.turn) == (("sampler-2", "sampler-6"), "5", 2)
    assert (five.why, six.why) == ("answer 5", "answers 6")
    assert five.words == "Because.\nFinal answer: 5"


async def test_who_came_round_and_open_answers_that_are_all_different_are_no_dissent(store):
    replies = final(4, 5, 4, 4)
    transcript = await hold("society-of-minds", replies, store, agents=2, rounds=2)
    assert list_dissents(transcript) == ()
    for answers, agents in ((("a", "b", "c"), []), (("yes", "no", "Yes."), [("sampler-2",)])):
        model = Scripted(final(*answers), name=answers[0])
        held = await hold("self-consistency", model, store, question=OPEN, samples=3)
        assert [each.agents for each in list_dissents(held)] == agents


async def test_without_a_verdict_there_is_no_dissent(store):
    transcript = await hold("self-consistency", final("?", "!"), store, samples=2)
    assert transcript.verdict.answer is None
    assert list_dissents(transcript) == ()
    cut = msgspec.structs.replace(transcript, events=transcript.events[:-1])
    assert list_dissents(cut) == ()


async def test_an_answer_of_ask_has_its_dissents_in_python_and_in_json(tmp_path):
    model = moot.Scripted([f"Final answer: {each}" for each in (4, 4, 5)])
    given = {"protocol": "self-consistency", "samples": 3, "model": model, "store": tmp_path}
    answer = await moot.ask("2+2?", kind="number", **given)
    [one] = answer.dissents
    assert one.agents == ("sampler-3",)
    [same] = answer.to_dict()["dissents"]
    told = {"agents": ("sampler-3",), "why": "answers 5", "answer": "5", "turn": 3}
    assert same == {**told, "words": "Final answer: 5"}
