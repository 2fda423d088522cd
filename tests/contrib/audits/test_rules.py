"""Rules of counting: on replies made by hand, and against one another."""

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.contrib.audits.rules import (
    OURS,
    Replies,
    countings,
    list_rules,
    readers,
    registry,
    rule,
)

NUMBER = moot.Question(id="q", kind="number", text="How many?", answer="18")
CHOICE = moot.Question(
    id="q", kind="choice", text="Which?", choices=("one", "two", "three", "four"), answer="B"
)


def replies(question, right, *texts):
    answers = tuple(moot.extract(text, question) for text in texts)
    return Replies(question, right, texts, answers)


def counts(name, question, right, *texts):
    return registry.get(name).apply(replies(question, right, *texts))


READ = [
    ("last-number", "In all −1,250.5 dollars, he said.", -1250.5),
    ("last-number", "nothing", None),
    ("last-unsigned", "It is -40", 40.0),
    ("last-unsigned", "It is 1,250", 250.0),
    ("last-digits", "It is 3.75", 75.0),
    ("boxed", r"\boxed{-1,250} and 3", -1250.0),
    ("boxed", r"\boxed{x} and 3", None),
    ("letter-and-bracket", "A) one, or so (X)", "X"),
    ("letter-and-bracket", "the second", None),
    ("letter-in-brackets", "(b) it is, B)", "B"),
    ("last-capital", "It's B, in form (X) I.", "B"),
]


@pytest.mark.parametrize(("name", "text", "value"), READ)
def test_a_reader_takes_a_reply_for(name, text, value):
    found = readers[name].read(text)
    assert (found and found.value) == value
    if found:
        assert str(found.value).removesuffix(".0").strip("-")[:1].casefold() in text[
            found.start : found.end
        ].casefold().replace(",", "")


COUNTED = [
    # right, right, other, nothing: what each counting makes of them
    ("any", "right", "right", "right", "unread"),
    ("every", "right", "wrong", "wrong", "unread"),
    ("first", "right", "right", "wrong", "unread"),
    ("last", "right", "wrong", "right", "unread"),
    ("majority", "right", "right", "wrong", "unread"),
    ("majority-ties-wrong", "right", "wrong", "wrong", "unread"),
    ("majority-none-right", "right", "right", "wrong", "right"),
    ("majority-none-left-out", "right", "right", "wrong", "left out"),
    ("any-but-last-read", "right", "right", "right", "unread"),
    ("majority-but-last-read", "right", "right", "wrong", "unread"),
    ("majority-or-last-unread", "right", "right", "wrong", "right"),
]


@pytest.mark.parametrize(("name", "all_right", "tie", "tie_lost", "none"), COUNTED)
def test_a_counting_makes_of_answers(name, all_right, tie, tie_lost, none):
    apply = countings[name].apply

    def is_right(value):
        return value == 1

    assert apply([1, 1], is_right) == all_right
    assert apply([1, 2], is_right) == tie
    assert apply([2, 1], is_right) == tie_lost
    assert apply([None, None], is_right) == none


def test_every_counting_and_reader_is_here():
    assert {name for name, *_ in COUNTED} == set(countings)
    assert {name for name, *_ in READ} | {"moot"} == set(readers)


@given(st.lists(st.sampled_from([None, 1, 2, 3]), min_size=1, max_size=6))
def test_countings_agree_with_a_recount(values):
    known = [value for value in values if value is not None]
    votes = Counter(known)
    best = max(votes.values(), default=0)
    first = next((value for value in known if votes[value] == best), None)
    got = {name: each.apply(values, lambda value: value == 1) for name, each in countings.items()}
    assert (got["any"] == "right") == (1 in known)
    assert (got["majority"] == "right") == (first == 1)
    assert (got["majority-ties-wrong"] == "right") == (
        first == 1 and list(votes.values()).count(best) == 1
    )
    assert (got["every"] == "right") == (set(values) == {1})
    assert got["majority"] != "right" or got["any"] == "right"


@pytest.mark.parametrize(
    "text",
    [" " * 200_000, "\\boxed{" * 20_000, "{0" * 50_000, "-1," * 50_000, "9" * 50_000, "(" * 9999],
)
def test_hostile_replies_are_read_in_no_time(text):
    started = time.process_time()
    for each in list_rules(["number"]) + list_rules(["choice"]):
        each.apply(Replies(NUMBER, "18", (text, text), (None, None)))
    assert time.process_time() - started < 20


def test_ours_is_the_vote_that_moot_decides():
    texts = ["The answer is 17.", "The answer is 18.", "I cannot say.", "The answer is 18.0."]
    assert counts("majority:moot", NUMBER, "18", *texts) == "right"
    assert counts("majority:moot", NUMBER, "18", *texts[:2]) == "wrong"  # a tie: the first
    assert counts("majority:moot", NUMBER, "18", texts[2]) == "unread"
    assert registry.get("majority:moot") is OURS


def test_published_rules_are_as_strange_as_their_code():
    # Society of minds: no answer has votes, and counts as right; a sign is lost.
    assert counts("society-gsm8k", NUMBER, "#### 18", "none", "none", r"\boxed{17}") == "right"
    assert counts("society-gsm8k", NUMBER, "#### 18", r"\boxed{-18}") == "right"
    assert counts("society-gsm8k", NUMBER, "#### 18", r"{18} {18.0} {17}", "{17}") == "wrong"
    # LLM-Agora: one agent is enough; what follows a comma is the right answer.
    assert counts("llm-agora-gsm8k", NUMBER, "#### 1,450,000", "000") == "unread"
    assert counts("llm-agora-gsm8k-in-words", NUMBER, "#### 1,450,000", "000") == "right"
    assert counts("llm-agora-gsm8k", NUMBER, "#### 2,125", "1", "125") == "right"
    assert counts("llm-agora-gsm8k", NUMBER, "#### 10.5", "10.0", "5") == "wrong"
    assert counts("llm-agora-mmlu", CHOICE, "B", "B) two", "A)", "C)") == "right"
    assert counts("llm-agora-mmlu", CHOICE, "B", "B) two", "A)", "none") == "unread"
    assert counts("llm-agora-mmlu", CHOICE, "B", "B) two", "in form (X)", "7") == "right"
    assert counts("llm-agora-math", NUMBER, "18", "-18", "no") == "right"
    assert counts("llm-agora-math", NUMBER, "-18", "-18") == "wrong"
    # The first letter behind the form counts before any other.
    assert counts("option-mmlu", CHOICE, "B", "(X) **B** or (A)") == "right"
    assert counts("option-mmlu", CHOICE, "B", "(A), no (b)", "none at all") == "right"
    assert counts("option-mmlu", CHOICE, "B", "Answer: 'B'.") == "right"
    assert counts("option-mmlu", CHOICE, "B", "so it is 7") == "left out"
    assert counts("option-mmlu", CHOICE, "B", "it is on the web.") == "right"
    # A last reply without an answer: at first right, then wrong, then without a vote.
    last_silent = "(A)", "(A)", "so"
    outcomes = [
        counts(f"society-mmlu{name}", CHOICE, "B", *last_silent)
        for name in ("-2023-05", "-2023-07", "")
    ]
    assert outcomes == ["right", "unread", "wrong"]
    # Groups of three digits: a number of four digits is read as its last one.
    assert counts("boxed-gsm8k", NUMBER, "#### 5", "it is 1235") == "right"
    assert counts("boxed-gsm8k", NUMBER, "#### -18", r"\boxed{-\$18}") == "right"


def test_rules_are_for_the_kinds_of_the_questions():
    numbers, letters = ({each.name for each in list_rules([kind])} for kind in ("number", "choice"))
    assert "majority:moot" in numbers & letters
    assert "society-gsm8k" in numbers - letters
    assert "llm-agora-mmlu" in letters - numbers
    both = {each.name for each in list_rules(["number", "choice"])}
    assert both == numbers & letters


def test_every_rule_says_what_it_does_and_published_ones_where():
    for each in list_rules(["number"]) + list_rules(["choice"]):
        assert each.about.endswith(".")
        if ":" not in each.name and "in-words" not in each.name:
            assert "Source: github.com/" in each.about


def test_a_package_brings_its_own_rule():
    @rule("own-shout", kinds=("number",))
    def shout(asked):
        """A question is right where somebody shouts the right answer."""
        return "right" if any(f"{asked.right}!" in text for text in asked.texts) else "wrong"

    try:
        assert registry.get("own-shout") is shout
        assert shout.about == "A question is right where somebody shouts the right answer."
        assert shout.apply(replies(NUMBER, "18", "18!")) == "right"
    finally:
        registry._found.pop("own-shout")
        registry._sorted = None
