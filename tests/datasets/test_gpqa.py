"""GPQA's texts are secret: what is compared here are counts and digests, never the texts.

An assertion that fails prints what it compared, so texts are reduced before one is made.
"""

import csv
import traceback
from io import StringIO
from zipfile import ZipFile

import pytest

from moot.core.errors import InputError
from moot.datasets import library
from moot.datasets.gpqa import PASSWORD
from support.archives import locked

OWN = (
    "Record ID,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\n"
    'rec1,"Which of our\nown words is long?\n", extraordinary ,it,we,so\n'
    "rec2,Which number is even?,4,5,4 ,7\n"
)


@pytest.fixture
def gpqa(shared_data):
    assert all(kept.published for kept in library.add("gpqa", shared_data / "gpqa"))


@pytest.fixture
def add(lay_in):
    def add(text, name="dataset/gpqa_main.csv", password=PASSWORD):
        lay_in("gpqa", {"dataset.zip": locked(name, text.encode(), password)})

    return add


def test_the_published_answer_is_the_right_one(gpqa, shared_data):
    with ZipFile(shared_data / "gpqa" / "dataset.zip") as archive:
        text = archive.read("dataset/gpqa_main.csv", pwd=PASSWORD).decode()
    published = {row["Record ID"]: row for row in csv.DictReader(StringIO(text, newline=""))}
    right, several = 0, []
    for question in library.questions("gpqa"):
        row = published[question.id.removeprefix("gpqa-")]
        chosen = {question.choices[question.letters.index(letter)] for letter in question.answers}
        right += chosen == {row["Correct Answer"].strip()}
        several += [question.id] * (len(question.answers) > 1)
    assert right == 448
    assert several == ["gpqa-recDjE01bu72pPUU2"]


def test_a_row_becomes_a_question(add):
    add(OWN)
    one, two = library.questions("gpqa")
    assert one.id == "gpqa-rec1"
    assert one.text == "Which of our\nown words is long?"
    assert set(one.choices) == {"extraordinary", "it", "we", "so"}
    assert one.choices["ABCD".index(one.answer)] == "extraordinary"
    assert len(two.answers) == 2
    assert {two.choices["ABCD".index(letter)] for letter in two.answers} == {"4"}


def test_nothing_in_plain_text_is_written(add, data):
    add(OWN)
    library.questions("gpqa")
    kept = {path.name: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert set(kept) == {"dataset.zip", "dataset.zip.accepted"}
    assert not any(word in held for held in kept.values() for word in (b"even", b"extraord"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OWN + "rec3,Which hidden thing?,,a,b,c\n", "line 6: a record has an id, a question and"),
        (OWN + "rec3,Which hidden thing?,x\n", "line 6: it has 3 cells, the header 6"),
        (OWN + 'rec3,"Which hidden thing?,x,y,z,w\n', "line 6: unexpected end of data"),
        (OWN.replace("Correct Answer", "Correct"), "line 2: .*missing required field `Correct A"),
    ],
)
def test_a_damaged_row_is_named_without_its_text(add, text, said):
    add(text)
    with pytest.raises(InputError, match=rf"dataset\.zip/gpqa_main\.csv, {said}") as caught:
        library.questions("gpqa")
    told = "".join(traceback.format_exception(caught.value))
    assert "hidden" not in told
    assert "own words" not in told


def test_an_archive_that_cannot_be_decrypted_is_an_input_error(add, lay_in):
    add(OWN, name="dataset/other.csv")
    with pytest.raises(InputError, match=r"there is no dataset/gpqa_main\.csv in it"):
        library.questions("gpqa")
    add(OWN, password=b"another")
    with pytest.raises(InputError, match=r"dataset/gpqa_main\.csv cannot be decrypted"):
        library.questions("gpqa")
    lay_in("gpqa", {"dataset.zip": b"no archive"})
    with pytest.raises(InputError, match=r"dataset\.zip: .* cannot be decrypted: File is not a"):
        library.questions("gpqa")
