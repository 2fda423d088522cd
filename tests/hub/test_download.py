"""Fetching from a hub: a real server on loopback that cuts, lies, moves and refuses."""

import hashlib

import pytest

from moot.core.errors import InputError
from moot.hub import download as module
from moot.hub.download import HubStatement, ask_hub, download_from_hub
from moot.hub.hub_file import locate_hub_file
from support.hub_server import COMMIT, TOKEN, git_sha1
from support.raw_server import Peer, Raw

BODY = b"GGUF" + bytes(range(256)) * 4096
SHA = hashlib.sha256(BODY).hexdigest()
PLACE = locate_hub_file("someone/some-repo", "Tiny.gguf")
MOVED = locate_hub_file("someone/old-repo", "Tiny.gguf")


@pytest.fixture(autouse=True)
def tiny(server):
    server.bodies["someone/some-repo/Tiny.gguf"] = BODY


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
    assert [(who, how) for who, how, _, _ in server.seen] == [
        ("hub", "HEAD"), ("hub", "GET"), ("storage", "GET"),
    ]  # fmt: skip


async def test_the_token_stays_with_the_hub(server, target):
    await fetch(target)
    assert {(who, token) for who, _, token, _ in server.seen} == {
        ("hub", f"Bearer {TOKEN}"),
        ("storage", None),
    }


async def test_without_a_token_none_is_sent(server, target, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", " ")
    await fetch(target)
    assert {token for _, _, token, _ in server.seen} == {None}


async def test_the_hub_says_hash_and_commit(server):
    assert await ask_hub(PLACE) == HubStatement(SHA, COMMIT)
    assert await ask_hub(MOVED) == HubStatement(SHA, COMMIT)
    server.large, server.commit = False, None
    assert await ask_hub(PLACE) == HubStatement(git_sha1(BODY))


async def test_a_small_file_is_checked_by_its_hash_in_git(server, target):
    server.large = False
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == []
    server.stated = git_sha1(b"another")
    with pytest.raises(InputError, match=f"git SHA-1 {git_sha1(BODY)}, the hub states"):
        await fetch(target.with_name("second"))
    assert names(target) == ["tiny"]


def test_git_hashes_as_git_does(tmp_path):
    (tmp_path / "empty").touch()  # git hash-object /dev/null
    assert HubStatement("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").fits(tmp_path / "empty")
    assert not HubStatement("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").fits(tmp_path / "none")


async def test_a_cut_connection_goes_on_where_it_stopped(server, target):
    server.cuts = [300_000, 200_000]
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == [None, "bytes=300000-", "bytes=500000-"]


async def test_a_later_fetch_goes_on_from_the_part(server, target, part):
    server.cuts = [400_000] + [0] * module._ATTEMPTS
    with pytest.raises(InputError, match=r"broke off .*run it again to go on"):
        await fetch(target)
    assert part.stat().st_size == 400_000
    server.cuts, server.seen = [], []
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == ["bytes=400000-"]


async def test_a_server_without_ranges_is_read_from_the_start(server, target):
    server.cuts, server.ranges = [100_000], False
    await fetch(target)
    assert target.read_bytes() == BODY


async def test_a_whole_part_is_taken_as_it_is(server, target, part):
    part.write_bytes(BODY)
    await fetch(target)
    assert target.read_bytes() == BODY


async def test_another_hash_is_refused_and_nothing_is_left(server, target):
    server.stated = "0" * 64
    with pytest.raises(InputError, match=f"SHA-256 {SHA}, the hub states {'0' * 64}"):
        await fetch(target)
    assert names(target) == []


async def test_a_renamed_repository_is_followed(server, target):
    await fetch(target, MOVED)
    assert target.read_bytes() == BODY


async def test_an_address_of_the_storage_that_expired_is_asked_for_again(server, target):
    server.expired = 2
    await fetch(target)
    assert target.read_bytes() == BODY
    assert server.asked("storage") == [None] * 3


async def test_a_storage_that_refuses_is_not_shown_with_its_signed_address(server, target):
    server.expired = 99
    with pytest.raises(InputError, match="storage answers HTTP 403") as caught:
        await fetch(target)
    assert "sesame" not in str(caught.value)


async def test_a_hub_that_states_no_hash_is_refused(server, target):
    server.stated = "abc"
    with pytest.raises(InputError, match="states no hash"):
        await fetch(target)


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


async def test_a_failing_hub_is_tried_again(server, target):
    server.status = 503
    with pytest.raises(InputError, match="HTTP 503"):
        await fetch(target)
    assert len(server.seen) == module._ATTEMPTS


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
