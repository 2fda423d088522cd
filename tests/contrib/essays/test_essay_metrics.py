"""What one essay came to, from transcripts made by hand."""

import msgspec
import pytest

from moot.core.events import Passage, Transcript
from moot.metrics.metric import registry
from support.essays import PASSAGES, transcript

NAMES = (
    *("essay-words", "essay-sentences", "essay-repetition", "essay-distinct-pairs", "essay-cut"),
    *("plan-points", "personas-read", "critic-yielded", "rounds-to-yield", "quotes"),
    "quotes-found",
)


def values(found):
    return {name: registry.get(name)(found) for name in NAMES}


def test_a_whole_debate():
    said = "One two three four. One two three four!"
    assert values(transcript(essay=said, searched=())) == {
        "essay-words": 8,
        "essay-sentences": 2,
        "essay-repetition": pytest.approx(1 / 5),
        "essay-distinct-pairs": pytest.approx(4 / 8),
        "essay-cut": 0,
        "plan-points": 2,
        "personas-read": 4,
        "critic-yielded": 1,
        "rounds-to-yield": 2,
        "quotes": None,
        "quotes-found": None,
    }


def test_quotations_are_looked_up():
    def looked_up(**given):
        found = values(transcript(**given))
        return found["quotes"], found["quotes-found"]

    assert looked_up() == (2, 0.5)  # that of the first passage stands there, the other does not
    assert looked_up(essay="Nothing is quoted.") == (0, None)
    other = (PASSAGES[0], Passage(2, "a.txt:1", "So nobody comes twice."))
    assert looked_up(searched=other) == (2, 1)


def without_words(whole):
    *rest, closed = whole.events
    verdict = msgspec.structs.replace(closed.verdict, answer=None, text="")
    return Transcript((*rest, msgspec.structs.replace(closed, verdict=verdict)))


def asked(whole, **change):
    opened, *rest = whole.events
    question = msgspec.structs.replace(opened.question, **change)
    return Transcript((msgspec.structs.replace(opened, question=question), *rest))


def test_what_is_no_essay_has_none_of_it(society, debate):
    nothing = [
        society,
        debate(failed=True),
        transcript(failed="it would not", keep=5),
        without_words(transcript()),
        asked(transcript(), secret=True),
        asked(transcript(), kind="number"),
    ]
    for each in nothing:
        assert set(values(each).values()) == {None}
