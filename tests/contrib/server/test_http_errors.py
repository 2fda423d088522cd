"""What clients are told of what went wrong."""

import json

import pytest

from moot.contrib.server.allowance import HourReached
from moot.contrib.server.allowed_names import NotAllowed
from moot.contrib.server.http_errors import refusal_from, refusal_of
from moot.contrib.server.live_debate import InternalFailure, Stopped
from moot.contrib.server.live_debates import Busy
from moot.core import errors
from moot.core.errors import InputError, UnknownName
from moot.core.events import Failed


@pytest.mark.parametrize(
    ("error", "status", "code", "param"),
    [
        (UnknownName("model", "a", ["b"]), 404, "model_not_found", "model"),
        (NotAllowed("model 'a' is not allowed here"), 404, "model_not_found", "model"),
        (NotAllowed("settings that name a file"), 403, "not_allowed", "model"),
        (UnknownName("setting", "a", ["b"]), 400, "invalid_value", "model"),
        (InputError("protocol x: setting top_p = 3: no"), 400, "invalid_value", "top_p"),
        (InputError("choices: two of them are the same"), 400, "invalid_value", "moot.choices"),
        (InputError("question: it is empty"), 400, "invalid_value", "messages"),
        (errors.BudgetReached("no"), 402, "budget_reached", None),
        (HourReached("no", 59.2), 429, "hourly_budget_reached", None),
        (Busy("no", 1.5), 429, "too_many_debates", None),
        (Busy("no", 30, closing=True), 503, "closing", None),
        (Stopped("no"), 503, "stopped", None),
        (errors.StoreError("no"), 503, "store_unavailable", None),
        (InternalFailure("no"), 500, "debate_failed", None),
        (errors.ToolServerDown("no"), 503, "tools_unavailable", None),
        (errors.TransientError("no"), 503, "upstream_unavailable", None),
        (errors.AccessError("no"), 502, "upstream_refused", None),
    ],
)
def test_every_error_has_its_status(error, status, code, param):
    told = refusal_from(error)
    assert (told.status, told.code, told.param) == (status, code, param)
    body = json.loads(told.response().body)["error"]
    assert body.keys() == {"message", "type", "param", "code"}
    assert str(error) in body["message"]


def test_whoever_has_to_wait_is_told_how_long_and_a_mistake_of_a_protocol_is_ours():
    assert refusal_from(HourReached("no", 59.2)).headers == {"retry-after": "60"}
    assert refusal_from(Busy("no", 1.5)).headers == {"retry-after": "2"}
    assert refusal_of(Failed(kind="KeyError", reason="'x'")).status == 500
