"""lm-evaluation-harness asks a server of moot questions of gsm8k, as it asks OpenAI.

    python bench/harness.py                   20 questions, simulated agents
    python bench/harness.py --model local/smollm2 --protocol single --questions 5

The harness runs in bench/.venv, unchanged, and asks each question three times (``repeats: 3``). The
exit code is 1 unless it read the verdict's answer out of every text that it was given, and every
repetition was a debate of its own. Simulated agents do not know the answers: their accuracy is 0.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from overhead import HERE, peer_python

GSM8K = HERE.parents[1] / "shared" / "data" / "gsm8k" / "test.jsonl"
FINAL = re.compile(r"Final answer: (\S+)$")


async def held(options: argparse.Namespace) -> dict[str, object]:
    """What the harness tells of it."""
    from moot.contrib.server import config, serving

    running = serving.make_server(config.config_from(models=[options.model]), store=options.store)
    with serving.open_socket("127.0.0.1", 0) as own:
        server = asyncio.create_task(running.serve(sockets=[own]))
        while not running.started:  # noqa: ASYNC110 -- uvicorn has no event for it
            await asyncio.sleep(0.01)
        job = {
            "url": f"http://127.0.0.1:{running.port}",
            "model": f"{options.protocol}:{options.model}",
            "file": str(options.file),
            "n": options.questions,
            "repeats": options.repeats,
        }
        offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none"}
        done = await asyncio.create_subprocess_exec(
            *(options.python or peer_python(), HERE / "peers" / "lm_harness.py", json.dumps(job)),
            env={**os.environ, **offline},
            stdout=subprocess.PIPE,
        )
        out, _ = await done.communicate()
        running.should_exit = True
        await server
    if done.returncode:
        sys.exit("the harness failed")
    return json.loads(out.splitlines()[-1])


async def distinct(store: str) -> list[int]:
    """How many debates each question had that share no call with another."""
    from moot.ledger.store import Store

    async with Store.open(Path(store), readonly=True) as kept:
        return [
            len(
                {
                    tuple(turn.call for turn in row.transcript.turns)
                    for row in kept.debates(run.id)
                    if not any(turn.replayed for turn in row.transcript.turns)
                }
            )
            for run in kept.runs()
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="simulated/crowd")
    parser.add_argument("--protocol", default="society-of-minds")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3, help="how often each is asked")
    parser.add_argument("--file", type=Path, default=GSM8K, help="gsm8k's test.jsonl")
    parser.add_argument("--python", help="an interpreter that has lm-eval[api]")
    options = parser.parse_args()
    with TemporaryDirectory() as options.store:
        told = asyncio.run(held(options))
        repeated = asyncio.run(distinct(options.store))
    finals = [FINAL.search(text) for text, *_ in told["said"]]
    same = [
        found is not None and float(found[1]) == float(read.strip("$").replace(",", ""))
        for found, read in zip(finals, told["read"], strict=True)
    ]
    print(f"{len(same)} questions, accuracy {told['accuracy']:.3f}, answers read: {sum(same)}")
    print(f"each asked {options.repeats} times; different debates of a question: {min(repeated)}")
    sys.exit(not all(same) or min(repeated) < options.repeats)


if __name__ == "__main__":
    main()
