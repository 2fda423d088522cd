"""Listed answers: all right ones and no other."""

import pytest

from moot.contrib.documents.listed_answers import listed_answers
from moot.core.questions import Question
from support.debates import hold

ASKED = Question(id="ada", kind="text", text="Where was Ada Moss born?", answer=("Arle", "Brenn"))


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("All correct answers: [brenn; Arle.]", 1.0),
        ("All correct answers: [Arle]", 0.0),
        ("All correct answers: [Arle; Brenn; Corve]", 0.0),
        ("All correct answers: []", 0.0),
        ("Both.", None),
    ],
)
async def test_a_list_is_right_where_it_is_the_set_of_right_answers(said, value, store):
    def reply(call):
        return f"{said}\nFinal answer: Arle"

    held = await hold("document-debate", reply, store, question=ASKED)
    assert held.verdict.answer == "Arle"
    assert listed_answers(held) == value


async def test_a_verdict_without_a_list_has_no_value(store):
    assert listed_answers(await hold("single", lambda _: "Final answer: 4", store)) is None
    bare = Question(id="q", kind="text", text="Where?")
    reply = "All correct answers: [Arle]"
    held = await hold("document-debate", lambda _: reply, store, question=bare)
    assert listed_answers(held) is None
