"""Mixed documents: a question's passage among those of others."""

import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.datasets.mixed_documents import mix_documents

ASKED = [
    Question(id=f"q{n}", kind="number", text=f"Pen {n}?", context=f"It is {n}.", answer=f"{n}")
    for n in range(12)
]


@pytest.mark.parametrize("many", [1, 3, 12])
def test_each_question_has_its_own_passage_among_others(many):
    mixed = list(mix_documents(ASKED, many, own=True))
    assert mixed == list(mix_documents(ASKED, many, own=True))
    for before, question in zip(ASKED, mixed, strict=True):
        assert question.context is None
        assert len({each.text for each in question.documents}) == many
        told = {each.text: each.answer for each in question.documents if each.answer}
        assert told == {before.context: before.answer}
    assert many == 1 or len({[d.text for d in q.documents].index(f"It is {n}.")
                             for n, q in enumerate(mixed)}) > 1  # fmt: skip


def test_without_its_own_passage_no_document_says_the_answer():
    for before, question in zip(ASKED, mix_documents(ASKED, 5, own=False), strict=True):
        assert len(question.documents) == 5
        assert before.context not in {each.text for each in question.documents}
        assert not any(each.answer for each in question.documents)


def test_too_few_passages_are_an_error():
    with pytest.raises(InputError, match="12 questions have 12 passages; take n = 14"):
        list(mix_documents(ASKED, 13, own=True))
    with pytest.raises(InputError, match="question 'bare' has no passage"):
        list(mix_documents([Question(id="bare", kind="text", text="Why?"), *ASKED], 2, own=True))
