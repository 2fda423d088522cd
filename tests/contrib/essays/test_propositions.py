import pytest

from moot.core.errors import InputError
from moot.datasets import library


def test_all_rows_of_the_copy_are_read(shared_data):
    assert all(kept.published for kept in library.add("propositions", shared_data / "propositions"))
    questions = library.questions("propositions")
    assert [q.id for q in questions] == [f"proposition-{row:02}" for row in range(64)]
    assert len({q.text for q in questions}) == 64
    assert {(q.kind, q.answer, q.context) for q in questions} == {("text", None, None)}
    assert questions[0].text.endswith("museums free of charge")
    assert questions[-1].text == "Hate Speech is Free Speech"


async def test_there_is_nothing_to_download_and_the_error_says_what_to_do():
    with pytest.raises(InputError, match=r"has no address; .*moot data add propositions PATH"):
        await library.fetch("propositions")
    [entry] = [entry for entry in library.list_entries() if entry.name == "propositions"]
    assert entry.origin == ()
    assert entry.state == "missing"


@pytest.mark.parametrize("row", ['{"id": "b"}', '{"id": "", "proposition": "x"}', "[", '{"id": 1}'])
def test_a_damaged_row_is_named_by_its_line(tmp_path, row):
    path = tmp_path / "propositions.jsonl"
    path.write_text(f'{{"id": "a", "proposition": "We should abolish Mondays"}}\n{row}\n')
    library.add("propositions", path, force=True)
    assert library.peek("propositions", 1)[0].text == "We should abolish Mondays"
    with pytest.raises(InputError, match=r"propositions\.jsonl, line 2: "):
        library.questions("propositions")
