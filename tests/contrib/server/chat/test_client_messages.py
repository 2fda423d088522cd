"""Tools of a client and images reach the models that take them, as they were sent."""

import itertools

import pytest

from moot.models.scripted import Scripted
from support.chaos import Chaos
from support.server import complete, says, streamed

PLACE = {"type": "object", "properties": {"place": {"type": "string"}}}
FUNCTION = {"name": "get_weather", "description": "The weather in a place.", "parameters": PLACE}
WEATHER = {"type": "function", "function": FUNCTION}
CALL = {"id": "call_1", "type": "function"}
CALL["function"] = {"name": "get_weather", "arguments": '{"place": "Ulm"}'}
QUESTION = {"role": "user", "content": "What is the weather in Ulm?"}
PICTURE = "data:image/png;base64,iVBORw0KGgo="


@pytest.fixture
async def agent(serving):
    model = Scripted(says, name="one")
    return await serving(models=[model.name], given={"models": [model]})


def request(*messages, **more) -> dict:
    asked = {"model": "single:scripted/one", "messages": [*messages], "tools": [WEATHER]}
    return asked | more


async def test_a_call_of_a_tool_comes_back_as_openai_sends_it_and_is_streamed(agent, client):
    status, told = await complete(client, agent, request(QUESTION))
    [choice] = told["choices"]
    assert (status, choice["finish_reason"]) == (200, "tool_calls")
    assert (choice["message"]["tool_calls"], choice["message"]["content"]) == ([CALL], None)
    url = f"{agent.url}/v1/chat/completions"
    async with client.post(url, json=request(QUESTION, stream=True)) as response:
        chunks = await streamed(response)
    parts = [piece for chunk in chunks for piece in chunk["choices"]]
    calls = [each["delta"]["tool_calls"] for each in parts if "tool_calls" in each["delta"]]
    assert calls == [[{"index": 0, **CALL}]]
    assert [each["finish_reason"] for each in parts if each["finish_reason"]] == ["tool_calls"]


async def test_tools_are_sent_as_the_client_sends_them(behind, client):
    server, name, upstream = await behind()
    asked = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    gave = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    more = {"tool_choice": "required", "parallel_tool_calls": False}
    system = {"role": "system", "content": "Be kind."}
    sent = request(system, QUESTION, asked, gave, model=f"single:{name}", **more)
    status, told = await complete(client, server, sent)
    assert status == 200, told
    [seen] = upstream.seen
    assert seen["request"]["messages"] == [system, QUESTION, asked, gave]
    assert seen["request"]["tools"] == [WEATHER]
    assert {name: seen["request"][name] for name in more} == more


async def test_tools_and_images_are_refused_by_name_before_anything_is_paid(serving, client):
    asked = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    gave = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    seen = [picture(), {"role": "assistant", "content": "A cat."}, QUESTION]
    async with Chaos() as upstream:
        name = f"{upstream.url}/ok"
        server = await serving(models=[name, "simulated/crowd"])
        council = request(QUESTION, asked, gave, model=f"council:{name}", tools=[])
        crowd = "the model simulated/crowd is not known to take tools"
        image = {"model": f"single:{name}", "messages": seen}
        for sent, param, told in (
            (council, "messages", "agents of council call no tools"),
            (request(QUESTION, model="single:simulated/crowd"), "tools", crowd),
            (image, "messages[0].content", "known to take images; one that does can be named"),
        ):
            status, found = await complete(client, server, sent)
            assert (status, found["error"]["param"]) == (400, param)
            assert told in found["error"]["message"]
        assert upstream.seen == []


def picture(text="What is it?", url=PICTURE):
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": parts}


@pytest.mark.parametrize("protocol", ["single", "society-of-minds", "council"])
async def test_images_reach_every_agent_of_a_model_that_takes_them(behind, client, protocol):
    server, name, upstream = await behind("ok?images=on")
    messages = [{"role": "system", "content": "Be kind."}, picture()]
    sent = {"model": f"{protocol}:{name}", "messages": messages}
    status, told = await complete(client, server, sent)
    assert status == 200, told
    seen = [each["request"]["messages"] for each in upstream.seen]
    assert seen
    for each in seen:
        user = next(message for message in each if message["role"] == "user")
        image, *texts = user["content"]
        assert image == {"type": "image_url", "image_url": {"url": PICTURE}}
        assert "What is it?" in "".join(part["text"] for part in texts)
        roles = [message["role"] for message in each]
        assert all(one != two for one, two in itertools.pairwise(roles)), roles


async def test_another_image_is_another_question(serving, client):
    model = Scripted(lambda _: "A cat.", name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    runs = set()
    for url in (PICTURE, "https://e.org/cat.png"):
        sent = {"model": "single:scripted/one", "messages": [picture(url=url)]}
        _, told = await complete(client, server, sent)
        runs.add(told["moot"]["run"])
    assert len(runs) == 2
