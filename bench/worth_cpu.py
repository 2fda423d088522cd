"""What it costs to look: the CPU of a study that ends by itself beside the same of fixed size.

python bench/worth_cpu.py [--questions 200] [--pairs 5]

Four debates by a scripted model, none of which is ever settled, so that both studies hold the same
debates: the fixed one with `equal_budget = true`, the other with `[stop]`. Each runs in a process
of its own, one after the other, in pairs; the figure is the ratio of the least user and system
times, the start of Python and the planning included. It has to be at most 1.1.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from math import inf
from pathlib import Path
from statistics import median

ARMS = (
    {"protocol": "society-of-minds"},
    {"protocol": "council", "agents": 3},
    {"protocol": "multi-persona"},
    {"protocol": "chateval"},
)
BOUND = 1.1

CHILD = """
import json, os, sys, time, zlib
import moot

def script(call):
    asked, right = call.scene.question.id, int(call.scene.question.answer)
    knows = zlib.crc32(asked.encode()) % 2
    slips = zlib.crc32(f"{asked} {call.scene.round} {call.draw}".encode()) % 10 == 0
    return f"I have added them up. Final answer: {right if knows != slips else right + 1}"

study = json.loads(sys.argv[1])
model = moot.Scripted(script, name="planned")
study["settings"] = {"model": model.name}
outcome = moot.run_sync(study, store=sys.argv[2], models=[model])
times = os.times()
told = {"cpu": times.user + times.system, "debates": outcome.done}
told["calls"] = sum(arm.calls for arm in outcome.results.arms)
print(json.dumps(told))
"""


def measure(study: dict) -> dict:
    """Run a study in a process of its own; return its CPU seconds, debates and calls."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", CHILD, json.dumps(study), str(Path(folder) / "store")]
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=kept)
        return json.loads(done.stdout)


def main() -> None:
    """Measure pairs and print their median."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    data = {"name": "arithmetic", "n": given.questions, "difficulty": 3}
    base = {"name": "cpu", "datasets": [data], "arms": [*ARMS]}
    fixed = base | {"equal_budget": True}
    looked = base | {"stop": {"alpha": 1e-12}}
    ratios, least = [], [inf, inf]
    for _ in range(given.pairs):
        one, other = measure(fixed), measure(looked)
        ratios.append(other["cpu"] / one["cpu"])
        least = [min(least[0], one["cpu"]), min(least[1], other["cpu"])]
        print(f"fixed {one}, looked at {other}: {ratios[-1]:.2f}", flush=True)
    found = least[1] / least[0]
    held = "yes" if found <= BOUND else "NO"
    print(f"ratios: median {median(ratios):.2f}, of the least {found:.2f}; at most {BOUND}: {held}")
    sys.exit(found > BOUND)


if __name__ == "__main__":
    main()
