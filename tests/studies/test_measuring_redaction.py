"""Other words for what was withheld: nothing else changes."""

import pytest
from msgspec.structs import replace

from moot.core.events import Closed, Failed, Opened, Transcript, Turn, Verdict
from moot.core.questions import WITHHELD, Question
from moot.core.redaction import redact
from moot.metrics.metric import measure
from moot.studies.measuring import replace_withheld

GIVEN = {"text": "What?", "context": "Here.", "choices": ("one", "two"), "answer": "B"}
SECRET = Question(id="s", kind="choice", secret=True, **GIVEN)


def turn(number, text, answer):
    fixed = {
        "role": "debater",
        "step": "speak",
        "round": 1,
        "model": "m",
        "reads": (),
        "call": "00",
    }
    return Turn(id=number, agent=f"Agent {number}", seat=number, text=text, answer=answer, **fixed)


def transcript(end, question=SECRET, answers=("B", "A"), **given):
    opened = Opened(question=question, protocol="single", settings={}, pack="p", **given)
    turns = (turn(n, f"It is {said}", said) for n, said in enumerate(answers, 1))
    return redact(Transcript((opened, *turns, end)))


def test_every_withheld_text_is_replaced_and_no_two_are_the_same():
    shown = transcript(Closed(verdict=Verdict(answer="B", text="It is two")))
    said = replace_withheld(shown)
    assert redact(said) == shown
    question = said.question
    texts = [question.text, *question.choices, *(each.text for each in said.turns)]
    assert WITHHELD not in repr(said)
    assert len({*texts, said.verdict.text}) == len(texts) + 1
    assert measure(said) == measure(shown)  # none of moot's own depends on them
    failed = transcript(Failed(kind="X", reason="so it is"))
    assert replace_withheld(failed).failed == failed.failed
    silent = transcript(Closed(verdict=Verdict(answer="B")))
    assert replace_withheld(silent).verdict == silent.verdict


@pytest.mark.parametrize("right", [None, "Two", ("Two", "2")])
def test_of_open_text_the_answers_are_withheld_too(right):
    question = replace(SECRET, kind="text", choices=(), answer=right)
    verdict = Verdict(answer="Two", text="It is Two", votes={"Two": 2, "One": 1})
    shown = transcript(Closed(verdict=verdict), question, ("Two", "One", None), opening=("One",))
    for word in ("Two", "One", "What?", "Here."):
        assert word not in repr(shown)
    assert [each.answer for each in shown.turns] == [WITHHELD, WITHHELD, None]
    assert [*shown.verdict.votes.values()] == [2, 1]
    assert len(shown.question.answers) == len(question.answers)
    said = replace_withheld(shown)
    assert redact(said) == redact(shown) == shown
    assert said.turns[0].answer != said.turns[1].answer
    assert said.turns[2].answer is None
    differ = {name for name, value in measure(shown).items() if value != measure(said)[name]}
    assert ("accuracy" in differ) is bool(right)  # what is told by words alone stays as it was
    assert "consensus" in differ
