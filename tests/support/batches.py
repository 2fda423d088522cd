"""Batches: a model whose calls go out as lines, an engine that answers them, and waves of calls."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.models.chat_format import read
from moot.models.scripted import Scripted
from support.batch_server import CHAT_URL
from support.completions import make_completion


class Lined(Scripted):
    """A scripted model whose calls can go out in a batch; it keeps the replies."""

    batch_url = CHAT_URL
    batch_share = None
    answers_directly = True

    def __init__(self, script: Callable[[Call], str], *, name: str = "lined") -> None:
        super().__init__(script, name=name)
        self.replies: dict[str, Reply] = {}

    async def reply(self, call: Call) -> Reply:  # noqa: ARG002 -- as every model
        raise AssertionError("a call was made that was to go out in a batch")

    def batch_body(self, call: Call) -> bytes:
        text = self._script(call)
        key = identity(call.request(), call.draw).hex()
        self.replies[key] = Reply(text=text, prompt_tokens=5, completion_tokens=7)
        return msgspec.json.encode({"model": self.name, "messages": call.messages})

    def read_batch(self, call: Call, status: int, body: bytes) -> Reply:  # noqa: ARG002
        assert status == 200
        return read(body, 0.0)


def answer(model: Lined, calls: Path, to: Path) -> int:
    """Write the replies to a file of calls as vLLM does; return how many there are."""
    found = [msgspec.json.decode(line) for line in calls.read_bytes().splitlines()]
    with to.open("wb") as out:
        for number, line in enumerate(found):
            assert (line["method"], line["url"]) == ("POST", CHAT_URL)
            body = make_completion(model.replies[line["custom_id"]], line["body"]["model"], "c")
            response = {"status_code": 200, "request_id": f"r{number}", "body": body}
            made = {"id": f"vllm-{number}", "custom_id": line["custom_id"]}
            out.write(msgspec.json.encode(made | {"response": response, "error": None}) + b"\n")
    return len(found)


def answer_lines(calls: Path, to: Path, reply: Callable[[dict], dict]) -> int:
    """Write what ``reply`` says of each line: ``response`` and ``error``; return how many."""
    found = [msgspec.json.decode(line) for line in calls.read_bytes().splitlines()]
    with to.open("wb") as out:
        for number, line in enumerate(found):
            made = {"id": f"vllm-{number}", "custom_id": line["custom_id"], "error": None}
            out.write(msgspec.json.encode(made | reply(line)) + b"\n")
    return len(found)


def says(text: str, *, status: int = 200) -> dict:
    body = make_completion(Reply(text=text, prompt_tokens=50, completion_tokens=7), "m", "c")
    return {"response": {"status_code": status, "request_id": "r", "body": body}}


class Waves(Scripted):
    """A model that answers all calls that wait, when for a while no other has come."""

    QUIET = 0.04

    def __init__(self, script: Callable[[Call], str], *, name: str = "lined") -> None:
        super().__init__(script, name=name)
        self.waves: list[int] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._alarm: asyncio.TimerHandle | None = None

    async def reply(self, call: Call) -> Reply:
        loop = asyncio.get_running_loop()
        place = loop.create_future()
        self._waiting.append(place)
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = loop.call_later(self.QUIET, self._answer)
        await place
        return Reply(text=self._script(call), prompt_tokens=5, completion_tokens=7, cost=0.0)

    def _answer(self) -> None:
        waiting, self._waiting = self._waiting, []
        self.waves.append(len(waiting))
        for place in waiting:
            place.set_result(None)
