"""A majority decides; a tie goes to the lowest seat; an unparsed reply has no vote."""

import pytest

from moot.core.events import Seat, Turn
from moot.core.questions import Question
from moot.debate.agents import Agent, View, Views
from moot.debate.verdicts import majority, verdict_from
from moot.models.scripted import Scripted

NUMBER = Question(id="q", kind="number", text="?")


def views(*answers) -> Views:
    model = Scripted([])
    return Views(
        View(
            Agent(Seat(number=n, agent=f"a{n}", role="a", model=model.name), f"Agent {n}", model),
            Turn(
                id=n + 10,
                agent=f"a{n}",
                seat=n,
                role="a",
                step="answer",
                round=1,
                model=model.name,
                text=f"said {answer}",
                answer=answer,
                reads=(),
                call="",
            ),
        )
        for n, answer in enumerate(answers)
    )


@pytest.mark.parametrize(
    ("answers", "winner", "turn", "votes"),
    [
        (("4", "5", "5"), "5", 11, {"4": 1, "5": 2}),
        (("4", "5"), "4", 10, {"4": 1, "5": 1}),
        ((None, None, "5"), "5", 12, {"5": 1}),
        ((None, None), None, None, {}),
        (("1", "1/2", "0.5"), "1/2", 11, {"1": 1, "1/2": 2}),
    ],
)
def test_majority(answers, winner, turn, votes):
    verdict = majority(views(*answers), NUMBER)
    assert (verdict.answer, verdict.turn, verdict.votes) == (winner, turn, votes)
    assert verdict.by == "majority"
    assert verdict.text == (f"said {winner}" if winner else "")


def test_says():
    [view] = views("4")
    verdict = verdict_from(view, by="judge")
    assert (verdict.answer, verdict.text, verdict.by, verdict.turn) == ("4", "said 4", "judge", 10)
