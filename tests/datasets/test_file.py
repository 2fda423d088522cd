import pytest

from moot.core.errors import InputError
from moot.datasets import library


def test_without_a_path_it_says_what_to_give():
    with pytest.raises(InputError, match=r"path is not given; name a file, as in path = 'my.jsonl"):
        library.questions("file")
    [entry] = [entry for entry in library.list_entries() if entry.name == "file"]
    assert (entry.rows, entry.state) == (None, "built in")
    assert set(entry.parameters) == {"path", "columns", "kind", "first"}
