import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.texts import replace_surrogates
from moot.ledger.stored_records import encode, storable

ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates too


@given(st.text())
def test_unicode_stays_as_it_is(text: str):
    assert replace_surrogates(text) == text


@given(ANY_TEXT)
def test_any_text_can_be_stored_and_only_surrogates_change(text: str):
    cleaned = replace_surrogates(text)
    cleaned.encode()
    assert replace_surrogates(cleaned) == cleaned
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert cleaned == text


def test_two_halves_that_belong_together_are_joined():
    assert replace_surrogates("a\ud83d\ude00b\ud83d") == "a\U0001f600b\ufffd"


@given(ANY_TEXT)
def test_encode_takes_any_text_in_any_place(text: str):
    value = {"text": text, "deep": [{"k" + text: (text, 1, None)}]}
    expected = {
        "text": replace_surrogates(text),
        "deep": [{replace_surrogates("k" + text): [replace_surrogates(text), 1, None]}],
    }
    assert msgspec.json.decode(encode(value)) == expected


@given(
    ANY_TEXT,
    st.none() | st.integers(),
    st.none() | st.integers(),
    st.integers(),
    st.none() | st.floats(),
    st.floats(),
)
def test_every_reply_can_be_stored_and_is_given_as_stored(
    text: str,
    prompt: int | None,
    completion: int | None,
    cached: int,
    cost: float | None,
    seconds: float,
):
    reply, encoded = storable(
        Reply(
            text=text,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cached_tokens=cached,
            cost=cost,
            seconds=seconds,
        )
    )
    assert msgspec.json.decode(encoded, type=Reply) == reply
    assert reply.cost is None or math.isfinite(reply.cost)
    assert reply.prompt_tokens is None or 0 <= reply.prompt_tokens < 2**53


def test_a_count_beyond_all_measure_is_unknown():
    reply, _ = storable(Reply(text="x", prompt_tokens=10**30, completion_tokens=-1, cost=math.inf))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cost) == (None, None, None)
