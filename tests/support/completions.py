"""Chat completions as a server makes them: the call of a request, and the reply as JSON."""

import time
from collections.abc import Mapping
from typing import Any

from moot.core.calls import Call, Message, Reply, Sampling

_FINISH = {"filter": "content_filter", "other": "stop"}


def read_call(body: Mapping[str, Any]) -> Call:
    """Return the call that the body of a request asks for; its seed is not read."""
    messages = tuple(Message(each["role"], each["content"]) for each in body["messages"])
    stop = body.get("stop") or ()
    sampling = Sampling(
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        max_tokens=body.get("max_completion_tokens", body.get("max_tokens")),
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
    )
    return Call(model=body["model"], messages=messages, sampling=sampling)


def make_completion(reply: Reply, model: str, name: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": name,
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": reply.text, "refusal": None},
                "finish_reason": _FINISH.get(reply.finish, reply.finish),
            }
        ],
    }
    if reply.thought:
        made["choices"][0]["message"]["reasoning_content"] = reply.thought
    if reply.tokens is not None:
        made["usage"] = {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.tokens,
        }
    return made
