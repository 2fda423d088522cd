import pytest

FORM = "debate-log"
DEBATE = {
    "format": "debate-log/1",
    "id": "q1",
    "question": {"text": "2+2?", "kind": "number", "answer": "4"},
    "agents": [{"name": "a", "model": "m"}, {"name": "judge", "answers": False}],
    "turns": [
        {"agent": "a", "text": "4", "round": 1, "reads": []},
        {"agent": "judge", "text": "It is 4.", "reads": [1], "votes": False},
    ],
    "verdict": {"answer": "4", "by": "judge", "turn": 2},
}


def test_a_line_is_a_debate(write, read):
    [debate], unread, _ = read(write([DEBATE], "log.jsonl"), form=FORM)
    assert not unread
    assert (debate.id, debate.question.kind, debate.turns[1].reads) == ("q1", "number", (1,))
    assert debate.place == "log.jsonl, line 1"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": 3}, "Expected `str`, got `int` - at `$.id`"),
        ({"format": "debate-log/9"}, "Invalid value 'debate-log/9'"),
        ({"agents": [{"name": "a"}]}, "turns[2].agent: 'judge' is no agent"),
        ({"agents": [{"name": "a"}, {"name": "a"}]}, "agents: the name 'a' stands twice"),
        ({"turns": [{"agent": "a", "text": "", "reads": [1]}]}, "turns[1].reads: 1 is no earlier"),
        ({"verdict": {"turn": 7}}, "verdict.turn: there is no turn 7"),
    ],
)
def test_a_line_that_is_none_says_where_and_why(write, read, change, why):
    debates, unread, _ = read(write([DEBATE, {**DEBATE, **change}], "log.jsonl"))
    assert len(debates) == 1
    [fault] = unread
    assert fault.place == "log.jsonl, line 2"
    assert why in fault.why
