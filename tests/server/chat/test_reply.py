"""The end of a debate as a completion."""

import pytest

from chatting import SUM, body, complete
from moot.core.calls import Reply
from moot.models.scripted import Scripted
from moot.server.chat.reply import cut


@pytest.mark.parametrize(
    ("stop", "left"), [((), "a b c"), (("c", "b"), "a "), (("x",), "a b c"), (("a",), "")]
)
def test_a_text_ends_before_the_first_stop(stop, left):
    assert cut("a b c", stop) == left


async def _said(serving, client, text, finish="stop", **more):
    model = Scripted(lambda _: Reply(text=text, finish=finish), name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    _, told = await complete(client, server, body(SUM, model=f"single:{model.name}", **more))
    return told


async def test_stop_is_for_the_answer(serving, client):
    text = "17 and 25.\nSo it is.\nFinal answer: 42"
    told = await _said(serving, client, text, stop=["So it"])
    assert told["choices"][0]["message"]["content"] == "17 and 25.\n"
    assert told["moot"]["verdict"]["answer"] == "42"


@pytest.mark.parametrize(
    ("text", "finish", "reason", "answer"),
    [
        ("Final answer: 42", "stop", "stop", "42"),
        ("Let me", "length", "length", None),
        ("I had to", "filter", "content_filter", None),
        ("I do not know.", "stop", "stop", None),
    ],
)
async def test_a_finish_is_the_deciding_message_s(serving, client, text, finish, reason, answer):
    told = await _said(serving, client, text, finish)
    assert told["choices"][0]["finish_reason"] == reason
    assert told["choices"][0]["message"]["content"] == text
    assert told["moot"]["verdict"]["answer"] == answer


async def test_tokens_that_nobody_told_count_as_none(serving, client):
    told = await _said(serving, client, "Final answer: 42")
    assert told["usage"]["total_tokens"] == 0
