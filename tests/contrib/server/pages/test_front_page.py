"""The front page: a debate of the embedded model, held once; a recorded one where it cannot be."""

from moot.contrib.server.pages import front_page
from support.server import SLOW, harmless, page_of, settled


async def test_without_the_model_a_recorded_debate_is_shown(serving, client, monkeypatch):
    server = await serving(models=[SLOW, "local/smollm2"])
    monkeypatch.setattr(front_page, "find_spec", lambda _name: None)  # without weights
    page = await page_of(client, server.url)
    harmless(page)
    told = ("A recorded debate", "Verdict", "/debates/")
    assert [each in page for each in told] == [True, True, False]
    assert page.count('<article class="message') == 4
    assert not server.lab.store.runs()
    for first in ("protocol=single", "path=x"):  # an address of the earlier page to ask
        async with client.get(f"{server.url}/?{first}&question=Is+it%3F") as answer:
            assert answer.url.path == "/ask"
            assert ">Is it?</textarea>" in await answer.text()


async def test_a_demonstration_that_was_stopped_is_held_again(serving, client, monkeypatch):
    monkeypatch.setattr(front_page, "_is_ready", lambda: True)
    monkeypatch.setitem(front_page.SETTINGS, "model", SLOW)
    server = await serving()
    assert "A debate on this machine" in await page_of(client, server.url)
    [live] = server.debates.live
    live.stop()
    await settled(server)
    assert "A recorded debate" in await page_of(client, server.url)
    assert "A debate on this machine" in await page_of(client, server.url)
    await settled(server)
    page = await page_of(client, server.url)
    assert "A debate on this machine" in page
    assert "Verdict" in page
    assert server.debates.counts == {"stopped": 1, "done": 1}
