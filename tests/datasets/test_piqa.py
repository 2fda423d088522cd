import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROW = '{"goal": " g", "sol1": "a ", "sol2": "b"}\n'


@pytest.mark.parametrize(
    ("rows", "labels", "where"),
    [
        (ROW * 2, "1\n2\n", r"valid-labels\.lst, line 2: the label is neither 0 nor 1"),
        (ROW * 2, "1\n\n0\n", r"valid-labels\.lst, line 2: the label is neither"),
        (ROW * 2, "1\n", r"valid-labels\.lst, line 2: there is no label for line 2 of valid"),
        (ROW * 2, "1\n0\n1\n", r"valid-labels\.lst, line 3: valid\.jsonl has no question on this"),
        (ROW + '{"goal": "g", "sol1": "a"}\n', "1\n0\n", r"valid\.jsonl, line 2: .*'sol2'"),
        (ROW + "{\n", "1\n0\n", r"valid\.jsonl, line 2: "),
    ],
)
def test_damage_is_named_by_its_file_and_line(lay_in, rows, labels, where):
    lay_in("piqa", {"valid.jsonl": rows, "valid-labels.lst": labels})
    with pytest.raises(InputError, match=where):
        library.questions("piqa")


def test_a_label_is_that_of_its_line(lay_in):
    lay_in("piqa", {"valid.jsonl": ROW * 3, "valid-labels.lst": "1\r\n0\r\n1"})
    assert [q.answer for q in library.questions("piqa")] == ["B", "A", "B"]
    assert library.peek("piqa", 1)[0].choices == ("a", "b")
