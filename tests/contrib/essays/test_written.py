"""What an essay came to, read from its transcript."""

import msgspec
import pytest

from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.written import describe_essay
from moot.core.events import Transcript
from support.essays import CHOICE, ESSAY, PASSAGES, PLAN, POOL, PROPOSITION, transcript
from support.report_page import Page

BOUND = "The critic was not persuaded: the debate ended at its limit of 2 rounds."
SHORT = "The plan could not be read as one: the essay was to be written from its words as they are."


def test_all_that_was_said_has_its_place():
    made = describe_essay(transcript(), "ask-1")
    assert (made.proposition, made.stance, made.protocol) == (PROPOSITION, *WHAT)
    assert (made.essay, made.cut, made.run, made.failed) == (ESSAY, False, "ask-1", None)
    assert len(made.pool) == 4
    assert [(each.description, each.reason) for each in made.personas] == [
        ("A taxpayer", "speaks for those who pay"),
        ("A curator", "knows the accounts"),
        ("A guard", "sees the crowd"),
    ]
    assert [(each.round, each.step, each.persona, each.settled) for each in made.dialogue] == [
        (number, "discuss" if who else "challenge", who, number == 2)
        for number in (1, 2)
        for who in ("A taxpayer", "A curator", "A guard", "")
    ]
    assert made.plan.acknowledgment == "a fee keeps some people out"
    assert (made.plan_text, made.passages) == (PLAN, PASSAGES)
    assert [(each.text, each.passage, each.found) for each in made.quotes] == [
        ("repairs doubled in ten years", 1, True),
        ("nobody comes twice", 2, False),
    ]
    assert (made.calls, made.usage.prompt_tokens, made.usage.completion_tokens) == (12, 240, 120)
    assert made.cost == pytest.approx(0.012)
    assert (made.seconds, made.simulated, made.models) == (9.0, True, ("scripted/house",))
    assert made.outcomes == (UNQUOTED,)


WHAT = ("oppose", "debate-to-write")
UNQUOTED = "1 quotation does not stand in the evidence: “nobody comes twice”."


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"pool": "I would rather not."}, ["No persona could be read"]),
        (
            {"pool": POOL.split("\n")[0]},
            ["Of 4 personas asked for, 1 could be read.", "The team is smaller than asked for: 1"],
        ),
        ({"choice": "All of them!"}, ["it was filled from the pool in its order."]),
        ({"choice": CHOICE.split("\n")[0]}, ["names 1 of 3: it was filled up from the pool"]),
        ({"plan": "We should go for it."}, [SHORT]),
        ({"rounds": ("no", "no"), "settings": {"rounds": 2}}, [BOUND]),
        (
            {"rounds": ("perhaps",), "settings": {"rounds": 1}},
            ["could not be read in 4 of 4 turns", "at its limit of 1 round."],
        ),
        ({"essay": " "}, ["there is no essay"]),
        (
            {"cut": ("plan", "essay")},
            ["Cut off at the longest reply there may be (max_tokens): plan, essay."],
        ),
    ],
)
def test_each_trouble_has_its_sentence(given, told):
    made = describe_essay(transcript(**given))
    unquoted = [] if made.essay is None else [UNQUOTED]
    assert [*made.outcomes[: len(unquoted)]] == unquoted
    assert len(made.outcomes) == len(told) + len(unquoted)
    said = " ".join(made.outcomes)
    assert [each for each in told if each not in said] == []


@pytest.mark.parametrize("keep", range(12))
def test_however_far_it_came_there_is_something_to_tell(keep):
    made = describe_essay(transcript(keep=keep, failed="it would not", searched=()))
    assert made.failed == "RefusedError: it would not"
    assert (made.essay, made.calls) == (None, keep)
    assert len(made.dialogue) == min(max(keep - 2, 0), 8)
    assert len(made.personas) == (3 if keep > 1 else 0)
    assert bool(made.plan) == (keep > 10)


def test_each_of_several_essays_tells_what_is_not_in_the_documents():
    wrote = next(each for each in transcript().turns if each.step == "essay")
    other = msgspec.structs.replace(wrote, id=99, answer="It is “as cheap as water” [1].")
    whole = transcript(settings={"alternatives": 2})
    place = whole.events.index(wrote)
    made = describe_essay(
        Transcript((*whole.events[: place + 1], other, *whole.events[place + 1 :]))
    )
    second = UNQUOTED.replace("nobody comes twice", "as cheap as water")
    assert made.outcomes[:2] == (UNQUOTED, f"In essay 2: {second}")
    for shown, often in ((essay_markdown(made), 3), (Page(essay_page(made)).text, 4)):
        assert shown.count("as cheap as water") == often  # the page lists each sentence, too
