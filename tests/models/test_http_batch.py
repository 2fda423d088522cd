"""Models behind HTTP in a batch: their lines, and the responses that come for them."""

import msgspec
import pytest

from moot.core.errors import ContextTooLong, RefusedError, TransientError
from moot.models.completions import make_completion
from moot.models.model_names import load
from moot.models.scripted import Scripted
from support.http_calls import a_call

FOUR = {"error": {"message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens"}}
LONG = {"error": {"message": "maximum context length is 10 tokens", "code": 400}}


@pytest.fixture
def model():
    return load("http://127.0.0.1:9/v1/llama")


async def test_a_line_has_what_a_request_has(model):
    body = msgspec.json.decode(model.batch_body(a_call(temperature=0.5, max_tokens=7)))
    assert body["model"] == "llama"
    assert (body["temperature"], body["max_tokens"]) == (0.5, 7)
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert "seed" in body


async def test_a_reply_is_read_as_any_other(model):
    given = await Scripted(["four it is"]).reply(a_call())
    body = msgspec.json.encode(make_completion(given, "llama", "c"))
    reply = model.read_batch(a_call(), 200, body)
    assert (reply.text, reply.seconds, reply.cost) == ("four it is", 0.0, None)
    assert reply.tokens == given.tokens


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, {"error": "broken"}, TransientError),
        (429, {"error": {"message": "slow down"}}, TransientError),
        (400, {"error": {"message": "no such thing"}}, RefusedError),
        (400, LONG, ContextTooLong),
        (200, {"choices": []}, TransientError),
    ],
)
async def test_failures_are_those_of_a_call(model, status, body, error):
    with pytest.raises(error) as caught:
        model.read_batch(a_call(), status, msgspec.json.encode(body))
    assert type(caught.value) is error


async def test_a_parameter_that_was_refused_goes_out_under_its_other_name(model):
    call = a_call(max_tokens=7)
    with pytest.raises(TransientError, match="max_tokens was refused"):
        model.read_batch(call, 400, msgspec.json.encode(FOUR))
    body = msgspec.json.decode(model.batch_body(call))
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 7
    with pytest.raises(TransientError):  # the responses to the other lines of that batch
        model.read_batch(call, 400, msgspec.json.encode(FOUR))


async def test_system_messages_that_were_refused_go_out_before_the_users(model):
    refusal = {"error": {"message": "System role not supported"}}
    with pytest.raises(TransientError, match="system messages was refused"):
        model.read_batch(a_call("2+2?"), 400, msgspec.json.encode(refusal))
    [message] = msgspec.json.decode(model.batch_body(a_call("2+2?")))["messages"]
    [system, user] = a_call("2+2?").messages
    assert message == {"role": "user", "content": f"{system.content}\n\n{user.content}"}
