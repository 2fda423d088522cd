"""The figures a server tells of itself."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from moot.contrib.server.live_debates import Busy
from support.server import SLOW, asked


async def figures(server, client):
    async with client.get(f"{server.url}/metrics") as reply:
        assert reply.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = await reply.text()
    samples = (each for family in text_string_to_metric_families(text) for each in family.samples)
    return {(each.name, *each.labels.values()): each.value for each in samples}


async def test_figures_are_a_server_s_own(serving, client, tmp_path):
    other = await serving(store=tmp_path / "other")
    server = await serving(limits={"debates": 1, "queue": 1})
    before = await figures(server, client)
    assert before["moot_calls_total",] == before["moot_debates_total", "done"] == 0
    for _ in range(2):
        await (await server.debates.start(asked(model=SLOW), replicate=0)).transcript()
    held = await server.debates.start(asked(model=SLOW, seed=1))
    waits = await server.debates.start(asked(model=SLOW, seed=2))
    with pytest.raises(Busy):
        await server.debates.start(asked(model=SLOW, seed=2))
    now = await figures(server, client)
    assert now["moot_calls_total",] >= 6
    assert now["moot_calls_replayed_total",] == 6
    assert now["moot_tokens_total", "prompt"] > now["moot_tokens_total", "completion"] > 0
    assert (now["moot_cost_dollars_total",], now["moot_debates_total", "refused"]) == (0, 1)
    assert min(now["moot_debates_total", "done"], now["moot_debate_seconds_count", "done"]) >= 2
    names = {"moot_calls_in_flight", "moot_call_retries_total", "moot_ledger_backlog"}
    assert names < {name for name, *_ in now}
    assert now["moot_debates_in_progress",] == now["moot_debates_waiting",] == 1
    await waits.transcript()
    assert held.done
    assert (await figures(other, client))["moot_calls_total",] == 0


async def test_health(serving, client):
    server = await serving()
    async with client.get(f"{server.url}/healthz") as reply:
        assert await reply.json() == {"status": "ok", "debates": 0, "waiting": 0}
    await server.debates.end()
    with pytest.raises(Busy) as busy:
        await server.debates.start(asked())
    assert busy.value.closing
    async with client.get(f"{server.url}/healthz") as reply:
        assert reply.status == 503
        assert "Retry-After" in reply.headers
