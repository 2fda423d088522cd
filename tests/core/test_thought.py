"""Hidden thought in a text is told from what the text says."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.thought import ThoughtSplitter, _take_closed, separate_thought, split_thought


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
        ("a</think>b<think>c</think>d", "a\n\nc", "bd"),
        ("Wrap it in `<think>` and `</think>`.", "", "Wrap it in `<think>` and `</think>`."),
        ("a <think> amid a line, and no end", "", "a <think> amid a line, and no end"),
        ("I think> that", "", "I think> that"),
        ("It is 4.</think>", "It is 4.", ""),
    ],
)
def test_thought_is_told_from_the_text(text, thought, said):
    assert split_thought(text) == (thought, said)


_PIECES = st.sampled_from(["<think>", "</think>", "a", "\n", " ", "`", "4"])


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_nothing_between_the_tags_is_in_the_text(text):
    thought, said = split_thought(text)
    if text.startswith("<think>"):
        inside = text.removeprefix("<think>").partition("</think>")[0]
        assert "`" in text or text.count("4") == thought.count("4") + said.count("4")
        assert "`" in text or inside.count("4") <= thought.count("4")
    if "think>" not in text:
        assert (thought, said) == ("", text)


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


@given(st.lists(st.sampled_from(["<think>", "</think>", "`", "a", " ", "\n"]), max_size=12))
def test_thought_ends_at_the_first_end_after_its_beginning(pieces):
    text = "".join(pieces)
    closed = re.compile(r"(?<!`)<think>(.*?)(?<!`)</think>", re.DOTALL)
    assert _take_closed(text) == (closed.findall(text), closed.sub("", text))


def test_a_reply_of_tags_alone_is_split_at_once():
    began = time.perf_counter()
    assert split_thought("<think>" * 20_000) == ("<think>" * 19_999, "")
    split_thought("</think>" + "<think>" * 20_000)
    assert time.perf_counter() - began < 5


def split_pieces(pieces: list[str]) -> tuple[str, str]:
    """The thought and the words that stand after all pieces were told."""
    splitter, told = ThoughtSplitter(), {"thought": "", "text": ""}
    for piece in pieces:
        for kind, text in splitter.split(piece):
            if kind == "restarted":
                told = {"thought": "", "text": ""}
            else:
                told[kind] += text
    return told["thought"], told["text"]


WORDS = st.text("ab <>/\n", max_size=6)


@given(
    st.lists(st.tuples(st.booleans(), WORDS), max_size=5),
    st.booleans(),
    st.integers(1, 9),
)
def test_a_text_in_pieces_is_split_as_the_whole(parts, unopened, size):
    text = "".join(f"<think>{said}</think>" if hidden else said for hidden, said in parts)
    text = f"Hm.</think>{text} It is 4." if unopened else f"{text} It is 4."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    thought, said = split_thought(text)
    told = split_pieces(pieces)
    assert told[1].strip() == said.strip()
    assert re.sub(r"\s", "", told[0]) == re.sub(r"\s", "", thought)


def test_what_may_be_a_tag_waits_and_thought_is_told_as_it_comes():
    splitter = ThoughtSplitter()
    told = [
        list(splitter.split(piece)) for piece in ("It <", "is. <th", "ink>Hm", " 4</", "think>So")
    ]
    assert told == [
        [("text", "It ")],
        [("text", "<is. ")],
        [("thought", "Hm")],
        [("thought", " 4")],
        [("text", "So")],
    ]


def test_words_that_turn_out_to_be_thought_are_told_again():
    splitter = ThoughtSplitter()
    told = [
        each for piece in ("Two", " and two.", "</think>", "4") for each in splitter.split(piece)
    ]
    assert told[2:] == [("restarted", ""), ("thought", "Two and two."), ("text", "4")]
