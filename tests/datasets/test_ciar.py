from fractions import Fraction

import msgspec
import pytest

from moot.core.errors import InputError
from moot.datasets import library
from moot.debate.opening_values import draw_opening
from moot.parsing.same import is_correct


@pytest.fixture
def ciar(shared_data):
    assert all(kept.published for kept in library.add("ciar", shared_data / "ciar"))


@pytest.fixture
def rows(shared_data):
    return msgspec.json.decode((shared_data / "ciar" / "CIAR.json").read_bytes())


def test_all_published_rows_are_read(ciar, rows):
    questions = library.questions("ciar")
    assert [q.id for q in questions] == [f"ciar-{row}" for row in range(1, 51)]
    assert [q.text for q in questions] == [row["question"] for row in rows]
    assert (questions[0].answer, questions[-1].answer) == ("1.5", "3")
    assert {q.id: q.answers for q in questions if q.kind == "text"} == {
        "ciar-35": ("6 or 12",),
        "ciar-41": ("1:1", "50:50"),
    }


def test_numbers_are_canonical_and_different_by_value(ciar):
    numbers = [q for q in library.questions("ciar") if q.kind == "number"]
    assert len(numbers) == 48
    for question in numbers:
        values = [Fraction(answer) for answer in question.answers]
        assert len(set(values)) == len(values) > 0


def test_a_percentage_is_right_as_a_share_and_without_its_sign(ciar):
    answers = {q.id: q.answers for q in library.questions("ciar")}
    assert answers["ciar-31"] == ("1.96", "0.0196")
    assert answers["ciar-30"] == ("0.5", "50")
    assert answers["ciar-34"] == ("0.3679", "36.79")  # 1/e is no fraction
    assert answers["ciar-17"] == ("68.57", "0.6857", "0.6875")


def test_no_tempting_wrong_answer_is_taken_for_right(ciar, rows):
    for question, row in zip(library.questions("ciar"), rows, strict=True):
        wrong = {spelling.removesuffix("%") for spelling in row["incorrect answer"]}
        assert not wrong & set(question.answers)


def test_as_choice_every_question_has_the_right_and_the_tempting_answer(ciar, rows):
    questions = library.questions("ciar", format="choice")
    for question, row in zip(questions, rows, strict=True):
        right = question.choices[question.letters.index(question.answers[0])]
        [wrong] = set(question.choices) - {right}
        assert question.kind == "choice"
        assert right in row["answer"]
        assert wrong in row["incorrect answer"]
    assert set(questions[30].choices) == {"1.96%", "95%"}  # both spelt in one form
    letters = [q.answer for q in questions]
    assert 15 <= letters.count("A") <= 35  # neither place is favoured: p < 0.003 beyond
    assert questions == library.questions("ciar", format="choice", seed=5)


@pytest.mark.parametrize("row", ['"answer": [], "incorrect answer": ["1"]', '"answer": ["1"]'])
def test_a_damaged_row_is_named_by_its_line(tmp_path, row):
    path = tmp_path / "CIAR.json"
    path.write_text(
        '[\n{"question": "q", "answer": ["1"], "incorrect answer": ["2"]},\n'
        f'{{"question": "q", {row}}}\n]'
    )
    library.add("ciar", path, force=True)
    assert library.peek("ciar", 1)[0].answers == ("1",)
    with pytest.raises(InputError, match=r"CIAR\.json, line 3: "):
        library.questions("ciar")


@pytest.mark.parametrize("form", ["open", "choice"])
def test_every_question_has_its_tempting_answer_to_put_forward(ciar, rows, form):
    questions = library.questions("ciar", format=form)
    without = [question.id for question in questions if not question.tempting_answers]
    assert len(without) <= 2, without
    for question, row in zip(questions, rows, strict=True):
        for value in (
            draw_opening(question, "control-tempting") if question.tempting_answers else ()
        ):
            assert not is_correct(value, question)
            if form == "choice":
                assert question.choices["AB".index(value)] in row["incorrect answer"]
            else:
                assert any(value in spelling for spelling in row["incorrect answer"])
