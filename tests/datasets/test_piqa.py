import pytest

from moot.core.errors import InputError
from moot.datasets import library

ROW = '{"goal": " g", "sol1": "a ", "sol2": "b"}\n'


@pytest.fixture
def own(tmp_path):
    def add(rows, labels):
        (tmp_path / "valid.jsonl").write_text(rows)
        (tmp_path / "valid-labels.lst").write_text(labels)
        library.add("piqa", tmp_path, force=True)

    return add


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
def test_damage_is_named_by_its_file_and_line(own, rows, labels, where):
    own(rows, labels)
    with pytest.raises(InputError, match=where):
        library.questions("piqa")


def test_a_label_is_that_of_its_line(own):
    own(ROW * 3, "1\r\n0\r\n1")
    assert [q.answer for q in library.questions("piqa")] == ["B", "A", "B"]
    assert library.peek("piqa", 1)[0].choices == ("a", "b")
