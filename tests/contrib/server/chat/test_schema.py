"""The OpenAPI description, and whatever a program can make of it."""

import asyncio
import json
import os
import sys

import jsonschema
import pytest

from moot.contrib.server.chat.request import HEADERS, REPLICATE
from moot.contrib.server.chat.schema import REQUESTS, describe_endpoint
from support.server import MODEL, body

PRESET = {"quick": {"protocol": "self-consistency", "model": MODEL, "samples": 2}}

HOOKS = """
import schemathesis

@schemathesis.hook
def map_body(context, body):
    # Nothing made at random names a model that there is, or ends in a question.
    if isinstance(body, dict) and isinstance(body.get("model"), str):
        body["model"] = "quick"
        if len(body) % 3 != 0 and isinstance(body.get("input"), list):
            body["input"] = "What is 17+25?"
        if isinstance(body.get("messages"), list) and len(body) % 3 != 0:
            body["messages"].append({"role": "user", "content": "What is 17+25?"})
    return body
"""


async def test_it_is_served_and_describes_every_route(serving, client):
    server = await serving(models=[MODEL])
    async with client.get(f"{server.url}/openapi.json") as response:
        told = await response.json()
    assert told == json.loads(describe_endpoint())
    for kind, ignored, refused in REQUESTS:
        known = told["components"]["schemas"][kind.__name__]["properties"].keys()
        assert known == {*kind.__struct_fields__, *ignored, *refused}
    for path in ("/v1/chat/completions", "/v1/responses"):
        headers = told["paths"][path]["post"]["parameters"]
        assert {each["name"] for each in headers} == {*HEADERS, REPLICATE}


async def test_an_answer_is_as_described(serving, client):
    server = await serving(models=[MODEL])
    parts = json.loads(describe_endpoint())["components"]
    response = {"model": f"single:{MODEL}", "input": "Who are you?"}
    for name, path, request in (
        ("Completion", "chat/completions", body()),
        ("ErrorBody", "chat/completions", body(n=0)),
        ("ResponseBody", "responses", response),
    ):
        async with client.post(f"{server.url}/v1/{path}", json=request) as answer:
            told = await answer.json()
        schema = {"$ref": f"#/components/schemas/{name}", "components": parts}
        jsonschema.Draft202012Validator(schema).validate(told)


@pytest.mark.soak
async def test_no_request_makes_the_server_fail(serving, tmp_path):
    """schemathesis makes requests of the description, right and wrong ones.

    By one worker: Python 3.11 fails at times where several threads parse Python.
    """
    server = await serving(models=[MODEL], presets=PRESET, limits={"debates": 500})
    (tmp_path / "hooks.py").write_text(HOOKS)
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--max-examples", "60", "--seed", "1", "--phases", "coverage,fuzzing"),
        *("--checks", "not_a_server_error,response_schema_conformance,content_type_conformance"),
        *("--generation-database", "none", "--no-color", "--suppress-health-check", "all"),
    ]
    hooks = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(tmp_path)}
    done = await asyncio.create_subprocess_exec(
        *command, cwd=tmp_path, env=hooks, stdout=-1, stderr=-2
    )
    async with asyncio.timeout(240):
        out, _ = await done.communicate()
    assert done.returncode == 0, out.decode()[-6000:]
    assert server.debates.counts["done"] > 0
