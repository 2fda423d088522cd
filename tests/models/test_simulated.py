"""The null model is a martingale, and every knob that is turned is found again by measuring."""

import asyncio
import json
import math
import re
from collections import Counter
from statistics import mean

import pytest

from moot.answers.extract import extract
from moot.answers.same import same
from moot.core.calls import Call, Draw, Message, Reply, Sampling, Scene
from moot.core.errors import InputError, RefusedError, UnknownName
from moot.core.ports import Model
from moot.core.questions import Question
from moot.models.names import load
from moot.models.population import possible, random
from moot.models.simulated import Simulated

QUESTIONS = [
    Question(
        id=str(i),
        kind="choice",
        text=f"Which, {i}?",
        choices=("w", "x", "y", "z"),
        answer="ABCD"[i % 4],
    )
    for i in range(2000)
]
YES_OR_NO = [
    Question(id=str(i), kind="boolean", text=f"Is it so, {i}?", answer=("true", "false")[i % 2])
    for i in range(2000)
]


def a_call(
    model,
    question,
    *,
    seat=0,
    number=1,
    heard=(),
    role="mind",
    step="answer",
    **more,
) -> Call:
    scene = Scene(
        question=question, agent=f"mind {seat}", role=role, step=step, round=number, heard=heard
    )
    message = Message("user", f"{question.text} {heard}")
    return Call(model=model.name, messages=(message,), draw=Draw(0, seat), scene=scene, **more)


def committed(reply: Reply) -> str | None:
    found = re.search(r"Final answer: (.+)$", reply.text)
    return found and found[1]


async def debate(model, question, *, agents=3, rounds=3) -> list[list[str | None]]:
    """The answers of each round; everyone reads everyone, and remembers."""
    said, heard = [], ()
    for number in range(1, rounds + 1):
        calls = [
            a_call(model, question, seat=seat, number=number, heard=heard) for seat in range(agents)
        ]
        answers = [committed(await model.reply(call)) for call in calls]
        said.append(answers)
        heard += tuple(answers)
    return said


async def debates(model, questions=QUESTIONS, **more):
    return [await debate(model, question, **more) for question in questions]


def accuracy(played, questions, number) -> list[float]:
    """For each question, the share of agents who are right in that round."""
    return [
        mean(answer == question.answer for answer in said[number])
        for said, question in zip(played, questions, strict=True)
    ]


def majority(answers) -> str:
    return Counter(answers).most_common(1)[0][0]


def agreement(played, number) -> float:
    """The share of debates in which all agents say the same in that round."""
    return mean(len(set(said[number])) == 1 for said in played)


def within_noise(differences) -> bool:
    """Whether a mean of independent values is 0 within four standard errors."""
    centre = mean(differences)
    spread = math.sqrt(mean((d - centre) ** 2 for d in differences) / len(differences))
    return abs(centre) <= 4 * spread


def gain(played, questions, start, end) -> list[float]:
    before, after = accuracy(played, questions, start), accuracy(played, questions, end)
    return [b - a for a, b in zip(before, after, strict=True)]


NULL = Simulated("null")


@pytest.fixture(scope="module")
def null():
    return asyncio.run(debates(NULL))


def test_debate_does_not_raise_mean_accuracy(null):
    assert within_noise([share - 0.5 for share in accuracy(null, QUESTIONS, 0)])
    assert within_noise(gain(null, QUESTIONS, 0, 1))
    assert within_noise(gain(null, QUESTIONS, 1, 2))
    assert within_noise(gain(null, QUESTIONS, 0, 2))


async def test_debate_gains_nothing_over_voting():
    played = await debates(Simulated("null"), YES_OR_NO)
    for number in (1, 2):
        gained = [
            (majority(said[number]) == question.answer) - (majority(said[0]) == question.answer)
            for said, question in zip(played, YES_OR_NO, strict=True)
        ]
        assert within_noise(gained)


def test_debate_makes_agents_agree_even_so(null):
    assert agreement(null, 2) > agreement(null, 0) + 0.02


async def test_knobs_that_keep_the_martingale_keep_it():
    for knobs in ({"correlation": 0.7}, {"anchoring": 0.5}):
        played = await debates(Simulated("x", **knobs))
        assert within_noise(gain(played, QUESTIONS, 0, 2))


async def test_accuracy_is_recovered():
    played = await debates(Simulated("x", accuracy=0.8), rounds=1)
    assert within_noise([share - 0.8 for share in accuracy(played, QUESTIONS, 0)])


@pytest.mark.parametrize("drift", [0.2, -0.2])
async def test_truth_drift_is_recovered(drift):
    played = await debates(Simulated("x", truth_drift=drift), rounds=2)
    assert within_noise([share - 0.5 for share in accuracy(played, QUESTIONS, 0)])
    assert not within_noise(gain(played, QUESTIONS, 0, 1))
    # Of the belief in the other side, on average one half, the knob's share comes over.
    assert within_noise([g - drift / 2 for g in gain(played, QUESTIONS, 0, 1)])


async def test_conformity_raises_consensus_beyond_the_null(null):
    played = await debates(Simulated("x", conformity=0.5))
    assert agreement(played, 1) > agreement(null, 1) + 0.1


async def test_correlation_raises_agreement_before_anything_is_read(null):
    played = await debates(Simulated("x", correlation=0.6), rounds=1)
    assert within_noise([share - 0.5 for share in accuracy(played, QUESTIONS, 0)])
    assert agreement(played, 0) > agreement(null, 0) + 0.15


async def test_models_of_one_population_err_on_the_same_questions():
    one = await debates(Simulated("one", seed=1), rounds=1)
    two = await debates(Simulated("two", seed=1), rounds=1)
    other = await debates(Simulated("two", seed=2), rounds=1)

    def covariance(left, right):
        pairs = zip(accuracy(left, QUESTIONS, 0), accuracy(right, QUESTIONS, 0), strict=True)
        return [(a - 0.5) * (b - 0.5) for a, b in pairs]

    assert one != two
    # The variance of a Beta(2, 2) belief in the right answer.
    assert within_noise([c - 0.05 for c in covariance(one, two)])
    assert within_noise(covariance(one, other))


async def test_anchored_agents_keep_their_first_answer(null):
    def kept(played):
        return mean(a == b for said in played for a, b in zip(said[0], said[2], strict=True))

    assert kept(await debates(Simulated("x", anchoring=1.0))) == 1.0
    share = kept(await debates(Simulated("x", anchoring=0.5)))
    assert share > 0.5 + 0.4 * kept(null)
    assert share > kept(null) + 0.1


async def test_position_bias_is_recovered():
    played = await debates(Simulated("x", position_bias=0.3), rounds=1)
    first = [mean(answer == "A" for answer in said[0]) for said in played]
    assert within_noise([share - (0.7 * 0.25 + 0.3) for share in first])


async def test_label_bias_is_recovered():
    played = await debates(Simulated("x", label_bias=0.3, label="D"), rounds=1)
    assert within_noise([mean(a == "D" for a in said[0]) - 0.475 for said in played])
    played = await debates(Simulated("x", label_bias=0.3), YES_OR_NO, rounds=1)
    assert within_noise([mean(a == "true" for a in said[0]) - 0.65 for said in played])


async def test_unparseable_is_recovered():
    played = await debates(Simulated("x", unparseable=0.2), rounds=1)
    assert within_noise([mean(a is None for a in said[0]) - 0.2 for said in played])


async def confidences(model, heard=()):
    """Each stated confidence with whether the answer was right."""
    replies = [await model.reply(a_call(model, q, heard=heard)) for q in QUESTIONS]
    right = [committed(r) == q.answer for r, q in zip(replies, QUESTIONS, strict=True)]
    stated = [int(re.search(r"Confidence: (\d+)%", r.text)[1]) / 100 for r in replies]
    return list(zip(stated, right, strict=True))


@pytest.mark.parametrize("knobs", [{}, {"truth_drift": 0.3}, {"position_bias": 0.3}])
async def test_confidence_is_calibrated_whatever_the_other_knobs(knobs):
    pairs = await confidences(Simulated("x", **knobs), heard=("A", "B"))
    for low in (0.0, 0.25, 0.5, 0.75):
        binned = [stated - right for stated, right in pairs if low <= stated < low + 0.25]
        assert not binned or within_noise(binned)


@pytest.mark.parametrize(("knob", "gap"), [(0.5, 0.25), (-0.5, -0.25)])
async def test_miscalibration_is_recovered(knob, gap):
    pairs = await confidences(Simulated("x", miscalibration=knob))
    assert within_noise([stated - right - gap for stated, right in pairs])


async def test_the_same_at_any_concurrency_and_in_any_order():
    calls = [a_call(NULL, question, seat=seat) for question in QUESTIONS[:50] for seat in (0, 1)]
    together = await asyncio.gather(*map(NULL.reply, calls))
    alone = [await Simulated("null").reply(call) for call in reversed(calls)]
    assert together == alone[::-1]
    assert len({reply.text for reply in together}) > 4


async def test_judges_speak_json_and_decide_the_sooner_the_more_agree():
    async def decided(heard, **more):
        replies = [
            await NULL.reply(a_call(NULL, question, heard=heard, **more))
            for question in QUESTIONS[:400]
        ]
        return [json.loads(reply.text) for reply in replies]

    split = await decided(("A", "B"), role="judge")
    agreed = await decided(("A", "A"), sampling=Sampling(schema={"type": "object"}))
    settled = [v["Whether there is a preference"] == "Yes" for v in split]
    assert within_noise([s - 0.5 for s in settled])
    assert all(v["Whether there is a preference"] == "Yes" for v in agreed)
    assert {v["debate_answer"] for v in split} == {"", "A", "B", "C", "D"}
    assert {v["Supported Side"] for v in split} == {"", "Affirmative", "Negative"}
    last = await decided(("A", "B"), role="judge", step="decide")
    assert all(v["debate_answer"] for v in last)
    assert set(last[0]) == {
        "Whether there is a preference",
        "Supported Side",
        "Reason",
        "debate_answer",
    }


KINDS = [
    (Question(id="1", kind="choice", text="?", choices=("a", "b", "c"), answer="B"), "^[AC]$"),
    (Question(id="1", kind="boolean", text="?", answer="false"), "^true$"),
    (Question(id="1", kind="number", text="?", answer="40"), r"^[345]\d$"),
    (Question(id="1", kind="number", text="?", answer="-2.50"), r"^-?\d+\.50$"),
    (Question(id="1", kind="number", text="?", answer="3/4"), r"^-?\d+/4$"),
    (Question(id="1", kind="number", text="?", answer="no number"), r"^\d+$"),
    (Question(id="1", kind="number", text="?"), r"^\d+$"),
    (Question(id="1", kind="square", text="?", answer=("e4", "e5")), "^[a-h][1-8]$"),
    (Question(id="1", kind="text", text="?", answer="Paris"), "[a-z]"),
]


@pytest.mark.parametrize(("question", "wrong"), KINDS)
async def test_every_kind_has_wrong_answers_and_a_true_share(question, wrong):
    right, others = possible(question, random(1))
    assert right == list(question.answers)
    assert others
    assert not set(right) & set(others)
    assert all(re.search(wrong, answer) for answer in others)
    prior = NULL.population.prior(question)
    assert sum(prior.values()) == pytest.approx(4.0)
    assert committed(await NULL.reply(a_call(NULL, question))) in prior


@pytest.mark.parametrize("question", [q for q, _ in KINDS if q.answer != "no number"])
async def test_what_is_said_is_what_is_read(question):
    silent = Simulated("x", unparseable=1.0)
    for seat in range(20):
        reply = await NULL.reply(a_call(NULL, question, seat=seat))
        assert same(extract(reply.text, question), committed(reply), question.kind)
        reply = await silent.reply(a_call(silent, question, seat=seat))
        assert extract(reply.text, question) is None


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


async def test_a_call_without_a_scene_is_refused():
    with pytest.raises(RefusedError, match="scene"):
        await NULL.reply(Call(model=NULL.name, messages=()))


async def test_is_a_model_that_costs_nothing_and_is_labelled():
    model = load("simulated/small?accuracy=0.60&seed=7&latency=0.001&unparseable=0")
    assert isinstance(model, Model)
    assert model.simulated
    assert model.name == "simulated/small?accuracy=0.6&seed=7"
    assert load(model.name).name == model.name
    assert load("simulated").name == "simulated/population"
    reply = await model.reply(a_call(model, QUESTIONS[0]))
    assert reply.completion_tokens == len(reply.text.split())
    assert reply.seconds == 0.001
    assert model.cost(reply) == 0.0
    assert model.endpoint == model.name
    assert model.limits.concurrency
    await model.close()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("simulated/x?accuracy=1.5", "accuracy=1.5: Expected `float` <= 1.0"),
        ("simulated/x?accuracy=high", "accuracy=high: Expected `float`"),
        ("simulated/x?conformity=nan", "conformity=nan"),
        ("simulated/x?concentration=0", "> 0.0"),
        ("simulated/x?seed=1.5", "seed=1.5: Expected `int`"),
        ("simulated/x?latency=-1", "negative"),
        ("simulated/x?latency=long", "no number of seconds"),
    ],
)
def test_values_out_of_range_are_named(name, fault):
    with pytest.raises(InputError, match=fault):
        load(name)


def test_an_unknown_knob_names_the_nearest():
    with pytest.raises(UnknownName) as caught:
        load("simulated/x?truthdrift=0.1")
    assert caught.value.nearest == "truth_drift"
