"""Chats of AutoGen and AG2 in each of the forms in which they are kept."""

import json
import re
from collections import Counter

import pytest

FORM = "autogen"


def text(source, content, kind="TextMessage", **more):
    return {"source": source, "models_usage": None, "content": content, "type": kind, **more}


TASK = [
    text("user", "2 + 2?"),
    text("solver", "It is 4.", models_usage={"prompt_tokens": 9, "completion_tokens": 3}),
    text("solver", [{"id": "c", "name": "add", "arguments": "{}"}], "ToolCallRequestEvent"),
    text("critic", "APPROVE"),
]
HISTORY = [
    {"content": "Solve it.", "role": "assistant", "name": "Solver"},
    {"content": "exitcode: 0\n4", "role": "user", "name": "Computer_terminal"},
    {"content": "TERMINATE", "role": "user", "name": "Checker"},
]


@pytest.mark.parametrize(
    "log",
    [
        {"messages": TASK, "stop_reason": "done"},
        TASK,
        {"task_result": {"messages": TASK}, "usage": ""},
        {"type": "TeamState", "agent_states": {"m": {"message_thread": TASK}, "a": {}}},
        {"state": {"agent_states": {"m": {"agent_state": {"llm_context": {"messages": TASK}}}}}},
    ],
)
def test_results_and_states_of_agentchat(write, read, log):
    [debate], unread, _ = read(write(log), form=FORM)
    assert not unread
    assert debate.question.text == "2 + 2?"
    assert [(turn.agent, turn.step, turn.votes) for turn in debate.turns] == [
        ("solver", "", True),
        ("solver", "ToolCallRequestEvent", False),
        ("critic", "", True),
    ]
    assert debate.turns[0].completion_tokens == 3
    assert [message.content for message in debate.turns[0].prompt] == ["2 + 2?"]
    assert json.loads(debate.turns[1].text)[0]["name"] == "add"


def test_a_trajectory_is_a_talk(write, read):
    steps = [
        {"step": 0, "agent_name": "human", "content": "2 + 2?"},
        {"step": 1, "agent_name": "Planner (thought)", "content": "Ask the solver."},
        {"step": 2, "agent_name": "Solver", "content": "It is 4."},
    ]
    log = {"question": "2 + 2?", "question_id": "q7", "groundtruth": "4", "trajectory": steps}
    blamed = {"is_corrected": False, "mistake_agent": "Solver", "mistake_step": 2}
    [debate], unread, _ = read(write(log | blamed), form=FORM)
    assert not unread
    assert (debate.id, debate.question.text, debate.question.answer) == ("q7", "2 + 2?", "4")
    assert [turn.agent for turn in debate.turns] == ["human", "Planner", "Solver"]
    assert debate.labels == blamed
    assert debate.verdict.correct is False


def test_a_conversation_that_two_agents_keep_is_one(write, read):
    log = {"chat_messages": {"a": HISTORY, "b": HISTORY[1:], "c": [{**HISTORY[0], "content": "?"}]}}
    debates, _, _ = read(write(log), form=FORM)
    assert [len(each.turns) for each in debates] == [3, 1]


def test_a_failed_run_keeps_what_people_blamed(write, read):
    blamed = {"mistake_agent": "Solver", "mistake_step": "0", "is_correct": False, "level": 2}
    log = {"question": "2 + 2?", "ground_truth": "4", "history": HISTORY, **blamed}
    [debate], _, _ = read(write(log, "7.json"), form=FORM)
    assert (debate.id, debate.question.answer, debate.labels) == ("7", "4", blamed)
    assert (debate.verdict.correct, debate.verdict.text) == (False, "TERMINATE")
    assert [(agent.name, agent.role, agent.answers) for agent in debate.agents] == [
        ("Solver", "agent", False),
        ("Computer_terminal", "tool", False),
        ("Checker", "agent", False),
    ]


def test_asides_of_an_orchestrator_are_its_own(write, read):
    history = [
        {"role": "human", "content": "Where?"},
        {"role": "Orchestrator (thought)", "content": "Let me see."},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Search."},
        {"role": "WebSurfer", "content": "Found."},
    ]
    [debate], _, _ = read(write({"history": history, "mistake_agent": "WebSurfer"}), form=FORM)
    assert [turn.agent for turn in debate.turns] == [
        "human",
        "Orchestrator",
        "Orchestrator",
        "WebSurfer",
    ]
    assert [turn.step for turn in debate.turns] == ["", "thought", "-> WebSurfer", ""]
    assert debate.turns[3].reads == (1, 3)


def test_the_failed_runs_of_others_come_in_with_their_speakers(shared, read):
    folder = shared("who-and-when")
    debates, unread, _ = read(folder, form=FORM)
    assert (len(debates), unread) == (184, [])
    spoken, blamed = Counter(), Counter()
    for path in folder.glob("*/*.json"):
        raw = json.loads(path.read_bytes())
        blamed[raw["mistake_agent"]] += 1
        for said in raw["history"]:
            spoken[re.sub(r" \(.*\)$", "", said.get("name") or said["role"])] += 1
    assert Counter(turn.agent for each in debates for turn in each.turns) == spoken
    assert spoken.total() == 4092
    assert Counter(each.labels["mistake_agent"] for each in debates) == blamed
    for each in debates:
        at = int(each.labels["mistake_step"])
        assert at < len(each.turns)


def test_messages_as_lines_are_one_talk(tmp_path, read):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in TASK))
    [debate], _, _ = read(path, form=FORM)
    assert len(debate.turns) == 3
