"""Packed questions are the questions that were packed."""

import pytest

from moot.core.questions import Question
from moot.studies.packed_questions import Questions

GIVEN = [
    Question(id="sum", kind="number", text="What is 2+2?", answer="4"),
    Question(id="sky", kind="boolean", text="Ist der Himmel blau?", context="Um 12 – oben."),
    Question(id="pick", kind="choice", text='"A", or B?', choices=("eins", "zwei"), answer="B"),
    Question(id="both", kind="text", text="Ü\n\u2028", answer=("a", "b"), secret=True),
]


def test_they_come_out_as_they_went_in_and_in_their_order():
    packed = Questions(iter(GIVEN))
    assert list(packed) == list(packed) == GIVEN
    assert [packed[place] for place in range(4)] == GIVEN
    assert [packed[place] for place in range(-4, 0)] == GIVEN
    assert packed[1:] == GIVEN[1:]
    assert len(packed) == 4
    assert packed.letters == sum(len(q.text) + len(q.context or "") for q in GIVEN)
    none = Questions([])
    assert (list(none), none.letters, b"".join(none.encoded)) == ([], 0, b"[]")
    assert GIVEN[2] in packed
    with pytest.raises(IndexError):
        packed[4]
