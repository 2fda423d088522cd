"""Hidden thought in a text is told from what the text says."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.thought import (
    ThoughtSplitter,
    separate_recorded_thought,
    separate_thought,
    split_thought,
)
from moot.core.thought_marks import MARKS


@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ("It is 4.", "", "It is 4."),
        ("<think>\nTwo and two.\n</think>\n\nIt is 4.", "Two and two.", "It is 4."),
        ("Two and two.\n</think>\n\nIt is 4.", "Two and two.", "It is 4."),
        ("<think>\n\n</think>\n\nIt is 4.", "", "It is 4."),
        ("<think>\nTwo and", "Two and", ""),
        ("Well.\n<think>Two and", "Two and", "Well."),
        ("One. <think>a</think> Two. <think>b</think> Three.", "a\n\nb", "One.  Two.  Three."),
        ("a</think>b<think>c</think>d", "a\n\nc", "b\nd"),
        ("Wrap it in `<think>` and `</think>`.", "", "Wrap it in `<think>` and `</think>`."),
        ("a <think> amid a line, and no end", "", "a <think> amid a line, and no end"),
        ("I think> that", "", "I think> that"),
        ("It is 4.</think>", "It is 4.", ""),
    ],
)
def test_thought_is_told_from_the_text(text, thought, said):
    assert split_thought(text) == (thought, said)


def test_thought_in_both_places_is_all_kept():
    reply = Reply(text="<think>b</think>It is 4.", thought="a", reasoning_tokens=3)
    assert separate_thought(reply) == Reply(text="It is 4.", thought="a\n\nb", reasoning_tokens=3)


def test_where_all_is_thought_its_tokens_are_known():
    spent = separate_thought(Reply(text="<think>Hm", finish="length", completion_tokens=9))
    assert (spent.text, spent.thought, spent.reasoning_tokens) == ("", "Hm", 9)
    told = separate_thought(Reply(text="<think>Hm</think>4", completion_tokens=9))
    assert told.reasoning_tokens is None  # how many of the 9 nobody told


def test_a_reply_without_thought_is_the_same_object():
    reply = Reply(text="It is 4.")
    assert separate_thought(reply) is reply


def tell_pieces(pieces: list[str]) -> list[tuple[str, str]]:
    splitter = ThoughtSplitter()
    told = [each for piece in pieces for each in splitter.split(piece)]
    return [*told, *splitter.finish()]


def split_pieces(pieces: list[str]) -> tuple[str, str]:
    """The thought and the words that stand after all pieces were told."""
    told = {"thought": "", "text": ""}
    for kind, text in tell_pieces(pieces):
        if kind == "restarted":
            told = {"thought": "", "text": ""}
        else:
            told[kind] += text
    return told["thought"], told["text"]


def cut_into(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def without_space(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_what_may_be_a_tag_waits_and_words_that_turn_out_to_be_thought_are_told_again():
    told = tell_pieces(["It <", "is. <th", "ink>Hm", " 4</", "think>So"])
    assert told == [
        ("text", "It "), ("text", "<is. "), ("thought", "Hm"), ("thought", " 4"), ("text", "So")
    ]  # fmt: skip
    told = tell_pieces(["Two", " and two.", "</think>", "4"])
    assert told[2:] == [("restarted", ""), ("thought", "Two and two."), ("text", "4")]


HARMONY = (
    "<|channel|>analysis<|message|>Maybe the answer is 11.<|end|>"
    "<|start|>assistant<|channel|>final<|message|>12"
)
HIDDEN = [
    HARMONY, f"<|start|>assistant{HARMONY}<|return|>", HARMONY.replace("analysis", "commentary"),
    HARMONY.removeprefix("<|channel|>analysis<|message|>"),
    HARMONY.replace("final<|message|>", "final <|constrain|>json<|message|>"),
    "<|channel|>commentary to=functions.add <|constrain|>json<|message|>{}<|call|>" + HARMONY,
    "analysisMaybe the answer is 11.assistantfinal12",
    "analysis5+7 is 11?assistantcommentaryHm.assistantfinal12",
    "<thinking>\nThe answer is 11.\n</thinking>\n12", "<THINK>\nThe answer is 11.\n</THINK>\n12",
    "<think >The answer is 11.</think >12", "< Thinking >The answer is 11.</ thinking>12",
    '<thinking effort="high">The answer is 11.</thinking>12', "The answer is 11.</thought>12",
    "[THINK]Maybe the answer is 11.[/THINK]12", "[think]Maybe the answer is 11.[/think]12",
    "Maybe the answer is 11.◁/think▷12",
    "<|START_THINKING|>11?<|END_THINKING|><|START_RESPONSE|>12<|END_RESPONSE|>",
    "<|begin_of_thought|>11?<|end_of_thought|>\n<|begin_of_solution|>12<|end_of_solution|>",
    '<details type="reasoning" done="true" duration="3">\n<summary>11</summary>\n</details>12',
    "Here's my thought process: 11. Here's my response: 12",
    "<thinking>11? `</thinking>` is no end.</thinking>12",
    "<thinking>I write <think> and </think>. 11.</thinking>12",
    *(f"{each.begin}We say 11. {each.end}12" for each in MARKS),
]  # fmt: skip


@pytest.mark.parametrize("text", HIDDEN)
def test_thought_in_every_kind_of_marks_is_no_part_of_the_text(text):
    thought, said = split_thought(text)
    assert said == "12"
    assert "12" not in thought
    for size in (1, 2, 3, 7, 50, len(text)):
        told = split_pieces(cut_into(text, size))
        assert (told[1].strip(), without_space(told[0])) == ("12", without_space(thought))


@pytest.mark.parametrize("mark", MARKS, ids=lambda each: each.begin)
def test_thought_in_marks_is_told_as_it_comes(mark):
    text = f"{mark.begin}We say 11. {mark.end}12"
    for size in range(1, len(text)):
        told = tell_pieces(cut_into(text, size))
        assert "restarted" not in dict(told), told
        assert "11" in without_space("".join(text for kind, text in told if kind == "thought"))


CUT_OFF = [
    "<thinking>\nThe answer is 5. But let me verify",
    "analysisWe need 5 + 7. The answer is 11. But",
    "analysisUser: what is 5 + 7? 11, or",
    f"{HARMONY}<|end|><|start|>assistant<|channel|>analysis<|message|>Wait, 13",
    "<|channel|>analysis<|message|>Maybe the answer is 11",
    *(f"{each.begin}We say 11. But" for each in MARKS if each.cut != "never"),
]


@pytest.mark.parametrize("text", CUT_OFF)
def test_thought_that_was_cut_off_is_no_answer(text):
    thought, said = split_thought(text)
    assert said == ("12" if "final" in text else "")
    assert thought
    for size in (1, 5, len(text)):
        assert split_pieces(cut_into(text, size))[1].strip() == said


PLAIN = [
    "analysis of the sum: it is 12", "analysis: 12", "analysis\nIt is 12.", "analysisResult = 12",
    "analysis", "Analysis of it says 12, as the assistantfinal does.",
    "analysis of gpt-oss: it says assistantfinal before its answer, 12",
    "Here is my thought process: 5 + 7. The answer is 12.", "Here is the answer: 12",
    "I compare a < b, c > d, [1, 2] and <b>12</b>.",
    "Wrap it in `<thinking>` and `</thinking>`, or `[THINK]`: 12.",
    "`<|channel|>analysis<|message|>` begins thought: 12",
    "<details><summary>Sum</summary>12</details>", "<think about it> and the answer is 12",
    "<thinker>12</thinker>", "<reason>5 + 7</reason> 12",
    "a <thinking> amid a line, and no end: 12", "[rethink] 12",
    "The commentary channel says final: 12",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_a_reply_that_has_no_thought_stays_as_it_is(text):
    assert split_thought(text) == ("", text)
    for size in (1, 4, len(text)):
        assert split_pieces(cut_into(text, size)) == ("", text)


def test_words_that_thought_kept_apart_stay_apart():
    assert split_thought("1<think>a</think>2") == ("a", "1\n2")
    assert split_thought(f"{HARMONY}<|end|><|start|>assistant{HARMONY}")[1] == "12\n12"


_ANY = st.sampled_from(
    [each for mark in MARKS for each in (mark.begin, mark.end)]
    + ["`", "\n", " ", "a", "12", "<", "assistant", "<|end|>", "We say", "<|start|>assistant"]
)


@given(st.lists(_ANY, max_size=9).map("".join), st.integers(1, 9))
def test_any_marks_in_pieces_are_split_as_the_whole(text, size):
    thought, said = split_thought(text)
    told = split_pieces(cut_into(text, size))
    assert (told[1].strip(), without_space(told[0])) == (said.strip(), without_space(thought))


@given(st.lists(_ANY, max_size=9).map("".join))
def test_recorded_replies_are_read_as_they_were(text):
    read = separate_recorded_thought(Reply(text=text))
    if not re.search(r"<(think|/think)>", text):
        assert read.text == text


def test_a_reply_of_marks_alone_is_split_at_once():
    began = time.process_time()
    assert split_thought("<think>" * 10_000) == ("<think>" * 9_999, "")
    split_thought("<|channel|>analysis" * 10_000)
    for mark in MARKS:
        split_thought(mark.begin * 10_000)
        split_thought(mark.end + mark.begin * 10_000)
    assert time.process_time() - began < 5


@given(st.lists(st.sampled_from(["<think>", "</think>", "`", "a", " ", "\n"]), max_size=12))
def test_thought_ends_at_the_first_end_after_its_beginning(pieces):
    text = "".join(pieces)
    closed = re.compile(r"(?<!`)<think>(.*?)(?<!`)</think>", re.DOTALL)
    kept = closed.sub("", text)
    ends = list(re.finditer(r"(?<!`)</think>", kept))
    begin = ends[-1].end() if ends else 0
    cut = re.compile(r"(?:\A|\n)[ \t]*(?<!`)<think>").search(kept[begin:])
    said = kept[begin:][: cut.start()] if cut else kept[begin:]
    thought = "".join(
        [*closed.findall(text), kept[:begin], kept[begin:][cut.end() :] if cut else ""]
    )
    if ends or cut or kept != text:
        told = split_thought(text)
        assert told[1].replace("\n", "") == said.strip().replace("\n", "")
        assert told[0].count("a") == thought.count("a")
    else:
        assert split_thought(text) == ("", text)
