"""Any JSON schema: the debate decides, and a further call puts the verdict into it."""

import asyncio
import json

import pytest

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from support.server import body, complete, refused, says, streamed

PEOPLE = {"type": "array", "items": {"$ref": "#/$defs/person"}, "minItems": 1}
EVENT = {"type": "object", "properties": {"name": {"type": "string"}, "people": PEOPLE}}
EVENT |= {"required": ["name", "people"], "additionalProperties": False}
EVENT["$defs"] = {"person": {"type": "string", "enum": ["Ann", "Bob"]}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "event", "schema": EVENT}}
GOOD = '```json\n{"name": "fair", "people": ["Ann"]}\n```'
BAD = '{"name": "fair", "people": ["Eve"]}'


class Clerk:
    """Agents that say what they think, and a clerk who gives these replies."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked, self.said = list(replies), [], 0

    def __call__(self, call):
        if call.scene.step != "fill":
            self.said += 1
            return Reply(text="Ann goes to the fair.", prompt_tokens=5, completion_tokens=5)
        self.asked.append(call)
        return Reply(text=self.replies[len(self.asked) - 1], prompt_tokens=7, completion_tokens=3)


async def ask(serving, client, clerk, *, stream=False, **more):
    model = Scripted(clerk, name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    request = body("Who goes where?", model=f"society-of-minds:{model.name}?agents=2")
    request |= {"moot": {}, "response_format": FORMAT, **more}
    if not stream:
        return await complete(client, server, request)
    url = f"{server.url}/v1/chat/completions"
    async with client.post(url, json=request | {"stream": True}) as response:
        return await streamed(response)


async def test_the_verdict_is_put_into_the_schema(serving, client):
    clerk = Clerk(GOOD)
    status, told = await ask(serving, client, clerk)
    assert status == 200
    message = told["choices"][0]["message"]
    assert json.loads(message["content"]) == {"name": "fair", "people": ["Ann"]}
    assert message["refusal"] is None
    [call] = clerk.asked
    chunks = await ask(serving, client, Clerk(GOOD), stream=True)
    pieces = [piece for chunk in chunks for piece in chunk["choices"]]
    assert "".join(piece["delta"].get("content", "") for piece in pieces) == message["content"]
    assert "Ann goes to the fair." in call.messages[1].content
    assert "Who goes where?" in call.messages[1].content
    assert (call.sampling.schema, told["moot"]["calls"]) == (EVENT, 5)
    spent = [told["usage"][f"{name}_tokens"] for name in ("prompt", "completion")]
    assert spent == [4 * 5 + 7, 4 * 5 + 3]


async def test_it_is_asked_for_once_more_and_then_refused_with_the_verdict(serving, client):
    clerk = Clerk(BAD, GOOD)
    _, told = await ask(serving, client, clerk)
    assert json.loads(told["choices"][0]["message"]["content"])["people"] == ["Ann"]
    assert "people/0: 'Eve' is not one of ['Ann', 'Bob']" in clerk.asked[1].messages[-1].content
    assert told["moot"]["calls"] == 6
    status, told = await ask(serving, client, Clerk(BAD, "No JSON."))
    message = told["choices"][0]["message"]
    assert (status, message["content"]) == (200, None)
    assert "put into the schema 2 times, and does not fit: it is not JSON" in message["refusal"]
    assert "Ann goes to the fair." in message["refusal"]


async def test_it_is_recorded_replayed_and_counted_by_a_cap(serving, client):
    clerk = Clerk(GOOD)
    more = {"model": "single:scripted/one", "seed": 1}
    told = [(await ask(serving, client, clerk, **more))[1] for _ in range(2)]
    assert told[0]["choices"][0]["message"] == told[1]["choices"][0]["message"]
    assert told[1]["moot"]["replayed"] == told[1]["moot"]["calls"] == 2
    assert len(clerk.asked) == 1
    status, told = await ask(serving, client, Clerk(BAD), moot={"max_calls": 5})
    assert (status, told["error"]["code"]) == (402, "budget_reached")
    clerk = Clerk(GOOD)
    status, told = await ask(serving, client, clerk, **more | {"moot": {"max_calls": 1}})
    assert (status, clerk.said) == (400, 0)
    assert "1 calls or more, and 1 more to fill in the schema, and" in told["error"]["message"]


async def test_a_reply_that_wants_tools_is_put_into_no_schema(serving, client):
    tool = {"type": "function", "function": {"name": "get_weather", "parameters": {}}}
    more = {"model": "single:scripted/one", "tools": [tool]}
    _, told = await ask(serving, client, says, **more)
    assert (told["choices"][0]["finish_reason"], told["moot"]["calls"]) == ("tool_calls", 1)


@pytest.mark.parametrize("place", [0, 1])
async def test_a_model_fills_it_where_a_person_decided(place, serving, client):
    clerk = Clerk(GOOD)
    model = Scripted(clerk, name="one")
    server = await serving(models=[model.name, "human/*"], given={"models": [model]})
    models = [model.name]
    models.insert(place, "human/ana")
    moot = {"settings": {"models": models, "rounds": 1, "agents": 2}}
    request = body(model=f"society-of-minds:{model.name}") | {"response_format": FORMAT}
    waiting = asyncio.create_task(complete(client, server, request | {"moot": moot}))
    people = server.debates.people
    while not waiting.done():
        for question in people.list_waiting():
            people.answer(question, "Ann goes to the fair.")
        await asyncio.sleep(0.01)
    status, told = await waiting
    assert (status, len(clerk.asked)) == (200, 1), told
    assert json.loads(told["choices"][0]["message"]["content"])["people"] == ["Ann"]
    request = body(model="single:human/ana") | {"moot": {}, "response_format": FORMAT}
    status, message, param, _ = await refused(client, server, request)
    assert (status, param) == (400, "response_format.json_schema")
    assert "only people take part (human/ana)" in message
    assert people.list_waiting() == []
