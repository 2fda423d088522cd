import pytest

from moot.core.questions import Question
from moot.parsing.marked import Closing, parse_closing, parse_improvement, parse_proposal


def read_improvement(*args, **given):
    return parse_improvement(*args, **given).answer


def read_proposal(*args, **given):
    return parse_proposal(*args, **given).answer


CHOICE = Question(
    id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin", "none of the above")
)
BOOLEAN = Question(id="q", kind="boolean", text="Is 7 prime?")
NUMBER = Question(id="q", kind="number", text="How many?")
SQUARE = Question(id="q", kind="square", text="Where may the knight go?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (NUMBER, "Once there were many.\n\n**Proposed Answer:** 42 apples", "42"),
        (NUMBER, "Proposed Answer (refined): $1,200.50", "1200.5"),
        (NUMBER, "### Proposed Answer:\n\n18\n\nI could be wrong: 19 is near.", "18"),
        (CHOICE, "Final answer: A\n\nProposed Answer: (B) dolphin.", "B"),
        (CHOICE, "Proposed Answer: B\n\nFinal answer: A", "B"),
        (BOOLEAN, "Proposed Answer: Yes, 7 is prime.", "true"),
        (SQUARE, 'Proposed answer is "e5".', "e5"),
        (TEXT, "So.\nProposed Answer: The answer is *Paris*\nBon voyage!", "Paris"),
        (CHOICE, "Proposed Answer: Agent 2 is right", "A"),
    ],
)
def test_the_proposed_answer_outranks_everything(question, text, answer):
    assert read_proposal(text, question, heard={"Agent 2": "A"}) == answer


def test_the_speaker_s_own_last_proposal_counts():
    said = "The Affirmative's Proposed Answer: 12 is vague.\n"
    assert read_proposal(said + "Proposed Answer: 13", NUMBER) == "13"
    assert read_proposal("Proposed Answer: 12\n...\nProposed Answer: 13", NUMBER) == "13"
    assert read_proposal(said + "Final answer: 14", NUMBER) == "14"
    assert read_proposal("Proposed Answer: 13\nTheir proposed answer: 12", NUMBER) == "13"


def test_an_improved_answer_counts_as_a_proposed_one_does():
    said = "The solution says 12. Final answer: 12\nImproved Answer: 13"
    assert read_improvement(said, NUMBER) == "13"
    assert read_improvement("Improved Answer: 13\nTheir improved answer: 12", NUMBER) == "13"
    assert read_improvement("**Improved answer:** (B)", CHOICE) == "B"
    assert read_improvement("Final answer: 5", NUMBER) == "5"


def test_a_proposal_without_its_marker_is_any_reply():
    assert read_proposal("Final answer: 5", NUMBER) == "5"
    assert read_proposal("Agent 2 is right.", CHOICE, heard={"Agent 2": "A"}) == "A"
    assert read_proposal("I cannot say.", NUMBER) is None


def test_an_empty_proposal_is_none():
    assert read_proposal("I think it is 7.\nProposed Answer: ...", NUMBER) is None
    assert read_proposal("The answer is Rome.\nProposed Answer: [your answer]", TEXT) is None


def test_a_number_that_may_have_been_cut_does_not_count():
    assert read_proposal("Proposed Answer: 1", NUMBER, finished=False) is None
    assert read_proposal("Proposed Answer: 1\nFor", NUMBER, finished=False) == "1"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (NUMBER, "Decision: The correct answer is 42.", "42"),
        (NUMBER, "**Decision:** The correct answer is **42**.\n\nThe answer 40 fails.", "42"),
        (NUMBER, "Both agree by now. Decision: The correct answer is 3 + 4 = 7", "7"),
        (NUMBER, '{"Decision": "The correct answer is 7"}', "7"),
        (NUMBER, "Final Answer: The answer is 12 apples", "12"),
        (NUMBER, "## Final Answer\n7", "7"),
        (NUMBER, "The correct answer is 5. Both sides say so.", "5"),
        (NUMBER, "Decision: Continue debate.\nFinal Answer: 13", "13"),
        (CHOICE, "Decision: The correct answer is option B, because it breathes air.", "B"),
        (CHOICE, "Decision: B", "B"),
        (CHOICE, "Decision: The correct answer is none of the above.", "C"),
        (CHOICE, "Decision: The Negative side is right.", "A"),
        (BOOLEAN, "Decision: The correct answer is that 7 is prime.", "true"),
        (BOOLEAN, "Decision: No.", "false"),
        (TEXT, "Decision: The correct answer is Paris", "Paris"),
        (TEXT, "Decision: Continue debate.\n\nFinal Answer: Paris\n\nBoth sides name it.", "Paris"),
    ],
)
def test_a_judge_decides(question, text, answer):
    closing = parse_closing(text, question, heard={"Negative": "A"})
    assert closing == (answer, Closing(decided=True))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (NUMBER, "**Decision: Continue debate.** One says 12, the final answer is 13."),
        (NUMBER, "Decision: Continue debate. The correct answer is 12, says the angel."),
        (NUMBER, "Final Answer: 12 is what they say.\n\nDecision: Continue debate."),
        (NUMBER, '{"Decision": "Continue debate."}'),
        (NUMBER, "The Affirmative's final answer: 12"),
        (NUMBER, "It may be 12 or 13. The answer is 12?"),
        (
            NUMBER,
            "If it is evident, 'Decision: The correct answer is 4'.\nDecision: Continue debate",
        ),
        (NUMBER, "Decision:"),
        (CHOICE, "Decision: Continue the debate; B or C?"),
        (CHOICE, "Decision: The correct answer is ..."),
        (CHOICE, "The debate should continue: A is not ruled out. B"),
        (TEXT, "Decision: The correct answer is not yet clear."),
        (TEXT, "Decision: We should hear more about Paris first."),
        (TEXT, "Final Answer: To be determined"),
        (TEXT, "Paris"),
        (TEXT, ""),
    ],
)
def test_a_judge_leaves_it_open(question, text):
    assert parse_closing(text, question) == (None, Closing(decided=False))


def test_a_decision_that_cannot_be_read_is_still_one():
    said = "Decision: The correct answer is what the Affirmative has described."
    assert parse_closing(said, NUMBER) == (None, Closing(decided=True))
