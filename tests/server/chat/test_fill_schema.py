"""Any JSON schema: the debate decides, and a further call puts the verdict into it."""

import json

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from support.server import body, complete, streamed

EVENT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "people": {"type": "array", "items": {"$ref": "#/$defs/person"}, "minItems": 1},
    },
    "required": ["name", "people"],
    "additionalProperties": False,
    "$defs": {"person": {"type": "string", "enum": ["Ann", "Bob"]}},
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "event", "schema": EVENT}}
GOOD = '```json\n{"name": "fair", "people": ["Ann"]}\n```'
BAD = '{"name": "fair", "people": ["Eve"]}'


class Clerk:
    """Agents that say what they think, and a clerk who gives these replies."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), []

    def __call__(self, call):
        if call.scene.step != "fill":
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
    assert "Ann goes to the fair." in call.messages[1].content
    assert "Who goes where?" in call.messages[1].content
    assert call.sampling.schema == EVENT
    assert told["moot"]["calls"] == 5
    assert told["usage"]["prompt_tokens"] == 4 * 5 + 7
    assert told["usage"]["completion_tokens"] == 4 * 5 + 3


async def test_it_is_asked_for_once_more(serving, client):
    clerk = Clerk(BAD, GOOD)
    _, told = await ask(serving, client, clerk)
    assert json.loads(told["choices"][0]["message"]["content"])["people"] == ["Ann"]
    assert "people/0: 'Eve' is not one of ['Ann', 'Bob']" in clerk.asked[1].messages[-1].content
    assert told["moot"]["calls"] == 6


async def test_what_never_fits_is_refused_with_the_verdict(serving, client):
    status, told = await ask(serving, client, Clerk(BAD, "No JSON."))
    message = told["choices"][0]["message"]
    assert status == 200
    assert message["content"] is None
    assert "put into the schema 2 times, and does not fit: it is not JSON" in message["refusal"]
    assert "Ann goes to the fair." in message["refusal"]


async def test_it_is_recorded_and_replayed(serving, client):
    clerk = Clerk(GOOD)
    model = Scripted(clerk, name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    request = body(model=f"single:{model.name}", seed=1) | {"moot": {}, "response_format": FORMAT}
    _, first = await complete(client, server, request)
    _, again = await complete(client, server, request)
    assert again["choices"][0]["message"] == first["choices"][0]["message"]
    assert again["moot"]["replayed"] == again["moot"]["calls"] == 2
    assert len(clerk.asked) == 1


async def test_a_cap_counts_it(serving, client):
    status, told = await ask(serving, client, Clerk(GOOD), moot={"max_calls": 4})
    assert (status, told["error"]["code"]) == (402, "budget_reached")


async def test_a_stream_ends_in_it(serving, client):
    chunks = await ask(serving, client, Clerk(GOOD), stream=True)
    pieces = [piece for chunk in chunks for piece in chunk["choices"]]
    content = "".join(piece["delta"].get("content", "") for piece in pieces)
    assert json.loads(content) == {"name": "fair", "people": ["Ann"]}


async def test_an_answer_alone_takes_no_further_call(serving, client):
    clerk = Clerk()
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}}
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
    _, told = await ask(serving, client, clerk, response_format=form)
    assert "Ann goes" in json.loads(told["choices"][0]["message"]["content"])["answer"]
    assert clerk.asked == []
