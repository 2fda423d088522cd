"""What an HTTP model makes of endpoints that fail, refuse, or send it elsewhere."""

from contextlib import suppress

import pytest

from moot.core.errors import (
    AccessError,
    ContextTooLong,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
)
from support.chaos import Chaos
from support.garbage import find_frames
from support.http_calls import KEY, a_call

PASSING = {
    **{str(s): "it did not work" for s in (408, 409, 425, 429, 500, 502, 503, 504, 529)},
    **dict.fromkeys(("reset", "headcut"), "connection was closed"),
    **dict.fromkeys(("cut", "chunkcut"), "cut off"),
    "nothttp": "not HTTP",
    "html": "not JSON: 502 Bad Gateway$",
    **dict.fromkeys(("malformed", "deep", "nothing"), "not JSON"),
    "list": "no chat completion",
    **dict.fromkeys(("empty", "nochoices", "nullchoices", "nomessage"), "holds no reply"),
    "brokenoff": "broke off",
    "gateway": "429: upstream is busy",
    "code429": "429: upstream is busy",
    "gatewaytext": "upstream is busy",
    "binary": "500: .*no json$",
}


@pytest.mark.parametrize("directive", PASSING)
async def test_what_may_pass_is_transient(server, model, directive):
    one = model(f"{directive}x1")
    with pytest.raises(TransientError, match=PASSING[directive]) as caught:
        await one.reply(a_call())
    assert str(caught.value).startswith(one.name)
    assert caught.value.__context__ is None  # a library's error may carry the request and its key
    assert (await one.reply(a_call())).text
    assert len(server.seen) == 2


REFUSED = {
    "400": (RefusedError, "400: it did not work$"),
    "400+say=max_tokens is too large": (RefusedError, "too large"),
    "code401": (AccessError, "401: no such key"),
    "404": (NotFoundError, r"is the model's name right\?"),
    "405": (RefusedError, "405"),
    "413": (ContextTooLong, "413"),
    "501": (RefusedError, "501"),
    "detail": (RefusedError, r"422: .*body"),
    "context": (ContextTooLong, "maximum context length is 2048"),
    "500+say=the prompt is too long": (ContextTooLong, "too long"),
    "redirect=http://127.0.0.1:1/v1": (RefusedError, "307: the endpoint redirects"),
    "403+say=flagged by moderation": (RefusedError, "flagged"),
    **dict.fromkeys(("401", "403"), (AccessError, "the key in MOOT_API_KEY is not accepted")),
    **dict.fromkeys(("402", "quota"), (AccessError, "the account behind MOOT_API_KEY is used up")),
}


@pytest.mark.parametrize("directive", REFUSED)
async def test_what_will_not_pass_is_refused(server, model, directive):
    kind, says = REFUSED[directive]
    with pytest.raises(ModelError, match=says) as caught:
        await model(directive).reply(a_call())
    assert type(caught.value) is kind
    assert len(server.seen) == 1


@pytest.mark.parametrize("directive", [*PASSING, *REFUSED])
async def test_an_error_leaves_no_work_to_the_garbage_collector(model, directive):
    one = model(f"{directive}x2")
    with pytest.raises(ModelError):  # the first call imports what it needs
        await one.reply(a_call())
    with find_frames() as left, suppress(ModelError):
        await one.reply(a_call())
    assert not left


async def test_without_access_nothing_more_is_sent(server, model):
    one = model("401x1")
    for _ in range(3):
        with pytest.raises(AccessError) as caught:
            await one.reply(a_call())
        assert caught.value.status == 401
    assert len(server.seen) == 1
    await one.close()
    assert (await one.reply(a_call())).text


@pytest.mark.parametrize("directive", ["400+echo", "401+echo", "429+echo", "500+echo", "404+echo"])
async def test_the_key_is_in_no_error(server, model, caplog, directive):
    caplog.set_level("DEBUG")
    one = model(directive)
    with pytest.raises(ModelError) as caught:
        await one.reply(a_call())
    error = caught.value
    assert server.seen[0]["headers"]["authorization"].endswith(KEY)
    assert "Bearer [key" in str(error)
    shown = f"{error!r} {error.args} {vars(error)} {one!r} {one.name} {one.endpoint} {caplog.text}"
    assert KEY[:12] not in shown
    assert "\x1b" not in shown
    assert len(str(error)) < 350


async def test_a_redirect_takes_the_key_nowhere(model):
    async with Chaos() as elsewhere:
        with pytest.raises(RefusedError):
            await model(f"redirect={elsewhere.url}/elsewhere").reply(a_call())
        assert elsewhere.seen == []


@pytest.mark.parametrize(
    ("directive", "low", "high"),
    [
        ("429+after=7", 7, 7),
        ("503+after=0.25", 0.25, 0.25),
        ("429+date", 3, 5),
        ("429", None, None),
    ],
)
async def test_how_long_to_wait_is_read(model, directive, low, high):
    with pytest.raises(TransientError) as caught:
        await model(directive).reply(a_call())
    assert caught.value.status == int(directive[:3])
    wait = caught.value.retry_after
    assert wait is None if low is None else low <= wait <= high
