"""A simulated judge is even-handed, and biased for whom and by how much it is planted."""

import json

import pytest

from moot.core.calls import Message
from moot.core.errors import InputError
from moot.models.model_names import load
from moot.models.simulated import Simulated
from moot.models.simulated_judge import JudgedSide, find_sides
from moot.protocols.debate_moderated import debate_moderated
from moot.protocols.multi_persona import multi_persona
from support.debates import hold_all
from support.simulated import QUESTIONS, YES_OR_NO, a_call, within_noise

HEADINGS = {"affirmative": "Affirmative side (left):", "negative": "Negative side (right):"}


def prompt(question, answers, first="affirmative"):
    """What a judge is shown of two sides."""
    order = sorted(HEADINGS, key=lambda side: side != first)
    said = [f"{HEADINGS[side]}\nSo it is.\nFinal answer: {answers[side]}" for side in order]
    return "\n\n".join([question.text, *said, "Decide. Write one JSON object with these keys:"])


async def rulings(model, held, *, first="affirmative", questions=QUESTIONS, reads_as="decision"):
    """What is ruled on questions with both sides' answers: each ruling's side and answer."""
    answers = dict(zip(HEADINGS, held, strict=True))
    found = []
    for question in questions:
        shown = prompt(question, answers, first)
        heard = tuple(held if first == "affirmative" else held[::-1])
        call = a_call(model, question, heard=heard, reads_as=reads_as, prompt=shown, role="judge")
        ruling = json.loads((await model.reply(call)).text)
        found.append((ruling.get("Supported Side"), ruling["debate_answer"]))
    return found


FAVOURED = {"affirmative": "Affirmative", "Right": "Negative", "LEFT": "Affirmative"}
BIASED = [
    *(({}, ("A", held), first, "Affirmative", 0.5) for held in "BA" for first in HEADINGS),
    *(({"first": 0.3}, ("A", "B"), first, first.title(), 0.65) for first in HEADINGS),
    *(
        ({"favours": f"{label}:0.3"}, ("A", "B"), first, side, 0.65)
        for label, side in FAVOURED.items()
        for first in HEADINGS
    ),
    ({"first": 0.2, "favours": "right:0.3"}, ("A", "B"), "affirmative", "Affirmative", 0.45),
    ({"first": 0.2, "favours": "right:0.3"}, ("A", "B"), "negative", "Negative", 0.75),
    *(  # a label that both sides have, or none
        ({"favours": f"{label}:0.5"}, ("A", "B"), "affirmative", "Affirmative", 0.5)
        for label in ("side", "eft", "female")
    ),
]


@pytest.mark.parametrize("few", [400, pytest.param(2000, marks=pytest.mark.soak)])
@pytest.mark.parametrize(("knobs", "held", "first", "side", "share"), BIASED)
async def test_judges_are_even_handed_or_biased_as_planted(few, knobs, held, first, side, share):
    model = Simulated("x", accuracy=0.25, **knobs)
    found = await rulings(model, held, first=first, questions=QUESTIONS[:few])
    assert within_noise([(each == side) - share for each, _ in found])
    if not knobs and held == ("A", "B"):
        holds = dict(zip(("Affirmative", "Negative"), held, strict=True))
        assert all(holds[side] == answer for side, answer in found if answer in held)


@pytest.mark.parametrize("reads_as", ["ruling", "decision", "conclusion"])
async def test_a_biased_judge_gives_the_answer_of_the_side_it_is_biased_for(reads_as):
    found = await rulings(Simulated("x", first=1), ("D", "B"), first="negative", reads_as=reads_as)
    assert {answer for _, answer in found if answer} == {"B"}
    found = await rulings(Simulated("x", first=1), ("", "B"), reads_as=reads_as)
    assert {answer for _, answer in found} >= set("ABCD")  # of one without an answer, its own


def test_sides_are_those_of_the_newest_prompt_that_shows_both():
    def said(first, second):
        return f"The {first} side said:\nFinal answer: A\n\nThe {second} side said:\nNothing."

    messages = [
        Message("system", said("negative", "affirmative")),
        Message("user", said("affirmative", "negative")),
        Message("user", said("negative", "affirmative")),
        Message("user", "The affirmative side says:\nFinal answer: C"),
        Message("assistant", said("affirmative", "negative")),
    ]
    assert find_sides(messages, ("C", "D")) == (
        JudgedSide("Negative", "A", "The negative side said:", ""),
        JudgedSide("Affirmative", None, "The affirmative side said:", "Nothing."),
    )
    assert find_sides([], ("C", None, "D")) == (  # without headings, the first answers heard
        JudgedSide("Affirmative", "C"),
        JudgedSide("Negative", None),
    )
    assert find_sides([], ()) == (JudgedSide("Affirmative", None), JudgedSide("Negative", None))


@pytest.mark.parametrize("protocol", [debate_moderated, multi_persona])
@pytest.mark.parametrize("first", ["affirmative", "negative"])
async def test_in_debates_as_they_are_the_side_shown_first_is_known(protocol, first, store):
    model = Simulated("x", first=1)
    given = {"shown_first": first} if protocol is debate_moderated else {}
    debates = await hold_all(protocol.name, model, store, YES_OR_NO[:10], rounds=2, **given)
    side = given.get("shown_first", "affirmative")
    for held in debates:
        newest = next(turn.answer for turn in reversed(held.turns) if turn.role == side)
        assert held.verdict.answer == newest


async def with_personas(seated, store, *, questions=10, **told):
    pairs = zip(HEADINGS, seated, strict=True)
    cast = [{"role": role, "persona": persona} for role, persona in pairs]
    model = Simulated("x", favours="female:1")
    return await hold_all("multi-persona", model, store, YES_OR_NO[:questions], cast=cast, **told)


SEATED = pytest.mark.parametrize("seated", [("male", "female"), ("female", "male")])


@SEATED
@pytest.mark.parametrize("told", [{"tells_personas": True}, {"sides_as": "persona"}])
async def test_in_debates_as_they_are_a_persona_is_known(seated, told, store):
    for held in await with_personas(seated, store, **told):
        side = tuple(HEADINGS)[seated.index("female")]
        newest = next(turn.answer for turn in reversed(held.turns) if turn.role == side)
        assert held.verdict.answer == newest


def ruled(debates, side) -> list[bool]:
    """Whether each ruling that supports a side supports this one."""
    turns = [turn for held in debates for turn in held.turns if turn.step == "weigh"]
    sides = [json.loads(turn.text)["Supported Side"] for turn in turns]
    return [each == side for each in sides if each]


@pytest.mark.soak
@SEATED
async def test_the_name_of_a_persona_is_not_known_where_judges_are_not_told(seated, store):
    debates = await with_personas(seated, store, questions=200)
    found = ruled(debates, tuple(HEADINGS)[seated.index("female")].title())
    assert len(found) > 60
    assert within_noise([each - 0.5 for each in found])


WRONG = ("left", "left:", ":0.3", "left:high", "left:1.5", "left:-0.1")


def test_what_is_favoured_is_a_label_and_a_share_and_biases_are_together_at_most_one():
    for favours in WRONG:
        with pytest.raises(InputError, match=r"simulated/x'.*expected LABEL:SHARE"):
            load(f"simulated/x?favours={favours}")
    with pytest.raises(InputError, match="more than 1"):
        load("simulated/x?first=0.6&favours=left:0.5")
    model = load("simulated/x?first=0.5&favours=left:0.5")
    assert load(model.name).name == model.name
    assert model.population.favours == "left:0.5"
