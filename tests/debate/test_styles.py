"""In which style an agent answers alone: worked examples, personas, and what stays data."""

from itertools import count

import msgspec
import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Example, Question
from moot.debate.conduct import conduct
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from stage import KINDS, SUM, hold, says

PICK = Question(
    id="e1", kind="choice", text="Which flies?", choices=("a stone", "a kite"), answer="B"
)
NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
EXAMPLES = (
    Example(question=PICK, reason="Stones fall."),
    Example(question=Question(id="e2", kind="number", text="3+4?", answer=("7", "7.0"))),
)


async def sent(store, name, examples, question=SUM, **given):
    """Every call of a debate."""
    calls = []

    def script(call):
        calls.append(call)
        return says(call)

    protocol, model = registry.get(name), Scripted(script, name=f"script-{next(NAMES)}")
    settings = protocol.check({"model": model.name, **given})
    held = await conduct(
        protocol,
        question,
        settings=settings,
        path=CallPath(store),
        model=lambda _: model,
        pack=protocol.pack(),
        examples=lambda _: examples,
    )
    assert held.failed is None
    return calls


@pytest.mark.parametrize("style", ["few-shot", "few-shot-cot"])
async def test_examples_come_before_the_question_with_their_answers(style, store):
    [call] = await sent(store, "single", EXAMPLES, style=style)
    text = call.messages[0].content
    assert "Question: Which flies?\n(A) a stone\n(B) a kite\n" in text
    places = [text.index(part) for part in ("Which flies?", "Final answer: (B)", "3+4?")]
    places += [text.index(part) for part in ("Final answer: 7\n", f"Question: {SUM.text}")]
    assert places == sorted(places)
    assert ("Reasoning: Stones fall." in text) == (style == "few-shot-cot")
    assert text.count("Reasoning:") == (style == "few-shot-cot")
    assert "7.0" not in text


@pytest.mark.parametrize("style", ["simple", "cot", "spp", "spp-expert"])
async def test_other_styles_show_no_examples(style, store):
    [with_them] = await sent(store, "single", EXAMPLES, style=style)
    [without] = await sent(store, "single", (), style=style)
    assert with_them.messages == without.messages
    assert "Which flies?" not in with_them.messages[0].content


@pytest.mark.parametrize("style", ["few-shot", "few-shot-cot"])
@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
async def test_examples_are_data(style, question, store):
    nasty = "{{ 7*7 }} {% raw %} {{ question.__class__ }} {# gone #}"
    example = Example(
        question=msgspec.structs.replace(PICK, text=nasty, context=nasty, choices=(nasty, nasty)),
        reason=nasty,
    )
    [call] = await sent(store, "single", (example,), question=question, style=style)
    text = call.messages[0].content
    assert text.count(nasty) == 4 + (style == "few-shot-cot")
    assert "49" not in text
    assert "<class" not in text


@pytest.mark.parametrize("style", ["few-shot", "few-shot-cot"])
async def test_a_style_without_its_examples_is_an_error_of_the_input(style, store):
    with pytest.raises(InputError, match=f"style.{style}: 'examples' is undefined"):
        await hold("single", says, store, style=style)


async def test_examples_stand_in_the_first_stage_of_ensemble_refinement_only(store):
    calls = await sent(store, "ensemble-refinement", EXAMPLES, style="few-shot-cot")
    for call in calls:
        shown = "Which flies?" in call.messages[0].content
        assert shown == (call.scene.role == "reasoner")
    temperatures = {call.scene.role: call.sampling.temperature for call in calls}
    assert temperatures == {"reasoner": 0.7, "aggregator": 0.5}


async def test_the_second_stage_is_never_colder_than_greedy(store):
    for temperature in (0.1, 0.0, None):
        calls = await sent(store, "ensemble-refinement", (), temperature=temperature)
        cooled = {call.sampling.temperature for call in calls if call.scene.role == "aggregator"}
        assert cooled == {None if temperature is None else 0.0}


async def test_few_shot_examples_are_shown_with_choices_in_another_order(store):
    [*calls] = await sent(
        store, "medprompt", EXAMPLES, question=KINDS[2], style="few-shot", samples=6
    )
    for call in calls:
        assert "(A) a stone\n(B) a kite" in call.messages[0].content
        [first, second] = call.scene.question.choices
        assert f"(A) {first}\n(B) {second}" in call.messages[0].content
    assert len({call.scene.question.choices for call in calls}) == 2


@pytest.mark.parametrize("variant", ["original", "expert"])
async def test_solo_performance_is_its_style_as_a_protocol(variant, store):
    style = {"original": "spp", "expert": "spp-expert"}[variant]
    [alone] = await sent(store, "solo-performance", (), variant=variant)
    [styled] = await sent(store, "single", (), style=style)
    assert alone.messages == styled.messages
    text = alone.messages[0].content
    assert "Start collaboration!" in text
    assert "Finish collaboration!" in text
    assert ("Profiles:" in text) == (variant == "original")
    assert "Example task:" in text
    assert text.rindex(SUM.text) > text.rindex("Finish collaboration!")


@pytest.mark.parametrize("style", ["spp", "spp-expert"])
async def test_any_protocol_s_agents_may_be_several_people_each(style, store):
    for name in ("society-of-minds", "multi-persona", "self-consistency"):
        calls = await sent(store, name, (), style=style)
        alone = [call for call in calls if call.scene.step == "answer"]
        assert alone
        assert all("AI Assistant (you)" in call.messages[-1].content for call in alone)


async def test_each_agent_may_answer_in_a_style_of_its_own(store):
    listed = [{"style": style} for style in ("simple", "few-shot", "spp")]
    calls = await sent(store, "self-consistency", EXAMPLES, samples=listed)
    texts = [call.messages[0].content for call in calls]
    assert ["Which flies?" in text for text in texts] == [False, True, False]
    assert ["Participants" in text for text in texts] == [False, False, True]


def test_a_pack_that_is_read_in_no_known_way_is_refused(tmp_path):
    (tmp_path / "mine.toml").write_text("[style.cot]\ntext = '{{ question }}'\nreads_as = 'anser'")
    with pytest.raises(UnknownName, match="unknown reader 'anser'; did you mean 'answer'"):
        registry.get("single").pack(tmp_path / "mine.toml")
