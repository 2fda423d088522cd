import json

import pytest

from moot.core.errors import InputError
from moot.datasets import library
from moot.datasets.dataset import registry


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


FIGURE = {"statement": "We should abolish Mondays", "topic": "Society"}
"""A row as the figure has it, though not one of its own."""


def test_rows_as_the_figure_has_them_are_taken_and_counted(tmp_path):
    path = tmp_path / "figure-11.jsonl"
    path.write_text("".join(f"{json.dumps(FIGURE)}\n" for _ in range(64)))
    [kept] = library.add("propositions", path)
    assert not kept.published
    questions = library.questions("propositions")
    assert [q.id for q in questions] == [f"propositions-{row}" for row in range(1, 65)]
    assert {q.text for q in questions} == {"We should abolish Mondays"}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"topic": "Society"}, "column 'proposition' is missing; the row has topic"),
        ({"claim": "x"}, "column 'proposition' is missing; the row has claim"),
        ({"id": "b", "statement": " "}, "column 'proposition': it is empty"),
        ([], "Expected `object`, got `array`"),
    ],
)
@pytest.mark.parametrize("force", [True, False])
def test_a_file_of_another_form_is_refused_when_it_is_added(tmp_path, row, fault, force):
    path = tmp_path / "own.jsonl"
    path.write_text(f"{json.dumps(FIGURE)}\n{json.dumps(row)}\n")
    with pytest.raises(InputError) as caught:
        library.add("propositions", path, force=force)
    assert str(caught.value).startswith(f"{path}, line 2: {fault}")
    assert str(caught.value).endswith("; nothing was taken")
    assert library._state("propositions", registry.get("propositions").files) == "missing"


def test_fewer_propositions_are_taken_by_force_alone(tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(f"{json.dumps(FIGURE)}\n" * 3)
    with pytest.raises(InputError, match="has 3 questions, and dataset 'propositions' has 64"):
        library.add("propositions", path)
    library.add("propositions", path, force=True)
    assert len(library.questions("propositions")) == 3
