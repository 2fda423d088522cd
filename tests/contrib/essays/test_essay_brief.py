"""The brief of an essay: its length, its outline, and what cannot be asked for."""

import pytest

import moot
from moot import InputError, Question
from moot.debate.protocol import registry
from support.essays import FREE, speaking, write_by

OUTLINE = "1. Doors\n2. Guards {{ 7*7 }}\n3. Roofs"


@pytest.mark.parametrize(
    ("asked", "spaceless"),
    [({}, False), ({"language": "Japanese"}, True), ({"text": "博物馆应该免费"}, True)],
)
async def test_length_is_in_characters_where_words_have_no_spaces(asked, spaceless, store):
    question = FREE
    if text := asked.pop("text", ""):
        question = Question(id="zh", kind="text", text=text)
    _, _, sent = await write_by(store, speaking(), "essay-direct", question, words=300, **asked)
    assert ("characters, where the script" in sent[1]) == spaceless


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": 20_001}, "setting words = 20001"),
        ({"tone": "a\x1b[31mb"}, "tone: it has the control character ␛"),
        ({"audience": "a\nb"}, "audience: it has several lines"),
        ({"outline": "1. a\u202eb"}, "outline: it has the control character ‹U\\+202E›"),
        ({"stance": "both", "points": 2}, "points = 2: a plan that weighs both sides"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        registry.get("essay-plan").check(given)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("1. Doors\n2. Guards\n3. Roofs", []),
        ("1. Doors\n   - open\n2. Guards", ["The outline has 3 points, and the plan 2: look"]),
    ],
)
async def test_a_plan_with_fewer_points_than_the_outline_is_told(plan, told, tmp_path):
    model = moot.Scripted(speaking(plan=plan), name="house")
    made = await moot.write(
        FREE.text, model=model, store=tmp_path, protocol="essay-plan", outline=OUTLINE
    )
    assert [said[: len(wanted)] for said, wanted in zip(made.outcomes, told, strict=True)] == told


async def test_an_outline_may_stand_in_a_file_of_words(tmp_path):
    (tmp_path / "o.md").write_bytes(b"\xff\xfe")
    for name, said in (("o", "o.md: UTF-16, not UTF-8"), ("none", "none.md: No such file")):
        with pytest.raises(InputError, match=f"outline .*{said}"):
            await moot.write(FREE.text, outline=tmp_path / f"{name}.md", protocol="essay-direct")
