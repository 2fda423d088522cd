"""The end of a debate as a completion."""

import pytest

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from moot.server.chat.reply import cut_at
from support.server import SUM, body, complete, streamed


@pytest.mark.parametrize(
    ("stop", "left"), [((), "a b c"), (("c", "b"), "a "), (("x",), "a b c"), (("a",), "")]
)
def test_a_text_ends_before_the_first_stop(stop, left):
    assert cut_at("a b c", stop) == left


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
    content = told["choices"][0]["message"]["content"]
    none = f"The debate came to no answer. Its last words:\n\nagent: {text}"
    assert content == (text if answer else none)
    assert told["moot"]["verdict"]["answer"] == answer


async def test_replayed_tokens_are_cached_and_not_spent(serving, client):
    reply = Reply(text="Final answer: 42", prompt_tokens=30, completion_tokens=5, cached_tokens=4)

    class Priced(Scripted):
        def cost(self, reply):
            return reply.completion_tokens / 100

    model = Priced(lambda _: reply, name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    request = body(SUM, model=f"self-consistency:{model.name}?samples=2", seed=1)
    _, paid = await complete(client, server, request)
    _, again = await complete(client, server, request)
    assert paid["usage"] == {
        "prompt_tokens": 60,
        "completion_tokens": 10,
        "total_tokens": 70,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    assert again["usage"] == {
        "prompt_tokens": 60,
        "completion_tokens": 0,
        "total_tokens": 60,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    assert (paid["moot"]["cost"], paid["moot"]["spent"]) == (0.1, 0.1)
    assert (again["moot"]["cost"], again["moot"]["spent"]) == (0.1, 0.0)
    assert again["choices"][0]["moot"]["spent"] == 0.0


async def test_no_answer_is_never_an_empty_text(serving, client):
    model = Scripted(lambda call: f"I wonder, says {call.scene.agent}.", name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    request = body(SUM, model=f"society-of-minds:{model.name}?agents=2")
    status, told = await complete(client, server, request)
    said = "The debate came to no answer. Its last words:"
    words = [f"mind-{seat}: I wonder, says mind-{seat}." for seat in (1, 2)]
    assert status == 200
    assert told["choices"][0]["message"]["content"] == "\n\n".join([said, *words])
    async with client.post(
        f"{server.url}/v1/chat/completions", json=request | {"stream": True}
    ) as response:
        pieces = [piece for chunk in await streamed(response) for piece in chunk["choices"]]
    content = "".join(piece["delta"].get("content", "") for piece in pieces)
    assert content == told["choices"][0]["message"]["content"]


async def test_tokens_that_nobody_told_count_as_none(serving, client):
    told = await _said(serving, client, "Final answer: 42")
    assert told["usage"]["total_tokens"] == 0
