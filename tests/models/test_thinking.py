"""Reasoning models behind a real server that answers in the forms of the providers."""

import pytest

from moot.core.errors import InputError, RefusedError
from moot.models.effort import WAYS
from moot.models.endpoint import Endpoint
from moot.models.http import HttpModel
from moot.models.providers import PROVIDERS, Provider
from support.http_calls import KEY, a_call


async def test_a_total_that_is_too_large_is_no_thought_unless_the_endpoint_counts_so(model):
    reply = await model("gemini").reply(a_call())  # at an address of which nothing is known
    assert (reply.completion_tokens, reply.reasoning_tokens) == (8, None)
    reply = await model("xai").reply(a_call())  # it tells just as many reasoning tokens
    assert (reply.completion_tokens, reply.reasoning_tokens) == (30, 22)
    assert {name for name, each in PROVIDERS.items() if each.thought_beside} == {"gemini", "xai"}


@pytest.mark.parametrize("noparam", ["", "+noparam"])
async def test_effort_that_is_refused_is_not_left_out(server, model, noparam):
    made = model(f"ok+refuse=reasoning_effort{noparam}")
    with pytest.raises(RefusedError, match="does not take effort = 'high'") as told:
        await made.reply(a_call(effort="high"))
    assert KEY not in str(told.value)
    assert len(server.seen) == 1
    assert (await made.reply(a_call())).text  # without effort nothing is refused


TEMPLATE = {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}}
NO_TEMPLATE = {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}
LOW, NONE = {"reasoning_effort": "low"}, {"reasoning_effort": "none"}
ONLY = {"enable_thinking": True, **LOW}, {"enable_thinking": False, **NONE}
SENT = {
    "reasoning_effort": (LOW, NONE),
    "reasoning": ({"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "none"}}),
    "thinking": ({"thinking": {"type": "enabled"}, **LOW}, {"thinking": {"type": "disabled"}}),
    "template": ({**LOW, **TEMPLATE}, {**NONE, **NO_TEMPLATE}),
    "template-only": tuple({"chat_template_kwargs": each} for each in ONLY),
}


@pytest.mark.parametrize("way", WAYS)
async def test_effort_goes_out_as_the_endpoint_takes_it(server, one_key, way):
    assert b"effort" not in a_call().request()  # replies recorded before are found again
    provider = Provider("own", server.url, effort=way)
    made = HttpModel(Endpoint(provider, provider.address(), "ok", "own/ok"))
    try:
        await made.reply(a_call())
        plain = server.seen[-1]["request"]
        if way == "none":
            with pytest.raises(InputError, match="ignores effort"):
                await made.reply(a_call(effort="low"))
            return
        for effort, more in zip(("low", "none"), SENT[way], strict=True):
            await made.reply(a_call(effort=effort))
            assert server.seen[-1]["request"] == plain | more
    finally:
        await made.close()
