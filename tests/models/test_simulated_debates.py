"""Effects planted in a simulated population are found again in whole debates."""

from statistics import mean

import pytest

from moot.core.calls import Reply
from moot.core.questions import Question
from moot.models.simulated import Simulated
from support.debates import hold, hold_all
from support.simulated import YES_OR_NO, within_noise

SURE = {"accuracy": 0.75, "temperature": 0}
"""Right more often than not, and the same at any temperature: the truth is in closed form."""


class Listening(Simulated):
    """A simulated model that keeps the calls it is given."""

    def __init__(self) -> None:
        super().__init__("listening")
        self.calls = []

    async def reply(self, call) -> Reply:
        self.calls.append(call)
        return await super().reply(call)


@pytest.fixture(params=[60, pytest.param(600, marks=pytest.mark.soak)])
def asked(request):
    """Some questions, and in ``make soak`` many."""
    return YES_OR_NO[: request.param]


@pytest.mark.parametrize(
    ("name", "tells"),
    [
        ("multi-persona", {("negative", "oppose")}),
        ("society-of-minds", {("mind", "revise")}),
        ("chateval", {("debater", "speak")}),
    ],
)
async def test_a_scene_says_how_far_to_agree_where_the_prompt_does(name, tells, store):
    for percent in (None, 80):
        model = Listening()
        await hold(name, model, store, rounds=2, agreement=percent)
        told = {(c.scene.role, c.scene.step) for c in model.calls if c.scene.agreement is not None}
        assert told == (set() if percent is None else tells)
        assert {call.scene.agreement for call in model.calls} <= {None, percent}


async def test_a_scene_holds_the_agents_own_answer_and_those_of_the_others(store):
    model = Listening()
    transcript = await hold("society-of-minds", model, store, agents=3, rounds=2)
    first = [turn.answer for turn in transcript.turns[:3]]
    for seat, call in enumerate(model.calls[3:]):
        assert call.scene.own == first[seat]
        assert call.scene.others == tuple(first[:seat] + first[seat + 1 :])
    assert all(call.scene.own is None and not call.scene.others for call in model.calls[:3])


async def modulated(protocol, obedience, store, asked, **given) -> dict[int, list[bool]]:
    model, found = Simulated("agreeing", obedience=obedience, **SURE), {}
    for percent in (0, 50, 100):
        held = await hold_all(protocol, model, store, asked, agreement=percent, **given)
        pairs = zip(held, asked, strict=True)
        found[percent] = [each.verdict.answer == question.answer for each, question in pairs]
    return found


async def test_accuracy_rises_with_agreement_where_agents_obey_it(store, asked):
    """The shape of figure 6 of arXiv:2311.17371, planted: the devil obeys, the judge believes.

    Let m be the accuracy. The judge's belief weighs 4 answers and reads two. The angel is right
    with probability m; the devil, told to agree X, with X m + (1 - X)(1 - m).
    """
    found = await modulated("multi-persona", 1, store, asked, rounds=1)
    m = SURE["accuracy"]
    for percent, right in found.items():
        x = percent / 100
        expected = (4 * m + m + x * m + (1 - x) * (1 - m)) / 6
        assert within_noise([each - expected for each in right])
    assert mean(found[100]) > mean(found[50]) > mean(found[0]) or len(asked) < 600


@pytest.mark.parametrize(
    ("protocol", "given"),
    [("multi-persona", {"rounds": 1}), ("society-of-minds", {"agents": 3, "rounds": 2})],
)
async def test_accuracy_is_flat_where_nothing_is_planted(protocol, given, store, asked):
    found = await modulated(protocol, 0, store, asked, **given)
    for low, high in ((0, 50), (50, 100), (0, 100)):
        gaps = [a - b for a, b in zip(found[high], found[low], strict=True)]
        assert within_noise(gaps)


async def test_consultancies_last_as_long_as_nobody_revises(store, asked):
    stubborn = Simulated("stubborn", revise=-1, temperature=0)
    held = await hold_all("consultancy", stubborn, store, asked, rounds=4)
    rounds = [max(turn.round for turn in transcript.turns) for transcript in held]
    assert set(rounds) == {1, 4}
    # Both draw from one belief b, Beta(2, 2); the consultant has read the answer.
    agree = (4 * 0.6 + 1) / 5
    assert within_noise([(number == 1) - agree for number in rounds])
    open_minded = Simulated("open", temperature=0)
    held = await hold_all("consultancy", open_minded, store, asked, rounds=4)
    rounds = [max(turn.round for turn in transcript.turns) for transcript in held]
    assert set(rounds) == {1, 2, 3, 4} or len(asked) < 600
    assert sum(number == 4 for number in rounds) < len(rounds) / 10


async def test_the_judge_of_a_community_takes_one_of_the_responses(store):
    """It believes in other answers as well: so little is known that nearly all have their own."""
    people = Simulated("people", accuracy=0.2, concentration=60.0)
    sums = [
        Question(id=f"s{number}", kind="number", text=f"{number} + 7?", answer=str(number + 7))
        for number in range(40)
    ]
    for held in await hold_all("community", people, store, sums, agents=2, rounds=1):
        *members, judge = held.turns
        assert judge.answer in [turn.answer for turn in members]
