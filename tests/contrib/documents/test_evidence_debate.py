"""Evidence debate: agents choose what they read."""

import pytest

from moot.contrib.documents.brackets import PassageChoice
from moot.core.questions import Question
from support.debates import hold, says

ASKED = Question(id="ada", kind="number", text="In which year was the bridge of Arle built?")


@pytest.fixture
def folder(tmp_path) -> str:
    for year in (1901, 1902, 1903, 1904, 1905):
        (tmp_path / f"{year}.md").write_text(f"The bridge of Arle was built in {year}.")
    return str(tmp_path)


def prompt(call) -> str:
    return "\n".join(message.content for message in call.messages)


async def test_agents_read_what_they_choose_and_a_number_outside_is_ignored(folder, store):
    seen = {}

    def reply(call):
        if call.scene.step == "choose":
            return "[2, 99, 1, 3, 4]" if call.scene.agent == "member-1" else "[none]"
        if call.scene.step == "answer-from":
            seen[call.scene.agent] = prompt(call)
        return says(call)

    held = await hold("evidence-debate", reply, store, question=ASKED, evidence=folder)
    pool = {each.number: each.text for each in held.searches[0].passages}
    assert len(pool) == 5
    shown = [number for number, text in pool.items() if f"```\n{text}\n```" in seen["member-1"]]
    assert sorted(shown) == [1, 2, 3]
    assert held.turns[0].reading == PassageChoice(numbers=(2, 99, 1, 3, 4))
    assert "You have no passage of documents" in seen["member-2"]


async def test_without_a_judge_answers_are_compared_by_value(folder, store):
    def reply(call):
        value = "0.5" if call.scene.agent == "member-1" else "1/2"
        return f"Final answer: {value}"

    given = {"evidence": folder, "asks_judge": False, "chooses": False}
    held = await hold("evidence-debate", reply, store, question=ASKED, **given)
    assert [turn.role for turn in held.turns] == ["member", "member", "summariser"]
