"""Questions one by one: the same ones, and none read before it is wanted."""

import pytest

from moot.core.errors import InputError
from moot.datasets.library import questions, stream


@pytest.fixture
def lines(tmp_path):
    """Writes a file of questions with these ids; None for a question without one."""

    def written(*ids, end=""):
        own = [
            '{"question": "q", "answer": 1' + (f', "id": "{name}"' if name else "") + "}"
            for name in ids
        ]
        (tmp_path / "own.jsonl").write_text("\n".join([*own, end]))
        return {"folder": tmp_path, "path": "own.jsonl"}

    return written


@pytest.mark.parametrize("n", [None, 1, 3])
def test_they_are_those_of_the_list(lines, n):
    given = lines("a", "b", None, "c")
    assert list(stream("file", n=n, **given)) == questions("file", n=n, **given)
    assert list(stream("arithmetic", n=n)) == questions("arithmetic", n=n)
    assert list(stream("starters", n=n, seed=2)) == questions("starters", n=n, seed=2)


def test_a_row_is_read_when_its_question_is_wanted(lines):
    found = stream("file", **lines("a", "b", end="{"))
    assert [next(found).id, next(found).id] == ["a", "b"]
    with pytest.raises(InputError, match="line 3"):
        next(found)


def test_of_two_rows_with_one_id_both_are_named_once_all_are_read(lines):
    found = stream("file", **lines("a", "own-4", "c", None, "c"))
    with pytest.raises(InputError, match=r"line 4: the id 'own-4' is also in .*line 2"):
        list(found)
    with pytest.raises(InputError, match=r"line 3: the id 'a' is also in .*line 1"):
        questions("file", **lines("a", "b", "a"))
