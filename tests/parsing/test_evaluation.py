import json

import pytest

from moot.core.questions import Question
from moot.parsing.evaluation import Evaluation, evaluation_schema, parse_evaluation


def read_evaluation(*args, **given):
    return parse_evaluation(*args, **given).reading


CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")


@pytest.mark.parametrize(
    "text",
    [
        "Correctness: 1\nResponse: Well argued in 3 steps.\nFinal Answer: 42",
        "**Correctness Score:** 1/1\n\n**Final Answer:** The answer is 42",
        "Score: 1\nFinal Answer: 42",
        "Correctness (0 or 1): yes. Final Answer: 42 apples",
        "Is the answer correct? Yes.\nFinal Answer: 42",
        '```json\n{"Correctness": 1, "Response": "Good.", "Final Answer": "42"}\n```',
        '{"correctness": true, "final_answer": 42,',
        '{"Correctness": "1", "Response": "Good."}\nFinal Answer: 42',
        "Correctness: 0\nHm, no.\nCorrectness: 1\nFinal Answer: 42",
    ],
)
def test_a_correct_answer(text):
    found = read_evaluation(text, NUMBER)
    assert (found.correct, found.answer) == (True, "42")


@pytest.mark.parametrize(
    "text",
    [
        "Correctness: 0\nResponse: Recount the eggs.",
        "Correctness: false",
        "correctness = 0/1",
        '{"Correctness": 0, "Response": "Recount.", "Final Answer": ""}',
        '{"correct": "No"}',
    ],
)
def test_an_answer_that_is_not_correct(text):
    found = read_evaluation(text, NUMBER)
    assert (found.correct, found.answer) == (False, None)


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ('{"Correctness": 0, "Response": "Recount.", "Final Answer": "42"}', "Recount."),
        ("Correctness: 0\nResponse: Recount the eggs.\nFinal Answer: 42", "Recount the eggs."),
        ("Correctness: 0\n**Response:** Recount.\nThen add.\n\n**Final Answer:** 42",
         "Recount.\nThen add."),
        ("Response: Recount.\nCorrectness: 0", "Recount."),
        ("Final Answer: 42\nCorrectness: 0", ""),
        ("It is wrong: the answer is 42.", ""),
    ],
)  # fmt: skip
def test_the_response_is_kept_without_score_and_answer(text, response):
    assert read_evaluation(text, NUMBER).response == response


@pytest.mark.parametrize(
    "text",
    ["", "Good.", "Correctness: 0 or 1", "Correctness: 0.5", "Correctness: 10", "Correctness: 0|1",
     '{"Correctness": 7}', "Correctness: no errors found"],
)  # fmt: skip
def test_a_score_that_is_none(text):
    assert read_evaluation(text, NUMBER) == Evaluation()


def test_the_answer_is_that_of_any_reply():
    assert read_evaluation("Correctness: 1\nSo B is right.", CHOICE).answer == "B"
    heard = {"Agent 2": "A"}
    assert read_evaluation("Agent 2 is right.", CHOICE, heard=heard).answer == "A"
    said = "Correctness: 1\nFinal Answer: The answer is Paris"
    assert read_evaluation(said, TEXT) == Evaluation(correct=True, answer="Paris")
    cut = read_evaluation("Correctness: 1\nFinal Answer: 4", NUMBER, finished=False)
    assert cut == Evaluation(correct=True)


def test_the_schema_allows_two_scores():
    schema = evaluation_schema(CHOICE)
    assert schema["required"] == ["Correctness", "Response", "Final Answer"]
    assert schema["properties"]["Correctness"]["enum"] == [0, 1]


EXPERTS = {
    "solver": "shark",
    "a zoologist": "dolphin",
    "a physicist who measures light": "whale",
    "an engineer, retired": "cod",
}
SEA = Question(
    id="q", kind="choice", text="Which?", choices=("shark", "dolphin", "whale", "cod", "salt")
)
SELECTED = [
    ("the zoologist's answer", 1),
    ("Zoologist's", 1),
    ("the answer of the zoologist", 1),
    ("same as the zoologist", 1),
    ("The same as the physicist's answer.", 2),
    ("Same answer as the physicist", 2),
    ("Critic 1's answer", 1),
    ("critic 2's improved answer", 2),
    ("I choose Critic 3's answer", 3),
    ("the answer of critic 3", 3),
    ("the physicist's", 2),
    ("the engineer's answer", 3),
    ("a zoologist's answer", 1),
    ("Expert 2's answer", 2),
]


@pytest.mark.parametrize(("words", "place"), SELECTED)
@pytest.mark.parametrize("form", ["json", "text"])
def test_a_critic_that_is_selected_in_words_is_understood(words, place, form):
    text = (
        json.dumps({"Correctness": 1, "Response": "Well.", "Final Answer": words})
        if form == "json"
        else f"Correctness: 1\nResponse: Well.\nFinal Answer: {words}"
    )
    for question, given in (
        (SEA, dict(zip(EXPERTS, "ABCD", strict=True))),
        (NUMBER, dict(zip(EXPERTS, ("4711", "4712", "4713", "4714"), strict=True))),
        (TEXT, EXPERTS),
    ):
        found = read_evaluation(text, question, heard=given)
        assert found.answer == list(given.values())[place], question.kind


@pytest.mark.parametrize(
    "words",
    [
        "the zoologist's dog",
        "critic 4's answer",
        "the botanist's answer",
        "neither the zoologist's nor the physicist's",
        "the expert's answer",
    ],
)
def test_what_names_no_critic_selects_none(words):
    text = json.dumps({"Correctness": 1, "Response": "", "Final Answer": words})
    assert read_evaluation(text, NUMBER, heard=dict.fromkeys(EXPERTS, "4711")).answer != "4711"


def test_a_value_is_not_taken_for_a_name():
    text = json.dumps({"Correctness": 1, "Response": "", "Final Answer": "B"})
    assert read_evaluation(text, SEA, heard=dict(zip(EXPERTS, "ACDE", strict=True))).answer == "B"
