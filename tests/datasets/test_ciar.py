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


@pytest.mark.parametrize("row", ['"answer": [], "incorrect answer": ["1"]', '"answer": ["1"]'])
def test_a_damaged_row_is_named_by_its_line(lay_in, row):
    text = (
        '[\n{"question": "q", "answer": ["1"], "incorrect answer": ["2"]},\n'
        f'{{"question": "q", {row}}}\n]'
    )
    lay_in("ciar", {"CIAR.json": text})
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
