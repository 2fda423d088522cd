import pytest

from moot.core.errors import InputError
from moot.core.questions import Question
from moot.datasets import library

HEADER = "id,context,question,answer0,answer1,answer2,answer3,label\n"
GOOD = "x#1,We left at ten .,Why so early ?,Rain .,Sleep .,Hunger .,None of the above choices .,1\n"
NONE = "None of the above choices ."


def test_the_training_file_is_of_the_same_form(tmp_path):
    (tmp_path / "train.csv").write_text(HEADER + GOOD)
    [kept] = library.add("cosmosqa", tmp_path / "train.csv", force=True)
    assert (kept.path.name, kept.published) == ("train.csv", False)
    [example] = library.training("cosmosqa")
    assert example.reason == ""
    assert example.question == Question(
        id="cosmosqa-training-1",
        kind="choice",
        text="Why so early ?",
        context="We left at ten .",
        choices=("Rain .", "Sleep .", "Hunger .", NONE),
        answer="B",
    )


@pytest.mark.parametrize("row", ["x#2,c,q,a,b,c,d,4", "x#2,c,q,a,b,c,1", "x#2,c,q,a,b,c,d,"])
def test_a_damaged_row_is_named_by_its_line(tmp_path, row):
    path = tmp_path / "valid.csv"
    path.write_text(HEADER + GOOD + row + "\n")
    library.add("cosmosqa", path, force=True)
    assert library.peek("cosmosqa", 1)[0].answer == "B"
    with pytest.raises(InputError, match=r"valid\.csv, line 3: "):
        library.questions("cosmosqa")
