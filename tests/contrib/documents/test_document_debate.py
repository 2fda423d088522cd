"""Document debate: an agent for each document."""

import pytest

from moot.contrib.documents.brackets import AnswerList
from moot.contrib.documents.protocols.document_debate import is_unchanged
from moot.core.questions import Question
from moot.models.scripted import Scripted
from support.debates import hold

ASKED = Question(id="ada", kind="text", text="In which town was Ada Moss born?")
TOWNS = ("Arle", "Brenn", "Corve")


@pytest.fixture
def folder(tmp_path) -> str:
    for town in TOWNS:
        (tmp_path / f"{town}.md").write_text(f"Ada Moss was born in the town of {town}.")
    return str(tmp_path)


def replies(*answers: str):
    """Readers say the answers in turn, the aggregator lists them."""
    left = list(answers)

    def reply(call):
        if call.scene.role == "aggregator":
            return f"All correct answers: [Arle; Brenn]\nFinal answer: {TOWNS[call.scene.round]}"
        return f"Final answer: {left.pop(0)}"

    return reply


async def test_unchanged_answers_end_it_with_the_aggregation_before(folder, store):
    given = {"question": ASKED, "evidence": folder, "passages": 3}
    said = ("Arle", "Brenn", "Corve", "the town of Arle", "Brenn.", "Corve!")
    held = await hold("document-debate", replies(*said), store, **given)
    assert len(held.turns) == 2 * 3 + 1
    assert (held.verdict.turn, held.verdict.answer) == (4, "Brenn")
    assert held.turns[3].reading == AnswerList(answers=("Arle", "Brenn"))
    assert "[Arle; Brenn]" in held.verdict.text
    [note] = held.notes
    assert (note.what, note.ends, note.why) == ("stop", True, "no agent changed its answer")
    said = ("Arle", "Brenn", "Corve", "Arle", "Brenn", "Arle", "Arle", "Brenn", "Arle")
    model = Scripted(replies(*said), name="changed")
    held = await hold("document-debate", model, store, **given)
    assert [turn.role for turn in held.turns].count("aggregator") == 2
    assert held.verdict.turn == 8
    assert [note.ends for note in held.notes] == [False, True]


async def test_where_nothing_is_found_one_agent_answers_without_a_document(folder, store):
    asked = Question(id="x", kind="number", text="What is 17 + 4?")
    given = {"question": asked, "evidence": folder}
    held = await hold("document-debate", lambda _: "Final answer: 21", store, **given)
    assert held.searches[0].passages == ()
    assert [turn.role for turn in held.turns] == ["reader", "aggregator", "reader"]
    assert held.verdict.answer == "21"


@pytest.mark.parametrize(
    ("last", "now", "kind", "same"),
    [
        ("Arle", "the Arle", "text", True), ("Arle, in 1900", "Arle", "text", True),
        ("Arle", "Brenn", "text", False), ("", "Arle", "text", False), ("a", "an", "text", False),
        (None, None, "text", False), ("A", "A", "choice", True), ("A", "B", "choice", False),
        ("1", "11", "number", False), ("1/2", "0.5", "number", True),
    ],
)  # fmt: skip
def test_an_answer_is_unchanged_by_its_words_or_its_value(last, now, kind, same):
    assert is_unchanged(last, now, kind) is same


async def test_no_agent_reads_another_document(folder, store):
    calls = []

    def reply(call):
        calls.append(call)
        return f"Final answer: {call.scene.agent}{call.scene.round}"

    held = await hold("document-debate", reply, store, question=ASKED, evidence=folder, passages=3)
    found = [passage.text for passage in held.searches[0].passages]
    assert len(found) == 3
    for call in calls:
        prompt = "\n".join(message.content for message in call.messages)
        seen = [text for text in found if f"```\n{text}\n```" in prompt]
        role, _, number = call.scene.agent.partition("-")
        assert seen == ([found[int(number) - 1]] if role == "reader" else [])
