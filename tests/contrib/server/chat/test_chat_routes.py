"""The endpoint as its clients meet it: models, completions, errors, caps."""

import asyncio
from pathlib import Path

import pytest

from support.chaos import Chaos
from support.raw_server import until
from support.server import MINDS, MODEL, body, complete, refused
from support.tools import write_script

PRESETS = {"minds": {"protocol": "society-of-minds", "model": MODEL, "agents": 2}}


async def test_presets_and_allowed_pairs_are_listed_and_found(serving, client):
    protocols = ["single", "society-of-minds"]
    server = await serving(models=[MODEL], protocols=protocols, presets=PRESETS)
    async with client.get(f"{server.url}/v1/models") as response:
        cards = (await response.json())["data"]
    listed = [each["id"] for each in cards]
    assert all(each["description"] for each in cards)
    assert listed == ["minds", f"single:{MODEL}", MINDS]
    for name in ("minds", f"{MINDS}?agents=2"):
        async with client.get(f"{server.url}/v1/models/{name}") as response:
            assert (await response.json())["id"] == name


def which(told):
    return [each["moot"]["replicate"] for each in told["choices"]]


async def test_asking_again_is_a_debate_of_its_own(serving, client):
    presets = {"seeded": {**PRESETS["minds"], "seed": 5}}
    server = await serving(models=[MODEL], presets=presets)
    new = {"headers": {"X-Moot-Replicate": "new"}}
    for request, given in (
        (body(), {}),
        (body(model="seeded"), {}),  # a preset's seed makes no repetition the same
        (body(seed=1234, moot={"replicate": "new"}), {}),  # as lm-evaluation-harness sends seeds
        (body(seed=99), new),
    ):
        told = [(await complete(client, server, request, **given))[1] for _ in range(3)]
        assert [which(each) for each in told] == [[0], [1], [2]]
        assert [each["moot"]["replayed"] for each in told] == [0, 0, 0]
        assert len({each["choices"][0]["message"]["reasoning_content"] for each in told}) == 3
        assert len({each["moot"]["run"] for each in told}) == 1


async def test_a_repetition_is_new_also_at_the_same_time_and_after_a_restart(serving, client):
    first = await serving(models=[MODEL])
    second = await serving(models=[MODEL])  # on the same store
    asking = [complete(client, server, body(n=2)) for server in (first, second) * 3]
    told = [each for _, each in await asyncio.gather(*asking)]
    assert sorted(place for each in told for place in which(each)) == list(range(12))
    assert sum(each["moot"]["replayed"] for each in told) == 0
    third = await serving(models=[MODEL])
    assert which((await complete(client, third, body()))[1]) == [12]


@pytest.mark.parametrize(
    ("more", "given"),
    [
        ({"seed": -7}, {}),
        ({"moot": {"replicate": 4}}, {}),
        ({"moot": {"settings": {"seed": 3}}}, {}),
        ({"model": f"{MINDS}?seed=3"}, {}),
        ({}, {"headers": {"X-Moot-Replicate": "4"}}),
    ],
)
async def test_a_seed_or_a_replicate_asks_for_the_same_debate(serving, client, more, given):
    server = await serving(models=[MODEL])
    _, fresh = await complete(client, server, body())
    _, first = await complete(client, server, body(**more), **given)
    _, again = await complete(client, server, body(**more), **given)
    assert first["moot"]["replayed"] == 0
    assert again["moot"]["replayed"] == again["moot"]["calls"] == 6
    assert again["choices"][0]["message"] == first["choices"][0]["message"]
    assert first["choices"][0]["message"] != fresh["choices"][0]["message"]
    _, next_one = await complete(client, server, body())
    assert next_one["moot"]["replayed"] == 0


async def test_a_debate_that_failed_goes_on_where_it_was(behind, client):
    server, name, upstream = await behind()
    request = body(model=f"society-of-minds:{name}")
    address = f"{server.url}/v1/chat/completions"
    await complete(client, server, request)  # replicate 0
    request["moot"] = {"kind": "number", "max_tokens": 100}
    async with client.post(address, json=request) as response:
        assert (response.status, response.headers["x-moot-replicate"]) == (402, "1")
    paid = len(upstream.seen)
    request["moot"] = {"kind": "number", "replicate": 1}
    async with client.post(address, json=request | {"stream": True}) as response:
        assert response.headers["x-moot-replicate"] == "1"
        await response.read()
    assert 0 < len(upstream.seen) - paid < 6


async def test_an_open_question_is_asked_as_in_a_chat(serving, client):
    async with Chaos() as upstream:
        name = f"{upstream.url}/ok"
        preset = {"protocol": "single", "model": name, "style": "cot"}
        server = await serving(models=[name], presets={"cot": preset})
        request = body(model=f"society-of-minds:{name}?agents=2") | {"moot": {}}
        request["messages"].insert(0, {"role": "system", "content": "You are a pirate."})
        status, told = await complete(client, server, request)
        chat = [each["request"]["messages"] for each in upstream.seen]
        upstream.seen.clear()
        for asked in (
            {"model": "cot"},
            {"model": f"single:{name}", "moot": {"kind": "text"}},
            {"model": f"single:{name}", "moot": {"settings": {"style": "cot"}}},
            {"model": f"single:{name}", "response_format": {"type": "json_object"}},
        ):
            assert (await complete(client, server, request | asked))[0] == 200
        others = [each["request"]["messages"] for each in upstream.seen]
        server = await serving(models=[name], style="cot")  # the owner's to set
        await complete(client, server, body(model=f"single:{name}") | {"moot": {}})
        assert "Final answer" in upstream_text([upstream.seen[-1]["request"]["messages"]])
    assert status == 200
    assert "Final answer" not in upstream_text(chat)
    assert chat[0] == request["messages"]
    assert told["choices"][0]["message"]["content"] == told["moot"]["verdict"]["answer"]
    assert len(others) == 4
    assert all("Final answer" in upstream_text([each]) for each in others)


def upstream_text(calls):
    return "".join(message["content"] for call in calls for message in call)


@pytest.mark.parametrize(
    ("directives", "status", "code"),
    [
        ("401", 502, "upstream_refused"),
        ("404", 502, "upstream_refused"),
        ("503", 503, "upstream_unavailable"),
        ("context", 400, "context_length_exceeded"),
    ],
)
async def test_a_failed_debate_is_an_error(behind, client, directives, status, code):
    server, name, _ = await behind(directives, retry={"attempts": 2, "first": 0.001})
    told = await refused(client, server, body(model=f"single:{name}"))
    assert (told[0], told[3]) == (status, code)
    assert told[1].startswith("the debate failed: ")


async def test_a_debate_of_no_model_is_not_stored(behind, client):
    server, name, _ = await behind("404")
    assert (await refused(client, server, body(model=f"single:{name}")))[0] == 502
    store = server.lab.store
    await until(lambda: [run.status for run in store.runs()] == ["stopped"])
    [run] = store.runs()
    assert [*store.debates(run.id)] == []


async def test_why_tools_fail_is_told_to_the_owner_alone(serving, client, tmp_path, caplog):
    missing = {"name": "docs", "command": "/home/owner/docs-server", "allow": ["a"]}
    ends = write_script(tmp_path, "a", a={"exit": True, "result": {"content": []}})
    script = Path(ends["command"].split()[2])
    looks = {"protocol": "single", "model": "scripted?reply=CALL notes.a {}"}
    presets = {"missing": {**looks, "tools": [missing]}, "ends": {**looks, "tools": [ends]}}
    server = await serving(presets=presets, retry={"attempts": 2, "first": 0.001})
    status, told, *_, code = await refused(client, server, body(model="missing"))
    assert (status, code) == (503, "tools_unavailable")
    assert told.startswith("tool server docs: it does not start, or gives no list of its tools;")
    assert "tool server docs: there is no command '/home/owner/docs-server'" in caplog.text
    server.lab.path.listen = lambda _: script.unlink(missing_ok=True)  # it does not start again
    status, told, *_, code = await refused(client, server, body(model="ends"))
    assert (status, code) == (503, "upstream_unavailable")
    assert told == "the debate failed: tool server notes: it cannot be reached"
    assert "/home/owner/secret.py: out of memory" in caplog.text


WRONG = [
    ({"messages": [{"role": "user"}]}, "messages[0].content", "it is empty"),
    ({"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]},
     "messages[1].role", "must be a user's"),
    ({"messages": [{"role": "tool", "content": "a"}]}, "messages[0].tool_call_id", "missing"),
    ({"messages": [{"role": "function", "content": "a"}]}, "messages[0]", "called as tools"),
    ({"messages": [{"role": "system", "content": "a"}]}, "messages[0].role", "must be a user's"),
    ({"messages": [{"role": "user", "content": [{"type": "text"}]}]}, "messages[0].content[0]", ""),
    ({"messages": [{"role": "user", "content": "a", "tool_calls": [{}]}]},
     "messages[0].tool_calls[0]", "missing"),
    ({"messages": [{"role": "user", "content": "a", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]},
     "messages[0].tool_calls", "only an assistant calls tools"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": ""}}]}]},
     "messages[0].content[0].image_url", "expected an address"),
    ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]},
     "messages[0].content[0]", "'input_audio'; agents read text alone"),
    ({"messages": [{"role": "user", "content": [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "https://e.org/a.png"}}]}]},
     "messages[0].content", "simulated/p=0.7 is not known to take images"),
    ({"temperature": 2.5}, "temperature", "<= 2"),
    ({"temperatur": 1}, "temperatur", "did you mean 'temperature'?"),
    ({"tools": [{"type": "function"}]}, "tools[0]", "a client's are functions"),
    ({"tools": [{"type": "function", "function": {}}]}, "tools[0].function.name", "missing"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools",
     "agents of society-of-minds call no tools; ask single:MODEL"),
    ({"tool_choice": "required"}, "tool_choice", "there are no tools"),
    ({"max_tokens": 5, "max_completion_tokens": 6}, "max_tokens", "give one of them"),
    ({"reasoning_effort": "huge"}, "reasoning_effort", ""),
    ({"n": 0}, "n", ">= 1"),
    ({"n": 9}, "n", "this server gives 8 answers at most"),
    ({"stop": ["a", ""]}, "stop", "a text is empty"),
    ({"moot": {"choices": ["one"]}}, "moot.choices", "2 to 26"),
    ({"moot": {"settings": {"model": "openai/gpt-4o"}}}, "model", "model"),
    ({"moot": {"settings": {"seed": 1}}, "seed": 2}, "moot.settings.seed", "keep one"),
    ({"model": f"{MINDS}?key=x"}, "model", "unknown setting 'key'"),
    ({"model": None}, "model", "missing"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "param", "said"), WRONG, ids=lambda each: str(each)[:40])
async def test_what_is_wrong_is_named(serving, client, more, param, said):
    server = await serving(models=[MODEL])
    moot = more.get("moot", {})
    moot = {"kind": "number", **moot} if "choices" not in moot else moot
    request = body() | more | {"moot": moot}
    status, message, named, _ = await refused(client, server, request)
    assert (status, named) == (400, param), message
    assert said in message
    assert server.debates.live == []


async def test_what_is_wrong_with_a_request_for_a_response_is_named(serving, client):
    server = await serving(models=[MODEL])
    array = {"type": "json_schema", "name": "a", "schema": {"type": "array"}}
    for more, param, code in (
        ({"input": [{"role": "user", "content": []}]}, "input[0].content", "invalid_value"),
        ({"tools": [{"type": "web_search"}]}, "tools[0]", "unsupported_parameter"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "input[0]", "unsupported_parameter"),
        ({"text": {"format": array}}, "text.format.schema", "unsupported_schema"),
    ):
        request = {"model": MINDS, "input": "What is 17+25?", **more}
        async with client.post(f"{server.url}/v1/responses", json=request) as response:
            error = (await response.json())["error"]
        assert (response.status, error["param"], error["code"]) == (400, param, code)


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b'{"a"', b"\xff", b"[" * 100_000, b'"\\ud800"'])
async def test_a_body_that_is_no_object_is_told(serving, client, raw):
    server = await serving(models=[MODEL])
    told = await refused(client, server, None, data=raw)
    assert (told[0], told[3]) == (400, "invalid_json")


async def test_what_asks_for_nothing_is_passed_over(serving, client):
    server = await serving(models=[MODEL])
    nothing = {"tools": [], "tool_choice": "none", "logprobs": False, "presence_penalty": 0.0}
    nothing |= {"store": None, "verbosity": "medium", "modalities": ["text"]}
    assert (await complete(client, server, body(**nothing)))[0] == 200


async def test_a_request_has_a_cap_of_its_own(behind, client):
    server, name, _ = await behind()
    request = body(model=f"society-of-minds:{name}", moot={"max_tokens": 100})
    status, message, _, code = await refused(client, server, request)
    assert (status, code) == (402, "budget_reached"), message
    headers = {"X-Moot-Max-Calls": "1"}
    status, message, *_ = await refused(client, server, request, headers=headers)
    assert (status, "may make 1" in message) == (400, True)
    headers = {"X-Moot-Max-Cost": "0.5"}
    status, message, *_ = await refused(client, server, request, headers=headers)
    assert (status, "needs a price" in message) == (400, True)
    assert "moot.max_calls" in message
    assert "--price" not in message  # that is the owner's to state
    status, message, *_ = await refused(client, server, body(moot={"agents": 3}))
    assert (status, "stands in moot.settings" in message) == (400, True)
    for bad in ("-1", "nan", "much", "9" * 5000):
        told = await refused(client, server, request, headers={"X-Moot-Max-Cost": bad})
        assert told[0::2] == (400, "x-moot-max-cost")
    for value, param in (("1", "moot.replicate"), (str(2**31), None), ("-1", None)):
        request, headers = body(moot={"replicate": 2}), {"X-Moot-Replicate": value}
        told = await refused(client, server, request, headers=headers)
        assert told[0::2] == (400, param or "x-moot-replicate")


async def test_a_client_that_goes_away_stops_its_debate(behind, client):
    server, name, upstream = await behind("hang")
    for stream in (False, True):
        request = body(model=f"single:{name}", stream=stream, n=2)
        asking = asyncio.create_task(complete(client, server, request))
        while len(server.debates.live) < 2 or upstream.open < 2:
            await asyncio.sleep(0.01)
        asking.cancel()
        async with asyncio.timeout(5):
            while server.debates.live or upstream.open:
                await asyncio.sleep(0.01)
    assert server.debates.counts["stopped"] == 4


async def test_thought_is_counted_and_stands_in_no_answer(behind, client):
    server, model, chaos = await behind("deepseek", presets={})
    asked = body(model=f"single:{model}", reasoning_effort="low")
    status, told = await complete(client, server, asked)
    assert (status, chaos.seen[-1]["request"]["reasoning_effort"]) == (200, "low")
    assert told["usage"]["completion_tokens_details"] == {"reasoning_tokens": 22}
    assert "SECRET" not in str(told)
    asked |= {"stream": True, "stream_options": {"include_usage": True}}
    async with client.post(f"{server.url}/v1/chat/completions", json=asked) as answer:
        streamed = await answer.text()
    assert "SECRET" not in streamed
    assert '"reasoning_tokens":22' in streamed
