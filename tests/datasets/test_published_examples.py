"""Worked examples in DebateLLM's own form, read with questions of ours."""

import pytest

from moot.core.errors import InputError
from moot.datasets.examples import pool

FILE = r"""
cot_few_shot:
    starters:
        input_text:
            - "\n\nQuestion: Which of the following birds
                cannot fly?\n

                (A) robin\n

                (B) emu\n

                (C) swift (a black one)"
            - "Answer the following question given the context (reply with one of the options.\n

                \n\nContext: Of 9 pens,
                8 wrote.\n

                \n\nQuestion: Do pens write?\n

                A: Yes\n

                B:  No \n

                C: Maybe"
        output_text:
            - "\n\nExplanation: Its wings
                are small.\n

                \n\nAnswer: (B)"
            - "\n\nAnswer: A"
    empty:
        input_text: []
        output_text: []
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "few_shot.yaml"
        path.write_text(text)
        return path

    return write


def test_questions_options_passages_and_reasons_are_told_apart(write):
    one, two = pool("starters", file=write(FILE))
    assert one.question.text == "Which of the following birds cannot fly?"
    assert one.question.choices == ("robin", "emu", "swift (a black one)")
    assert (one.question.answer, one.reason) == ("B", "Its wings are small.")
    assert one.question.context is None
    assert two.question.text == "Do pens write?"
    assert two.question.context == "Of 9 pens, 8 wrote."
    assert two.question.choices == ("Yes", "No", "Maybe")
    assert (two.question.answer, two.reason) == ("A", "")
    assert (one.question.id, two.question.id) == ("few_shot-starters-1", "few_shot-starters-2")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("starters:", "birds:", "no examples for dataset 'starters'; it has those of birds, empty"),
        ("(B)", "(D)", "starters 1: expected options (A), (B) and so on"),
        ("Answer: A", "Answer: E", "starters 2: expected 'Answer:' and one of A, B, C at its end"),
        ("output_text", "output", "expected the lists input_text and output_text, equally long"),
        ("cot_few_shot:", "[", "not YAML: "),
    ],
)
def test_another_form_is_named_by_its_place(write, old, new, fault):
    path = write(FILE.replace(old, new))
    with pytest.raises(InputError) as caught:
        pool("starters", file=path)
    assert fault in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("text", ["a: &a {b: *a}", "[]", "a: {b: {c: {input_text: []}}}", ""])
def test_a_file_without_sections_has_no_examples(write, text):
    path = write(text)
    with pytest.raises(InputError, match=r"few_shot\.yaml has no examples for dataset 'starters'$"):
        pool("starters", file=path)
