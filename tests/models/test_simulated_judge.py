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
from support.simulated import NULL, QUESTIONS, YES_OR_NO, a_call, within_noise

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


def share(found, side, expected):
    return within_noise([(each == side) - expected for each, _ in found])


@pytest.mark.parametrize("held", [("A", "B"), ("A", "A")])
@pytest.mark.parametrize("first", HEADINGS)
async def test_unbiased_judges_rule_for_either_side_alike(first, held):
    found = await rulings(Simulated("x", accuracy=0.25), held, first=first)
    assert share(found, "Affirmative", 0.5)
    holds = dict(zip(("Affirmative", "Negative"), held, strict=True))
    assert all(
        holds[side] == answer for side, answer in found if held == ("A", "B") and answer in held
    )


@pytest.mark.parametrize("first", HEADINGS)
async def test_the_bias_for_what_is_shown_first_is_recovered(first):
    found = await rulings(Simulated("x", accuracy=0.25, first=0.3), ("A", "B"), first=first)
    assert share(found, first.title(), 0.65)


@pytest.mark.parametrize(
    ("favoured", "side"),
    [("affirmative", "Affirmative"), ("Right", "Negative"), ("LEFT", "Affirmative")],
)
@pytest.mark.parametrize("first", HEADINGS)
async def test_the_bias_for_a_label_is_recovered_in_either_seating(favoured, side, first):
    model = Simulated("x", accuracy=0.25, favours=f"{favoured}:0.3")
    found = await rulings(model, ("A", "B"), first=first)
    assert share(found, side, 0.65)


async def test_both_biases_at_once_add_up():
    model = Simulated("x", accuracy=0.25, first=0.2, favours="right:0.3")
    assert share(await rulings(model, ("A", "B")), "Affirmative", 0.2 + 0.25)
    found = await rulings(model, ("A", "B"), first="negative")
    assert share(found, "Negative", 0.2 + 0.3 + 0.25)


@pytest.mark.parametrize("favours", ["side:0.5", "eft:0.5", "female:0.5"])
async def test_a_label_that_both_sides_have_or_none_changes_nothing(favours):
    found = await rulings(Simulated("x", accuracy=0.25, favours=favours), ("A", "B"))
    assert share(found, "Affirmative", 0.5)


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


def test_without_headings_the_sides_are_the_first_answers_heard():
    assert find_sides([], ("C", None, "D")) == (
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


async def test_who_is_told_to_speak_as_somebody_says_so_and_is_favoured_for_it():
    said = []
    for who in ("a man", "a woman"):
        call = a_call(NULL, YES_OR_NO[0], prompt=f"In this debate you speak as {who}. Argue so.")
        said.append((await NULL.reply(call)).text)
    assert [text.partition(".")[0] for text in said] == ["I speak as a man", "I speak as a woman"]
    shown = "The negative side said:\n{}\n\nThe affirmative side said:\n{}\n\nSo?".format(*said)
    model = Simulated("x", favours="woman:1")
    call = a_call(model, YES_OR_NO[0], reads_as="decision", prompt=shown, role="judge")
    assert json.loads((await model.reply(call)).text)["Supported Side"] == "Affirmative"


async def with_personas(seated, model, store, *, questions=10, **told):
    cast = [
        {"role": role, "persona": persona} for role, persona in zip(HEADINGS, seated, strict=True)
    ]
    return await hold_all("multi-persona", model, store, YES_OR_NO[:questions], cast=cast, **told)


@pytest.mark.parametrize("seated", [("male", "female"), ("female", "male")])
@pytest.mark.parametrize("told", [{"tells_personas": True}, {"sides_as": "persona"}])
async def test_in_debates_as_they_are_a_persona_is_known(seated, told, store):
    model = Simulated("x", favours="female:1")
    debates = await with_personas(seated, model, store, **told)
    for held in debates:
        side = tuple(HEADINGS)[seated.index("female")]
        newest = next(turn.answer for turn in reversed(held.turns) if turn.role == side)
        assert held.verdict.answer == newest


@pytest.mark.parametrize("seated", [("male", "female"), ("female", "male")])
async def test_the_name_of_a_persona_is_not_known_where_judges_are_not_told(seated, store):
    model = Simulated("x", favours="female:1")
    debates = await with_personas(seated, model, store, questions=200)
    rulings = [
        json.loads(next(turn.text for turn in held.turns if turn.step == "weigh"))
        for held in debates
    ]
    favoured = tuple(HEADINGS)[seated.index("female")].title()
    ruled = [each["Supported Side"] for each in rulings if each["Supported Side"]]
    assert len(ruled) > 60
    assert within_noise([(side == favoured) - 0.5 for side in ruled])


async def test_unbiased_judges_of_whole_debates_are_even_handed(store):
    debates = await hold_all("debate-moderated", NULL, store, QUESTIONS[:300], rounds=2)
    rulings = [
        json.loads(turn.text) for held in debates for turn in held.turns if turn.step == "weigh"
    ]
    ruled = [each["Supported Side"] == "Affirmative" for each in rulings if each["Supported Side"]]
    assert len(ruled) > 100
    assert within_noise([each - 0.5 for each in ruled])


@pytest.mark.parametrize("favours", ["left", "left:", ":0.3", "left:high", "left:1.5", "left:-0.1"])
def test_what_is_favoured_is_a_label_and_a_share(favours):
    with pytest.raises(InputError, match=r"simulated/x'.*expected LABEL:SHARE"):
        load(f"simulated/x?favours={favours}")


def test_biases_are_together_at_most_one():
    with pytest.raises(InputError, match="more than 1"):
        load("simulated/x?first=0.6&favours=left:0.5")
    model = load("simulated/x?first=0.5&favours=left:0.5")
    assert load(model.name).name == model.name
    assert model.population.favours == "left:0.5"
