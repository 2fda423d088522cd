import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"answer_idx": "E"}, "'E'; for kind 'choice' it must be the letter"),
        ({"answer_idx": "A"}, "column 'answer': 'x', but the answer is 'w'"),
        ({"options": {"A": "w", "B": "x", "C": "y"}}, "unknown column 'options.D'"),
        ({"options": ["w", "x", "y", "z"]}, "unknown column 'options.A'"),
        ({"question": None}, "column 'question': it is empty"),
    ],
)
def test_a_damaged_row_is_named_by_its_line(tmp_path, change, why):
    good = {"question": " q ", "answer": "x", "answer_idx": "B"}
    good["options"] = {"A": "w", "B": "x", "C": "y", "D": "z"}
    path = tmp_path / "phrases_no_exclude_test.jsonl"
    path.write_text(f"{json.dumps(good)}\n{json.dumps(good | change)}\n")
    library.add("medqa", path, force=True)
    [first] = library.peek("medqa", 1)
    assert (first.text, first.choices, first.answer) == ("q", ("w", "x", "y", "z"), "B")
    with pytest.raises(InputError, match=r"phrases_no_exclude_test\.jsonl, line 2: ") as caught:
        library.questions("medqa")
    assert why in str(caught.value)
