import pytest

from moot.core.errors import InputError
from moot.datasets import library

HEADER = "id,context,question,answer0,answer1,answer2,answer3,label\n"
GOOD = "x#1,We left at ten .,Why so early ?,Rain .,Sleep .,Hunger .,None of the above choices .,1\n"


@pytest.mark.parametrize("row", ["x#2,c,q,a,b,c,d,4", "x#2,c,q,a,b,c,1", "x#2,c,q,a,b,c,d,"])
def test_a_damaged_row_is_named_by_its_line(tmp_path, row):
    path = tmp_path / "valid.csv"
    path.write_text(HEADER + GOOD + row + "\n")
    library.add("cosmosqa", path, force=True)
    assert library.peek("cosmosqa", 1)[0].answer == "B"
    with pytest.raises(InputError, match=r"valid\.csv, line 3: "):
        library.questions("cosmosqa")
