"""What a call costs in instructions, which other work on the machine does not disturb.

    python bench/instructions.py                               moot and bare
    python bench/instructions.py --before ../other/src         moot of another commit, too

Valgrind counts the instructions of user code in all threads, at two numbers of questions; the
difference is divided by the calls between them, so that starting counts for nothing. The work is
that of ``overhead.py``. Needs ``valgrind``; takes a minute for each contender.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

from overhead import AGENTS, CONTENDERS, HERE, ROUNDS, SCENARIOS, environment, server

FEW, MANY = 150, 650
"""Questions of the two runs."""


def count_instructions(name: str, questions: int, before: Path | None, scenario: str) -> int:
    """Return the instructions that a contender takes for so many questions, with its start."""
    contender, shape = CONTENDERS[name], SCENARIOS[scenario]
    with server(shape.latency, rate_limits=False) as address:
        job = {
            "url": f"{address}/v1",
            "questions": questions,
            "at_once": shape.at_once,
            "agents": AGENTS,
            "rounds": ROUNDS,
            "transport": contender.transport,
        }
        count = [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ]
        done = subprocess.run(
            [*count, sys.executable, HERE / "peers" / f"{contender.script}.py", json.dumps(job)],
            capture_output=True,
            text=True,
            check=False,
            env=environment(before if contender.before else None) | {"PYTHONHASHSEED": "0"},
        )
    counted = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or counted is None:
        sys.exit(f"{name} failed:\n{done.stderr[-3000:]}")
    return int(counted[1].replace(",", ""))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="moot,bare", help="contenders, with commas")
    parser.add_argument("--before", type=Path, help="sources of another commit")
    options = parser.parse_args()
    names = options.only.split(",") + ["before"] * (options.before is not None)
    for name in names:
        few, many = (
            count_instructions(name, questions, options.before, "debates")
            for questions in (FEW, MANY)
        )
        calls = (MANY - FEW) * AGENTS * ROUNDS
        print(
            f"{name}: {(many - few) / calls / 1000:,.0f} thousand instructions a call", flush=True
        )


if __name__ == "__main__":
    main()
