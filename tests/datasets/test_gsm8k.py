import pytest

from moot.core.errors import InputError
from moot.datasets import library


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
