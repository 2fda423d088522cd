"""One refusal ends its call; the rest ends where the key or the model is at fault."""

import asyncio

import pytest

import moot
from moot.core.errors import AccessError, InputError, ModelError, NotFoundError, RefusedError
from moot.models import refusals
from moot.models.model_names import load
from support.http_calls import a_call, only_key
from support.raw_server import Peer, Raw

GOOD = b'{"choices": [{"message": {"content": "The answer is 4."}}]}'
PAGE = b"<html><style>p{}</style><body><h1>Request blocked</h1><p>" + b"Attention! " * 90
NO_KEY = b'{"error": {"message": "Incorrect API key"}}'
UNSAFE = b'{"error": {"message": "not allowed by our usage rules"}}'
GONE = b'{"error": {"message": "no such model"}}'
SPENT = b'{"error": {"message": "pay", "code": "insufficient_quota"}}'


def response(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


class Endpoint:
    """Answers the n-th request by the n-th of these, and all further ones by the last."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self.answers, self.asked = answers, 0

    async def __call__(self, peer: Peer) -> None:
        while True:
            await peer.request()
            number = min(self.asked, len(self.answers) - 1)
            self.asked += 1
            await peer.send(response(*self.answers[number]))


@pytest.fixture(autouse=True)
def key(monkeypatch):
    only_key(monkeypatch)


async def asked(endpoint: Endpoint, calls: int) -> list[str]:
    """What comes of so many calls, one after the other: the classes of their errors."""
    ends = []
    async with Raw(endpoint) as server:
        model = load(f"{server.base}/m")
        for number in range(calls):
            try:
                await model.reply(a_call(str(number)))
                ends.append("ok")
            except ModelError as error:
                ends.append(type(error).__name__)
        await model.close()
    return ends


@pytest.mark.parametrize(
    ("status", "body"),
    [(403, PAGE), (403, UNSAFE), (401, NO_KEY), (402, b""), (404, GONE), (429, SPENT)],
)
async def test_one_refusal_after_successes_fails_its_call(status, body):
    endpoint = Endpoint((200, GOOD), (status, body), (200, GOOD), (status, body), (200, GOOD))
    assert await asked(endpoint, 6) == ["ok", "RefusedError", "ok", "RefusedError", "ok", "ok"]
    assert endpoint.asked == 6


@pytest.mark.parametrize(
    ("status", "body", "final"),
    [(403, PAGE, "AccessError"), (402, b"", "AccessError"), (404, GONE, "NotFoundError")],
)
async def test_refusals_in_a_row_are_final(status, body, final):
    endpoint = Endpoint((200, GOOD), (status, body))
    once, many = ["RefusedError"] * (refusals.IN_A_ROW - 1), [final] * 4
    assert await asked(endpoint, 4 + refusals.IN_A_ROW) == ["ok", *once, *many]
    assert endpoint.asked == 1 + refusals.IN_A_ROW


async def test_a_key_that_never_worked_is_final_at_once():
    endpoint = Endpoint((401, NO_KEY))
    assert await asked(endpoint, 3) == ["AccessError"] * 3
    assert endpoint.asked == 1


async def test_a_page_before_any_success_says_nothing_of_the_key():
    endpoint = Endpoint((403, PAGE), (200, GOOD))
    assert await asked(endpoint, 2) == ["RefusedError", "ok"]


async def test_after_a_while_one_call_finds_out_whether_it_is_still_so(monkeypatch):
    monkeypatch.setattr(refusals, "AGAIN", 0.0)
    endpoint = Endpoint((401, NO_KEY), (200, GOOD))
    assert await asked(endpoint, 3) == ["AccessError", "ok", "ok"]


async def test_what_is_told():
    async with Raw(Endpoint((403, PAGE))) as server:
        model = load(f"{server.base}/m")
        with pytest.raises(
            RefusedError, match=r"403: a web page: Request blocked Att.*…"
        ) as caught:
            await model.reply(a_call())
        await model.close()
    assert "firewall" in str(caught.value)
    assert "the key in" not in str(caught.value)
    assert len(str(caught.value)) < 400


async def test_calls_that_were_sent_together_count_once_and_then_one_goes_at_a_time():
    """A key that is withdrawn loses what is in flight, and IN_A_ROW further calls."""
    flying = most = refused = 0
    both = asyncio.Event()

    async def handler(peer: Peer) -> None:
        nonlocal flying, most, refused
        while True:
            _, body = await peer.request()
            if b"first" in body:
                await peer.send(response(200, GOOD))
                continue
            flying += 1
            if flying == 20:
                both.set()
            await both.wait()
            if refused >= 20:
                most = max(most, flying)
            refused += 1
            await peer.send(response(401, NO_KEY))
            flying -= 1

    async with Raw(handler) as server:
        model = load(f"{server.base}/m")
        await model.reply(a_call("first"))
        together = (model.reply(a_call(str(n))) for n in range(20))
        ends = await asyncio.gather(*together, return_exceptions=True)
        assert [type(each) for each in ends] == [RefusedError] * 20
        more = (model.reply(a_call(f"more {n}")) for n in range(20))
        ends = await asyncio.gather(*more, return_exceptions=True)
        assert [type(each) for each in ends[3:]] == [AccessError] * 17
        assert (refused, most) == (19 + refusals.IN_A_ROW, 1)
        await model.close()


STUDY = {
    "name": "refused",
    "arms": [{"protocol": "single"}],
    "datasets": [{"name": "arithmetic", "n": 100}],
    "settings": {},
}


async def test_a_run_goes_on_after_a_refusal(tmp_path):
    """49 good calls, a firewall's page, and the rest: 1 of 100 debates fails."""
    endpoint = Endpoint(*[(200, GOOD)] * 49, (403, PAGE), (200, GOOD))
    async with Raw(endpoint) as server:
        study = STUDY | {"settings": {"model": f"{server.base}/m"}}
        outcome = await moot.run(study, store=tmp_path)
    assert (outcome.done, outcome.failed, outcome.stopped) == (100, 1, None)
    [reason] = outcome.reasons
    assert "a web page: Request blocked" in reason


async def test_a_run_ends_when_its_key_is_withdrawn(tmp_path):
    endpoint = Endpoint(*[(200, GOOD)] * 49, (401, NO_KEY))
    async with Raw(endpoint) as server:
        study = STUDY | {"settings": {"model": f"{server.base}/m?concurrency=4"}}
        with pytest.raises(InputError, match=r"the last 5 calls in a row; the run stops here"):
            await moot.run(study, store=tmp_path)
    assert endpoint.asked <= 49 + 4 + refusals.IN_A_ROW


async def test_a_model_that_is_not_there_is_told_at_once():
    assert await asked(Endpoint((404, GONE)), 1) == [NotFoundError.__name__]
