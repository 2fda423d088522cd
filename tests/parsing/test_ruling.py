import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.parsing.ruling import (
    Ruling,
    conclusion_schema,
    parse_conclusion,
    parse_ruling,
    ruling_schema,
)


def read_ruling(*args, **given):
    return parse_ruling(*args, **given).reading


def read_conclusion(*args, **given):
    return parse_conclusion(*args, **given).reading


CHOICE = Question(id="q", kind="choice", text="Which is a mammal?", choices=("shark", "dolphin"))
BOOLEAN = Question(id="q", kind="boolean", text="Is 7 prime?")
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")

WHOLE = {
    "Whether there is a preference": "Yes",
    "Supported Side": "Affirmative",
    "Reason": "It breathes air.",
    "debate_answer": "B",
}
READ = Ruling(preference=True, side="affirmative", reason="It breathes air.", answer="B")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(WHOLE),
        f"```json\n{json.dumps(WHOLE, indent=2)}\n```",
        f"Here is my ruling:\n{json.dumps(WHOLE)}\nThank you.",
        json.dumps(WHOLE)[:-1] + ",}",  # a trailing comma
        json.dumps(WHOLE)[:-1],  # no closing brace
        str(WHOLE),  # single quotes
        json.dumps(
            {
                "whether_there_is_a_preference": True,
                "supported side": "the Affirmative side",
                "reason": "It breathes air.",
                "final_answer": "(B) dolphin",
            }
        ),
        json.dumps({**WHOLE, "debate_answer": "dolphin"}),
        json.dumps([WHOLE]),
    ],
)
def test_a_ruling_is_read_through_fences_damage_and_renamed_keys(text: str) -> None:
    assert read_ruling(text, CHOICE) == READ


def test_no_preference_is_no_answer() -> None:
    text = json.dumps(
        {
            "Whether there is a preference": "No",
            "Supported Side": "",
            "Reason": "",
            "debate_answer": "",
        }
    )
    assert read_ruling(text, CHOICE) == Ruling(preference=False)


def test_a_supported_side_is_a_preference() -> None:
    text = json.dumps({"Supported Side": "Negative", "Reason": "r", "debate_answer": "7 apples"})
    assert read_ruling(text, NUMBER) == Ruling(
        preference=True, side="negative", reason="r", answer="7"
    )


def test_the_echoed_form_says_nothing() -> None:
    form = (
        '{"Whether there is a preference": "Yes or No", '
        '"Supported Side": "Affirmative or Negative", "Reason": "", "debate_answer": ""}'
    )
    assert read_ruling(form, CHOICE) is None


def test_a_number_may_stand_without_quotes() -> None:
    ruling = read_ruling('{"Supported Side": "Negative", "debate_answer": 7.5}', NUMBER)
    assert ruling is not None
    assert ruling.answer == "7.5"


def test_text_without_json_is_read_as_a_reply() -> None:
    ruling = read_ruling("The affirmative side is right. Final answer: B", CHOICE)
    assert ruling is not None
    assert ruling.answer == "B"
    assert read_ruling("I cannot say.", CHOICE) is None
    assert read_ruling("", CHOICE) is None


def test_a_ruling_cut_off_keeps_what_it_had_said() -> None:
    text = '{"Supported Side": "Affirmative", "debate_answer": "B", "Reason": "It brea'
    ruling = read_ruling(text, CHOICE, finished=False)
    assert ruling is not None
    assert (ruling.side, ruling.answer) == ("affirmative", "B")
    cut = read_ruling(
        '{"Supported Side": "Affirmative", "debate_answer": "1', NUMBER, finished=False
    )
    assert cut is not None
    assert cut.answer is None


def test_the_schema_names_the_keys_that_are_read() -> None:
    keys = ruling_schema(TEXT)["required"]
    ruling = read_ruling(json.dumps(dict.fromkeys(keys, "Yes")), TEXT)
    assert ruling == Ruling(preference=True, side=None, reason="Yes", answer="Yes")


def test_where_answers_are_few_the_schema_allows_no_other() -> None:
    for question, few in ((CHOICE, [*CHOICE.letters]), (BOOLEAN, ["true", "false"])):
        judge, decider = ruling_schema(question), ruling_schema(question, decides=True)
        assert judge["properties"]["debate_answer"]["enum"] == [*few, ""]
        assert decider["properties"]["debate_answer"]["enum"] == few
        for value in few:
            said = json.dumps({"Supported Side": "Negative", "debate_answer": value})
            ruling = read_ruling(said, question)
            assert ruling is not None
            assert ruling.answer == value


def test_who_has_to_decide_is_not_asked_for_a_preference() -> None:
    decider = ruling_schema(NUMBER, decides=True)
    assert decider["required"] == ["Supported Side", "Reason", "debate_answer"]
    assert "" not in decider["properties"]["Supported Side"]["enum"]


def test_a_conclusion_is_a_ruling_for_no_side() -> None:
    conclusion = Ruling(reason="It breathes air.", answer="B")
    said = {"Reason": "It breathes air.", "debate_answer": "B"}
    assert read_conclusion(json.dumps(said), CHOICE) == conclusion
    assert read_conclusion(json.dumps(WHOLE), CHOICE) == conclusion
    assert read_conclusion('{"Supported Side": "Negative"}', CHOICE) is None
    assert read_conclusion("I cannot say.", CHOICE) is None
    assert conclusion_schema(CHOICE)["required"] == list(said)
    assert conclusion_schema(CHOICE)["properties"]["debate_answer"]["enum"] == ["A", "B"]


@settings(max_examples=200, deadline=None)
@given(st.text() | st.text().map(lambda text: json.dumps(WHOLE)[: len(text)] + text), st.booleans())
def test_nothing_a_judge_says_is_a_crash(text: str, finished: bool) -> None:  # noqa: FBT001
    read_ruling(text, CHOICE, finished)
    read_ruling("{" + text, NUMBER, finished)


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 20_000,
        "{" * 50_000 + "[" * 50_000,
        "{" + "(" * 1_000_000,
        "{" * 190 + "a" * 20_000,
        "{(" * 150 + '"' * 20_000,
        "{]" * 500_000,
        '{"debate_answer": "' + "'answer': '" * 90_000,
    ],
    ids=["deep", "brackets", "parentheses", "long", "quotes", "closed wrongly", "markers"],
)
def test_what_only_looks_like_a_ruling_is_given_up_quickly(text: str) -> None:
    for question in (CHOICE, BOOLEAN, NUMBER, TEXT):
        began = process_time()
        read_ruling(text, question)
        assert process_time() - began < 1.0


def test_damage_is_repaired_also_in_a_long_ruling_with_formulas() -> None:
    reason = "As \\frac{1}{2} of (a) is [b], it breathes air. " * 15
    text = json.dumps({**WHOLE, "Reason": reason})[:-1] + ",}"
    ruling = read_ruling(text, CHOICE)
    assert ruling is not None
    assert (ruling.side, ruling.answer) == ("affirmative", "B")
