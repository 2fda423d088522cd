"""A Hugging Face hub on loopback that cuts, lies, moves and refuses, and its storage elsewhere."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from moot.hub import download

TOKEN = "hf_secret"
COMMIT = "5eed" * 10
LATER = "facade01" * 5


def git_sha1(body: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


class Hub:
    """What it has, and what it does wrong, is set by the tests."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}  # by SHELF/OWNER/REPO/FILE
        self.stated: str | None = None  # another hash than the right one
        self.large = True  # in the storage, and not in git
        self.commit: str | None = COMMIT  # that main is; None: not told
        self.status, self.code = 200, ""
        self.cuts: list[int] = []
        self.ranges = True
        self.expired = 0  # of the storage's next addresses
        self.seen: list[tuple[str, str, str | None, str | None]] = []
        self.address = self.storage = ""

    def note(self, who: str, request: web.Request) -> None:
        headers = request.headers
        self.seen.append((who, request.method, headers.get("Authorization"), headers.get("Range")))

    def asked(self, who: str) -> list[str | None]:
        return [part for name, _, _, part in self.seen if name == who]

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        self.note("hub", request)
        if self.status != 200:
            return web.Response(status=self.status, headers={"X-Error-Code": self.code})
        repo, _, rest = request.path.removeprefix("/").partition("/resolve/")
        if repo.endswith("old-repo"):
            moved = request.path.replace("old-repo", "some-repo")
            return web.Response(status=307, headers={"Location": moved})
        revision, _, file = rest.partition("/")
        if revision not in {"main", COMMIT, LATER}:
            return web.Response(status=404, headers={"X-Error-Code": "RevisionNotFound"})
        body = self.bodies.get(f"{repo}/{file}")
        if body is None:
            return web.Response(status=404, headers={"X-Error-Code": "EntryNotFound"})
        commit = self.commit if revision == "main" else revision
        headers = {"X-Repo-Commit": commit} if self.commit and commit else {}
        if not self.large:
            headers["ETag"] = f'"{self.stated or git_sha1(body)}"'
            return web.Response(body=body, headers=headers)
        headers["X-Linked-Etag"] = f'"{self.stated or hashlib.sha256(body).hexdigest()}"'
        headers["Location"] = f"{self.storage}/{repo}/{file}?signed=sesame"
        return web.Response(status=302, headers=headers)

    async def blob(self, request: web.Request) -> web.StreamResponse:
        self.note("storage", request)
        if self.expired:
            self.expired -= 1
            return web.Response(status=403)
        body = self.bodies[request.path.removeprefix("/")]
        start = request.http_range.start or 0 if self.ranges else 0
        if start >= len(body):
            return web.Response(status=416)
        answer = web.StreamResponse(status=206 if start else 200)
        answer.content_length = len(body) - start
        await answer.prepare(request)
        if self.cuts:
            await answer.write(body[start:][: self.cuts.pop(0)])
            assert request.transport
            request.transport.close()
            return answer
        await answer.write(body[start:])
        return answer


@asynccontextmanager
async def serve(app: web.Application) -> AsyncIterator[str]:
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@asynccontextmanager
async def hub_of(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    """A hub, to which the environment points, with a token; it is soon asked again."""
    monkeypatch.setattr(download, "_PAUSE", 0.01)
    here = Hub()
    front, back = web.Application(), web.Application()
    front.router.add_route("*", "/{rest:.*}", here.resolve)
    back.router.add_get("/{rest:.*}", here.blob)
    async with serve(back) as here.storage, serve(front) as here.address:
        monkeypatch.setenv("HF_ENDPOINT", here.address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield here
