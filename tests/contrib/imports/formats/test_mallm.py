FORM = "mallm"


def said(number, agent, persona, text, **more):
    return {
        "message_id": number,
        "turn": 1 + number // 2,
        "agent_id": agent,
        "persona": persona,
        "contribution": "improve" if number else "draft",
        "message": text,
        "agreement": None,
        "solution": text.upper(),
        "memory_ids": list(range(number)),
        "additional_args": {},
        **more,
    }


DISCUSSION = {
    "dataset": "simple",
    "exampleId": "e-1",
    "datasetId": None,
    "personas": [],
    "paradigm": "memory",
    "input": ["Which? A) one B) two"],
    "context": ["Some facts."],
    "finalAnswer": "B",
    "votesEachTurn": {"1": {"answers": ["A", "B"], "type": "simple_voting"}},
    "references": ["B"],
    "turns": 2,
    "clockSeconds": 3.5,
    "globalMemory": [
        said(0, "u1", "Chemist", "a"),
        said(1, "u2", "Chemist", "b"),
        said(2, "u1", "Chemist", "b", memory_ids=[1]),
    ],
}


def test_a_discussion(write, read):
    [debate], unread, _ = read(write([DISCUSSION]), form=FORM)
    assert not unread
    assert (debate.id, debate.dataset, debate.settings) == ("e-1", "simple", {"paradigm": "memory"})
    assert debate.question.text == "Which? A) one B) two"
    assert (debate.question.context, debate.question.answer) == ("Some facts.", "B")
    assert [(turn.agent, turn.round, turn.step, turn.answer) for turn in debate.turns] == [
        ("Chemist", 1, "draft", "A"),
        ("Chemist 2", 1, "improve", "B"),
        ("Chemist", 2, "improve", "B"),
    ]
    assert [turn.reads for turn in debate.turns] == [(), (1,), (2,)]
    assert (debate.verdict.answer, debate.verdict.by) == ("B", "simple_voting")


def test_a_baseline_is_one_reply(write, read):
    row = {**DISCUSSION, "globalMemory": None, "paradigm": None}
    [debate], _, _ = read(write([row]), form=FORM)
    assert [(turn.agent, turn.text) for turn in debate.turns] == [("agent", "B")]
    assert (debate.method, debate.settings) == ("single", {})


def test_a_discussion_without_an_answer_and_what_is_none(write, read):
    rows = [{**DISCUSSION, "finalAnswer": None}, {"exampleId": 1}]
    [debate], unread, _ = read(write(rows))
    assert (debate.verdict, debate.error) == (None, "no final answer")
    assert [each.place for each in unread] == ["log.json, item 2"]
