"""The server of the files and batches API, asked as its clients ask it."""

from contextlib import asynccontextmanager

import aiohttp
import msgspec
import pytest

from moot.models.scripted import Scripted
from support.batch_server import CHAT_URL, BatchServer, LineFailure


def line(name: str, text: str = "What is 2+2?", **more) -> dict:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return {"custom_id": name, "method": "POST", "url": CHAT_URL, "body": body} | more


def lines(*found: dict) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in found)


OTHER = {"model": "n", "messages": []}


class Client:
    def __init__(self, server: BatchServer, session: aiohttp.ClientSession) -> None:
        self.server, self.session = server, session

    async def ask(self, method: str, path: str, **more) -> tuple[int, dict]:
        async with self.session.request(method, self.server.base + path, **more) as response:
            return response.status, msgspec.json.decode(await response.read())

    async def upload(self, content: bytes, purpose: str = "batch") -> tuple[int, dict]:
        form = aiohttp.FormData({"purpose": purpose})
        form.add_field("file", content, filename="in.jsonl")
        return await self.ask("POST", "/files", data=form)

    async def create(self, content: bytes, **more) -> tuple[int, dict]:
        _, file = await self.upload(content)
        given = {"input_file_id": file["id"], "endpoint": CHAT_URL, "completion_window": "24h"}
        return await self.ask("POST", "/batches", json=given | more)

    async def finish(self, batch: str) -> tuple[list[str], dict]:
        """Ask for a batch until it has ended; return each status, and the batch."""
        seen: list[str] = []
        while True:
            _, found = await self.ask("GET", f"/batches/{batch}")
            seen.append(found["status"])
            if found["status"] in {"completed", "expired", "cancelled", "failed"}:
                return seen, found

    async def read(self, file: str | None) -> dict[str, dict]:
        """The lines of a file by their ``custom_id``."""
        async with self.session.get(f"{self.server.base}/files/{file}/content") as response:
            found = map(msgspec.json.decode, (await response.read()).splitlines())
            return {each["custom_id"]: each for each in found}


@pytest.fixture
def serve():
    """Return a context: a server with these options, and a client of it."""

    @asynccontextmanager
    async def open_both(**options):
        model = Scripted(lambda call: f"<{call.messages[-1].content}>")
        async with BatchServer(model, **options) as server, aiohttp.ClientSession() as session:
            yield Client(server, session)

    return open_both


async def test_a_batch_goes_its_way_and_every_line_has_its_reply(serve):
    async with serve() as client:
        status, batch = await client.create(lines(line("a", "1"), line("b", "2")))
        assert (status, batch["status"], batch["object"]) == (200, "validating", "batch")
        seen, ended = await client.finish(batch["id"])
        assert seen == ["validating", "in_progress", "finalizing", "completed"]
        assert ended["request_counts"] == {"total": 2, "completed": 2, "failed": 0}
        assert ended["error_file_id"] is None
        found = await client.read(ended["output_file_id"])
        texts = {
            name: each["response"]["body"]["choices"][0]["message"]["content"]
            for name, each in found.items()
        }
        assert texts == {"a": "<1>", "b": "<2>"}
        assert found["a"]["response"]["body"]["usage"]["total_tokens"] == 2


async def test_lines_that_fail_are_in_the_file_of_errors(serve):
    def fails(found):
        return LineFailure(429, "slow down") if found["custom_id"] == "b" else None

    async with serve(fails=fails) as client:
        _, batch = await client.create(lines(line("a"), line("b")))
        _, ended = await client.finish(batch["id"])
        assert ended["status"] == "completed"
        assert ended["request_counts"] == {"total": 2, "completed": 1, "failed": 1}
        failed = await client.read(ended["error_file_id"])
        assert failed["b"]["response"]["status_code"] == 429
        assert failed["b"]["response"]["body"]["error"]["message"] == "slow down"
        assert set(await client.read(ended["output_file_id"])) == {"a"}


async def test_what_an_expired_batch_did_not_answer_is_said_line_by_line(serve):
    async with serve(ends="expired", answered=1) as client:
        _, batch = await client.create(lines(line("a"), line("b"), line("c")))
        _, ended = await client.finish(batch["id"])
        assert ended["status"] == "expired"
        assert ended["expired_at"]
        assert set(await client.read(ended["output_file_id"])) == {"a"}
        late = await client.read(ended["error_file_id"])
        assert {each["error"]["code"] for each in late.values()} == {"batch_expired"}
        assert late["c"]["response"] is None


async def test_a_cancelled_batch_keeps_what_it_answered_and_cannot_be_cancelled_again(serve):
    async with serve(answered=1) as client:
        _, batch = await client.create(lines(line("a"), line("b")))
        status, told = await client.ask("POST", f"/batches/{batch['id']}/cancel")
        assert (status, told["status"]) == (200, "cancelling")
        seen, ended = await client.finish(batch["id"])
        assert seen == ["cancelling", "cancelled"]
        assert set(await client.read(ended["output_file_id"])) == {"a"}
        late = await client.read(ended["error_file_id"])
        assert late["b"]["error"]["code"] == "batch_cancelled"
        assert (await client.ask("POST", f"/batches/{batch['id']}/cancel"))[0] == 409


@pytest.mark.parametrize(
    ("content", "code", "at"),
    [
        (lines(line("a"), line("a")), "duplicate_custom_id", 2),
        (lines(line("x" * 65)), "invalid_custom_id", 1),
        (lines(line("a", url="/v1/completions")), "invalid_url", 1),
        (
            lines(line("a"), line("b", body={"model": "n", "messages": []})),
            "mismatched_model",
            None,
        ),
        (b"", "empty_file", None),
    ],
)
async def test_a_file_that_is_not_accepted_fails_the_batch_and_says_where(serve, content, code, at):
    async with serve() as client:
        _, batch = await client.create(content)
        _, ended = await client.finish(batch["id"])
        assert ended["status"] == "failed"
        assert [(each["code"], each["line"]) for each in ended["errors"]["data"]] == [(code, at)]


async def test_requests_that_are_wrong_are_refused(serve):
    async with serve() as client:
        assert (await client.upload(b"{}", purpose="vision"))[0] == 400
        assert (await client.create(b"{}", completion_window="1h"))[0] == 400
        assert (await client.create(b"{}", input_file_id="file-0"))[0] == 400
        assert (await client.ask("GET", "/batches/batch_0"))[0] == 404
        assert (await client.ask("GET", "/files/file-0"))[0] == 404
    async with serve(key="sk-right") as client:
        wrong = {"Authorization": "Bearer sk-wrong"}
        status, told = await client.ask("GET", "/batches", headers=wrong)
        assert (status, told["error"]["code"]) == (401, "invalid_api_key")


async def test_batches_are_listed_the_newest_first_page_by_page(serve):
    async with serve() as client:
        made = [(await client.create(lines(line("a"))))[1]["id"] for _ in range(3)]
        _, page = await client.ask("GET", "/batches", params={"limit": "2"})
        assert [each["id"] for each in page["data"]] == made[:0:-1]
        assert page["has_more"]
        _, rest = await client.ask("GET", "/batches", params={"after": page["last_id"]})
        assert [each["id"] for each in rest["data"]] == made[:1]
