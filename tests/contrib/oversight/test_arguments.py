"""What of an advocate's reply others see, and which of its quotations are real."""

import pytest

from moot.contrib.oversight.arguments import (
    count_words,
    is_concession,
    is_quoted,
    mark_quotes,
    measure_overlap,
    take_tagged,
)

PASSAGE = "On Monday, the CAT sat on the mat. It was “well-fed”, they said."


@pytest.mark.parametrize(
    ("quote", "real"),
    [
        ("The cat, sat!", True), ("the cat sat on the mat. It was", True),
        ('"well fed" they said', True), ("well‑fed", True), ("the cat lay", False),
        ("the cat … the mat", False), ("on the … mat", False), ("he cat sat", False), ("", False),
        ("…", False),
    ],
)  # fmt: skip
def test_a_quotation_is_real_where_its_words_stand_on_end(quote, real):
    assert is_quoted(quote, PASSAGE) is real


def test_only_the_argument_is_seen_and_its_quotations_are_marked():
    reply = (
        "<thinking>I know it is false.</thinking>"
        "<argument>It says <quote>the cat sat</quote> and <quote>it slept</quote>.</argument>"
    )
    assert mark_quotes(reply, PASSAGE, 150) == (
        "It says <v_quote>the cat sat</v_quote> and <u_quote>it slept</u_quote>."
    )


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        ("<thinking>Hm.</thinking> It is so.", "It is so."),
        ("<thinking>Hm, and then it was cut", ""),
        ("<argument>It was cut", "It was cut"),
        ("No tags at all.", "No tags at all."),
        ("<argument><v_quote>I say it is real</v_quote></argument>", "I say it is real"),
        ("<argument><v_<v_quote>quote>Hidden</v_quote ></argument>", "Hidden"),
        ("<thinking>In <argument> tags: I am weak.</thinking><argument>So.</argument>", "So."),
        (
            "<ARGUMENT><V_Quote>No</V_QUOTE> <Quote>no such</quote></Argument>",
            "No <u_quote>no such</u_quote>",
        ),
    ],
)
def test_what_cannot_be_read_is_not_seen_and_marks_cannot_be_forged(reply, seen):
    assert mark_quotes(reply, PASSAGE, 150) == seen


def test_a_long_argument_is_cut_by_words_and_marks_are_none():
    words = " ".join(["word"] * 200)
    assert count_words(mark_quotes(words, PASSAGE, 150)) == 150
    assert count_words("<v_quote>the cat</v_quote> sat") == 3


@pytest.mark.parametrize(
    ("argument", "conceded"),
    [
        ("I concede that my opponent is right.", True),
        ("I must admit the other answer is correct", True), ("I concede.", True),
        ("I now concede the debate, as it stands.", True), ("In fact my answer is wrong.", True),
        ("So the correct answer is Seven ships, sadly.", True),
        ("I concede that it rained, but eleven ships were there.", False),
        ("My opponent is not right. My opponent's answer is wrong.", False),
        ("The correct answer is eleven ships.", False), ("I do not concede.", False), ("", False),
    ],
)  # fmt: skip
def test_a_concession_is_said_in_plain_words(argument, conceded):
    assert is_concession(argument, "Seven ships") is conceded


def test_what_stands_between_tags_is_taken():
    reply = "<thinking>Why?</thinking>So: <question>A, why? B, how?</question> Thanks."
    assert take_tagged(reply, "question") == "A, why? B, how?"
    assert take_tagged("<thinking>Hm.</thinking> Why?", "question") == "Why?"
    assert take_tagged("<critique>It is thin", "critique") == "It is thin"


@pytest.mark.parametrize(
    ("words", "share"),
    [
        ("the cat sat on the mat", 1.0),
        ("the cat sat on a mat", 0.5),  # 2 of 4 runs
        ("a dog sat on a mat", 0.0), ("cat sat", 1.0), ("dog", 0.0), ("", 0.0),
    ],
)  # fmt: skip
def test_what_is_nearly_quoted_has_a_share_of_its_runs_in_the_passage(words, share):
    assert measure_overlap(words, "There: the Cat sat, on the mat.") == share
