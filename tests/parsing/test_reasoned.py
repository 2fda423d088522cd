"""Reasoned answers: JSON with the answer first and the reason after, however it is damaged."""

import pytest

from moot.parsing.reasoned import Reasoned, answer_and_reason_schema, parse_reasoned
from support.debates import KINDS


def read_reasoned(*args, **given):
    return parse_reasoned(*args, **given).reading


SUM, SKY, PICK, MOVE, _, OPEN = KINDS


@pytest.mark.parametrize(
    ("question", "said", "answer", "reason"),
    [
        (PICK, '{"answer": "B", "reason": "Two is even."}', "B", "Two is even."),
        (PICK, '{"answer": "(B)", "reason": "Not A: one is odd."}', "B", "Not A: one is odd."),
        (PICK, '{"reason": "Two is even.", "answer": "two"}', "B", "Two is even."),
        (PICK, '```json\n{"answer": "B", "reason": "So."}\n```', "B", "So."),
        (PICK, '{"Answer": "B", "Reasoning": "So."}', "B", "So."),
        (PICK, '{"answer": "B", "reason": "cut off in the mid', "B", "cut off in the mid"),
        (PICK, '{"answer": "", "reason": "Neither holds."}', None, "Neither holds."),
        (SUM, '{"answer": 4, "reason": "2 and 2; not 5."}', "4", "2 and 2; not 5."),
        (SUM, '{"answer": "Agent 2", "reason": "It counts."}', "7", "It counts."),
        (SKY, '{"answer": true, "reason": "Look."}', "true", "Look."),
        (MOVE, '{"answer": "e4", "reason": "Not e5."}', "e4", "Not e5."),
        (OPEN, '{"answer": "An exchange.", "reason": "So it is used."}', None, "So it is used."),
        (PICK, "Two is even.\nFinal answer: B", "B", "Two is even.\nFinal answer: B"),
        (PICK, "I cannot tell.", None, "I cannot tell."),
    ],
)
def test_an_answer_and_its_reason(question, said, answer, reason):
    read = read_reasoned(said, question, heard={"Agent 2": "7"})
    if question is OPEN:
        assert read.answer.casefold().startswith("an exchange")
    else:
        assert read.answer == answer
    assert read.reason == reason


def test_nothing_is_nothing():
    assert read_reasoned("", PICK) is None
    assert read_reasoned('{"answer": "", "reason": ""}', PICK) is None


def test_a_value_that_was_cut_off_does_not_count():
    cut = {"finished": False}
    assert read_reasoned('{"answer": "B", "reason": "Two is', PICK, **cut).answer == "B"
    assert read_reasoned('{"answer": "1', SUM, **cut) == Reasoned(reason='{"answer": "1')


def test_the_schema_has_the_answer_before_the_reason_and_lists_the_options():
    schema = answer_and_reason_schema(PICK)
    assert list(schema["properties"]) == ["answer", "reason"] == schema["required"]
    assert schema["properties"]["answer"]["enum"] == ["A", "B"]
