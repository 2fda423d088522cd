"""Models behind HTTP in a batch: their lines, and the responses that come for them."""

import msgspec
import pytest

from moot.core.errors import ContextTooLong, RefusedError, TransientError
from moot.models.model_names import load
from support.http_calls import a_call

LONG = {"error": {"message": "maximum context length is 10 tokens", "code": 400}}


@pytest.fixture
def model():
    return load("http://127.0.0.1:9/v1/llama")


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


async def test_system_messages_that_were_refused_go_out_before_the_users(model):
    refusal = {"error": {"message": "System role not supported"}}
    with pytest.raises(TransientError, match="system messages was refused"):
        model.read_batch(a_call("2+2?"), 400, msgspec.json.encode(refusal))
    [message] = msgspec.json.decode(model.batch_body(a_call("2+2?")))["messages"]
    [system, user] = a_call("2+2?").messages
    assert message == {"role": "user", "content": f"{system.content}\n\n{user.content}"}
