"""Other words for what was withheld: nothing else changes."""

from moot.core.events import Closed, Failed, Opened, Transcript, Turn, Verdict
from moot.core.questions import WITHHELD, Question
from moot.metrics.metric import measure
from moot.studies.withheld import said_otherwise

SECRET = Question(
    id="s",
    kind="choice",
    text="What?",
    context="Here.",
    choices=("one", "two"),
    answer="B",
    secret=True,
)


def turn(number, text, answer):
    return Turn(
        id=number,
        agent=f"Agent {number}",
        seat=number,
        role="debater",
        step="speak",
        round=1,
        model="m",
        text=text,
        answer=answer,
        reads=(),
        call="00",
    )


def transcript(end):
    opened = Opened(question=SECRET, protocol="single", settings={}, pack="p")
    return Transcript((opened, turn(1, "It is two", "B"), turn(2, "It is one", "A"), end)).shown


def test_every_withheld_text_is_replaced_and_no_two_are_the_same():
    shown = transcript(Closed(verdict=Verdict(answer="B", text="It is two")))
    said = said_otherwise(shown)
    assert said.shown == shown
    question = said.question
    texts = [question.text, *question.choices, *(each.text for each in said.turns)]
    assert WITHHELD not in repr(said)
    assert len({*texts, said.verdict.text}) == len(texts) + 1
    assert measure(said) == measure(shown)  # none of moot's own depends on them


def test_a_failed_debate_and_a_verdict_without_words_stay_as_they_are():
    failed = transcript(Failed(kind="X", reason="so it is"))
    assert said_otherwise(failed).failed == failed.failed
    silent = transcript(Closed(verdict=Verdict(answer="B")))
    assert said_otherwise(silent).verdict == silent.verdict
