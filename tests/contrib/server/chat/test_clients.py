"""Programs of others that speak to OpenAI, unchanged, in their own environment."""

import asyncio
import json
import os

import pytest

from moot.models.scripted import Scripted
from support import environments as clients
from support.server import MINDS, MODEL, SLOW, says

pytestmark = pytest.mark.soak

OPENAI = """
import asyncio, json, sys
from openai import AsyncOpenAI, BadRequestError, OpenAI

url, model = sys.argv[1:]
asked = dict(model=model, messages=[{"role": "user", "content": "What is 17+25?"}])
asked["extra_body"] = {"moot": {"kind": "number"}}
asked["seed"] = 1
client = OpenAI(base_url=url, api_key="none", max_retries=0)
whole = client.chat.completions.create(**asked)
told = {"sync": whole.choices[0].message.content}
told["verdict"] = whole.moot["verdict"]["answer"]
told["tokens"] = whole.usage.total_tokens
with client.chat.completions.stream(**asked) as stream:
    told["helper"] = stream.get_final_completion().choices[0].message.content
parsed = client.chat.completions.create(**asked, n=2, response_format={"type": "json_object"})
told["json"] = [json.loads(each.message.content)["answer"] for each in parsed.choices][0]
plain = client.chat.completions.create(**asked, verbosity="medium")
told["plain"] = plain.choices[0].message.content

def refuse(**more):
    try:
        client.chat.completions.create(**asked | more)
    except BadRequestError as error:
        return [error.param, error.body["message"]]

told["refused"] = [
    refuse(verbosity="low"), refuse(n=99),
    refuse(messages=[*asked["messages"], {"role": "assistant", "content": "It is"}]),
]

async def streamed():
    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    more = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = [chunk async for chunk in await client.chat.completions.create(**asked, **more)]
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    told["stream"] = "".join(delta.content or "" for delta in deltas)
    told["reasoning"] = sum(hasattr(delta, "reasoning_content") for delta in deltas)
    told["streamed_tokens"] = chunks[-1].usage.total_tokens

asyncio.run(streamed())
print(json.dumps(told))
"""

RESPONSES = """
import json, sys
from openai import OpenAI
from pydantic import BaseModel

url, model = sys.argv[1:]
single = "single:simulated/slow?latency=0.05"
client = OpenAI(base_url=url, api_key="none", max_retries=0)
asked = dict(model=model, input="What is 17+25?")
asked["extra_body"] = {"moot": {"kind": "number", "replicate": 0}}
told = {}
whole = client.responses.create(**asked)
told["sync"], told["kinds"] = whole.output_text, [item.type for item in whole.output]
told["status"], told["verdict"] = whole.status, whole.moot["verdict"]["answer"]
told["reasoning"] = whole.output[0].summary[0].text
events, text = [], ""
for event in client.responses.create(**asked, stream=True):
    events.append(event.type)
    text += event.delta if event.type == "response.output_text.delta" else ""
    told["numbers"] = told.get("numbers", []) + [event.sequence_number]
told["streamed"], told["events"], told["final"] = text, events, event.response.output_text
chat = dict(model=single, instructions="Be brief.", input=[
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "Who are you?"}]},
])
with client.responses.stream(**chat, extra_body={"moot": {"pieces": True}}) as stream:
    deltas = [event for event in stream]
    told["chat"] = [event.delta for event in deltas if event.type == "response.output_text.delta"]
    told["pieces"] = sum(event.type == "moot.piece" for event in deltas)
    told["chat_whole"] = stream.get_final_response().output_text

class Sum(BaseModel):
    answer: int

parsed = client.responses.parse(model=model, input="1+1?", text_format=Sum)
told["parsed"] = parsed.output_parsed.answer
more = whole.output + [{"role": "user", "content": "Sure?"}]
told["again"] = bool(client.responses.create(model=single, input=more).output_text)


print(json.dumps(told))
"""

TOOLS = """
import json, sys
from openai import OpenAI

url, model = sys.argv[1:]
client = OpenAI(base_url=url, api_key="none", max_retries=0)
tool = {"type": "function", "name": "get_weather"}
tool["parameters"] = {"type": "object", "properties": {}}
asked = dict(model=model, tools=[tool])
told = {}
first = client.responses.create(**asked, input="What is the weather?")
[call] = first.output
told["call"] = [call.type, call.name, call.arguments, call.call_id]
gave = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
question = {"role": "user", "content": "What is the weather?"}
told["answer"] = client.responses.create(**asked, input=[question, call, gave]).output_text
with client.responses.stream(**asked, input="What is the weather?") as stream:
    told["events"] = [event.type for event in stream]
    told["streamed"] = stream.get_final_response().output[0].arguments
chat = [{"type": "function", "function": {"name": "get_weather", "parameters": tool["parameters"]}}]
with client.chat.completions.stream(model=model, tools=chat, messages=[question]) as stream:
    for event in stream:
        pass
    message = stream.get_final_completion().choices[0].message
told["chat"] = [message.tool_calls[0].function.name, message.content]
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
told["structured"] = chat.with_structured_output(Sum, method="json_schema").invoke("1+1?").answer
chat = ChatOpenAI(base_url=url, api_key="none", model=model, max_retries=0, use_responses_api=True)
told["responses"] = "".join(chunk.text for chunk in chat.stream("What is 17+25?"))
print(json.dumps(told))
"""

INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate

url, model = sys.argv[1:]
samples = [Sample(input=f"What is {a}+1?", target=str(a + 1)) for a in (3, 5)]
task = Task(dataset=samples, solver=generate(), scorer=match(numeric=True), epochs=3)
[log] = eval(
    task, model=f"openai-api/moot/{model}", model_base_url=url, model_args={"api_key": "none"},
    log_dir=sys.argv[0] + "-logs", display="none", temperature=0.5, max_tokens=500, max_retries=0,
)
parts = [each.output.message.content for each in log.samples]
print(json.dumps({
    "told": [log.status, log.error and log.error.message],
    "debates": len({(each.id, part[0].reasoning) for each, part in zip(log.samples, parts)}),
    "kinds": [part.type for part in parts[0]],
}))
"""


@pytest.fixture
async def run(serving, tmp_path):
    """Run a script against a server of its own; gives what it prints as JSON."""

    async def run(script, model=None):
        given = {"models": [model]} if model else {}
        server = await serving(models=[model.name] if model else [SLOW, MODEL], given=given)
        name = f"single:{model.name}" if model else f"{MINDS}?agents=2"
        file = tmp_path / "script.py"
        file.write_text(script)
        quiet = {"LANGSMITH_TRACING": "false", "INSPECT_DISPLAY": "none"}
        command = [clients.python(), str(file), f"{server.url}/v1", name]
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
    assert text.endswith(f"Final answer: {told['verdict']}")
    assert told["helper"] == told["stream"] == text
    assert (told["reasoning"], told["json"]) == (4, told["verdict"])
    assert told["plain"] == text
    (verbosity, why), (choices, many), (role, last) = told["refused"]
    assert (verbosity, choices, role) == ("verbosity", "n", "messages[1].role")
    assert "leave it out" in why
    assert "answers at most" in many
    assert "must be a user's" in last
    assert told["tokens"] > told["streamed_tokens"] > 0  # replayed replies are not counted


async def test_the_openai_sdk_s_responses(run):
    told = await run(RESPONSES)
    text = told["sync"]
    assert text.endswith(f"Final answer: {told['verdict']}")
    assert told["streamed"] == told["final"] == text
    assert (told["kinds"], told["status"]) == (["reasoning", "message"], "completed")
    assert told["reasoning"].startswith("mind-1, round 1:")
    assert told["numbers"] == list(range(len(told["events"])))
    assert told["events"][:2] == ["response.created", "response.in_progress"]
    assert told["events"].count("response.reasoning_summary_text.delta") == 4
    assert told["events"][-1] == "response.completed"
    assert len(told["chat"]) > 2  # word by word
    assert "".join(told["chat"]) == told["chat_whole"]
    assert told["pieces"] > 2
    assert isinstance(told["parsed"], int)
    assert told["again"]


async def test_the_openai_sdk_s_tools(run):
    told = await run(TOOLS, Scripted(says, name="one"))
    assert told["call"] == ["function_call", "get_weather", '{"place": "Ulm"}', "call_1"]
    assert (told["answer"], told["streamed"]) == ("It is sunny.", '{"place": "Ulm"}')
    assert "response.function_call_arguments.done" in told["events"]
    assert told["chat"] == ["get_weather", ""]


async def test_langchain(run):
    told = await run(LANGCHAIN)
    assert told["invoke"]
    assert "Final answer" not in told["invoke"]  # an open question is a chat
    assert told["stream"]
    assert told["responses"]
    assert isinstance(told["structured"], int)


async def test_inspect(run):
    told = await run(INSPECT)
    assert told["told"] == ["success", None]
    assert told["debates"] == 2 * 3  # of three epochs each
    assert told["kinds"] == ["reasoning", "text"]
