"""The front page: a debate of the embedded model, held once; a recorded one where it cannot be."""

import pytest

from moot.contrib.server.pages import front_page
from support.server import SLOW, harmless, page_of, settled


async def test_where_the_model_is_not_allowed_a_recorded_debate_is_shown_and_said_to_be(
    serving, client, monkeypatch
):
    server = await serving(models=[SLOW, "local/smollm2"])
    monkeypatch.setattr(front_page, "find_spec", lambda _name: None)  # without weights
    page = await page_of(client, server.url)
    harmless(page)
    assert "A recorded debate" in page
    assert page.count('<article class="message') == 4
    assert "Verdict" in page
    assert "/debates/" not in page
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


@pytest.mark.soak
async def test_the_embedded_model_debates_once_for_everybody(
    smollm2, serving, browser, tmp_path, monkeypatch
):
    for name, value in (("max_tokens", 12), ("rounds", 1)):  # enough to see words come
        monkeypatch.setitem(front_page.SETTINGS, name, value)
    server = await serving(models=["local/smollm2"])
    async with browser() as tab, browser(java_script_enabled=False, width=390) as late:
        page = tab.page
        page.set_default_timeout(120_000)
        await page.goto(server.url)
        assert "A debate on this machine" in await page.inner_text("main")
        await page.wait_for_selector(".message .prose")
        await late.page.goto(server.url)
        assert await late.page.locator("#debate article").count() >= 2
        await page.wait_for_selector(".result")
        await page.get_by_role("link", name="This debate on a page of its own").click()
        await page.wait_for_selector("text=Ask again")
    [run] = server.lab.store.runs()
    await settled(server)
    assert sum(1 for _ in server.lab.store.debates(run.id)) == 1
    again = await serving(models=["local/smollm2"], store=tmp_path / "store")
    async with browser() as tab:
        await tab.page.goto(again.url)
        await tab.page.wait_for_selector(".result")
        assert "replayed" in await tab.page.inner_text("#m1 footer")
    assert [each.key for each in again.lab.store.runs()] == [run.key]
