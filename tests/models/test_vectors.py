"""What is sent for an embedding, and the reply that its vector makes."""

import json

import numpy as np
import pytest

from moot.models.chat_format import Unreadable
from moot.models.vectors import decode_vector, read


def response(embedding, **more):
    return json.dumps({"data": [{"embedding": embedding}], **more}).encode()


def test_a_vector_is_had_back_to_the_last_bit():
    row = np.random.default_rng(7).standard_normal(512).astype(np.float32)
    reply = read(response([float(x) for x in row]), 0.5)
    assert decode_vector(reply.text).tobytes() == row.tobytes()
    again = read(response(reply.text), 0.5)
    assert (again.text, reply.seconds) == (reply.text, 0.5)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "total_tokens": 8}, 7),
        ({"total_tokens": 8}, 8),
        *(({"prompt_tokens": odd}, None) for odd in (-1, True, 10**30)),
        *((odd, None) for odd in ("a lot", None)),
    ],
)
def test_tokens_are_those_that_are_told(usage, tokens):
    reply = read(response([1.0], usage=usage), 0.0)
    assert (reply.prompt_tokens, reply.completion_tokens) == (tokens, 0)


@pytest.mark.parametrize(
    "sent",
    [
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": [1e300]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": "a"}],
        [{"index": 0, "embedding": "AAAAAA"}],
        [{"index": 0, "embedding": "AADAfw=="}],  # not a number
        [{"index": 0}],
        "none",
    ],
)
def test_a_vector_that_is_none_is_not_taken(sent):
    with pytest.raises(Unreadable, match="holds no embedding"):
        read(json.dumps({"data": sent}).encode(), 0.0)
