"""Pages of errors: in style for browsers, plain for programs, with links to go on by."""

import pytest

from moot.contrib.server.pages import front_page
from support.server import asked, harmless, page_of, settled

HTML = {"Accept": "text/html,*/*"}


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/nope", 404, "There is no such page."),
        ("/runs/none", 404, "There is no such run."),
        ("/debates/none", 404, "There is no such run."),
        ("/debates/x/stop", 405, "This address takes no such request."),
        ("/worth/none", 404, "There is no such study here."),
    ],
)
async def test_browsers_get_a_page_with_a_way_on(path, status, told, serving, client):
    server = await serving()
    page = await page_of(client, server.url + path, status, headers=HTML)
    harmless(page)
    assert told in page
    assert 'href="/ask"' in page
    async with client.get(f"{server.url}/nope", headers={"Accept": "*/*"}) as answer:
        assert answer.headers["content-type"].startswith("text/plain")
    async with client.get(f"{server.url}/v1/nope", headers=HTML) as answer:
        assert (await answer.json())["error"]["code"] == "not_found"


async def test_a_mistake_of_ours_is_a_page_without_its_text(serving, client, monkeypatch):
    async def fail(_request):
        raise RuntimeError("the prompt of somebody")

    monkeypatch.setattr(front_page, "_find_demonstration", fail)
    server = await serving()
    page = await page_of(client, server.url, 500, headers=HTML)
    assert "Something went wrong in moot." in page
    assert "somebody" not in page


async def test_an_unknown_run_links_to_those_there_are(serving, client):
    server = await serving()
    page = await page_of(client, f"{server.url}/runs/none", 404)
    assert '<li><a href="/runs/' not in page
    assert "See the runs" not in await page_of(client, server.url)
    held = await server.debates.start(asked())
    await held.transcript()
    await settled(server)
    server.app.state.archive._list_until = 0.0
    page = await page_of(client, f"{server.url}/runs/none", 404)
    assert f'<li><a href="/runs/{held.run}">What is 3 + 4?' in page
    assert "See the runs" in await page_of(client, server.url)


async def test_browsers_without_a_token_get_a_page_and_are_asked_for_it(
    serving, client, monkeypatch
):
    monkeypatch.setenv("OWNER", "a-token-of-the-owner-alone")
    server = await serving(clients={"owner": {"token_env": "OWNER"}})
    async with client.get(server.url, headers=HTML) as answer:
        assert (answer.status, "needs a token" in await answer.text()) == (401, True)
        assert answer.headers["www-authenticate"].startswith("Basic")
