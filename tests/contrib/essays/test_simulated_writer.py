"""What a simulated population writes: readable, one step after another, as unlike as it is told."""

import pytest

from moot.contrib.essays.assess.model_judge import parse_points
from moot.contrib.essays.essay_length import is_off
from moot.contrib.essays.persona_lists import read_personas
from moot.contrib.essays.plan_outline import EssayPlan, read_plan
from moot.contrib.essays.simulated_pen import load_texts
from moot.core.questions import Question
from moot.debate.quotation_check import check_quotations
from moot.models.simulated import Simulated
from moot.parsing.parsers import registry as parsers
from support.debates import hold, hold_all
from support.prompts import assert_order
from support.simulated import a_call

MUSEUMS = Question(id="museums", kind="text", text="We should make all museums free of charge.")
WRITERS = ("essay-direct", "essay-plan", "americano", "debate-to-write")
every_writer = pytest.mark.parametrize("name", WRITERS)


async def essays(name, model, store, times=3, **given):
    held = [
        await hold(name, model, store, question=MUSEUMS, replicate=number, **given)
        for number in range(times)
    ]
    assert not any(transcript.failed for transcript in held)
    return held


def distance(first, second):
    """The share of sentences that are not in the other."""
    one, other = (set(text.replace("\n\n", " ").split(". ")) for text in (first, second))
    return 1 - len(one & other) / max(len(one), len(other))


@every_writer
async def test_an_essay_is_written_that_follows_from_what_was_planned(name, store):
    for transcript in await essays(name, Simulated(), store):
        essay, turns = transcript.verdict.answer, {each.step: each for each in transcript.turns}
        assert transcript.opened.simulated
        assert 120 < len(essay.split()) < 400
        assert MUSEUMS.text.rstrip(".") in essay
        if "plan" in turns:
            plan = read_plan(turns["plan"].text)
            assert isinstance(plan, EssayPlan)
            assert plan.acknowledgment in essay
            assert all(point.text in essay for point in plan.points)
            assert all(sub in essay for point in plan.points for sub in point.supports)


@every_writer
async def test_essays_are_as_unlike_as_the_knob_says(name, store):
    apart = []
    for diversity in (0.0, 0.3, 1.0):
        model = Simulated("writers", diversity=diversity)
        first, *others = [each.verdict.answer for each in await essays(name, model, store, times=7)]
        apart.append(sum(distance(first, other) for other in others) / len(others))
    assert apart[0] == 0
    assert apart[0] < apart[1] < apart[2]
    other = Simulated("writers", diversity=0, seed=1)
    [same] = await essays(name, Simulated("writers", diversity=0), store, times=1)
    [unlike] = await essays(name, other, store, times=1)
    assert same.verdict.answer != unlike.verdict.answer


async def test_the_pool_and_the_team_are_as_large_as_was_asked(store):
    [held] = await essays("debate-to-write", Simulated(), store, 1, pool=10, team=4, rounds=2)
    said = {turn.step: turn.text for turn in held.turns}
    pool = read_personas(said["personas"]).personas
    assert len({each.description for each in pool}) == 10
    team = read_personas(said["select"]).personas
    assert len(team) == 4
    assert all(each.reason for each in team)
    assert {each.claim for each in team} <= {each.claim for each in pool}
    assert team[0].claim in next(turn.text for turn in held.turns if turn.step == "discuss")


async def test_discussions_end_sooner_or_later(store):
    model = Simulated()
    questions = [Question(id=str(n), kind="text", text=f"Thesis {n}.") for n in range(60)]
    held = await hold_all("debate-to-write", model, store, questions, rounds=5)
    rounds = [max(turn.round for turn in each.turns if turn.role == "critic") for each in held]
    assert 1 in rounds
    assert max(rounds) > 2


@pytest.mark.parametrize("stance", ["oppose", "support"])
async def test_the_side_that_is_argued_is_the_one_asked_for(stance, store):
    for name in WRITERS:
        [held] = await essays(name, Simulated(), store, 1, stance=stance)
        against = ("puts at risk", "overlooks", "has no answer", "highest price", "lasting harm")
        words = [word in held.verdict.answer for word in against]
        assert any(words) is (stance == "oppose"), name


@every_writer
@pytest.mark.parametrize("asked", [80, 400])
async def test_an_essay_has_the_length_that_is_asked_for(name, asked, store):
    for held in await essays(name, Simulated(), store, words=asked):
        assert not is_off(held.verdict.answer, asked)
        assert held.turns[-1].step in ("essay", "revise")


@every_writer
async def test_an_essay_says_in_which_language_it_is_to_be(name, store):
    [held] = await essays(name, Simulated(), store, 1, language="Bahasa Indonesia")
    assert held.verdict.answer.startswith("[Bahasa Indonesia] ")
    assert all("[Bahasa" in turn.text for turn in held.turns if turn.step in ("discuss", "essay"))


async def test_a_plan_keeps_to_the_outline(store):
    outline = "1. Doors that open\n2. Guards who care"
    [held] = await essays("essay-plan", Simulated(), store, 1, outline=outline)
    plan = read_plan(held.turns[0].text)
    assert [point.text for point in plan.points] == ["Doors that open", "Guards who care"]
    [direct] = await essays("essay-direct", Simulated(), store, 1, outline=outline)
    for essay in (held.verdict.answer, direct.verdict.answer):
        assert_order(essay, "Doors that open", "Guards who care")


@pytest.mark.parametrize("name", ["essay-plan", "debate-to-write"])
async def test_both_sides_are_weighed(name, store):
    [held] = await essays(name, Simulated(), store, 1, stance="both")
    plan = read_plan(next(turn.text for turn in held.turns if turn.step == "plan"))
    sides = [point.text.partition(":")[0] for point in plan.points]
    assert {"For", "Against"} <= set(sides[:-1])
    assert sides[-1] == "Conclusion"
    assert plan.acknowledgment is None


@pytest.mark.parametrize("stance", ["oppose", "support"])
@pytest.mark.parametrize("dialogue", ["agents", "single"])
async def test_what_a_proposition_and_a_critic_argue_is_not_the_side(stance, dialogue, store):
    odd = "We should argue against war in every essay for peace, and argue for it in none."
    question = Question(id="odd", kind="text", text=odd)
    held = await hold(
        "debate-to-write", Simulated(), store, question=question, stance=stance, dialogue=dialogue
    )
    said = [turn.text for turn in held.turns if turn.role != "critic"]
    favours = ("It protects", "takes seriously", "first answer", "It relieves", "lasting good")
    for text in said[:3]:  # what is claimed by pool, team and whoever speaks first
        assert any(word in text for word in favours) is (stance == "support")


async def test_passages_are_quoted_as_they_stand(tmp_path, store):
    (tmp_path / "a.md").write_text("# Money\n\nFees of museums pay for guards and lamps.\n")
    [held] = await essays("essay-plan", Simulated(), store, 1, evidence=str(tmp_path))
    [search] = held.searches
    question = held.question.text
    quotes = check_quotations(held.verdict.answer, search.passages, [question])
    assert quotes
    assert all(quote.found for quote in quotes)


async def test_a_judge_lists_the_points_of_an_essay(store):
    [held] = await essays("essay-direct", Simulated(), store, 1)
    text = (
        "An essay.\n\n===== The essay =====\n"
        f"{held.verdict.answer}\n===== End of the essay =====\n\nIts points?"
    )
    asked = Question(id="points", kind="text", text=text)
    said = (await hold("single", Simulated("judge"), store, question=asked)).verdict.text
    points = parse_points(said)
    assert len(points) == 4
    assert all(point in held.verdict.answer for point in points)
    assert all(any(view.stake in point for view in load_texts().viewpoints) for point in points)


@every_writer
async def test_nothing_can_be_read_of_what_is_unparseable(name, store):
    [held] = await essays(name, Simulated(unparseable=1.0), store, 1)
    assert held.verdict.answer is None


@pytest.mark.parametrize(
    "form", ["personas", "selection", "plan", "dialogue", "essay", "discussion"]
)
async def test_any_prompt_is_answered(form):
    model = Simulated()
    for prompt in ("", "{" * 3000, "1. " * 5000, '{"agent_id": [1]}\n' * 50, "[1] (a)\n" * 500):
        reply = await model.reply(a_call(model, MUSEUMS, reads_as=form, prompt=prompt))
        parsers.get(form)(reply.text, MUSEUMS, heard={})


async def test_other_questions_are_answered_as_ever():
    model = Simulated(accuracy=1.0)
    question = Question(id="q", kind="boolean", text="Is it?", answer="true")
    for step in ("refine", "claim", "criticise"):
        reply = await model.reply(a_call(model, question, step=step))
        assert reply.text.endswith("Final answer: true")
