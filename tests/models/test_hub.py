"""Fetching from a hub: a real server on loopback that cuts, lies, moves and refuses."""

import hashlib
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from moot.core.errors import InputError
from moot.models import hub, weights

BODY = b"GGUF" + bytes(range(256)) * 4096
SHA = hashlib.sha256(BODY).hexdigest()
SOURCE = "hf:someone/some-repo/Tiny.gguf"
FILE = "/someone/some-repo/resolve/main/Tiny.gguf"


class Hub:
    """A hub and, at another port, its storage. What they do wrong is set by the tests."""

    def __init__(self) -> None:
        self.body = BODY
        self.sha = SHA
        self.cuts: list[int] = []
        self.ranges = True
        self.status = 200
        self.seen: list[tuple[str, str, str | None, str | None]] = []
        self.storage = ""

    def note(self, who: str, request: web.Request) -> None:
        headers = request.headers
        self.seen.append((who, request.method, headers.get("Authorization"), headers.get("Range")))

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        self.note("hub", request)
        if self.status != 200:
            return web.Response(status=self.status)
        if request.path != FILE:
            return web.Response(status=404)
        headers = {"X-Linked-Etag": f'"{self.sha}"', "Location": f"{self.storage}/blob?signed=1"}
        return web.Response(status=302, headers=headers)

    async def renamed(self, request: web.Request) -> web.StreamResponse:
        self.note("hub", request)
        return web.Response(status=307, headers={"Location": FILE})

    async def blob(self, request: web.Request) -> web.StreamResponse:
        self.note("storage", request)
        start = request.http_range.start or 0 if self.ranges else 0
        if start >= len(self.body):
            return web.Response(status=416)
        rest = self.body[start:]
        answer = web.StreamResponse(status=206 if start else 200)
        answer.content_length = len(rest)
        await answer.prepare(request)
        if self.cuts:
            await answer.write(rest[: self.cuts.pop(0)])
            assert request.transport
            request.transport.close()
            return answer
        await answer.write(rest)
        return answer


@asynccontextmanager
async def serve(app: web.Application):
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
async def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    here = Hub()
    front, back = web.Application(), web.Application()
    front.router.add_route("*", FILE.replace("some-repo", "old-repo"), here.renamed)
    front.router.add_route("*", "/{rest:.*}", here.resolve)
    back.router.add_get("/blob", here.blob)
    async with serve(back) as storage, serve(front) as address:
        here.storage = storage
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        monkeypatch.setenv("MOOT_CACHE", str(tmp_path / "cache"))
        yield here


def part_of(place: hub.Place) -> Path:
    target = place.under(weights.cache() / "hub")
    target.parent.mkdir(parents=True)
    return target.with_name(f"{target.name}.{SHA[:12]}.part")


def content(entry: weights.Weights) -> bytes:
    return Path(entry.path).read_bytes()


def parts(root: Path) -> list[Path]:
    return list(root.rglob("*.part"))


async def test_a_fetched_file_is_whole_named_and_not_fetched_again(server, tmp_path):
    told = []
    entry = await weights.fetch(SOURCE, lambda *news: told.append(news))
    assert content(entry) == BODY
    assert (entry.name, entry.sha256, entry.origin) == ("tiny", SHA, SOURCE)
    assert told[-1] == (SOURCE, len(BODY), len(BODY))
    assert weights.find("tiny") == entry
    before = len(server.seen)
    assert await weights.fetch(SOURCE) == entry
    assert len(server.seen) == before
    assert parts(tmp_path) == []


async def test_a_name_that_is_taken_is_refused_before_any_request(server, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    weights.add("tiny", other)
    with pytest.raises(InputError, match="is taken by"):
        await weights.fetch(SOURCE)
    assert server.seen == []
    entry = await weights.fetch(SOURCE, name="second")
    assert weights.find("second") == entry


async def test_a_model_that_fetches_tells_the_listener(server):
    told = []
    with weights.telling(lambda *news: told.append(news)):
        await weights.fetch(SOURCE)
    assert told[-1] == (SOURCE, len(BODY), len(BODY))


async def test_the_token_stays_with_the_hub(server):
    await weights.fetch(SOURCE)
    assert {who: token for who, _, token, _ in server.seen} == {
        "hub": "Bearer hf_secret",
        "storage": None,
    }


async def test_a_cut_connection_goes_on_where_it_stopped(server, tmp_path):
    server.cuts = [300_000, 200_000]
    entry = await weights.fetch(SOURCE)
    assert content(entry) == BODY
    asked = [part for who, _, _, part in server.seen if who == "storage"]
    assert asked == [None, "bytes=300000-", "bytes=500000-"]


async def test_a_later_fetch_goes_on_from_the_part(server, tmp_path):
    server.cuts = [400_000] + [0] * hub._ATTEMPTS
    with pytest.raises(InputError, match="run it again"):
        await weights.fetch(SOURCE)
    assert [part.stat().st_size for part in parts(tmp_path)] == [400_000]
    server.cuts, server.seen = [], []
    entry = await weights.fetch(SOURCE)
    assert content(entry) == BODY
    assert [part for who, _, _, part in server.seen if who == "storage"] == ["bytes=400000-"]


async def test_a_server_without_ranges_is_read_from_the_start(server):
    server.cuts, server.ranges = [100_000], False
    entry = await weights.fetch(SOURCE)
    assert content(entry) == BODY


async def test_a_whole_part_is_taken_as_it_is(server, tmp_path):
    part_of(hub.parse(SOURCE)).write_bytes(BODY)
    entry = await weights.fetch(SOURCE)
    assert content(entry) == BODY


async def test_another_hash_is_refused_and_nothing_is_left(server, tmp_path):
    server.body = BODY[:-1] + b"!"
    with pytest.raises(InputError, match="SHA-256") as caught:
        await weights.fetch(SOURCE)
    assert SHA in str(caught.value)
    assert parts(tmp_path) == []
    assert [entry.name for entry in weights.entries()] == ["smollm2"]


async def test_a_renamed_repository_is_followed(server):
    entry = await weights.fetch("hf:someone/old-repo/Tiny.gguf")
    assert content(entry) == BODY


async def test_a_hub_that_states_no_hash_is_refused(server):
    server.sha = "abc"
    with pytest.raises(InputError, match="states no SHA-256"):
        await weights.fetch(SOURCE)


@pytest.mark.parametrize(
    ("status", "says"), [(401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "no such")]
)
async def test_what_the_hub_refuses_is_said_without_the_token(server, status, says):
    server.status = status
    with pytest.raises(InputError, match=says) as caught:
        await weights.fetch(SOURCE)
    assert "hf_secret" not in str(caught.value)
    assert len(server.seen) == 1


async def test_a_failing_hub_is_tried_again(server):
    server.status = 503
    with pytest.raises(InputError, match="HTTP 503"):
        await weights.fetch(SOURCE)
    assert len(server.seen) == hub._ATTEMPTS


async def test_two_at_once_do_not_mix_their_bytes(server):
    place = hub.parse(SOURCE)
    with part_of(place).open("ab") as held:
        hub._lock(held, place)
        with pytest.raises(InputError, match="another process"):
            await weights.fetch(SOURCE)


@pytest.mark.parametrize(
    "source",
    [
        "hf:a/b",
        "hf:a/b/c.bin",
        "hf:a/../c.gguf",
        "hf:a/b/../../c.gguf",
        "hf:a/b/c.gguf@",
        "x:a/b/c.gguf",
    ],
)
async def test_what_is_no_source_is_refused_before_any_request(server, source):
    with pytest.raises(InputError, match=r"hf:OWNER/REPO/FILE\.gguf"):
        await weights.fetch(source)
    assert server.seen == []


def test_a_source_has_a_revision_and_folders():
    assert hub.parse("hf:o/r/sub/F.gguf@refs/pr/1") == hub.Place(
        "o", "r", "sub/F.gguf", "refs/pr/1"
    )
    assert hub.parse("hf:o/r/F.gguf").revision == "main"
