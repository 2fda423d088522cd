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
