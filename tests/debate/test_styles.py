"""In which style an agent answers alone: worked examples, personas, and what stays data."""

from itertools import count

import msgspec
import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Example, Question
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.debates import KINDS, SUM, hold, says
from support.prompts import assert_lacks, assert_order, requests

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
    held = await run_debate(
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


FORMS = pytest.mark.parametrize("shots_as", ["messages", "message"])


def whole(call):
    return "\n".join(message.content for message in call.messages) + "\n"


@FORMS
@pytest.mark.parametrize("style", ["few-shot", "few-shot-cot"])
async def test_examples_come_before_the_question_with_their_answers(style, shots_as, store):
    [call] = await sent(store, "single", EXAMPLES, style=style, shots_as=shots_as)
    text = whole(call)
    roles = ["user", "assistant"] * (2 * (shots_as == "messages")) + ["user"]
    assert [message.role for message in call.messages] == roles
    assert "Question: Which flies?\n(A) a stone\n(B) a kite\n" in text
    places = [text.index(part) for part in ("Which flies?", "Final answer: (B)", "3+4?")]
    places += [text.index(part) for part in ("Final answer: 7\n", f"Question: {SUM.text}")]
    assert places == sorted(places)
    assert ("Reasoning: Stones fall." in text) == (style == "few-shot-cot")
    assert text.count("Reasoning:") == (style == "few-shot-cot")
    assert "7.0" not in text
    assert_lacks(text, "each worked out")  # one of them has no reason
    assert ("some of them worked out" in text) == (roles == ["user"] and style == "few-shot-cot")


async def test_examples_that_are_all_worked_out_are_said_to_be(store):
    given = {"style": "few-shot-cot", "shots_as": "message"}
    [call] = await sent(store, "single", EXAMPLES[:1], **given)
    assert "each worked out and answered" in whole(call)


async def test_examples_as_messages_are_a_conversation_before_the_question(store):
    [call] = await sent(store, "single", EXAMPLES, style="few-shot-cot")
    said = [message.content for message in call.messages]
    assert said[1] == "Reasoning: Stones fall.\nFinal answer: (B)"
    assert said[3] == "Final answer: 7"
    assert said[4].startswith(f"Question: {SUM.text}")
    assert_lacks(said[4], "examples", "Which flies", "Here are")


async def test_examples_as_messages_stay_before_the_first_prompt_of_a_conversation(store):
    given = {"style": "few-shot", "rounds": 3, "agents": 2}
    for memory in ("chat", "last"):
        for call in await sent(store, "society-of-minds", EXAMPLES, memory=memory, **given):
            said = [message.content for message in call.messages]
            assert said[0].startswith("Question: Which flies?")
            assert said[4].startswith(f"Question: {SUM.text}")
            assert whole(call).count("Which flies?") == 1
            roles = [message.role for message in call.messages]
            assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    calls = await sent(store, "chateval", EXAMPLES, style="few-shot", agents=2)
    for call in calls:
        assert [message.role for message in call.messages][:3] == ["system", "user", "assistant"]
        assert "Which flies?" not in call.messages[-1].content


async def test_the_words_of_a_user_s_own_few_shot_style_show_its_examples(tmp_path):
    own = "{% for each in examples %}<{{ each.question }}>{% endfor %}{{ question }}"
    (tmp_path / "mine.toml").write_text(f"[style.few-shot]\ntext = '{own}'\n")
    style = registry.get("single").pack(tmp_path / "mine.toml").step("few-shot")
    assert (style.asked, style.answered) == (None, None)
    (tmp_path / "mine.toml").write_text(f"[style.few-shot]\ntext = '{own}'\nasked = 'x'\n")
    with pytest.raises(InputError, match=r"few-shot: asked: examples as messages need asked"):
        registry.get("single").pack(tmp_path / "mine.toml")
    both = f"[style.few-shot]\ntext = '{own}'\nasked = '{{{{ exmple }}}}'\nanswered = 'x'\n"
    (tmp_path / "mine.toml").write_text(both)
    with pytest.raises(UnknownName, match="unknown slot 'exmple'; did you mean 'example'"):
        registry.get("single").pack(tmp_path / "mine.toml")


@pytest.mark.parametrize("style", ["simple", "few-shot"])
@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
async def test_a_style_without_reasoning_leaves_no_room_for_it(style, question, store):
    [call] = await sent(store, "single", EXAMPLES, question=question, style=style)
    asked = call.messages[-1].content
    order = (question.text, "Answer at once", "without reasons", "Final answer:", "whole reply")
    assert_order(asked, *order)
    assert_lacks(asked, "step by step", "explain ", "reasoning")


@pytest.mark.parametrize("question", KINDS, ids=lambda question: question.kind)
async def test_the_bare_style_is_the_question_and_nothing_else(question, store):
    [call] = await sent(store, "single", (), question=question, style="bare")
    shown = registry.get("single").pack().question(question).strip()
    assert [message.content for message in call.messages] == [shown]


def test_a_worked_group_has_four_people_a_lay_reader_and_drafts_that_are_rejected():
    source = registry.get("single").pack().step("spp").source
    examples = source.split("Example task: ")[1:]
    people = [line for line in source.splitlines() if line.startswith("Participants: ")]
    assert [len(line.split(";")) for line in people] == [2, 4]
    assert "Visitor of eight years: I do not know what" in examples[1]
    for example in examples:
        for draft in ("A first draft", "A second draft", "A third draft"):
            assert draft in example
        started = example.partition("Start collaboration!\n\n")[2]
        assert not started.startswith("AI Assistant"), "the experts open"
        final = example.partition("Final answer: ")[2].splitlines()[0]
        assert final in example.partition("Finish collaboration!")[0]
    for needed in (
        "what they need",
        "open with an analysis",
        "detailed suggestions",
        "several rounds",
    ):
        assert needed in source.partition("Example task")[0]
    expert = registry.get("single").pack().step("spp-expert").source
    assert "Profiles:" not in expert
    assert expert.count("Participants: AI Assistant (you); Expert\n") == 3
    speakers = {
        line.partition(":")[0] for line in expert.splitlines() if ": A " in line and "draft" in line
    }
    assert speakers == {"AI Assistant (you)"}


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
    text = whole(call)
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
        assert f"(A) {first}\n(B) {second}" in call.messages[-1].content
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
    with pytest.raises(UnknownName, match="unknown parser 'anser'; did you mean 'answer'"):
        registry.get("single").pack(tmp_path / "mine.toml")


async def test_reasons_are_asked_for_as_in_table_5_and_of_a_move_one_line(store):
    for question in KINDS:
        [sent] = await requests("single", store, question=question, style="explained")
        asked = "Say in one line why" if question.kind == "square" else "Explain your reasoning."
        assert_order(sent.prompt, question.text, asked, "Final answer:")
        assert_lacks(sent.prompt, "step by step")
