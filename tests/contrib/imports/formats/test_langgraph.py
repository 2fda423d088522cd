"""States and checkpoints of LangGraph, with messages as LangChain dumps them."""

import pytest

FORM = "langgraph"


def dump(kind, content, **more):
    """A message as ``langchain_core.load.dumpd`` gives it."""
    place = ["langchain", "schema", "messages", kind]
    return {"lc": 1, "type": "constructor", "id": place, "kwargs": {"content": content, **more}}


PLAIN = [
    {"type": "human", "content": "2 + 2?", "name": None},
    {"type": "ai", "content": "It is 4.", "name": "alice", "usage_metadata": {"input_tokens": 7}},
    {"type": "ai", "content": [{"type": "text", "text": "I agree."}], "name": "bob"},
]
DUMPED = [
    dump("HumanMessage", "2 + 2?"),
    dump("AIMessage", "It is 4.", name="alice", usage_metadata={"input_tokens": 7}),
    dump("AIMessage", "I agree.", name="bob"),
]
WRAPPED = [{"type": each["type"], "data": each} for each in PLAIN]
AT = {"configurable": {"thread_id": "7"}}


def snapshot(messages):
    return {"values": {"messages": messages}, "next": [], "config": AT, "metadata": {"step": 1}}


@pytest.mark.parametrize(
    ("log", "name"),
    [
        ({"messages": PLAIN}, "log"),
        ({"messages": DUMPED, "other": 1}, "log"),
        ({"talk": WRAPPED}, "log"),
        (PLAIN, "log"),
        ({"v": 4, "ts": "x", "channel_values": {"messages": DUMPED}}, "log"),
        ([snapshot(DUMPED), snapshot(DUMPED[:2]), snapshot([])], "1"),
        ([[{"messages": PLAIN}, [], AT], [{"messages": PLAIN[:1]}, ["bob"], AT]], "1"),
    ],
)
def test_every_form_of_a_state_is_one_talk(write, read, log, name):
    [debate], unread, _ = read(write(log), form=FORM)
    assert not unread
    assert (debate.id, debate.question.text) == (name, "2 + 2?")
    assert [(turn.agent, turn.text, turn.reads) for turn in debate.turns] == [
        ("alice", "It is 4.", ()),
        ("bob", "I agree.", (1,)),
    ]
    assert debate.turns[0].prompt_tokens == 7
    assert debate.labels == ({} if name == "log" else {"thread": "7"})


def test_tools_speak_and_have_no_vote(write, read):
    call = {"name": "add", "args": {"a": 2}, "id": "c"}
    messages = [
        {"type": "human", "content": "2 + 2?"},
        {"type": "ai", "content": "", "tool_calls": [call], "response_metadata": {"model": "m"}},
        {"type": "tool", "content": "4", "name": "add"},
        {"type": "ai", "content": "4", "response_metadata": {"finish_reason": "length"}},
    ]
    [debate], _, _ = read(write({"messages": messages}), form=FORM)
    assert [(turn.agent, turn.votes, turn.step, turn.finish) for turn in debate.turns] == [
        ("assistant", True, "tool call", ""),
        ("add", False, "", ""),
        ("assistant", True, "", "length"),
    ]
    assert debate.turns[0].model == "m"


def test_a_state_without_an_agent_is_unread(write, read):
    log = [{"messages": PLAIN}, {"messages": PLAIN[:1]}]
    debates, [unread], _ = read(write(log, "log.jsonl"))
    assert len(debates) == 1
    assert unread.place == "log.jsonl, line 2"


def test_checkpoints_without_a_thread_are_one_talk_by_their_first_message(write, read):
    said = [{**each, "id": str(number)} for number, each in enumerate(PLAIN)]
    log = [
        {"v": 4, "channel_values": {"messages": said}},
        {"v": 4, "channel_values": {"messages": said[:2]}},
        {"v": 4, "channel_values": {"__start__": {"messages": said[:1]}}},
        {"v": 4, "channel_values": {"messages": "odd"}},
    ]
    [debate], [unread], _ = read(write(log), form=FORM)
    assert len(debate.turns) == 2
    assert unread.place == "log.json, item 4"
