"""Schemas of an answer as SDKs write them, by both addresses: the vote is on numbers."""

import json

import pytest

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from support.answer_schemas import SIBLINGS

SAID = ("5 + 7 is 12.\nFinal answer: 12", "I add: twelve.\n\nFinal answer: 12", "Final answer: 13")


class Samples:
    """Three samples that say 12, 12 and 13, and a clerk who fills in what he is asked for."""

    def __init__(self) -> None:
        self.said, self.filled = 0, []

    def __call__(self, call):
        if call.scene.step == "fill":
            self.filled.append(call)
            return Reply(text='{"answer": 99, "sure": 0.7}', prompt_tokens=7, completion_tokens=3)
        self.said += 1
        return Reply(text=SAID[(self.said - 1) % 3], prompt_tokens=5, completion_tokens=5)


def schema_of(name, *, beside):
    answer, more = SIBLINGS[name]
    properties = {"answer": answer} | ({"sure": {"type": "number"}} if beside else {})
    return {"type": "object", "properties": properties, "required": [*properties], **more}


async def ask(serving, client, schema, *, path, samples):
    model = Scripted(samples, name="one")
    server = await serving(models=[model.name], given={"models": [model]})
    request = {"model": f"self-consistency:{model.name}?samples=3"}
    if path == "responses":
        form = {"type": "json_schema", "name": "a", "schema": schema}
        request |= {"input": "What is 5 + 7?", "text": {"format": form}}
    else:
        form = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
        said = [{"role": "user", "content": "What is 5 + 7?"}]
        request |= {"messages": said, "response_format": form}
    async with client.post(f"{server.url}/v1/{path}", json=request) as response:
        told = await response.json()
        assert response.status == 200, told
    if path == "responses":
        [content] = [each["content"][0] for each in told["output"] if each["type"] == "message"]
        return content.get("text"), content.get("refusal"), told["moot"]
    message = told["choices"][0]["message"]
    return message["content"], message["refusal"], told["moot"]


@pytest.mark.parametrize("path", ["chat/completions", "responses"])
@pytest.mark.parametrize("name", [*SIBLINGS][:3])
async def test_the_answer_of_most_is_the_answer(serving, client, name, path):
    """Beside other fields, too: the clerk who fills them in has no say in it."""
    for beside, more, calls in ((False, {}, 3), (True, {"sure": 0.7}, 4)):
        samples, schema = Samples(), schema_of(name, beside=beside)
        content, refusal, told = await ask(serving, client, schema, path=path, samples=samples)
        assert (json.loads(content), refusal) == ({"answer": 12, **more}, None)
        assert (told["kind"], told["calls"], len(samples.filled)) == ("number", calls, calls - 3)
        verdict = told["verdict"]
        assert (verdict["by"], verdict["votes"]) == ("majority", {"12": 2, "13": 1})


async def test_a_choice_beside_other_fields_is_told_to_the_clerk_in_words(serving, client):
    def says(call):
        if call.scene.step == "fill":
            assert "The answer: blue" in call.messages[-1].content
            return Reply(text='{"answer": "red", "sure": 1}', prompt_tokens=1)
        return Reply(text="Final answer: B", prompt_tokens=1, completion_tokens=1)

    schema = schema_of("plain", beside=True)
    schema["properties"]["answer"] = {"type": "string", "enum": ["red", "blue"]}
    content, _, told = await ask(serving, client, schema, path="chat/completions", samples=says)
    assert (json.loads(content), told["kind"]) == ({"answer": "blue", "sure": 1}, "choice")
