"""Documents to quote from, uploaded to a real server: whose they are, and what is refused."""

import asyncio
import base64
import re
from http.cookies import SimpleCookie

import aiohttp
import pytest

from contrib.essays.desk.test_going_on import FEES, PEOPLE
from contrib.essays.desk.test_going_on import form as desk_form
from contrib.server.test_connection import closes
from moot.contrib.server import document_reading
from support.own_documents import BLOG, make_slow_pdf
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
    assert "1 passage; states no author, no title, no year" in page
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


async def test_a_session_is_a_random_cookie_of_which_the_server_has_no_copy(serving):
    server, names = await serving(models=[PEOPLE]), set()
    for _ in range(2):
        async with aiohttp.ClientSession() as own:
            sent = form(("fees.md", FEES), upload="1")
            async with own.post(f"{server.url}/write", data=sent) as answer:
                [cookie] = SimpleCookie(answer.headers["Set-Cookie"]).values()
        assert cookie["httponly"]
        assert cookie["samesite"] == "lax"
        assert len(base64.urlsafe_b64decode(cookie.value)) * 8 == 192
        names.add(cookie.value)
    assert len(names) == 2
    there = [*server.lab.place.rglob("*")]
    assert sum(each.match("files/fees.md") for each in there) == 2
    for name in names:
        assert not [each for each in there if name in str(each)]
        assert not [each for each in there if each.is_file() and name.encode() in each.read_bytes()]


FORM = (
    b"POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
)
PART = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'


async def test_a_form_has_so_many_bytes_and_so_much_time(serving):
    """10,000 bytes here: they have 0.2 s, at 50 kB a second, beside the pause that may be."""
    limits = {"limits": {"body": 5000, "idle": 0.4}, "uploads": {"total": 5000}}
    server = await serving(models=[PEOPLE], **limits)
    seconds, said = await closes(server, FORM + b"Content-Length: 10001\r\n\r\n")  # none was sent
    assert said.split()[1] == b"413"
    chunked = FORM + b"Transfer-Encoding: chunked\r\n\r\n"
    _, said = await closes(server, chunked + b"4000\r\n" + PART.ljust(0x4000, b"x"))
    assert said.split()[1] == b"413"
    slow = b"Content-Length: 9000\r\n\r\n" + PART
    for then, least in ((b"x", 0.5), (b"", 0.3)):
        seconds, said = await closes(server, FORM + slow, then=then)
        assert said.split()[1] == b"408"
        assert least < seconds < least + 1.2
    assert not [*(server.lab.place / "uploads").iterdir()]


async def test_a_server_that_reads_others_says_when_to_come_again(serving, client, monkeypatch):
    monkeypatch.setattr(document_reading, "PROCESSES", 1)
    monkeypatch.setattr(document_reading, "READING", 4.0)
    monkeypatch.setattr(document_reading, "WAIT", 0.2)
    server = await serving(models=[PEOPLE])
    async with aiohttp.ClientSession() as other:
        slow = post(other, server, ("slow.pdf", make_slow_pdf()), status=400, upload="1")
        under_way = asyncio.create_task(slow)
        await asyncio.sleep(0.5)
        page = await post(client, server, ("blog.html", BLOG), status=503, upload="1")
        assert "blog.html: this server reads other documents now; try again in 0.2 s" in page
        assert "slow.pdf: it could not be read within 4 s" in await under_way
    assert listed(await post(client, server, ("blog.html", BLOG), upload="1")) == ["blog.html"]
