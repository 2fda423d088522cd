"""A server on this machine with the files and batches API, for tests.

Its replies are those of any model, e.g. ``Scripted``. A batch takes one step each time that its
status is asked for, so that nothing waits for a clock.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, Literal, Self

import msgspec
from aiohttp import web

from moot.core.ports import Model
from support.completions import make_completion, read_call

BatchEnd = Literal["completed", "expired", "cancelled", "failed"]

MOST_LINES = 50_000
MOST_BYTES = 200_000_000
CHAT_URL = "/v1/chat/completions"
_STEPS = ("validating", "in_progress", "finalizing")
_WINDOW = 24 * 60 * 60
_encode = msgspec.json.encode


class LineFailure(msgspec.Struct, frozen=True):
    """A failure that a line of a batch gets in place of its reply."""

    status: int
    message: str
    code: str = "server_error"
    parameter: str | None = None


class BatchServer:
    """A server of the files and batches API, at a free port of 127.0.0.1."""

    def __init__(
        self,
        model: Model,
        *,
        key: str | None = None,
        fails: Callable[[Mapping[str, Any]], LineFailure | None] = lambda _: None,
        says: Callable[[dict[str, Any]], tuple[int, Any] | None] = lambda _: None,
        refuses: frozenset[str] = frozenset(),
        ends: BatchEnd = "completed",
        answered: int | None = None,
    ) -> None:
        self.model, self.key, self.fails, self.refuses = model, key, fails, refuses
        self.says = says
        self.direct: list[dict[str, Any]] = []
        self.ends, self.answered = ends, answered
        self.batches: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self._about: dict[str, dict[str, Any]] = {}
        self._numbers = count(1)
        self._runner: web.AppRunner | None = None
        self.base = ""
        """The address for models' names, ``http://127.0.0.1:PORT/v1``."""

    async def __aenter__(self) -> Self:
        admit = web.middleware(partial(self._admit))  # a method cannot be marked as one
        app = web.Application(client_max_size=2 * MOST_BYTES, middlewares=[admit])
        app.add_routes(
            [
                web.post(CHAT_URL, self._complete),
                web.post("/v1/files", self._upload),
                web.get("/v1/files/{id}", self._show_file),
                web.get("/v1/files/{id}/content", self._download),
                web.delete("/v1/files/{id}", self._delete),
                web.post("/v1/batches", self._create),
                web.get("/v1/batches", self._list),
                web.get("/v1/batches/{id}", self._retrieve),
                web.post("/v1/batches/{id}/cancel", self._cancel),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _admit(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path))
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            return _refuse(401, "Incorrect API key provided", "invalid_api_key")
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.direct.append(body)
        failure = self._refuse_parameter(body)
        if failure is not None:
            return _show({"error": _describe(failure)}, status=failure.status)
        reply = await self.model.reply(read_call(body))
        return _show(make_completion(reply, body["model"], "chatcmpl-0"))

    def _refuse_parameter(self, body: Mapping[str, Any]) -> LineFailure | None:
        for name in sorted(self.refuses & body.keys()):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return LineFailure(400, message, "unsupported_parameter", name)
        return None

    async def _upload(self, request: web.Request) -> web.Response:
        given = await request.post()
        sent, purpose = given.get("file"), given.get("purpose")
        if not isinstance(sent, web.FileField):
            return _refuse(400, "'file' is a required property", "missing_required_parameter")
        if purpose != "batch":
            return _refuse(400, f"{purpose!r} is not one of ['batch']", "invalid_value")
        content = sent.file.read()
        if len(content) > MOST_BYTES:
            return _refuse(413, "the file is larger than 200 MB", "file_too_large")
        return _show(self._keep(content, "batch", sent.filename))

    def _keep(self, content: bytes, purpose: str, name: str) -> dict[str, Any]:
        file = f"file-{next(self._numbers):08d}"
        self.files[file] = content
        about = {"id": file, "object": "file", "bytes": len(content), "purpose": purpose}
        about |= {"created_at": int(time.time()), "filename": name, "status": "processed"}
        self._about[file] = about
        return about

    async def _show_file(self, request: web.Request) -> web.Response:
        about = self._about.get(request.match_info["id"])
        return _refuse_unknown(request) if about is None else _show(about)

    async def _download(self, request: web.Request) -> web.Response:
        content = self.files.get(request.match_info["id"])
        if content is None:
            return _refuse_unknown(request)
        return web.Response(body=content, content_type="application/octet-stream")

    async def _delete(self, request: web.Request) -> web.Response:
        file = request.match_info["id"]
        if self.files.pop(file, None) is None:
            return _refuse_unknown(request)
        del self._about[file]
        return _show({"id": file, "object": "file", "deleted": True})

    async def _create(self, request: web.Request) -> web.Response:
        given = await request.json()
        for name in ("input_file_id", "endpoint", "completion_window"):
            if name not in given:
                return _refuse(
                    400, f"Missing required parameter: '{name}'", "missing_required_parameter", name
                )
        for name, only in (("completion_window", "24h"), ("endpoint", CHAT_URL)):
            if given[name] != only:
                return _refuse(400, f"expected {only!r}", "invalid_value", name)
        if given["input_file_id"] not in self.files:
            return _refuse(400, "no such file", "invalid_value", "input_file_id")
        batch = f"batch_{next(self._numbers):08d}"
        now = int(time.time())
        moments = ("in_progress_at", "finalizing_at", "completed_at", "failed_at", "expired_at")
        unknown = (*moments, "cancelling_at", "cancelled_at", "output_file_id", "error_file_id")
        self.batches[batch] = {
            "id": batch,
            "object": "batch",
            "status": "validating",
            "errors": None,
            **{name: given.get(name) for name in ("endpoint", "input_file_id", "metadata")},
            "completion_window": "24h",
            "created_at": now,
            "expires_at": now + _WINDOW,
            **dict.fromkeys(unknown),
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
        }
        return _show(self.batches[batch])

    async def _list(self, request: web.Request) -> web.Response:
        found = [*reversed(self.batches.values())]
        after, limit = request.query.get("after"), int(request.query.get("limit", "20"))
        if after is not None:
            places = [at for at, each in enumerate(found, 1) if each["id"] == after]
            found = found[places[0] :] if places else []
        page = found[:limit]
        first, last = (page[0]["id"], page[-1]["id"]) if page else (None, None)
        shown = {"object": "list", "data": page, "first_id": first, "last_id": last}
        return _show(shown | {"has_more": len(found) > limit})

    async def _retrieve(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return _refuse_unknown(request)
        shown = dict(batch)
        await self._advance(batch)
        return _show(shown)

    async def _cancel(self, request: web.Request) -> web.Response:
        batch = self.batches.get(request.match_info["id"])
        if batch is None:
            return _refuse_unknown(request)
        if batch["status"] not in _STEPS:
            status = batch["status"]
            return _refuse(409, f"Cannot cancel a batch with status '{status}'.", "invalid_state")
        _move(batch, "cancelling")
        return _show(batch)

    async def _advance(self, batch: dict[str, Any]) -> None:
        status = batch["status"]
        if status == "validating":
            errors = self._validate(self.files.get(batch["input_file_id"], b""))
            if errors:
                batch["errors"] = {"object": "list", "data": errors}
            _move(batch, "failed" if errors else "in_progress")
        elif status == "cancelling":
            await self._answer(batch, "batch_cancelled", self.answered or 0)
            _move(batch, "cancelled")
        elif status == "in_progress":
            _move(batch, "finalizing")
        elif status == "finalizing":
            most = None if self.ends == "completed" else self.answered
            await self._answer(batch, f"batch_{self.ends}", most)
            _move(batch, self.ends)

    def _validate(self, content: bytes) -> list[dict[str, Any]]:
        lines = content.splitlines()
        if self.ends == "failed" or not lines:
            return [_fault("empty_file", "the file has no requests", None)]
        if len(lines) > MOST_LINES:
            return [_fault("too_many_tasks", f"more than {MOST_LINES} requests", None)]
        faults, seen = [], set[str]()
        models = {_decode(line).get("body", {}).get("model") for line in lines}
        for number, line in enumerate(lines, 1):
            found = _decode(line)
            name = found.get("custom_id")
            if not isinstance(name, str) or not 0 < len(name) <= 64:
                faults.append(_fault("invalid_custom_id", "custom_id: 1 to 64 characters", number))
            elif name in seen:
                faults.append(_fault("duplicate_custom_id", f"{name} comes twice", number))
            elif found.get("method") != "POST" or found.get("url") != CHAT_URL:
                faults.append(_fault("invalid_url", f"expected POST {CHAT_URL}", number))
            elif "messages" not in found.get("body", {}):
                faults.append(_fault("missing_required_parameter", "no messages", number))
            else:
                seen.add(name)
        if len(models) > 1:
            faults.append(_fault("mismatched_model", "one batch has one model", None))
        return faults

    async def _answer(self, batch: dict[str, Any], unanswered: str, most: int | None) -> None:
        """Answer the lines of a batch, and write its output file and its error file."""
        lines = [_decode(line) for line in self.files[batch["input_file_id"]].splitlines()]
        asked = lines if most is None else lines[:most]
        done = await asyncio.gather(*map(self._answer_line, asked))
        output = [each for each in done if each["response"]["status_code"] == 200]
        errors = [each for each in done if each["response"]["status_code"] != 200]
        for line in lines[len(asked) :]:
            error = {"code": unanswered, "message": "This request was not executed in time."}
            errors.append(self._make_line(line, None, error))
        for name, found in (("output_file_id", output), ("error_file_id", errors)):
            if found:
                content = b"".join(_encode(each) + b"\n" for each in found)
                batch[name] = self._keep(content, "batch_output", f"{batch['id']}.jsonl")["id"]
        counts = {"total": len(lines), "completed": len(output), "failed": len(errors)}
        batch["request_counts"] = counts

    async def _answer_line(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Return the line of the output for a line of the input."""
        failure = self.fails(line) or self._refuse_parameter(line["body"])
        if failure is not None:
            body = {"error": _describe(failure)}
            return self._make_line(line, self._respond(failure.status, body), None)
        if (said := self.says(line["body"])) is not None:
            return self._make_line(line, self._respond(*said), None)
        reply = await self.model.reply(read_call(line["body"]))
        body = make_completion(reply, line["body"]["model"], f"chatcmpl-{next(self._numbers)}")
        return self._make_line(line, self._respond(200, body), None)

    def _respond(self, status: int, body: Any) -> dict[str, Any]:
        return {"status_code": status, "request_id": f"req_{next(self._numbers)}", "body": body}

    def _make_line(
        self, line: Mapping[str, Any], response: dict[str, Any] | None, error: object
    ) -> dict[str, Any]:
        names = {"id": f"batch_req_{next(self._numbers)}", "custom_id": line["custom_id"]}
        return names | {"response": response, "error": error}


def _show(content: object, status: int = 200) -> web.Response:
    return web.json_response(content, status=status)


def _describe(failure: LineFailure) -> dict[str, Any]:
    told = {"message": failure.message, "code": failure.code}
    return told | {"param": failure.parameter, "type": None}


def _decode(line: bytes) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _move(batch: dict[str, Any], status: str) -> None:
    batch["status"] = status
    batch[f"{status}_at"] = int(time.time())


def _fault(code: str, message: str, line: int | None) -> dict[str, Any]:
    return {"code": code, "message": message, "param": None, "line": line}


def _refuse(status: int, message: str, code: str, parameter: str | None = None) -> web.Response:
    kind = "invalid_request_error"
    error = {"message": message, "type": kind, "param": parameter, "code": code}
    return _show({"error": error}, status=status)


def _refuse_unknown(request: web.Request) -> web.Response:
    name = request.match_info["id"]
    return _refuse(404, f"No such object: {name}", "not_found")
