"""Answer a file of calls, as ``vllm run-batch`` does, with any model of moot's.

``moot run STUDY --batch calls.jsonl`` writes such a file, ``--replies replies.jsonl`` takes the
answers in::

    python bench/run_batch.py -i calls.jsonl -o replies.jsonl --model local/smollm2
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from moot.core.errors import ModelError
from moot.core.ports import Model
from moot.models.model_names import load
from support.completions import make_completion, read_call


async def answer_lines(model: Model, calls: bytes, at_once: int) -> list[dict[str, Any]]:
    """Return the lines of the output for the lines of a file of calls, in their order."""
    lines = [msgspec.json.decode(line) for line in calls.splitlines() if line.strip()]
    places = asyncio.Semaphore(at_once)

    async def answer(number: int, line: dict[str, Any]) -> dict[str, Any]:
        made = {"id": f"vllm-{number}", "custom_id": line["custom_id"], "error": None}
        async with places:
            try:
                reply = await model.reply(read_call(line["body"]))
            except ModelError as error:
                failed = {"status_code": 400, "request_id": f"r{number}"}
                return made | {"response": failed, "error": {"message": str(error), "code": 400}}
        body = make_completion(reply, line["body"]["model"], f"chatcmpl-{number}")
        return made | {"response": {"status_code": 200, "request_id": f"r{number}", "body": body}}

    return await asyncio.gather(*(answer(at, line) for at, line in enumerate(lines)))


def main() -> None:
    """Read the options, and answer the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-i", "--input-file", type=Path, required=True)
    parser.add_argument("-o", "--output-file", type=Path, required=True)
    parser.add_argument("--model", default="local/smollm2", help="any model, as moot names it")
    parser.add_argument("--at-once", type=int, default=4, help="calls at the same time")
    given = parser.parse_args()

    async def run(calls: bytes) -> list[dict[str, Any]]:
        model = load(given.model)
        try:
            return await answer_lines(model, calls, given.at_once)
        finally:
            await model.close()

    found = asyncio.run(run(given.input_file.read_bytes()))
    given.output_file.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in found))
    print(len(found), "lines")


if __name__ == "__main__":
    main()
