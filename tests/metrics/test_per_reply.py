"""How long replies are, and what their prompts left out."""

import pytest

from moot.core.questions import Question
from moot.core.redaction import redact
from moot.metrics.per_reply import characters_per_reply, measure_removed_per_reply


def test_means_of_means(debate, turn):
    transcript = debate(
        turn(1, 0, 1, "4", text="four", removed=1),
        turn(2, 1, 1, "4", text="vier", removed=2),
        turn(3, 0, 2, "4", text="It is 4.", removed=4),
        turn(4, 2, 2, "4", text="much longer than all others", removed=9, role="judge"),
    )
    assert characters_per_reply(transcript) == pytest.approx(5)
    assert measure_removed_per_reply(transcript) == pytest.approx(2.25)


def test_none_where_nobody_debated(debate):
    silent = debate(failed=True)
    assert (characters_per_reply(silent), measure_removed_per_reply(silent)) == (None, None)


def test_a_secret_question_gives_the_same_whether_or_not_its_texts_are_there(debate, turn):
    secret = Question(id="q1", kind="number", text="2 + 2?", answer="4", secret=True)
    transcript = debate(turn(1, 0, 1, "4"), question=secret)
    for one in (transcript, redact(transcript)):
        assert (characters_per_reply(one), measure_removed_per_reply(one)) == (None, 0)
