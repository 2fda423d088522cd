"""What tests of the endpoint have in common."""

import json

SUM = "What is 17+25?"
MODEL = "simulated/p=0.7"
MINDS = f"society-of-minds:{MODEL}"


def body(text=SUM, *, model=MINDS, **more):
    """A request for a debate of this question; a number answers it."""
    moot = {"kind": "number", **more.pop("moot", {})}
    return {"model": model, "messages": [{"role": "user", "content": text}], "moot": moot, **more}


async def complete(client, serving, request, **given):
    """The status and the body of a completion."""
    address = f"{serving.url}/v1/chat/completions"
    async with client.post(address, json=request, **given) as response:
        return response.status, await response.json()


async def refused(client, serving, request, **given):
    """The status of a request that cannot be; of its error the text, the parameter, the code."""
    status, told = await complete(client, serving, request, **given)
    error = told["error"]
    return status, error["message"], error["param"], error["code"]


async def streamed(response):
    """The chunks of a stream, whole; what follows the end is an error."""
    chunks, ended = [], False
    async for line in response.content:
        assert not ended or not line.strip(), line
        if line.startswith(b"data: "):
            data = line.removeprefix(b"data: ").strip()
            ended = data == b"[DONE]"
            if not ended:
                chunks.append(json.loads(data))
    assert ended
    return chunks
