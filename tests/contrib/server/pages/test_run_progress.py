"""A run that another process holds, as its page sees it."""

import asyncio

import msgspec
import pytest

import moot
from moot.contrib.server.pages.run_progress import run_state
from moot.core.stored import RunRow
from moot.ledger.reader import RecordedProgress
from moot.ledger.store import Store
from support.stored_runs import debates, fill, hold, study


async def sent(client, url):
    """The events of a page, as they are sent."""
    async with client.get(url) as response:
        assert response.content_type == "text/event-stream"
        name = ""
        async for line in response.content:
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                name = text.removeprefix("event: ")
            elif text.startswith("data: "):
                yield name, msgspec.json.decode(text.removeprefix("data: "))


async def test_a_run_in_another_process_is_followed_to_its_end(serving, client, tmp_path):
    process, key = await hold(tmp_path / "store", 60)
    served = await serving()
    told = []
    async with asyncio.timeout(60):
        async for name, data in sent(client, f"{served.url}/runs/{key}/events"):
            told.append((name, data))
    await process.wait()
    assert told[-1][0] == "end"
    counts = [data["debates"] for name, data in told if name == "progress"]
    assert counts == sorted(counts)
    assert counts[-1] == 60
    assert len(set(counts)) > 2
    late = [each async for each in sent(client, f"{served.url}/runs/{key}/events")]
    assert [name for name, _ in late] == ["progress", "end"]  # it ended as the page was on its way
    assert (late[0][1]["debates"], late[0][1]["state"], late[1][1]) == (
        60,
        "done",
        {"name": "done"},
    )
    async with client.get(f"{served.url}/runs/none/events") as response:
        assert response.status == 204


async def test_a_server_that_stops_ends_what_it_streams(serving, client, tmp_path):
    held = await debates(tmp_path / "few", n=2)
    await fill(tmp_path / "store", held, key="open-1", n=2, status="running")
    served = await serving()
    async with Store.open(tmp_path / "store") as running:  # else its process would be gone
        running.begin_run("open-1", "", b"")
        stream = sent(client, f"{served.url}/runs/open-1/events")
        name, data = await anext(stream)
        assert (name, data["debates"]) == ("progress", 4)
        served.debates.closing.set()
        async with asyncio.timeout(5):
            assert [each async for each in stream] == []


@pytest.mark.parametrize(
    ("status", "silent", "name", "words"),
    [
        ("done", 9999, "done", "done"),
        ("stopped", 9999, "stopped", "interrupted before its end"),
        ("running", 5, "running", "running"),
        ("running", 600, "stopped", "interrupted, as it seems: no reply for 10 min"),
        ("running", 3 * 86400, "stopped", "interrupted, as it seems: no reply for 3 days"),
    ],
)
def test_how_a_run_stands(status, silent, name, words):
    study = b'{"name": "a", "arms": [], "baseline": null, "debates": 9}'
    row = RunRow(id=1, key="a", name="a", created=1000.0, status=status, study=study)
    found = run_state(row, RecordedProgress(3, 3, 1000.0), 1000.0 + silent)
    assert (found.name, found.words, found.total) == (name, words, 9)
    assert found.going == (name == "running")


async def test_a_run_that_a_cap_stopped_says_so_until_it_has_gone_on(serving, read, tmp_path):
    store = tmp_path / "store"
    made = study(budget={"calls": 9})
    outcome = await moot.run(made, store=store)
    served = await serving()
    assert outcome.stopped.startswith("stopped at the cap of 9 calls;")
    for page in ("runs", f"runs/{outcome.run}"):
        text = await read(f"{served.url}/{page}")
        assert "stopped at the cap of 9 calls" in text
        assert "stopped: stopped" not in text
    assert "moot run with a higher cap goes on where it stopped" in " ".join(text.split())
    await moot.run(study(), store=store)
    async with asyncio.timeout(60):
        while "stopped at the cap" in await read(f"{served.url}/runs"):  # it may be a second old
            await asyncio.sleep(0.2)
    assert "interrupted" not in await read(f"{served.url}/runs/{outcome.run}")
