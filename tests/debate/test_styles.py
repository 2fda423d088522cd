"""In which style an agent answers alone: what worked examples need, and what stays data."""

from itertools import count

import msgspec
import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.questions import Example, Question
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.debates import KINDS, hold, says

PICK = Question(id="e1", kind="choice", text="Which?", choices=("a", "b"), answer="B")
NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""


async def sent(store, name, examples, **given):
    """Every call of a debate."""
    calls = []
    replies = lambda call: calls.append(call) or says(call)  # noqa: E731 -- a script
    model = Scripted(replies, name=f"script-{next(NAMES)}")
    held = await hold(name, model, store, worked=examples, **given)
    assert held.failed is None
    return calls


def whole(call):
    return "\n".join(message.content for message in call.messages) + "\n"


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


async def test_the_second_stage_is_cooler_unless_it_is_told_and_never_below_greedy(store):
    own = [{"role": "aggregator", "temperature": 0.9}]
    for temperature, cast, cooler in (
        (0.1, [], 0.0), (0.0, [], 0.0), (None, [], None), (0.7, [], 0.5), (0.7, own, 0.9),
    ):  # fmt: skip
        given = {"temperature": temperature, "cast": cast}
        calls = await sent(store, "ensemble-refinement", (), **given)
        cooled = {call.sampling.temperature for call in calls if call.scene.role == "aggregator"}
        assert cooled == {cooler}
