"""Documents to quote from, uploaded to a real server: whose they are, and what is refused."""

import re

import aiohttp
import pytest

from contrib.essays.desk.test_going_on import FEES, PEOPLE
from contrib.essays.desk.test_going_on import form as desk_form
from support.server import page_of, settled

CLIENTS = {name: {"token_env": f"TOKEN_{name.upper()}"} for name in ("ann", "bo")}


def form(*files: tuple[str, bytes], **given) -> aiohttp.FormData:
    return desk_form(*files, **{"protocol": "essay-plan", **given})


async def post(client, server, *files, status=200, **given) -> str:
    async with client.post(f"{server.url}/write", data=form(*files, **given)) as answer:
        page = await answer.text()
        assert answer.status == status, page
        assert ("retry-after" in answer.headers) == (status == 503)
        return page


def listed(page: str) -> list[str]:
    return re.findall(r'name="remove" value="([^"]+)"', page)


async def test_an_essay_quotes_from_them_and_another_session_does_not(serving, client):
    server = await serving(models=[PEOPLE])
    page = await post(client, server, ("../fees.md", FEES), upload="1", **{"set.points": "2"})
    assert listed(page) == ["fees.md"]
    assert 'name="set.points" value="2"' in page
    assert not server.lab.store.runs()
    async with aiohttp.ClientSession() as other:
        assert not listed(await page_of(other, f"{server.url}/write"))
        async with other.post(f"{server.url}/write", data=form()) as answer:
            address = str(answer.url)
        await settled(server)
        assert "fees.md" not in await page_of(other, address)
    async with client.post(f"{server.url}/write", data=form()) as answer:
        address = str(answer.url)
    await settled(server)
    page = await page_of(client, address)
    assert "fees.md:1" in page
    assert "uploads" not in page  # nor where they are on the server
    async with client.get(f"{address.partition('?')[0]}/files/json") as answer:
        assert "uploads" not in await answer.text()


async def test_they_are_removed_by_a_button_and_what_is_posted_at_once_is_used(serving, client):
    server = await serving(models=[PEOPLE])
    async with client.post(f"{server.url}/write", data=form(("fees.md", FEES))) as answer:
        assert answer.url.path.startswith("/essays/")
    await settled(server)
    assert "fees.md:1" in await page_of(client, str(answer.url))
    assert listed(await page_of(client, f"{server.url}/write")) == ["fees.md"]
    assert not listed(await post(client, server, remove="fees.md"))
    assert not [*(server.lab.place / "uploads").iterdir()]


async def test_what_cannot_be_taken_is_told_by_name_and_nothing_begins(serving, client):
    server = await serving(models=[PEOPLE], uploads={"file": 1000, "files": 4})
    files = {
        "large.txt": b"x" * 1001,
        "bad.txt": b"\xff\xfe",
        "damaged.pdf": b"junk",
        "run.exe": b"MZ",
        "good.txt": FEES,
    }
    page = await post(client, server, *files.items(), status=400)
    assert listed(page) == ["good.txt"]
    for told in (
        "large.txt: it has",
        "bad.txt: it is no UTF-8",
        "damaged.pdf: it is",
        "run.exe: no reader",
    ):
        assert told in page, told
    assert "Museums should be free of charge." in page
    assert not server.lab.store.runs()


async def test_a_cookie_is_good_for_its_own_client_alone(serving, client, monkeypatch):
    for name in CLIENTS:
        monkeypatch.setenv(f"TOKEN_{name.upper()}", f"a-long-token-of-{name}")
    server = await serving(models=[PEOPLE], clients=CLIENTS)
    ann, bo = ({"Authorization": f"Bearer a-long-token-of-{name}"} for name in CLIENTS)
    sent = form(("fees.md", FEES), upload="1")
    async with client.post(f"{server.url}/write", data=sent, headers=ann) as answer:
        assert listed(await answer.text()) == ["fees.md"]
    for headers, names in ((ann, ["fees.md"]), (bo, [])):  # the client sends the same cookie
        async with client.get(f"{server.url}/write", headers=headers) as answer:
            assert listed(await answer.text()) == names
    async with client.get(f"{server.url}/write") as answer:
        assert answer.status == 401


@pytest.mark.parametrize("protocol", ["essay-direct", "americano"])
async def test_a_protocol_that_quotes_nothing_says_so(protocol, serving, client):
    server = await serving(models=[PEOPLE])
    page = await post(client, server, ("fees.md", FEES), upload="1", protocol=protocol)
    assert f"{protocol} quotes from no documents; debate-to-write and essay-plan do." in page


async def test_a_server_without_uploads_takes_none(serving, client):
    server = await serving(models=[PEOPLE], uploads={"files": 0})
    assert 'type="file"' not in await page_of(client, f"{server.url}/write")
    assert not listed(await post(client, server, ("fees.md", FEES), upload="1", status=400))
    assert not [*(server.lab.place / "uploads").iterdir()]
