"""Which side a verdict supports: by whose turn decided, what a ruling names, and the answers."""

import pytest

from moot.core.events import Closed, Opened, Seat, Seated, Transcript, Verdict
from moot.metrics.side_support import find_supported, supports_affirmative, supports_shown_first
from moot.metrics.side_support import supports_first_speaker as first_speaker
from support.debates import SUM, hold, ruling


@pytest.fixture
def decided(turn):
    """A round of two sides and a judge, and the verdict of one of these turns."""

    def made(answers=("4", "5"), text="", answer="4", by=3, node="", **settings):
        roles = ("affirmative", "negative", "judge")
        given = (*answers, answer)
        texts = ("a", "b", text)
        turns = [
            turn(n, n - 1, 1, given[n - 1], role=role, agent=role, text=texts[n - 1], node=node)
            for n, role in enumerate(roles, 1)
        ]
        seats = [
            Seated(seat=Seat(number=n, agent=r, role=r, model="m")) for n, r in enumerate(roles)
        ]
        opened = Opened(question=SUM, protocol="multi-persona", settings=settings, pack="00")
        return Transcript((opened, *seats, *turns, Closed(verdict=Verdict(answer=answer, turn=by))))

    return made


@pytest.mark.parametrize(
    ("given", "side"),
    [
        ({"by": 1}, "affirmative"),
        ({"by": 2, "answer": "5"}, "negative"),
        ({"text": ruling("5", "Affirmative"), "answer": "5"}, "affirmative"),
        ({"text": ruling("4", "Negative"), "answers": ("4", "4")}, "negative"),
        ({"text": "It is 4."}, "affirmative"),
        ({"text": "It is 5.0.", "answer": "5.0"}, "negative"),
        ({"text": "It is 4.", "answers": ("4", "4.0")}, None),
        ({"text": "It is 6.", "answer": "6"}, None),
        ({"text": "Nobody knows.", "answer": None}, None),
        ({"text": ruling("4"), "node": "C1"}, None),
    ],
)
def test_the_side_is_whose_turn_decided_else_as_named_else_of_the_answer(decided, given, side):
    assert find_supported(decided(**given)) == side


def test_places_are_read_off_the_settings(decided):
    held = decided(by=1, shown_first="negative", speaks_first="affirmative")
    figures = [metric(held) for metric in (supports_affirmative, supports_shown_first)]
    assert [*figures, first_speaker(held)] == [1.0, 0.0, 1.0]


def test_nobody_supports_a_side_where_there_are_none(society):
    assert supports_affirmative(society) is None


async def test_a_failed_debate_supports_none(store):
    held = await hold("multi-persona", ["Final answer: 4"], store)
    assert held.failed
    assert first_speaker(held) is None
