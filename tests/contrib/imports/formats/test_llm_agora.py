import json

import pytest

FORM = "llm-agora"
ROW = {
    "question_id": 7,
    "question": "Which? A) one, B) two",
    "agent_response": {"llama": ["a1", "a2"], "orca": ["", "b2"]},
    "summarization": ["sum"],
    "answer": "B",
}


def test_rounds_with_a_summary_between_them(write, read):
    [debate], unread, _ = read(write([ROW]), form=FORM)
    assert not unread
    assert (debate.id, debate.question.answer) == ("7", "B")
    assert [(turn.agent, turn.round, turn.text, turn.votes) for turn in debate.turns] == [
        ("llama", 1, "a1", True),
        ("orca", 1, "", True),
        ("summariser", 1, "sum", False),
        ("llama", 2, "a2", True),
        ("orca", 2, "b2", True),
    ]
    assert [turn.reads for turn in debate.turns] == [(), (), (1, 2), (3,), (3,)]
    assert [(agent.model, agent.answers) for agent in debate.agents] == [
        ("llama", True),
        ("orca", True),
        ("", False),
    ]
    assert debate.settings == {"agents": 2, "rounds": 2, "summary": True}


def test_what_cannot_be_read_is_named(write, read):
    bad = [{**ROW, "agent_response": {"x": "text"}}, {"question": "q"}, 3]
    debates, unread, _ = read(write([ROW, *bad]))
    assert len(debates) == 1
    assert [each.place for each in unread] == [
        "log.json, item 2",
        "log.json, item 3",
        "log.json, item 4",
    ]


def test_a_log_without_summaries_and_ids(write, read):
    row = {"question": "q", "agent_response": {"m": ["a", "b"]}}
    [debate], _, _ = read(write([row], "log.jsonl"), form=FORM)
    assert (debate.id, debate.question.answer, len(debate.agents)) == ("1", None, 1)
    assert debate.settings == {"agents": 1, "rounds": 2}


@pytest.mark.parametrize(
    ("name", "file"),
    [("llm-agora-mmlu", "mmlu_result.json"), ("llm-agora-gsm8k", "gsm_result.json")],
)
def test_real_logs_come_in_byte_for_byte(shared, read, name, file):
    debates, unread, log = read(shared(name), form=FORM)
    raw = json.loads((shared(name) / file).read_bytes())
    assert not unread
    assert [note.place for note in log.notes] == [file.replace("result", "performance")]
    assert len(debates) == len(raw) == 100
    for debate, row in zip(debates, raw, strict=True):
        texts = {}
        for turn in debate.turns:
            texts.setdefault(turn.agent, []).append(turn.text)
        assert texts == {**row["agent_response"], "summariser": row["summarization"]}
        assert [len(own) for own in texts.values()] == [3, 3, 3, 2]
        assert debate.question.answer == row["answer"]
