"""The list of runs: what was asked and answered, filters, orders, and what was interrupted."""

import asyncio
import html
import re
import signal
import sys

import msgspec
import pytest

from moot.analyses.worth import describe_worth
from moot.contrib.server.pages import runs_page
from moot.contrib.server.pages.archive import RunArchive
from moot.contrib.server.pages.run_list import RunChoice
from moot.contrib.server.pages.run_sentences import RunSentences
from moot.core.events import Transcript
from moot.core.stored import Arm, StudyRow
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.studies.study import ASKED
from support.server import page_of
from support.stored_runs import debates, fill, hold, renamed, reworded, run

SLOW_QUESTION = """
import asyncio, moot
asyncio.run(moot.ask("Will this ever end?", model="simulated/slow?latency=0.7", store={store!r}))
"""


@pytest.fixture
def text_of(client):
    """Read a page: its text, where its status is the one expected."""
    return lambda url, *, status=200: page_of(client, url, status)


async def ask_many(place, held: Transcript, number: int) -> None:
    """Record so many single questions, each a run of its own, the third of ten interrupted."""
    opened = held.opened
    arms = (Arm(name="single", protocol=opened.protocol, settings=dict(opened.settings)),)
    content = msgspec.json.encode(StudyRow(name=ASKED, arms=arms, baseline=None, debates=1))
    values = measure(held)
    async with Store.open(place) as store:
        for each in range(number):
            row = store.begin_run(f"ask-{each}", ASKED, content)
            if each % 10 != 3:
                again = reworded(renamed(held, f"q{each}"), f"Is number {each} prime?")
                await store.save_debate(row.id, "single", "asked", f"q{each}", 0, again, values)
            store.set_status(row.id, "stopped" if each % 10 == 3 else "done", wait=False)
        await store.flush()


CHOSEN = {
    "q=number+11": ["ask-11"],
    "q=NUMBER+1&order=oldest": ["ask-1", "ask-10", "ask-11"],
    "state=stopped": ["ask-3"],
    "state=running": [],
    "order=oldest": [f"ask-{each}" for each in range(12)],
    "order=newest&start=10": ["ask-1", "ask-0"],
}
"""Which runs an address chooses, in which order."""


async def test_single_questions_are_listed_and_chosen(serving, text_of, tmp_path):
    held = (await debates(tmp_path / "few", n=2))["single"][0]
    await ask_many(tmp_path / "store", held, 12)
    served = await serving()
    text = await text_of(f"{served.url}/runs?kind=asked")
    assert "Is number 4 prime?" in text
    assert held.verdict.answer in text
    assert held.opened.settings["model"] in text.replace("&amp;", "&")
    assert "paid $0" in text
    assert text.count("interrupted before its end") == 1
    assert "/debates/ask-4" in text
    for wrong in ("state=%00&order=x&start=-1&q=", f"start={10**20}", "kind=&state=none"):
        await text_of(f"{served.url}/runs?{wrong}")
    for query, keys in CHOSEN.items():
        text = await text_of(f"{served.url}/runs?kind=asked&{query}")
        assert re.findall(r"<span>(ask-\d+)</span>", text) == keys, query


async def test_a_study_is_listed_and_found_by_its_name(serving, text_of, tmp_path):
    outcome = await run(tmp_path / "store", n=5)
    newer = await run(tmp_path / "store", n=6)
    served = await serving()
    text = await text_of(f"{served.url}/runs")
    for held in (outcome, newer):  # what its own page leads with, and the end of moot run
        [sentence, *_] = describe_worth(held.results)
        assert html.escape(sentence) in text
        assert html.escape(sentence) in await text_of(f"{served.url}/runs/{held.run}")
    for page in ("", "/debates", "/settings", "/results"):
        found = await text_of(f"{served.url}/runs/trial{page}")
        assert newer.run in found
        assert outcome.run not in found
    missing = await text_of(f"{served.url}/runs/triall", status=404)
    assert "trial" in missing


@pytest.mark.soak
async def test_what_a_killed_process_ran_is_interrupted(serving, text_of, tmp_path):
    process, key = await hold(tmp_path / "store", 400)
    code = SLOW_QUESTION.format(store=str(tmp_path / "store"))
    asking = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    served = await serving()
    begun = "SELECT 1 FROM replies JOIN runs ON runs.id = run WHERE name = 'ask'"
    async with asyncio.timeout(10):
        while not served.lab.store.query(begun):
            await asyncio.sleep(0.1)
    assert "running" in await text_of(f"{served.url}/runs?kind=asked&state=running")
    for each in (process, asking):
        each.send_signal(signal.SIGKILL)
        await each.wait()
    statuses = dict(served.lab.store.query("SELECT name, status FROM runs"))
    assert set(statuses.values()) == {"running"}  # nothing could say so in the store
    async with asyncio.timeout(20):
        for listed in ("runs?kind=asked", "runs"):
            while "interrupted before its end" not in await text_of(f"{served.url}/{listed}"):
                await asyncio.sleep(0.1)
    asked = await text_of(f"{served.url}/runs?kind=asked")
    assert "Will this ever end?" in asked  # from its first prompt: it has no transcript
    assert "interrupted before its end" in await text_of(f"{served.url}/runs/{key}")
    gone = re.search(r"<span>(ask-\w+)</span>", asked)[1]
    page = await text_of(f"{served.url}/debates/{gone}", status=404)
    assert "This debate was interrupted" in page


async def test_sentences_that_take_long_come_later_and_each_is_computed_once(
    serving, client, text_of, tmp_path, monkeypatch
):
    held = await debates(tmp_path / "few", n=5)
    keys = [f"run-{number}" for number in range(4)]
    for number, key in enumerate(keys):
        await fill(tmp_path / "store", held, key=key, n=20 + number)
    served = await serving()
    known = RunSentences(RunArchive(served.lab.place, served.lab.store))
    lines = (await known.known.get_list()).choose(RunChoice())
    assert await known.read(lines, patient=0.0) == dict.fromkeys(keys[::-1])
    found = await known.read(lines, patient=60.0)
    assert all(found[key] for key in keys)
    assert await known.read(lines, patient=0.0) == found  # at once, as nothing has changed
    monkeypatch.setattr(runs_page, "EARLY", 0.0)
    text = await text_of(f"{served.url}/runs")
    waiting = re.findall(r'data-of="([^"]+)">Its debates are counted …</p>', text)
    assert waiting == keys[::-1]
    assert "list.js" in text
    query = "&".join(f"run={key}" for key in keys)
    async with client.get(f"{served.url}/sentences?{query}&run=none") as response:
        assert await response.json() == found | {"none": ""}  # its page asks no more
    text = await text_of(f"{served.url}/runs")
    assert all(html.escape(sentence) in text for sentence in found.values())
    assert "are counted …" not in text
    assert "list.js" not in text
    lost = lines[0]._replace(id=99)  # deleted since the runs were listed
    assert await known.read([lost], patient=60.0) == {lost.key: ""}
