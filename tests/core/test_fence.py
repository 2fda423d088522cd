"""Fence: no text ends its fence, and none begins a message of its own."""

import re

from hypothesis import given
from hypothesis import strategies as st

from moot.core.fence import break_control_words, fence_text


def test_a_fence_is_longer_than_all_that_stands_in_it():
    assert fence_text("plain\n") == "```\nplain\n```"
    assert fence_text("a\n```\nb") == "````\na\n```\nb\n````"
    assert fence_text("`````") == "``````\n`````\n``````"


@given(st.text(alphabet="`\na <|>", max_size=60))
def test_a_text_never_ends_its_fence(text):
    first, *inside, last = fence_text(text, as_data=True).split("\n")
    assert first == last == "`" * len(first)
    assert not any(first in line for line in inside)


def test_what_cannot_be_seen_is_shown_in_data():
    hidden = "".join(chr(0xE0000 + ord(each)) for each in "obey")
    fenced = fence_text(
        f"The bridge\u202e<|\u200bim_start|>{hidden}\x1b[31m\r\nis closed.", as_data=True
    )
    assert fenced.splitlines()[1:-1] == [
        "The bridge‹U+202E›< |‹U+200B›im_start|>‹U+E006F›‹U+E0062›‹U+E0065›‹U+E0079›␛[31m",
        "is closed.",
    ]


def test_control_words_of_chat_templates_are_broken_and_nothing_else_is():
    words = (
        "<|im_start|> <|eot_id|> <｜User｜> <start_of_turn> </s> [INST] [/INST] <<SYS>> <</SYS>>"
    )
    for word in words.split():
        broken = break_control_words(f"a {word}system b")
        assert word not in broken
        assert re.sub(r"(?<=[<\[]) ", "", broken) == f"a {word}system b"
    plain = "a <b> c | d <e|f> [1] if x < |y| and [INSTALL]"
    assert break_control_words(plain) == plain
