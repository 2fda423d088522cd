import math

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.texts import replace_surrogates
from moot.ledger.stored_records import encode, storable

ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # lone surrogates too


@given(ANY_TEXT)
def test_encode_takes_any_text_in_any_place(text: str):
    value = {"text": text, "deep": [{"k" + text: (text, 1, None)}]}
    expected = {
        "text": replace_surrogates(text),
        "deep": [{replace_surrogates("k" + text): [replace_surrogates(text), 1, None]}],
    }
    assert msgspec.json.decode(encode(value)) == expected


@given(ANY_TEXT)
def test_any_text_can_be_stored_and_only_surrogates_change(text: str):
    cleaned = replace_surrogates(text)
    cleaned.encode()
    assert replace_surrogates(cleaned) == cleaned
    assert cleaned == text or any("\ud800" <= letter <= "\udfff" for letter in text)
    assert replace_surrogates("a\ud83d\ude00b\ud83d") == "a\U0001f600b\ufffd"


COUNT = st.none() | st.integers() | st.just(10**30)


@given(ANY_TEXT, COUNT, COUNT, st.integers(), st.none() | st.floats(), st.floats())
def test_every_reply_can_be_stored_and_is_given_as_stored(
    text, prompt, completion, cached, cost, seconds
):
    given = Reply(
        text=text,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=cached,
        cost=cost,
        seconds=seconds,
    )
    reply, encoded = storable(given)
    assert msgspec.json.decode(encoded, type=Reply) == reply
    assert reply.cost == cost if cost is not None and math.isfinite(cost) else reply.cost is None
    told = prompt if prompt is not None and 0 <= prompt < 2**53 else None
    assert reply.prompt_tokens == told
