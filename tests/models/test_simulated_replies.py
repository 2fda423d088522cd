"""What a simulated agent or judge says: every kind of answer, in a form that is read."""

import asyncio
import json
import re

import pytest

from moot.core.calls import Call
from moot.core.errors import InputError, RefusedError
from moot.core.questions import Question
from moot.models.model_names import load
from moot.models.population import make_random, possible
from moot.models.simulated import Simulated
from support.simulated import NULL, QUESTIONS, a_call, committed, within_noise


async def test_the_same_at_any_concurrency_and_in_any_order():
    calls = [a_call(NULL, question, seat=seat) for question in QUESTIONS[:50] for seat in (0, 1)]
    together = await asyncio.gather(*map(NULL.reply, calls))
    alone = [await Simulated("null").reply(call) for call in reversed(calls)]
    assert together == alone[::-1]
    assert len({reply.text for reply in together}) > 4


KINDS = [
    (Question(id="1", kind="choice", text="?", choices=("a", "b", "c"), answer="B"), "^[AC]$"),
    (Question(id="1", kind="boolean", text="?", answer="false"), "^true$"),
    (Question(id="1", kind="number", text="?", answer="40"), r"^[345]\d$"),
    (Question(id="1", kind="number", text="?", answer="-2.50"), r"^-?\d+\.50$"),
    (Question(id="1", kind="number", text="?", answer="3/4"), r"^-?\d+/4$"),
    (Question(id="1", kind="number", text="?", answer="no number"), r"^\d+$"),
    (Question(id="1", kind="number", text="?"), r"^\d+$"),
    (Question(id="1", kind="square", text="?", answer=("e4", "e5")), "^[a-h][1-8]$"),
    (Question(id="1", kind="math", text="?", answer=r"\sqrt{2}"), r"^\d+$"),
    (Question(id="1", kind="math", text="?", answer="2.5"), r"^-?\d+\.5$"),
    (Question(id="1", kind="text", text="?", answer="Paris"), "[a-z]"),
]


@pytest.mark.parametrize(("question", "wrong"), KINDS)
async def test_every_kind_has_wrong_answers_and_a_true_share(question, wrong):
    right, others = possible(question, make_random(1))
    assert right == list(question.answers)
    assert others
    assert not set(right) & set(others)
    assert all(re.search(wrong, answer) for answer in others)
    prior = NULL.population.prior(question)
    assert sum(prior.values()) == pytest.approx(4.0)
    assert committed(await NULL.reply(a_call(NULL, question))) in prior


def test_answers_heard_count_by_meaning_and_new_ones_too():
    question = Question(id="1", kind="number", text="?", answer="2.50")
    population = NULL.population
    before = population.prior(question)["2.50"]
    heard = population.predictive(question, ("2.5", "5/2", None, "99"))
    assert heard["2.50"] == pytest.approx((before + 2) / 7)
    assert heard["99"] == pytest.approx(1 / 7)


async def test_certain_agents_are_always_right_or_always_wrong():
    for share in (0.0, 1.0):
        model = Simulated("x", accuracy=share)
        replies = [await model.reply(a_call(model, question)) for question in QUESTIONS[:50]]
        right = {committed(r) == q.answer for r, q in zip(replies, QUESTIONS, strict=False)}
        assert right == {share == 1.0}
    with pytest.raises(RefusedError, match="scene"):
        await NULL.reply(Call(model=NULL.name, messages=()))
    model = load("simulated/small?accuracy=0.60&seed=7&latency=0.001&unparseable=0")
    assert model.name == "simulated/small?accuracy=0.6&seed=7" == load(model.name).name
    assert load("simulated").name == "simulated/population"
    reply = await model.reply(a_call(model, QUESTIONS[0]))
    assert (reply.completion_tokens, reply.seconds) == (len(reply.text.split()), 0.001)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("accuracy=1.5", "accuracy=1.5: Expected `float` <= 1.0"),
        ("accuracy=high", "accuracy=high: Expected `float`"),
        ("conformity=nan", "conformity=nan"),
        ("concentration=0", "> 0.0"),
        ("seed=1.5", "seed=1.5: Expected `int`"),
        ("truthdrift=0.1", "did you mean 'truth_drift'"),
    ],
)
def test_values_out_of_range_are_named(given, fault):
    with pytest.raises(InputError, match=fault):
        load(f"simulated/x?{given}")


async def test_judges_speak_json_and_decide_the_sooner_the_more_agree():
    async def decided(heard, reads_as="ruling"):
        calls = [a_call(NULL, each, heard=heard, reads_as=reads_as) for each in QUESTIONS[:400]]
        return [json.loads((await NULL.reply(call)).text) for call in calls]

    split, agreed = await decided(("A", "B")), await decided(("A", "A"))
    settled = [v["Whether there is a preference"] == "Yes" for v in split]
    assert within_noise([s - 0.5 for s in settled])
    assert all(v["Whether there is a preference"] == "Yes" for v in agreed)
    assert {v["debate_answer"] for v in split} == {"", "A", "B", "C", "D"}
    assert {v["Supported Side"] for v in split} == {"", "Affirmative", "Negative"}
    assert all(v["debate_answer"] for v in await decided(("A", "B"), reads_as="decision"))
