import pytest

from moot.core.errors import InputError
from moot.datasets import library


@pytest.mark.parametrize("row", ['"answer": "perhaps"', '"answer": null', '"facts": []'])
def test_a_damaged_row_is_named_by_its_file_and_line(tmp_path, row):
    good = '{"qid": "a", "question": " q ", "answer": true}'
    (tmp_path / "train.json").write_text(f"[\n{good}\n]")
    (tmp_path / "dev.json").write_text(f'[\n{good},\n{{"qid": "b", "question": "q", {row}}}\n]')
    library.add("strategyqa", tmp_path, force=True)
    [first] = library.peek("strategyqa", 1)
    assert (first.id, first.text, first.answer) == ("strategyqa-a", "q", "true")
    with pytest.raises(InputError, match=r"dev\.json, line 3: "):
        library.questions("strategyqa")
