"""Tools of a client and images reach the models that take them, as they were sent."""

import itertools

import pytest

from moot.models.model_names import load
from moot.models.scripted import Scripted
from support.chaos import Chaos
from support.server import complete, says, streamed

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a place.",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    },
}
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


async def test_a_call_of_a_tool_comes_back_as_openai_sends_it(agent, client):
    status, told = await complete(client, agent, request(QUESTION))
    [choice] = told["choices"]
    assert status == 200
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"] == [CALL]
    assert choice["message"]["content"] is None


async def test_a_call_of_a_tool_is_streamed(agent, client):
    url = f"{agent.url}/v1/chat/completions"
    async with client.post(url, json=request(QUESTION, stream=True)) as response:
        chunks = await streamed(response)
    parts = [piece for chunk in chunks for piece in chunk["choices"]]
    calls = [each["delta"]["tool_calls"] for each in parts if "tool_calls" in each["delta"]]
    assert calls == [[{"index": 0, **CALL}]]
    assert [each["finish_reason"] for each in parts if each["finish_reason"]] == ["tool_calls"]


async def test_what_a_tool_gave_is_passed_on(agent, client):
    asked = {"role": "assistant", "content": None, "tool_calls": [CALL]}
    gave = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    _, told = await complete(client, agent, request(QUESTION, asked, gave))
    [choice] = told["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("stop", "It is sunny.")
    assert "tool_calls" not in choice["message"]
    after = [asked, gave, {"role": "assistant", "content": "It is sunny."}, QUESTION]
    _, told = await complete(client, agent, request(QUESTION, *after))
    assert told["choices"][0]["finish_reason"] == "stop"


async def test_tools_are_sent_as_the_client_sends_them(serving, client):
    async with Chaos() as upstream:
        name = f"{upstream.url}/ok"
        server = await serving(models=[name])
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


async def test_calls_of_tools_without_the_tools_are_for_single_alone(serving, client):
    model = Scripted(says, name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    asked = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    gave = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    sent = request(QUESTION, asked, gave, model="council:scripted/one", tools=[])
    status, told = await complete(client, server, sent)
    assert (status, told["error"]["param"]) == (400, "messages")
    assert "agents of council call no tools" in told["error"]["message"]


async def test_a_model_that_takes_no_tools_is_named(serving, client):
    server = await serving(models=["simulated/crowd"])
    status, told = await complete(client, server, request(QUESTION, model="single:simulated/crowd"))
    assert (status, told["error"]["param"]) == (400, "tools")
    assert "the model simulated/crowd is not known to take tools" in told["error"]["message"]


def picture(text="What is it?", url=PICTURE):
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": parts}


@pytest.mark.parametrize("protocol", ["single", "society-of-minds", "council"])
async def test_images_reach_every_agent_of_a_model_that_takes_them(serving, client, protocol):
    async with Chaos() as upstream:
        name = f"{upstream.url}/ok?images=on"
        server = await serving(models=[name])
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


async def test_images_are_refused_before_anything_is_paid(serving, client):
    async with Chaos() as upstream:
        name = f"{upstream.url}/ok"
        server = await serving(models=[name])
        earlier = [picture(), {"role": "assistant", "content": "A cat."}]
        messages = [*earlier, {"role": "user", "content": "Sure?"}]
        sent = {"model": f"single:{name}", "messages": messages}
        status, told = await complete(client, server, sent)
        assert upstream.seen == []
    assert (status, told["error"]["param"]) == (400, "messages[0].content")
    assert "is not known to take images; one that does can be named" in told["error"]["message"]


async def test_another_image_is_another_question(serving, client):
    model = Scripted(lambda _: "A cat.", name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    runs = set()
    for url in (PICTURE, "https://e.org/cat.png"):
        sent = {"model": "single:scripted/one", "messages": [picture(url=url)]}
        _, told = await complete(client, server, sent)
        runs.add(told["moot"]["run"])
    assert len(runs) == 2


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        ("openai/gpt-4o-mini", True),
        ("openai/gpt-3.5-turbo", False),
        ("openai/gpt-4o?images=off", False),
        ("anthropic/claude-sonnet-4-5", True),
        ("ollama/llava", False),
        ("ollama/llava?images=on", True),
    ],
)
def test_what_is_known_of_models(model, takes):

    assert load(model).takes_images == takes
