"""The brief of an essay: who is told what of it, and what cannot be asked for."""

import pytest

import moot
from moot import InputError, Question
from moot.debate.protocol import registry
from support.essays import FREE, THREE, speaking, write_by
from support.prompts import assert_order

ESSAYS = ("essay-direct", "essay-plan", "debate-to-write", "americano")
PARTS = ("claim", "reason", "concede", "criticise", "refine")
AUDIENCE, TONE, LANGUAGE = "pupils of fifteen {{ 7*7 }}", "dry and short", "Bahasa Indonesia"
OUTLINE = "1. Doors\n2. Guards {{ 7*7 }}\n3. Roofs"
LINES = {"audience": f"readers: {AUDIENCE}", "tone": f"tone of the essay: {TONE}"}


async def sent_by_role(store, name, **settings):
    """What each role is sent in a debate, all turns together, and that of each step."""
    script = speaking(2, personas=THREE, **dict.fromkeys(PARTS, "A part."))
    transcript, steps, sent = await write_by(store, script, name, **settings)
    roles, by_step = {}, {}
    for turn, step in zip(transcript.turns, steps, strict=True):
        roles.setdefault(turn.role, []).append(sent[turn.id])
        by_step.setdefault(step, []).append(sent[turn.id])
    return roles, by_step


@pytest.mark.parametrize("name", ESSAYS)
async def test_who_is_told_what_of_readers_tone_language_and_length(name, store):
    asked = {"audience": AUDIENCE, "tone": TONE, "language": LANGUAGE, "words": 640}
    roles, steps = await sent_by_role(store, name, **asked)
    for told in roles["writer"]:
        assert_order(told, LINES["audience"], LINES["tone"], f"this language: {LANGUAGE}")
    for step in {"essay", "revise"} & steps.keys():
        assert all("is to have about 640 words" in told for told in steps[step])
    for role in roles.keys() & {"organiser", "member", "critic", "planner"}:
        for told in roles[role]:
            assert f"this language: {LANGUAGE}" in told
            assert (LINES["audience"] in told) == (role == "planner")
            assert (TONE in told, "49" in told) == (False, False)


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


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
async def test_an_outline_and_both_sides_are_told_to_all(name, store):
    roles, steps = await sent_by_role(store, name, outline=OUTLINE, stance="both")
    for told in (each for role in roles.values() for each in role):
        for absent in ("49", "argues against", "argues for the", "argue against", "argue for"):
            assert absent not in told
    for step in {"plan", "essay"} & steps.keys():
        assert OUTLINE in steps[step][0]
    assert_order(steps["essay"][0], "weighs both sides of this proposition", "case for it")
    if name == "debate-to-write":
        assert "as many for it as against it" in steps["personas"][0]
        assert "whichever side the plan treats worse" in roles["critic"][0]
        for role in ("member", "critic"):
            assert_order(roles[role][0], "set this outline", "order stay", OUTLINE)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"words": -1}, "setting words = -1"),
        ({"words": 20_001}, "setting words = 20001"),
        ({"tone": "a\x1b[31mb"}, "tone: it has the control character ␛"),
        ({"audience": "a\nb"}, "audience: it has several lines"),
        ({"language": "x" * 101}, "setting language"),
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


async def test_an_outline_may_stand_in_a_file(tmp_path):
    (tmp_path / "o.md").write_text(f"{OUTLINE}\n", encoding="utf-8")
    sent = []

    def script(call):
        sent.append(call.messages[-1].content)
        return "An essay."

    model = moot.Scripted(script, name="house")
    given = {"model": model, "store": tmp_path / "s", "protocol": "essay-direct"}
    made = await moot.write(FREE.text, outline=tmp_path / "o.md", **given)
    assert made.settings["outline"] == OUTLINE
    assert OUTLINE in sent[0]
    (tmp_path / "o.md").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"outline .*o\.md: "):
        await moot.write(FREE.text, outline=tmp_path / "o.md", **given)
    with pytest.raises(InputError, match=r"outline .*none\.md: No such file"):
        await moot.write(FREE.text, outline=tmp_path / "none.md", **given)
