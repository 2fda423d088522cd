from fractions import Fraction

import pytest

from moot.core.errors import InputError
from moot.datasets import library


def test_all_published_rows_are_read(shared_data):
    assert all(kept.published for kept in library.add("gsm8k", shared_data / "gsm8k"))
    questions = library.questions("gsm8k")
    assert len(questions) == 1319
    assert [q.id for q in questions] == [f"gsm8k-{line}" for line in range(1, 1320)]
    assert (questions[0].answer, questions[-1].answer) == ("18", "14")
    assert questions[0].text.startswith("Janet")
    assert {q.kind for q in questions} == {"number"}
    assert all("," not in q.answers[0] and "####" not in q.text for q in questions)
    assert min(Fraction(q.answers[0]) for q in questions) == -10
    assert max(Fraction(q.answers[0]) for q in questions) == 2_880_000


@pytest.mark.parametrize(
    "answer", ["It is 3.", "3", "#### three", "####", "#### 1 #### ", "#### 1/0", "#### 3 pens"]
)
def test_a_row_without_a_number_at_its_end_is_damaged(tmp_path, answer):
    path = tmp_path / "test.jsonl"
    good = '{"question": "q", "answer": "1+1=2\\n#### 2,000"}\n'
    path.write_text(good + f'{{"question": "q", "answer": "{answer}"}}\n')
    library.add("gsm8k", path, force=True)
    [first] = library.peek("gsm8k", 1)
    assert first.answer == "2000"
    with pytest.raises(InputError, match=r"test\.jsonl, line 2: .*'####' and a number"):
        library.questions("gsm8k")
