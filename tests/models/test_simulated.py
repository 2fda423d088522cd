"""The null model is a martingale, and every knob that is turned is found again by measuring."""

import asyncio
import re
from collections import Counter
from statistics import mean

import msgspec
import pytest

from moot.core.questions import Question
from moot.models.simulated import Simulated
from support.simulated import NULL, QUESTIONS, YES_OR_NO, a_call, committed, within_noise


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


def gain(played, questions, start, end) -> list[float]:
    before, after = accuracy(played, questions, start), accuracy(played, questions, end)
    return [b - a for a, b in zip(before, after, strict=True)]


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


@pytest.mark.parametrize(("number", "moved"), [(0, 0.0), (1, 0.1), (2, 0.2), (4, 0.4), (6, 0.4)])
async def test_drift_grows_with_what_is_read_up_to_saturation(number, moved):
    model = Simulated("x", truth_drift=0.4, saturate=4)
    heard = ("A", "B", "C", "D", "A", "B")[:number]
    belief = {q.id: NULL.population.predictive(q, heard)[q.answer] for q in QUESTIONS}
    replies = [await model.reply(a_call(model, q, heard=(*heard, None))) for q in QUESTIONS]
    pairs = zip(replies, QUESTIONS, strict=True)
    assert within_noise(
        [(committed(r) == q.answer) - belief[q.id] - moved * (1 - belief[q.id]) for r, q in pairs]
    )


async def says_opening(model, questions, opening) -> list[bool]:
    calls = [a_call(model, question, opening=opening) for question in questions]
    return [committed(await model.reply(call)) in opening for call in calls]


@pytest.mark.parametrize(
    ("anchor", "share"), [(0, 0.25), (0.4, 0.55), (1, 1), (-0.4, 0.15), (-1, 0)]
)
async def test_anchor_is_recovered(anchor, share):
    model = Simulated("x", accuracy=0.25, anchor=anchor)
    said = await says_opening(model, QUESTIONS, ("C",))
    assert within_noise([each - share for each in said])
    calls = [a_call(model, question) for question in QUESTIONS]
    assert within_noise([(committed(await model.reply(call)) == "C") - 0.25 for call in calls])


async def test_an_anchor_may_be_something_nobody_believes_or_all_that_anybody_does():
    sums = [
        Question(id=str(i), kind="number", text=f"{i}+2?", answer=str(i + 2)) for i in range(50)
    ]
    said = await says_opening(Simulated("x", anchor=1), sums, ("1000", "2000"))
    assert all(said)
    known = [msgspec.structs.replace(YES_OR_NO[0], text=f"So, {i}?") for i in range(50)]
    sure = Simulated("x", accuracy=1, anchor=-1)
    assert all(await says_opening(sure, known, (YES_OR_NO[0].answer,)))


async def test_who_keeps_to_an_answer_takes_none_from_an_opening():
    model = Simulated("x", accuracy=0.25, anchor=1, anchoring=0.5)
    said = await says_opening(model, QUESTIONS, ("C",))
    assert within_noise([each - 0.5 - 0.5 * 0.25 for each in said])


async def says(model, questions, **scene) -> list[str]:
    """The answer of one agent to each question."""
    return [
        committed(await model.reply(a_call(model, question, **scene))) for question in questions
    ]


async def test_greedy_sampling_gives_the_likeliest_answer_whatever_the_draw():
    model = Simulated("x")
    said = [await says(model, QUESTIONS[:200], seat=seat, temperature=0) for seat in range(5)]
    assert all(answers == said[0] for answers in said)
    beliefs = [NULL.population.predictive(question, ()) for question in QUESTIONS[:200]]
    assert said[0] == [max(belief, key=belief.get) for belief in beliefs]
    warm = [await says(model, QUESTIONS[:200], seat=seat, temperature=0.7) for seat in range(2)]
    assert warm[0] != warm[1]


@pytest.mark.parametrize(("at", "power"), [(0.35, 2), (1.4, 0.5), (0.7, 1), (None, 1)])
async def test_temperature_sharpens_or_flattens_beliefs(at, power):
    model = Simulated("x", accuracy=0.6)
    shares = []
    for question in QUESTIONS:
        belief = model.population.predictive(question, ())
        weights = {answer: share**power for answer, share in belief.items()}
        shares.append(weights[question.answer] / sum(weights.values()))
    said = await says(model, QUESTIONS, temperature=at)
    rights = [answer == q.answer for answer, q in zip(said, QUESTIONS, strict=True)]
    assert within_noise([right - share for right, share in zip(rights, shares, strict=True)])


@pytest.mark.parametrize("at", [0, 0.2, 2])
async def test_a_population_can_ignore_the_temperature(at):
    model = Simulated("x", accuracy=0.6, temperature=0)
    said = await says(model, QUESTIONS, temperature=at)
    rights = [answer == q.answer for answer, q in zip(said, QUESTIONS, strict=True)]
    assert within_noise([right - 0.6 for right in rights])


@pytest.mark.parametrize(
    ("revise", "same"), [(0, 0.25), (0.4, 0.15), (1, 0), (-0.4, 0.55), (-1, 1)]
)
async def test_willingness_to_revise_is_recovered(revise, same):
    model = Simulated("x", accuracy=0.25, revise=revise)
    said = await says(model, QUESTIONS, own="C")
    assert within_noise([(answer == "C") - same for answer in said])
    first = await says(model, QUESTIONS)
    assert within_noise([(answer == "C") - 0.25 for answer in first])


@pytest.mark.parametrize("percent", [0, 50, 80, 100])
@pytest.mark.parametrize("obedience", [0.5, 1])
async def test_obedience_to_agreement_is_recovered(obedience, percent):
    model = Simulated("x", accuracy=0.25, obedience=obedience)
    said = await says(model, QUESTIONS, others=("C", "C", "A", None), agreement=percent)
    believed = (1 - obedience) * 0.25
    share = believed + obedience * percent / 100
    assert within_noise([(answer == "C") - share for answer in said])


async def test_agents_who_are_told_nothing_or_read_no_answer_obey_nothing():
    model, null = Simulated("x", obedience=1), Simulated("x")
    for scene in ({"others": ("C", "C")}, {"agreement": 0}, {"agreement": 100, "others": (None,)}):
        believed = await says(null, QUESTIONS[:200], **scene)
        calls = [a_call(null, question, **scene) for question in QUESTIONS[:200]]
        assert [committed(await model.reply(call)) for call in calls] == believed


def test_answers_of_others_join_the_belief_in_the_order_in_which_they_were_given():
    """That of a set is another one in each process, and a draw then falls on another answer."""
    people = Simulated("x", obedience=1).population
    given = [str(number) for number in (7, 3, 9, 1, 8, 2)]
    assert [*people.adjust_to_agreement({"A": 0.4, "B": 0.6}, given, 50)] == ["A", "B", *given]


async def test_all_that_is_known_can_be_what_others_say():
    sure = Simulated("x", accuracy=1, obedience=1)
    said = await says(sure, YES_OR_NO[:100], others=("true", "false"), agreement=0)
    assert said == [question.answer for question in YES_OR_NO[:100]]


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


async def confidences(model, **place):
    """Each stated confidence with whether the answer was right."""
    replies = [await model.reply(a_call(model, q, **place)) for q in QUESTIONS]
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


def test_insight_makes_right_answers_surer():

    question = Question(id="q", kind="number", text="?", answer="4")
    belief = {"4": 0.4, "5": 0.6}
    people = Simulated("x", insight=0.5).population
    assert people.confidence(question, belief, "4.0") == pytest.approx(0.7)
    assert people.confidence(question, belief, "5") == pytest.approx(0.2)
    blind = Simulated("x").population
    assert {blind.confidence(question, belief, answer) for answer in "45"} == {0.4}


async def test_a_guessed_confidence_tells_nothing():
    pairs = await confidences(Simulated("x", guessed=1.0))
    middle = mean(stated for stated, _ in pairs)
    assert within_noise([stated - 0.5 for stated, _ in pairs])
    assert within_noise([(stated - middle) * (right - 0.5) for stated, right in pairs])


async def test_company_makes_bold_without_being_right_more_often():
    model = Simulated("x", emboldened=0.5)
    alone = await confidences(model)
    assert within_noise([stated - right for stated, right in alone])
    read = await confidences(model, heard=("A", "B"), others=("A", "B"))
    assert within_noise([stated - (1 + right) / 2 for stated, right in read])
