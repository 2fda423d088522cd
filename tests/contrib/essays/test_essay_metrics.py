"""What one essay came to, from transcripts made by hand."""

import msgspec
import pytest

from moot.contrib.essays.essay_metrics import (
    critic_yielded,
    essay_cut,
    essay_distinct_pairs,
    essay_repetition,
    essay_sentences,
    essay_words,
    personas_read,
    plan_points,
    quotes,
    quotes_found,
    rounds_to_yield,
)
from moot.core.events import Transcript
from moot.core.passages import Passage
from support.essays import PASSAGES, transcript

ALL = (
    *(essay_words, essay_sentences, essay_repetition, essay_distinct_pairs, essay_cut),
    *(plan_points, personas_read, critic_yielded, rounds_to_yield, quotes, quotes_found),
)


def values(found):
    return {one.name: one(found) for one in ALL}


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
    found = transcript()  # the one of the first passage stands there, that of the second does not
    assert (quotes(found), quotes_found(found)) == (2, 0.5)
    none = transcript(essay="Nothing is quoted.")
    assert (quotes(none), quotes_found(none)) == (0, None)
    other = transcript(searched=(PASSAGES[0], Passage(2, "a.txt:1", "So nobody comes twice.")))
    assert quotes_found(other) == 1


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
