"""Every parameter is honoured, refused or without effect, as the table in the docs says."""

import re
from pathlib import Path

import msgspec
import pytest

from moot.contrib.server.chat.schema import REQUESTS
from moot.core.calls import Reply
from moot.models.scripted import Scripted

DOCS = Path(__file__).parents[4] / "docs" / "serve.md"
PATHS = ("/v1/chat/completions", "/v1/responses")
QUESTION = [{"role": "user", "content": "What is 3 + 4?"}]
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {}}}
FORMAT = {"type": "json_object"}

SAMPLES = {
    "audio": {"voice": "alloy", "format": "mp3"}, "background": True,
    "context_management": [{"type": "compaction"}], "conversation": "conv_1",
    "frequency_penalty": 0.5, "function_call": {"name": "f"}, "functions": [TOOL],
    "include": ["reasoning.encrypted_content"], "input": "What is 5 + 4?",
    "instructions": "Be brief.", "logit_bias": {"50256": -100}, "logprobs": True,
    "max_completion_tokens": 50, "max_output_tokens": 50, "max_tokens": 50, "max_tool_calls": 2,
    "messages": [{"role": "system", "content": "Be brief."}, *QUESTION], "metadata": {"who": "me"},
    "modalities": ["text", "audio"], "model": "single:scripted/two", "moot": {"kind": "number"},
    "n": 2, "parallel_tool_calls": False, "prediction": {"type": "content", "content": "7"},
    "presence_penalty": 0.5, "previous_response_id": "resp_1", "prompt": {"id": "pmpt_1"},
    "prompt_cache_key": "me", "prompt_cache_retention": "24h", "reasoning": {"effort": "low"},
    "reasoning_effort": "low", "response_format": FORMAT, "safety_identifier": "me", "seed": 7,
    "service_tier": "flex", "stop": ["seven"], "store": True, "stream": True,
    "stream_options": {"include_usage": True}, "temperature": 0.25, "text": {"format": FORMAT},
    "tool_choice": "required", "tools": [{"type": "function", "function": TOOL, **TOOL}],
    "top_logprobs": 3, "top_p": 0.5, "truncation": "auto", "user": "me", "verbosity": "low",
    "web_search_options": {},
}  # fmt: skip
WITH = {
    "parallel_tool_calls": {"tools": [{"type": "function", "function": TOOL, **TOOL}]},
    "tool_choice": {"tools": [{"type": "function", "function": TOOL, **TOOL}]},
    "stream_options": {"stream": True},
}
"""What a parameter needs beside it to be heard."""


def read_table() -> dict[str, tuple[str, ...]]:
    """What the docs say of each parameter, for either API."""
    text = DOCS.read_text().partition("### Every parameter")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\w– ]+) \| ([\w– ]+) \|$", text, re.MULTILINE)
    return {name: (chat, responses) for name, chat, responses in rows}


TABLE = read_table()


def test_the_table_has_every_parameter_as_it_is():
    for column, (kind, ignored, refused) in enumerate(REQUESTS):
        told = {name: row[column] for name, row in TABLE.items() if row[column] != "–"}
        assert told == {
            **dict.fromkeys(kind.__struct_fields__, "honoured"),
            **dict.fromkeys(ignored, "no effect"),
            **dict.fromkeys(refused, "refused"),
        }
    assert SAMPLES.keys() == TABLE.keys()


@pytest.fixture
async def send(serving, client):
    """Send a request with more parameters; gives the status and what came, without its ids."""
    asked = []

    def says(call):
        asked.append((call.messages, call.sampling))
        return Reply(text="It is seven.", cost=0.0)

    models = [Scripted(says, name=name) for name in ("one", "two")]
    server = await serving(models=[each.name for each in models], given={"models": models})

    async def ask(path, more):
        asked.clear()
        own = {"input": QUESTION[0]["content"]} if path == PATHS[1] else {"messages": QUESTION}
        request = {"model": "single:scripted/one", **own, **more}
        async with client.post(f"{server.url}{path}", json=request) as response:
            text = await response.text()
        text = re.sub(r'"(id|item_id)":"[^"]*"|"created(_at)?":\d+|"seconds":[\d.e-]+', "", text)
        return response.status, re.sub(r'"replicate":\d+', "", text), [*asked]

    return ask


@pytest.mark.parametrize("path", PATHS)
async def test_each_parameter_does_what_the_table_says(send, path):
    for name, row in TABLE.items():
        told, beside = row[PATHS.index(path)], WITH.get(name, {})
        if told in {"refused", "–"}:
            status, text, asked = await send(path, {name: SAMPLES[name]})
            error = msgspec.json.decode(text)["error"]
            code = "unsupported_parameter" if told == "refused" else "unknown_parameter"
            assert (status, error["param"], error["code"], asked) == (400, name, code, [])
            continue
        before = await send(path, beside)
        after = await send(path, {**beside, name: SAMPLES[name]})
        assert (before[0], after[0]) == (200, 200), after[1]
        assert (before == after) == (told == "no effect"), name
