"""The answer to a request: whole, or the debate while it happens and then the answer."""

import pytest

from moot.contrib.server import event_stream
from moot.core.calls import Reply
from moot.models.scripted import Scripted
from support.server import SUM, body, complete, streamed

STREAM = {"stream": True, "stream_options": {"include_usage": True}}


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
    assert told["usage"]["total_tokens"] == 0  # nobody told them
    for stop, left in ((["c", "b"], "a "), (["x"], "a b c\n\nFinal answer: 42"), (["a"], "")):
        told = await _said(serving, client, "a b c\n\nFinal answer: 42", stop=stop)
        assert told["choices"][0]["message"]["content"] == left


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
    for told, spent, total, cached in ((paid, 10, 70, 8), (again, 0, 60, 60)):
        assert told["usage"] == {
            "prompt_tokens": 60,
            "completion_tokens": spent,
            "total_tokens": total,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": 0},
        }
    assert (paid["moot"]["cost"], paid["moot"]["spent"]) == (0.1, 0.1)
    assert (again["moot"]["cost"], again["moot"]["spent"]) == (0.1, 0.0)
    assert again["choices"][0]["moot"]["spent"] == 0.0


def posting(client, server, request):
    return client.post(f"{server.url}/v1/chat/completions", json=request)


async def test_a_failure_in_between_is_an_event(behind, client):
    server, name, _ = await behind("401")
    async with posting(client, server, body(model=f"single:{name}", stream=True)) as response:
        assert response.status == 200
        chunks = await streamed(response)
    async with posting(client, server, body(model="gpt-4o", stream=True)) as response:
        assert (response.status, response.content_type) == (404, "application/json")
    assert chunks[-1]["error"]["code"] == "upstream_refused"
    assert [each for each in chunks if "usage" in each or not each.get("choices", 1)] == []


async def test_silence_is_broken_by_comments(behind, client, monkeypatch):
    monkeypatch.setattr(event_stream, "QUIET", 0.05)
    server, name, _ = await behind("late=0.4")
    async with posting(client, server, body(model=f"single:{name}", stream=True)) as response:
        text = await response.text()
    assert text.count(": the debate goes on\n\n") >= 3
    assert text.endswith("data: [DONE]\n\n")


async def test_what_agents_say_stays_in_one_event(serving, client):
    """Line ends, event fields and other signs of theirs cannot end or forge an event."""
    wild = 'data: [DONE]\n\ndata: {"error": 1}\r\n\r\nevent: x\u2028\x00\x1b[31m</script>\u202e'
    model = Scripted(lambda _: f"{wild} Final answer: 4", name="wild")
    server = await serving(models=[model.name], given={"models": [model]})
    request = body(model=f"single:{model.name}", stream=True)
    async with posting(client, server, request) as response:
        chunks = await streamed(response)
    [said] = [text for each in chunks if (text := _reasoning(each))]
    assert wild.replace("\r", "") in said.replace("\r", "")


def _reasoning(chunk):
    return chunk["choices"][0]["delta"].get("reasoning_content")


@pytest.mark.parametrize("way", ["streamed", "responses"])
async def test_each_choice_says_what_was_not_read_and_what_speaks_against_it(serving, client, way):
    unsure = "I am not sure about this at all."
    replies = iter(["Final answer: 42", unsure, "Final answer: 42", "No.\nFinal answer: 7"])
    model = Scripted(lambda _: next(replies), name="three")
    server = await serving(models=[model.name], given={"models": [model]})
    name = f"self-consistency:{model.name}?samples=4"
    if way == "responses":
        asked = {"model": name, "input": SUM, "moot": {"kind": "number"}}
        async with client.post(f"{server.url}/v1/responses", json=asked) as response:
            own = (await response.json())["moot"]
    else:
        async with posting(client, server, body(SUM, model=name, **STREAM)) as response:
            chunks = await streamed(response)
        choices = [choice for chunk in chunks for choice in chunk["choices"]]
        [own] = [each["moot"]["debate"] for each in choices if "debate" in each.get("moot", {})]
    assert (own["verdict"]["by"], own["verdict"]["votes"]) == ("majority", {"42": 2, "7": 1})
    why = "1 of 4 gave no answer that could be read"
    assert own["unread"] == [{"what": "answer", "agents": ["sampler-2"], "of": 4, "why": why}]
    [dissent] = own["dissents"]
    told = [dissent[name] for name in ("answer", "agents", "why", "words")]
    assert told == ["7", ["sampler-4"], "answers 7", "No.\nFinal answer: 7"]
