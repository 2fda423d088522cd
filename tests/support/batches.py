"""Batches: a model whose calls go out as lines, an engine that answers them, and waves of calls."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from moot.core.calls import Reply
from support.completions import make_completion


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
