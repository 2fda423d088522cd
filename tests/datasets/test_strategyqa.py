import gzip
import json
from collections import Counter

import pytest

from moot.core.errors import InputError
from moot.datasets import library


@pytest.fixture
def strategyqa(shared_data):
    assert all(kept.published for kept in library.add("strategyqa", shared_data / "strategyqa"))
    return library.questions("strategyqa")


@pytest.fixture
def rows(shared_data):
    folder = shared_data / "strategyqa"
    train = json.loads(gzip.decompress((folder / "train.json.gz").read_bytes()))
    return train + json.loads((folder / "dev.json").read_bytes())


def test_all_published_rows_are_read(strategyqa, rows):
    assert [q.id for q in strategyqa] == [f"strategyqa-{row['qid']}" for row in rows]
    assert len({q.id for q in strategyqa}) == 2290
    assert Counter(q.answer for q in strategyqa) == {"false": 1219, "true": 1071}
    assert {(q.kind, q.choices, q.context) for q in strategyqa} == {("boolean", (), None)}
    assert all(q.text and q.text == q.text.strip() for q in strategyqa)
    assert len({q.text for q in strategyqa}) == 2289


@pytest.mark.parametrize("place", [0, 2060, 2061])
def test_a_question_is_its_row(strategyqa, rows, place):
    assert strategyqa[place].text == rows[place]["question"].strip()
    assert json.loads(strategyqa[place].answer) is rows[place]["answer"]


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
