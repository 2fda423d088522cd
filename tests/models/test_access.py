"""One refusal ends its call; the rest ends where the key or the model is at fault."""

import asyncio
import re

import pytest

import moot
from moot.core.errors import AccessError, InputError, ModelError, RefusedError
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


OK, R, A = "ok", "RefusedError", "AccessError"
FINE, BLOCKED, MORE = (200, GOOD), (403, PAGE), refusals.IN_A_ROW - 1


@pytest.mark.parametrize(
    ("answers", "ends", "sent"),
    [
        *(  # one refusal after successes fails its call
            ([FINE, no, FINE, no, FINE], [OK, R, OK, R, OK, OK], 6)
            for no in (
                *(BLOCKED, (403, UNSAFE), (401, NO_KEY), (402, b""), (404, GONE), (429, SPENT)),
            )
        ),
        *(  # so many in a row are final
            ([FINE, no], [OK, *[R] * MORE, *[final] * 4], 2 + MORE)
            for no, final in ((BLOCKED, A), ((402, b""), A), ((404, GONE), "NotFoundError"))
        ),
        ([(401, NO_KEY)], [A] * 3, 1),  # a key that never worked
        ([(404, GONE)], ["NotFoundError"], 1),
        ([BLOCKED, FINE], [R, OK], 2),  # a page before any success says nothing of the key
    ],
)
async def test_what_a_refusal_ends(answers, ends, sent):
    endpoint = Endpoint(*answers)
    assert await asked(endpoint, len(ends)) == ends
    assert endpoint.asked == sent


async def test_after_a_while_one_call_finds_out_whether_it_is_still_so(monkeypatch):
    monkeypatch.setattr(refusals, "AGAIN", 0.0)
    assert await asked(Endpoint((401, NO_KEY), FINE), 3) == [A, OK, OK]


async def run(endpoint: Endpoint, folder, options: str = "") -> moot.Outcome:
    """A run of 100 questions."""
    async with Raw(endpoint) as server:
        study = {"name": "refused", "arms": [{"protocol": "single"}]}
        study |= {"datasets": [{"name": "arithmetic", "n": 100}]}
        study |= {"settings": {"model": f"{server.base}/m{options}"}}
        return await moot.run(study, store=folder)


async def test_a_run_goes_on_after_a_refusal(tmp_path):
    """49 good calls, a firewall's page, and the rest: 1 of 100 debates fails."""
    outcome = await run(Endpoint(*[FINE] * 49, BLOCKED, FINE), tmp_path)
    assert (outcome.done, outcome.failed, outcome.stopped) == (100, 1, None)
    [reason] = outcome.reasons
    assert re.search("403: a web page: Request blocked Att.*…", reason)
    assert "firewall" in reason
    assert "the key in" not in reason
    assert len(reason) < 400


async def test_a_run_ends_when_its_key_is_withdrawn(tmp_path):
    endpoint = Endpoint(*[FINE] * 49, (401, NO_KEY))
    with pytest.raises(InputError, match=r"the last 5 calls in a row; the run stops here"):
        await run(endpoint, tmp_path, "?concurrency=4")
    assert endpoint.asked <= 49 + 4 + refusals.IN_A_ROW
