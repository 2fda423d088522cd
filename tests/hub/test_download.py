"""Fetching from a hub: a real server on loopback that cuts, lies, moves and refuses."""

import hashlib

import pytest

from moot.core.errors import InputError
from moot.hub import download as module
from moot.hub.download import HubStatement, ask_hub, download_from_hub
from moot.hub.hub_file import locate_hub_file
from support.hub_server import COMMIT, TOKEN, git_sha1, hub_of
from support.raw_server import Peer, Raw

BODY = b"GGUF" + bytes(range(256)) * 4096
SHA = hashlib.sha256(BODY).hexdigest()
PLACE = locate_hub_file("someone/some-repo", "Tiny.gguf")
MOVED = locate_hub_file("someone/old-repo", "Tiny.gguf")


@pytest.fixture(autouse=True)
async def server(monkeypatch):
    async with hub_of(monkeypatch) as here:
        here.bodies["someone/some-repo/Tiny.gguf"] = BODY
        yield here


@pytest.fixture
def target(tmp_path):
    (tmp_path / "files").mkdir()
    return tmp_path / "files" / "tiny"


@pytest.fixture
def part(target):
    return target.with_name(f"tiny.{SHA[:12]}.part")


async def fetch(target, place=PLACE, stated=None):
    told = []
    await download_from_hub(place, target, lambda *sizes: told.append(sizes), stated)
    return told


def names(target):
    return sorted(each.name for each in target.parent.iterdir())


async def test_a_file_comes_whole_by_way_of_the_storage(server, target):
    told = await fetch(target)
    assert target.read_bytes() == BODY
    assert told[-1] == (len(BODY), len(BODY))
    assert names(target) == ["tiny"]
    assert [each[:3] for each in server.seen] == [
        ("hub", "HEAD", f"Bearer {TOKEN}"),
        ("hub", "GET", f"Bearer {TOKEN}"),
        ("storage", "GET", None),  # the token stays with the hub
    ]


@pytest.mark.parametrize(
    ("state", "place", "ranges"),
    [
        ({"cuts": [300_000, 200_000]}, PLACE, [None, "bytes=300000-", "bytes=500000-"]),
        ({"cuts": [100_000], "ranges": False}, PLACE, [None, "bytes=100000-"]),
        ({"expired": 2}, PLACE, [None] * 3),
        ({}, MOVED, [None]),
    ],
    ids=["cut", "no-ranges", "expired-addresses", "renamed"],
)
async def test_it_comes_whole_all_the_same(server, target, monkeypatch, state, place, ranges):
    """Over broken connections, without ranges, by expired addresses, under another name."""
    monkeypatch.setenv("HF_TOKEN", " ")
    vars(server).update(state)
    await fetch(target, place)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == ranges
    assert {token for _, _, token, _ in server.seen} == {None}


async def test_a_whole_part_is_taken_as_it_is(server, target, part):
    part.write_bytes(BODY)
    await fetch(target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"stated": "0" * 64}, f"SHA-256 {SHA}, the hub states {'0' * 64}"),
        ({"stated": "abc"}, "states no hash"),
        ({"expired": 99}, "storage answers HTTP 403"),
        ({"status": 503}, "HTTP 503"),
    ],
)
async def test_what_is_wrong_is_said_and_nothing_is_left(server, target, state, says):
    vars(server).update(state)
    with pytest.raises(InputError, match=says) as caught:
        await fetch(target)
    assert "sesame" not in str(caught.value)  # the signature of the storage's address
    assert not target.exists()
    if "stated" in state:
        assert names(target) == []
    if "status" in state:
        assert len(server.seen) == module._ATTEMPTS


async def test_the_hub_says_hash_and_commit(server):
    assert await ask_hub(PLACE) == HubStatement(SHA, COMMIT)
    assert await ask_hub(MOVED) == HubStatement(SHA, COMMIT)
    server.large, server.commit = False, None
    assert await ask_hub(PLACE) == HubStatement(git_sha1(BODY))


def test_git_hashes_as_git_does(tmp_path):
    (tmp_path / "empty").touch()
    stated = HubStatement("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")  # hash-object /dev/null
    assert stated.fits(tmp_path / "empty")
    assert not stated.fits(tmp_path / "none")


async def test_a_small_file_is_checked_by_its_hash_in_git(server, target):
    server.large = False
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == []
    server.stated = git_sha1(b"another")
    with pytest.raises(InputError, match=f"git SHA-1 {git_sha1(BODY)}, the hub states"):
        await fetch(target.with_name("second"))
    assert names(target) == ["tiny"]


async def test_a_later_fetch_goes_on_from_the_part(server, target, part):
    server.cuts = [400_000] + [0] * module._ATTEMPTS
    with pytest.raises(InputError, match=r"broke off .*run it again to go on"):
        await fetch(target)
    assert part.stat().st_size == 400_000
    server.cuts, server.seen = [], []
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == ["bytes=400000-"]


@pytest.mark.parametrize(
    ("status", "code", "says"),
    [
        (401, "", "set HF_TOKEN"),
        (403, "", "set HF_TOKEN"),
        (401, "RepoNotFound", "no such repository, or a private one"),
        (403, "GatedRepo", "terms are accepted.*HF_TOKEN"),
        (404, "", "no such file; check name and revision"),
        (404, "EntryNotFound", "no such file at this revision"),
        (404, "RevisionNotFound", "no such revision"),
        (451, "", r"refuses it \(HTTP 451\)$"),
    ],
)
async def test_what_the_hub_refuses_is_said_without_the_token(server, target, status, code, says):
    server.status, server.code = status, code
    with pytest.raises(
        InputError, match=rf"hf:someone/some-repo/Tiny\.gguf@main: .*{says}"
    ) as said:
        await fetch(target)
    assert TOKEN not in str(said.value)
    assert len(server.seen) == 1


async def test_a_hub_that_is_not_there_is_said(server, target, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"cannot be reached \(ClientConnectorError\)"):
        await ask_hub(PLACE)


async def test_two_at_once_do_not_mix_their_bytes(server, target, part):
    with part.open("ab") as held:
        module._lock(held, PLACE)
        with pytest.raises(InputError, match="another process"):
            await fetch(target)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"X-More: 1", "does not state its length, and it has more than 1,000,000 bytes"),
        (b"Content-Encoding: gzip", "sends it packed, as 'gzip'"),
    ],
)
async def test_a_file_without_end_or_packed_is_left(target, monkeypatch, line, why):
    monkeypatch.setattr(module, "_UNSTATED", 1_000_000)

    async def handler(peer: Peer) -> None:
        while True:
            head = await peer.head()
            if head.startswith(b"HEAD"):
                etag = b'ETag: "' + SHA.encode() + b'"\r\n'
                await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n" + etag + b"\r\n")
                continue
            await peer.send(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + line + b"\r\n\r\n"
            )
            while True:
                await peer.send(b"10000\r\n" + bytes(1 << 16) + b"\r\n")

    async with Raw(handler) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.base.removesuffix("/v1"))
        with pytest.raises(InputError, match=why):
            await fetch(target)
    assert not target.exists()


@pytest.mark.parametrize("where", ["file:///etc/passwd", "http://[::", "data:,x", "gopher://x/y"])
async def test_a_hub_that_leads_elsewhere_is_refused(server, target, where):
    server.large, server.stated, server.storage = True, "no hash", where
    with pytest.raises(InputError, match=r"the hub states no hash|cannot be reached"):
        await fetch(target)
    server.stated = ""
    with pytest.raises(InputError, match=r"cannot be reached|broke off|refuses it"):
        await fetch(target)
    assert not target.exists()
