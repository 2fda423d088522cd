import json

import pytest

from moot.core.errors import InputError
from moot.core.questions import QuestionDocument
from moot.datasets import library
from support.commands import run_command

ROW = {
    "question": "How long is the Sar?",
    "documents": [
        {"text": " The Sar of Perl is 9 km. ", "type": "correct", "answer": "9 km"},
        {"text": "The Sar of Ober is 12 km.", "type": "misinfo", "answer": "12 km"},
        {"text": "The Sar is a bird.", "type": "noise", "answer": "unknown"},
    ],
    "disambig_entity": ["Sar (Perl)", "Sar (Ober)"],
    "gold_answers": ["9 km", "5 km"],
    "wrong_answers": ["12 km", "9 km", "12 km"],
}


@pytest.fixture
def read(tmp_path):
    def read_file(text, name="my.jsonl", **parameters):
        (tmp_path / name).write_text(text)
        parameters = {"columns": None, **parameters}
        return list(library.stream("file", folder=tmp_path, path=name, **parameters))

    return read_file


def test_a_row_of_ramdocs_has_all_its_documents_and_answers(tmp_path):
    (tmp_path / "RAMDocs_test.jsonl").write_text(f"{json.dumps(ROW)}\n")
    library.add("ramdocs", tmp_path / "RAMDocs_test.jsonl", force=True)
    [question] = library.questions("ramdocs")
    assert (question.id, question.kind, question.context) == ("ramdocs-1", "text", None)
    assert question.answer == ("9 km", "5 km")
    assert question.tempting == ("12 km",)
    assert question.documents == (
        QuestionDocument("The Sar of Perl is 9 km.", "document 1", "9 km"),
        QuestionDocument("The Sar of Ober is 12 km.", "document 2", "12 km"),
        QuestionDocument("The Sar is a bird.", "document 3", None),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("my.jsonl", '{"question": "q", "documents": ["one", {"text": "two", "source": "b.txt"}]}'),
        ("my.csv", 'question,documents\nq,"[""one"", {""text"": ""two"", ""source"": ""b.txt""}]"'),
    ],
)
def test_a_file_of_the_user_has_documents_of_its_own(read, name, text):
    [question] = read(text, name)
    assert question.documents == (
        QuestionDocument("one", "document 1"),
        QuestionDocument("two", "b.txt"),
    )


def test_answers_of_documents_are_canonical_and_what_is_printed_is_read_again(read, tmp_path):
    row = {"question": "q", "choices": ["a", "b", "c"], "answer": "b", "tempting": ["c", "b"]}
    document = {"text": "It is c.", "source": "x", "answer": "c"}
    [question] = read(json.dumps({**row, "documents": [document]}))
    assert question.tempting == ("C",)
    assert question.documents[0].answer == "C"
    _, printed, _ = run_command(
        tmp_path, "data", "peek", "file", "--set", "path=my.jsonl", "--json"
    )
    assert read(printed) == [question]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("one text", r"column 'documents': expected a list of texts"),
        ([1], r"column 'documents': expected a list of texts.*\$\[0\]"),
        ([{"source": "b"}], r"column 'documents': expected a list .*`text`"),
        (["one", " "], r"column 'documents': document 2 is empty"),
    ],
)
def test_what_is_no_list_of_documents_is_an_error(read, cell, why):
    with pytest.raises(InputError, match=rf"my\.jsonl, line 1: {why}"):
        read(json.dumps({"question": "q", "documents": cell}))
