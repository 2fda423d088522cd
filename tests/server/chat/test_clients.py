"""Programs of others that speak to OpenAI, unchanged, in their own environment."""

import asyncio
import json
import os

import pytest

from support import environments as clients
from support.server import MINDS, MODEL

pytestmark = pytest.mark.slow

OPENAI = """
import asyncio, json, sys
from openai import APIStatusError, AsyncOpenAI, OpenAI

url, model = sys.argv[1:]
asked = dict(model=model, messages=[{"role": "user", "content": "What is 17+25?"}])
asked["extra_body"] = {"moot": {"kind": "number"}}
asked["seed"] = 1
client = OpenAI(base_url=url, api_key="none", max_retries=0)
told = {"models": [each.id for each in client.models.list()]}
told["model"] = client.models.retrieve(model).id
whole = client.chat.completions.create(**asked)
told["sync"] = whole.choices[0].message.content
told["verdict"] = whole.moot["verdict"]["answer"]
told["tokens"] = whole.usage.total_tokens
with client.chat.completions.stream(**asked) as stream:
    told["helper"] = stream.get_final_completion().choices[0].message.content
parsed = client.chat.completions.create(**asked, response_format={"type": "json_object"})
told["json"] = json.loads(parsed.choices[0].message.content)["answer"]
raw = client.chat.completions.with_raw_response.create(**asked, n=2)
told["choices"] = len(raw.parse().choices)
try:
    client.chat.completions.create(**asked, logprobs=True)
except APIStatusError as error:
    told["error"] = [type(error).__name__, error.param, error.code]
try:
    client.chat.completions.create(**asked | {"model": "gpt-4o"})
except APIStatusError as error:
    told["missing"] = [type(error).__name__, error.param, error.code]

async def streamed():
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    told["async"] = (await client.chat.completions.create(**asked)).choices[0].message.content
    more = {"stream": True, "stream_options": {"include_usage": True}}
    content, reasoning = "", 0
    async for chunk in await client.chat.completions.create(**asked, **more):
        for choice in chunk.choices:
            content += choice.delta.content or ""
            reasoning += hasattr(choice.delta, "reasoning_content")
        if chunk.usage:
            told["streamed_tokens"] = chunk.usage.total_tokens
    told["stream"], told["reasoning"] = content, reasoning

asyncio.run(streamed())
print(json.dumps(told))
"""

LANGCHAIN = """
import json, sys
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

url, model = sys.argv[1:]

class Sum(BaseModel):
    answer: int

chat = ChatOpenAI(base_url=url, api_key="none", model=model, max_retries=0, temperature=0.5)
told = {"invoke": chat.invoke("What is 17+25?").content}
told["stream"] = "".join(chunk.content for chunk in chat.stream("What is 17+25?"))
told["batch"] = [each.content for each in chat.batch(["What is 17+25?", "What is 1+2?"])]
whole = chat.invoke([("system", "Be brief."), ("human", "Hello"), ("ai", "Hi"), ("human", "1+1?")])
told["tokens"] = whole.usage_metadata["total_tokens"]
told["structured"] = chat.with_structured_output(Sum, method="json_schema").invoke("1+1?").answer
print(json.dumps(told))
"""

INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

url, model = sys.argv[1:]
samples = [Sample(input=f"What is {a}+1? End with the number.", target=str(a + 1)) for a in (3, 5)]
task = Task(dataset=samples, solver=generate(), scorer=match(numeric=True), epochs=3)
[log] = eval(
    task, model=f"openai-api/moot/{model}", model_base_url=url, model_args={"api_key": "none"},
    log_dir=sys.argv[0] + "-logs", display="none", temperature=0.5, max_tokens=500, max_retries=0,
)
sample = log.samples[0]
said = {}
for each in log.samples:
    said.setdefault(each.id, set()).add(each.output.message.content[0].reasoning)
parts = sample.output.message.content
print(json.dumps({
    "status": log.status,
    "error": log.error and log.error.message,
    "n": len(log.samples),
    "debates": [len(each) for each in said.values()],
    "text": sample.output.message.text,
    "kinds": [part.type for part in parts] if isinstance(parts, list) else [],
    "tokens": sum(usage.total_tokens for usage in log.stats.model_usage.values()),
}))
"""


@pytest.fixture
async def run(serving, tmp_path):
    """Run a script against a server of its own; gives what it prints as JSON."""
    server = await serving(models=[MODEL])

    async def run(script):
        file = tmp_path / "script.py"
        file.write_text(script)
        quiet = {"LANGSMITH_TRACING": "false", "INSPECT_DISPLAY": "none"}
        command = [clients.python(), str(file), f"{server.url}/v1", f"{MINDS}?agents=2"]
        done = await asyncio.create_subprocess_exec(
            *command, env={**os.environ, **quiet}, cwd=tmp_path, stdout=-1, stderr=-1
        )
        async with asyncio.timeout(120):
            out, err = await done.communicate()
        assert done.returncode == 0, err.decode()
        return json.loads(out.splitlines()[-1])

    return run


async def test_the_openai_sdk(run):
    told = await run(OPENAI)
    text = told["sync"]
    assert told["models"][-1].endswith(f":{MODEL}")
    assert told["model"] == f"{MINDS}?agents=2"
    assert text.endswith(f"Final answer: {told['verdict']}")
    assert told["async"] == told["helper"] == told["stream"] == text
    assert told["reasoning"] == 4
    assert told["json"] == told["verdict"]
    assert told["choices"] == 2
    assert told["tokens"] > told["streamed_tokens"] > 0  # replayed replies are not counted
    assert told["error"] == ["BadRequestError", "logprobs", "unsupported_parameter"]
    assert told["missing"] == ["NotFoundError", "model", "model_not_found"]


async def test_langchain(run):
    told = await run(LANGCHAIN)
    assert told["invoke"]
    assert "Final answer" not in told["invoke"]  # an open question is a chat
    assert all([told["stream"], *told["batch"]])
    assert told["tokens"] > 0
    assert isinstance(told["structured"], int)


async def test_inspect(run):
    told = await run(INSPECT)
    assert told["status"] == "success", told["error"]
    assert told["n"] == 2 * 3
    assert told["text"]
    assert told["debates"] == [3, 3]  # of three epochs each
    assert told["kinds"] == ["reasoning", "text"]
    assert told["tokens"] > 0
