import pytest

from moot import InputError
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format

FORM = "messages"
SYSTEM = {"role": "system", "content": "Be brief."}
ASK = {"role": "user", "content": "Is it so?"}
YES = {"role": "assistant", "content": "Yes."}
WHY = {"role": "user", "content": "Why?"}
SO = {"role": "assistant", "content": "It is so."}
TALK = [SYSTEM, ASK, YES, WHY, SO]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (TALK, "log.json"),
        ([TALK], "log.json"),
        ({"messages": TALK}, "log.json"),
        ([{"messages": TALK}], "log.json"),
        ([{"messages": TALK}], "log.jsonl"),
        ([TALK], "log.jsonl"),
    ],
)
def test_a_conversation_in_any_wrapping(write, read, value, name):
    [debate], unread, _ = read(write(value, name), form=FORM)
    assert not unread
    assert (debate.question.text, debate.method) == ("Is it so?", "recorded")
    assert [(turn.agent, turn.text, turn.reads) for turn in debate.turns] == [
        ("assistant", "Yes.", ()),
        ("assistant", "It is so.", (1,)),
    ]
    assert [[each.role for each in turn.prompt] for turn in debate.turns] == [
        ["system", "user"],
        ["user"],
    ]


def test_people_with_names_take_turns(write, read):
    talk = [
        {"role": "user", "name": "admin", "content": "Solve it."},
        {"role": "user", "name": "Ada", "content": "4"},
        {"role": "assistant", "name": "Bob", "content": "5"},
        {"role": "tool", "name": "python", "content": "4", "tool_call_id": "x"},
        {"role": "user", "name": "Ada", "content": "4!"},
    ]
    [debate], _, _ = read(write(talk))
    assert debate.question.text == "Solve it."
    assert [(turn.agent, turn.text) for turn in debate.turns] == [
        ("Ada", "4"),
        ("Bob", "5"),
        ("Ada", "4!"),
    ]
    assert debate.turns[-1].reads == (1, 2)
    assert [each.role for each in debate.turns[-1].prompt] == ["tool"]


def test_content_in_parts_and_without_words(write, read):
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}]
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    [debate], _, _ = read(write([{"role": "user", "content": parts}, calls, YES]))
    assert debate.question.text == "Look"
    assert [turn.text for turn in debate.turns] == ["", "Yes."]


def test_lines_have_their_ids_and_faults_their_places(write, read):
    rows = [{"messages": TALK, "id": "a7"}, {"messages": [{"role": "user"}]}, {"messages": TALK}]
    debates, unread, _ = read(write([*rows, {"messages": TALK}], "log.jsonl"))
    assert [(debate.id, debate.replicate) for debate in debates] == [("a7", 0), ("1", 1), ("1", 2)]
    assert [each.place for each in unread] == ["log.jsonl, line 2"]


def test_a_folder_of_conversations(write, read, tmp_path):
    write(TALK, "one.json")
    write([SYSTEM, WHY, SO], "two.json")
    debates, _, _ = read(tmp_path, form=FORM)
    assert [debate.settings for debate in debates] == [{}, {}]  # each file is one debate
    assert len({debate.dataset for debate in debates}) == 1
    assert [debate.place for debate in debates] == ["one.json", "two.json"]


def test_prompts_that_nobody_answered_are_no_conversation(write):
    with pytest.raises(InputError, match=r"no list of .* with a reply"):
        find_format(Log(write({"messages": [SYSTEM, WHY], "scores": [4, 5]})))
