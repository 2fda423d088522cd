"""Whether a study completes with few open files: ``ulimit -n`` 64 and 256, 256 calls in flight.

    python bench/files.py [--debates 800] [--limits 64,256]

A server in a process of its own answers after 20 ms. `moot run` is started under each limit, soft
and hard, and must hold every debate without a failure; told are the debates that failed, the wall
time, and what was said. The exit code is 1 where one failed.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEY = {"MOOT_API_KEY": "none", "NO_PROXY": "127.0.0.1"}


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--debates", type=int, default=800)
    parser.add_argument("--limits", default="64,256")
    parser.add_argument("--host", default="127.0.0.1", help="localhost has its name looked up")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        port_file = Path(folder, "port")
        chaos = [
            sys.executable,
            "-m",
            "support.chaos",
            "--port-file",
            str(port_file),
        ]
        server = subprocess.Popen([*chaos, "--latency", "0.02"], cwd=ROOT / "tests")
        try:
            while not port_file.exists() or not port_file.read_text():
                time.sleep(0.05)
            base = f"http://{given.host}:{int(port_file.read_text())}/v1/ok?concurrency=256"
            for limit in map(int, given.limits.split(",")):
                failed += _run(Path(folder), base, limit, given.debates)
        finally:
            server.terminate()
            server.wait()
    return int(failed > 0)


def _run(folder: Path, model: str, limit: int, debates: int) -> int:
    """One study under one limit; how many of its debates failed or were not held."""
    study = folder / f"files-{limit}.toml"
    study.write_text(
        f'name = "files-{limit}"\n[settings]\nmodel = "{model}"\n[[arms]]\nname = "one"\n'
        f'protocol = "single"\n[[datasets]]\nname = "arithmetic"\ndifficulty = 4\nn = {debates}\n'
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "moot", "run", str(study), "--yes", "--json"],
        env=os.environ | KEY | {"MOOT_STORE": str(folder / f"store-{limit}")},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    wall = time.perf_counter() - began
    try:
        outcome = json.loads(done.stdout)
    except ValueError:
        print(f"ulimit -n {limit}: exit {done.returncode}: {done.stderr[-800:]}")
        return debates
    lost = debates - outcome["done"] + outcome["failed"]
    said = re.search(r"\d+ open files allowed.*|no more .*", done.stderr)
    print(
        f"ulimit -n {limit}: {outcome['done']} of {debates} debates held, {outcome['failed']} "
        f"failed, {wall:.1f} s, exit {done.returncode}; {said.group() if said else 'nothing said'}"
    )
    return lost


if __name__ == "__main__":
    sys.exit(main())
