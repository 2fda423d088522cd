import json

import pytest

from moot.core.questions import Question
from moot.parsing.opinion import Opinion, opinion_schema, parse_opinion


def read_opinion(*args, **given):
    return parse_opinion(*args, **given).reading


CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
BOOLEAN = Question(id="q", kind="boolean", text="Is 7 prime?")
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")

ASKED = "Do you find the final answer provided by the assistant accurate and satisfactory?"
WHOLE = {
    ASKED: "No",
    "Reason": "Sharks are fish.",
    "Feedback to Assistant for modifications": "Say what breathes air.",
    "final_answer": "B",
}
READ = Opinion(
    satisfied=False, reason="Sharks are fish.", feedback="Say what breathes air.", answer="B"
)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(WHOLE),
        f"My review:\n```json\n{json.dumps(WHOLE, indent=2)}\n```\nThank you.",
        json.dumps(WHOLE)[:-1] + ",}",
        str(WHOLE),
        json.dumps(
            {
                "satisfactory": False,
                "reasoning": "Sharks are fish.",
                "feedback": "Say what breathes air.",
                "Final Answer": "dolphin",
            }
        ),
        (
            f"{ASKED}: No\nReason: Sharks are fish.\n"
            "Feedback to Assistant for modifications: Say what breathes air.\nfinal_answer: B"
        ),
        (
            f"1. **{ASKED}** No\n2. **Reason:** Sharks are fish.\n"
            "3. **Feedback:** Say what breathes air.\n4. **Final answer:** (B) dolphin"
        ),
    ],
)
def test_an_opinion_is_read_from_json_and_from_lines(text):
    assert read_opinion(text, CHOICE) == READ


def test_a_verdict_may_be_explained_but_not_left_open():
    assert read_opinion(json.dumps({ASKED: "Yes, there is no fault"}), CHOICE) == Opinion(
        satisfied=True
    )
    assert read_opinion(json.dumps({ASKED: "Yes or No", "Reason": ""}), CHOICE) is None


def test_a_reply_without_json_is_read_as_any_reply():
    assert read_opinion("Yes, that is right. The answer is B.", CHOICE) == Opinion(
        satisfied=True, feedback="that is right. The answer is B.", answer="B"
    )
    assert read_opinion("final_answer: Paris", TEXT) == Opinion(answer="Paris")
    assert read_opinion("Agent 1 is right.", CHOICE, heard={"Agent 1": "A"}) == Opinion(
        feedback="Agent 1 is right.", answer="A"
    )
    assert read_opinion("", CHOICE) is None


def test_words_under_no_label_are_feedback_and_the_answer_is_none_of_them():
    said = "No. Count the legs of the third cat, too.\nFinal answer: 12"
    assert read_opinion(said, NUMBER) == Opinion(
        satisfied=False, feedback="Count the legs of the third cat, too.", answer="12"
    )
    labelled = "Look here.\nFeedback: Count again.\nFinal answer: 12"
    assert read_opinion(labelled, NUMBER) == Opinion(feedback="Count again.", answer="12")
    assert read_opinion("Go on.", CHOICE) == Opinion(feedback="Go on.")
    assert read_opinion("No.", CHOICE) == Opinion(satisfied=False)


def test_what_was_cut_off_does_not_count():
    cut = read_opinion('{"satisfactory": "No", "final_answer": "1', NUMBER, finished=False)
    assert cut == Opinion(satisfied=False)


def test_the_schema_has_the_paper_s_keys_and_the_answer_may_stay_empty():
    schema = opinion_schema(CHOICE)
    assert schema["required"] == list(WHOLE)
    assert schema["properties"][ASKED]["enum"] == ["Yes", "No"]
    assert schema["properties"]["final_answer"]["enum"] == ["A", "B", ""]
