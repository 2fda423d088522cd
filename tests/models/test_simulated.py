"""The null model is a martingale, and every knob that is turned is found again by measuring."""

import asyncio
import json
import re
from collections import Counter
from statistics import mean

import pytest

from moot.core.calls import Call
from moot.core.errors import InputError, RefusedError
from moot.core.questions import Question
from moot.models.model_names import load
from moot.models.population import make_random, possible
from moot.models.simulated import Simulated
from support.simulated import NULL, QUESTIONS, YES_OR_NO, a_call, committed, within_noise


@pytest.fixture(scope="module", params=[400, pytest.param(2000, marks=pytest.mark.soak)])
def asked(request):
    """Some of the questions, and in ``make soak`` all."""
    return QUESTIONS[: request.param]


@pytest.fixture(scope="module")
def null(asked):
    return asyncio.run(debates(NULL, asked))


async def debate(model, question, *, agents=3, rounds=3) -> list[list[str | None]]:
    """The answers of each round; everyone reads everyone, and remembers."""
    said, heard = [], ()
    for number in range(1, rounds + 1):
        place = {"number": number, "heard": heard}
        calls = [a_call(model, question, seat=seat, **place) for seat in range(agents)]
        answers = [committed(await model.reply(call)) for call in calls]
        said.append(answers)
        heard += tuple(answers)
    return said


async def debates(model, questions, **more):
    return [await debate(model, question, **more) for question in questions]


async def says(model, questions, **scene) -> list[str]:
    """The answer of one agent to each question."""
    return [committed(await model.reply(a_call(model, each, **scene))) for each in questions]


def accuracy(played, number) -> list[float]:
    """For each question, the share of agents who are right in that round."""
    pairs = zip(played, QUESTIONS, strict=False)
    return [mean(answer == question.answer for answer in said[number]) for said, question in pairs]


def agreement(played, number) -> float:
    """The share of debates in which all agents say the same in that round."""
    return mean(len(set(said[number])) == 1 for said in played)


def gain(played, start, end) -> list[float]:
    before, after = accuracy(played, start), accuracy(played, end)
    return [b - a for a, b in zip(before, after, strict=True)]


def is_share(hits, share) -> bool:
    return within_noise([hit - share for hit in hits])


def test_debate_makes_agents_agree_and_does_not_raise_mean_accuracy(null):
    assert is_share(accuracy(null, 0), 0.5)
    for start, end in ((0, 1), (1, 2), (0, 2)):
        assert within_noise(gain(null, start, end))
    assert agreement(null, 2) > agreement(null, 0) + 0.02


async def test_debate_gains_nothing_over_voting(asked):
    questions = YES_OR_NO[: len(asked)]
    played = await debates(Simulated("null"), questions)

    def is_right(said, number, question):
        return Counter(said[number]).most_common(1)[0][0] == question.answer

    for number in (1, 2):
        pairs = zip(played, questions, strict=True)
        assert within_noise([is_right(s, number, q) - is_right(s, 0, q) for s, q in pairs])


@pytest.mark.parametrize("knobs", [{"correlation": 0.7}, {"anchoring": 0.5}])
async def test_knobs_that_keep_the_martingale_keep_it(asked, knobs):
    assert within_noise(gain(await debates(Simulated("x", **knobs), asked), 0, 2))


HITS = {
    "right": lambda answer, question: answer == question.answer,
    "none": lambda answer, _: answer is None,
    **{each: lambda answer, _, each=each: answer == each for each in ("A", "C", "D", "true")},
}


@pytest.mark.parametrize(
    ("knobs", "scene", "hit", "share"),
    [
        ({"accuracy": 0.8}, {}, "right", 0.8),
        ({"position_bias": 0.3}, {}, "A", 0.7 * 0.25 + 0.3),
        ({"label_bias": 0.3, "label": "D"}, {}, "D", 0.475),
        ({"label_bias": 0.3}, {"kind": "boolean"}, "true", 0.65),
        ({"unparseable": 0.2}, {}, "none", 0.2),
        *(
            ({"anchor": anchor}, {"opening": ("C",)}, "C", share)
            for anchor, share in ((0, 0.25), (0.4, 0.55), (1, 1), (-0.4, 0.15), (-1, 0))
        ),
        ({"anchor": 0.4}, {}, "C", 0.25),
        # Who keeps to an answer takes none from an opening.
        ({"anchor": 1, "anchoring": 0.5}, {"opening": ("C",)}, "C", 0.5 + 0.5 * 0.25),
        *(
            ({"revise": revise}, {"own": "C"}, "C", share)
            for revise, share in ((0, 0.25), (0.4, 0.15), (1, 0), (-0.4, 0.55), (-1, 1))
        ),
        ({"revise": 0.4}, {}, "C", 0.25),
        *(
            (
                {"obedience": obedience},
                {"others": ("C", "C", "A", None), "agreement": percent},
                "C",
                (1 - obedience) * 0.25 + obedience * percent / 100,
            )
            for obedience in (0.5, 1)
            for percent in (0, 50, 80, 100)
        ),
        # A population can ignore the temperature.
        *(
            ({"accuracy": 0.6, "temperature": 0}, {"temperature": at}, "right", 0.6)
            for at in (0, 0.2, 2)
        ),
    ],
)
async def test_the_share_of_an_answer_is_recovered(asked, knobs, scene, hit, share):
    questions = YES_OR_NO[: len(asked)] if scene == {"kind": "boolean"} else asked
    scene = {name: value for name, value in scene.items() if name != "kind"}
    bare = {"accuracy": 0.25} if knobs.keys() & {"anchor", "revise", "obedience"} else {}
    said = await says(Simulated("x", **bare, **knobs), questions, **scene)
    assert is_share([HITS[hit](*each) for each in zip(said, questions, strict=True)], share)


@pytest.mark.parametrize("drift", [0.2, -0.2])
async def test_truth_drift_is_recovered(asked, drift):
    played = await debates(Simulated("x", truth_drift=drift), asked, rounds=2)
    assert is_share(accuracy(played, 0), 0.5)
    assert not within_noise(gain(played, 0, 1))
    # Of the belief in the other side, on average one half, the knob's share comes over.
    assert is_share(gain(played, 0, 1), drift / 2)


@pytest.mark.parametrize(("number", "moved"), [(0, 0.0), (1, 0.1), (2, 0.2), (4, 0.4), (6, 0.4)])
async def test_drift_grows_with_what_is_read_up_to_saturation(asked, number, moved):
    model = Simulated("x", truth_drift=0.4, saturate=4)
    heard = ("A", "B", "C", "D", "A", "B")[:number]
    belief = [NULL.population.predictive(q, heard)[q.answer] for q in asked]
    said = await says(model, asked, heard=(*heard, None))
    rows = zip(said, asked, belief, strict=True)
    assert within_noise([(a == q.answer) - b - moved * (1 - b) for a, q, b in rows])


async def test_greedy_sampling_gives_the_likeliest_answer_whatever_the_draw():
    model = Simulated("x")
    said = [await says(model, QUESTIONS[:200], seat=seat, temperature=0) for seat in range(5)]
    assert all(answers == said[0] for answers in said)
    beliefs = [NULL.population.predictive(question, ()) for question in QUESTIONS[:200]]
    assert said[0] == [max(belief, key=belief.get) for belief in beliefs]
    warm = [await says(model, QUESTIONS[:200], seat=seat, temperature=0.7) for seat in range(2)]
    assert warm[0] != warm[1]


@pytest.mark.parametrize(("at", "power"), [(0.35, 2), (1.4, 0.5), (0.7, 1), (None, 1)])
async def test_temperature_sharpens_or_flattens_beliefs(asked, at, power):
    model = Simulated("x", accuracy=0.6)
    said, surplus = await says(model, asked, temperature=at), []
    for question, answer in zip(asked, said, strict=True):
        belief = model.population.predictive(question, ())
        weights = {answer: share**power for answer, share in belief.items()}
        share = weights[question.answer] / sum(weights.values())
        surplus.append((answer == question.answer) - share)
    assert within_noise(surplus)


@pytest.mark.parametrize(
    "scene", [{"others": ("C", "C")}, {"agreement": 0}, {"agreement": 100, "others": (None,)}]
)
async def test_agents_who_are_told_nothing_or_read_no_answer_obey_nothing(scene):
    model, null = Simulated("x", obedience=1), Simulated("x")
    calls = [a_call(null, question, **scene) for question in QUESTIONS[:200]]
    said = [committed(await model.reply(call)) for call in calls]
    assert said == await says(null, QUESTIONS[:200], **scene)


async def test_answers_of_others_join_the_belief_in_the_order_in_which_they_were_given():
    """That of a set is another one in each process, and a draw then falls on another answer."""
    people = Simulated("x", obedience=1).population
    given = [str(number) for number in (7, 3, 9, 1, 8, 2)]
    assert [*people.adjust_to_agreement({"A": 0.4, "B": 0.6}, given, 50)] == ["A", "B", *given]
    sure = Simulated("x", accuracy=1, obedience=1)  # all that is known can be what others say
    said = await says(sure, YES_OR_NO[:100], others=("true", "false"), agreement=0)
    assert said == [question.answer for question in YES_OR_NO[:100]]


async def test_conformity_and_correlation_raise_agreement_beyond_the_null(asked, null):
    conforming = await debates(Simulated("x", conformity=0.5), asked, rounds=2)
    assert agreement(conforming, 1) > agreement(null, 1) + 0.1
    correlated = await debates(Simulated("x", correlation=0.6), asked, rounds=1)
    assert is_share(accuracy(correlated, 0), 0.5)
    assert agreement(correlated, 0) > agreement(null, 0) + 0.15


async def test_models_of_one_population_err_on_the_same_questions(asked):
    one, two, other = [
        await debates(Simulated(name, seed=seed), asked, rounds=1)
        for name, seed in (("one", 1), ("two", 1), ("two", 2))
    ]

    def covariance(left, right):
        pairs = zip(accuracy(left, 0), accuracy(right, 0), strict=True)
        return [(a - 0.5) * (b - 0.5) for a, b in pairs]

    assert one != two
    assert is_share(covariance(one, two), 0.05)  # the variance of a Beta(2, 2) belief
    assert within_noise(covariance(one, other))


async def test_anchored_agents_keep_their_first_answer(asked, null):
    def kept(played):
        return mean(a == b for said in played for a, b in zip(said[0], said[2], strict=True))

    assert kept(await debates(Simulated("x", anchoring=1.0), asked)) == 1.0
    share = kept(await debates(Simulated("x", anchoring=0.5), asked))
    assert share > max(0.5 + 0.4 * kept(null), kept(null) + 0.1)


async def confidences(model, questions, **place):
    """Each stated confidence with whether the answer was right."""
    replies = [await model.reply(a_call(model, q, **place)) for q in questions]
    right = [committed(r) == q.answer for r, q in zip(replies, questions, strict=True)]
    stated = [int(re.search(r"Confidence: (\d+)%", r.text)[1]) / 100 for r in replies]
    return list(zip(stated, right, strict=True))


@pytest.mark.parametrize("knobs", [{}, {"truth_drift": 0.3}, {"position_bias": 0.3}])
async def test_confidence_is_calibrated_whatever_the_other_knobs(asked, knobs):
    pairs = await confidences(Simulated("x", **knobs), asked, heard=("A", "B"))
    for low in (0.0, 0.25, 0.5, 0.75):
        binned = [stated - right for stated, right in pairs if low <= stated < low + 0.25]
        assert not binned or within_noise(binned)


@pytest.mark.parametrize(("knob", "gap"), [(0.5, 0.25), (-0.5, -0.25)])
async def test_miscalibration_is_recovered(asked, knob, gap):
    pairs = await confidences(Simulated("x", miscalibration=knob), asked)
    assert is_share([stated - right for stated, right in pairs], gap)


def test_insight_makes_right_answers_surer():
    question = Question(id="q", kind="number", text="?", answer="4")
    belief = {"4": 0.4, "5": 0.6}
    people = Simulated("x", insight=0.5).population
    assert people.confidence(question, belief, "4.0") == pytest.approx(0.7)
    assert people.confidence(question, belief, "5") == pytest.approx(0.2)
    blind = Simulated("x").population
    assert {blind.confidence(question, belief, answer) for answer in "45"} == {0.4}


async def test_a_guessed_confidence_tells_nothing(asked):
    pairs = await confidences(Simulated("x", guessed=1.0), asked)
    middle = mean(stated for stated, _ in pairs)
    assert is_share([stated for stated, _ in pairs], 0.5)
    assert within_noise([(stated - middle) * (right - 0.5) for stated, right in pairs])


async def test_company_makes_bold_without_being_right_more_often(asked):
    model = Simulated("x", emboldened=0.5)
    alone = await confidences(model, asked)
    assert within_noise([stated - right for stated, right in alone])
    read = await confidences(model, asked, heard=("A", "B"), others=("A", "B"))
    assert within_noise([stated - (1 + right) / 2 for stated, right in read])


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
