"""What a call costs moot, and what it costs others on the same work.

    python bench/overhead.py                      256 debates at once, all contenders
    python bench/overhead.py --scenario flight    about 1,000 calls in flight at 1 s latency
    python bench/overhead.py --scenario flat      cost per call from 100 to 20,000 questions
    python bench/overhead.py --only moot,bare --rounds 5 --json figures.json
    python bench/overhead.py --only moot,moot-aiohttp      plain http without connections of our own
    python bench/overhead.py --only moot,before --before ../other/src   against another commit

Every contender runs in a process of its own, one after the other, in interleaved rounds against one
server. bench/README.md says what is measured and how.
"""

import argparse
import json
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from hashlib import blake2b
from pathlib import Path
from statistics import median
from typing import NamedTuple

from shared import read_counts, server_process, spread

HERE = Path(__file__).parent
PINNED = HERE.parent / "requirements" / "bench.txt"
PEERS = HERE / ".venv"
AGENTS, ROUNDS = 3, 2


class Contender(NamedTuple):
    """A script in bench/peers.

    Attributes:
        script: its name, without ``.py``.
        here: whether it runs in the environment that moot is installed in.
        transport: how moot reaches plain http: by its ``own`` connections, or by ``aiohttp``.
        before: whether it imports moot from the folder of ``--before``.
    """

    script: str
    here: bool = False
    transport: str = "own"
    before: bool = False


CONTENDERS = {
    "moot": Contender("moot_run", here=True),
    "moot-aiohttp": Contender("moot_run", here=True, transport="aiohttp"),
    "before": Contender("moot_run", here=True, before=True),
    "bare": Contender("bare_aiohttp", here=True),
    "openai": Contender("openai_sdk"),
    "autogen": Contender("autogen_agents"),
    "langgraph": Contender("langgraph_graph"),
    "inspect": Contender("inspect_task"),
}


class Scenario(NamedTuple):
    """How much work, how wide, and against which latency in seconds."""

    questions: tuple[int, ...]
    at_once: int
    latency: float
    contenders: tuple[str, ...]


SCENARIOS = {
    "debates": Scenario(
        (500,), 256, 0.2, ("moot", "bare", "openai", "autogen", "langgraph", "inspect")
    ),
    "flight": Scenario((1000,), 334, 1.0, ("moot", "bare")),
    "flat": Scenario((100, 1000, 5000, 20_000), 256, 0.2, ("moot",)),
}


class Run(NamedTuple):
    """What one run of one contender took; CPU in µs a call, memory in MB of 1,000,000 bytes."""

    contender: str
    questions: int
    round: int
    cpu: float
    cpu_all: float
    wall: float
    of_ideal: float
    peak: float
    most_waiting: int
    server_cpu: float


def peer_python() -> str:
    """The interpreter of the peers' environment, made when it is not there or out of date."""
    python = PEERS / "bin" / "python"
    stamp, digest = PEERS / "pinned", blake2b(PINNED.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != digest:
        print("installing the peers into bench/.venv …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", PEERS], check=True)
        # All that is needed is pinned: left to look for it, pip tries newer ones that have no hash.
        install = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*install, "--no-deps", "--require-hashes", "-r", PINNED], check=True)
        stamp.write_text(digest)
    return str(python)


def server(
    latency: float, *, rate_limits: bool, forms: bool = False
) -> AbstractContextManager[str]:
    """Start a server of that latency, and yield its address."""
    command = [sys.executable, HERE / "server.py", "--latency", latency]
    return server_process(command + ["--rate-limits"] * rate_limits + ["--forms"] * forms)


def environment(before: Path | None = None) -> dict[str, str]:
    """What contenders run in: bytecode is kept, no display is drawn, no use is reported.

    With ``before``, a folder of sources, moot is imported from there.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept |= {"INSPECT_DISPLAY": "none", "LANGSMITH_TRACING": "false"}
    return kept if before is None else kept | {"PYTHONPATH": str(before.absolute())}


def ideal(questions: int, at_once: int, latency: float) -> float:
    """Seconds it takes when only the server takes time: full waves of debates, round by round."""
    return -(-questions // at_once) * ROUNDS * latency


def run(
    name: str, number: int, questions: int, scenario: Scenario, options: argparse.Namespace
) -> Run:
    """Let one contender do the work once, against a server of its own."""
    contender = CONTENDERS[name]
    python = sys.executable if contender.here else peer_python()
    with server(scenario.latency, rate_limits=options.rate_limits) as address:
        job = {
            "url": f"{address}/v1",
            "questions": questions,
            "at_once": scenario.at_once,
            "agents": AGENTS,
            "rounds": ROUNDS,
            "transport": contender.transport,
        }
        done = subprocess.run(
            [python, HERE / "peers" / f"{contender.script}.py", json.dumps(job)],
            capture_output=True,
            text=True,
            check=False,
            env=environment(options.before if contender.before else None),
        )
        seen = read_counts(address)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stderr[-3000:]}")
    took = json.loads(done.stdout.splitlines()[-1])
    calls = questions * AGENTS * ROUNDS
    if (seen["calls"], took["verdicts"]) != (calls, questions):
        sys.exit(
            f"{name}: {seen['calls']} calls and {took['verdicts']} verdicts, "
            f"not {calls} and {questions}"
        )
    return Run(
        contender=name,
        questions=questions,
        round=number,
        cpu=took["cpu"] / calls * 1e6,
        cpu_all=took["cpu_all"] / calls * 1e6,
        wall=took["wall"],
        of_ideal=took["wall"] / ideal(questions, scenario.at_once, scenario.latency),
        peak=took["peak"],
        most_waiting=int(seen["most_waiting"]),
        server_cpu=seen["cpu"] / calls * 1e6,
    )


def ratios(runs: list[Run], name: str, to: str, field: str = "cpu") -> list[float]:
    """One contender's figure over another's, round by round."""
    ours, theirs = (
        {each.round: getattr(each, field) for each in runs if each.contender == contender}
        for contender in (name, to)
    )
    return [ours[number] / theirs[number] for number in ours if number in theirs]


def table(runs: list[Run], scenario: Scenario, questions: int) -> None:
    """Print what one number of questions took: every figure as median [range] of the rounds."""
    least = ideal(questions, scenario.at_once, scenario.latency)
    print(f"\n{questions} questions, {questions * AGENTS * ROUNDS} calls, ideal {least:.1f} s")
    rows = [("", "CPU us/call", "with imports", "CPU/bare", "wall s", "wall/ideal", "peak MB")]
    for name in dict.fromkeys(each.contender for each in runs):
        mine = [each for each in runs if each.contender == name]
        rows.append(
            (
                name,
                spread([each.cpu for each in mine], ".0f"),
                spread([each.cpu_all for each in mine], ".0f"),
                spread(ratios(runs, name, "bare"), ".2f"),
                spread([each.wall for each in mine], ".2f"),
                spread([each.of_ideal for each in mine], ".2f"),
                spread([each.peak for each in mine], ".0f"),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    pairs = (("autogen", "cpu"), ("before", "cpu"), ("moot-aiohttp", "cpu"), ("bare", "wall"))
    for other, field in pairs:
        if found := ratios(runs, "moot", other, field):
            print(f"{field} of moot / of {other}: {spread(found, '.3f')}")
    print(
        f"most calls in flight: {max(each.most_waiting for each in runs)}; "
        f"the server's CPU: {median([each.server_cpu for each in runs]):.0f} us/call"
    )


def report(runs: list[Run], scenario: Scenario) -> None:
    """Print everything that was measured."""
    print(
        f"society of minds, {AGENTS} agents x {ROUNDS} rounds, {scenario.at_once} debates at once, "
        f"latency {scenario.latency * 1000:.0f} ms; median [range] of "
        f"{len({each.round for each in runs})} interleaved rounds"
    )
    first, *more = scenario.questions
    for questions in scenario.questions:
        table([each for each in runs if each.questions == questions], scenario, questions)
    for questions in more:
        for name in scenario.contenders:
            few, many = (
                median([e.cpu for e in runs if (e.contender, e.questions) == (name, size)])
                for size in (first, questions)
            )
            print(f"\n{name}: CPU per call at {questions} questions / at {first}: {many / few:.2f}")


def chosen() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scenario", choices=SCENARIOS, default="debates")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds (3)")
    parser.add_argument("--questions", type=int, nargs="+", help="how many; several for a series")
    parser.add_argument("--at-once", type=int, help="debates under way at the same time")
    parser.add_argument("--latency", type=float, help="of the server, in seconds")
    parser.add_argument("--only", help=f"contenders, with commas: {','.join(CONTENDERS)}")
    parser.add_argument("--rate-limits", action="store_true", help="the server states its limits")
    parser.add_argument("--before", type=Path, help="sources of another commit, for ``before``")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    options = parser.parse_args()
    unknown = set((options.only or "moot").split(",")) - set(CONTENDERS)
    if unknown:
        parser.error(f"--only {','.join(sorted(unknown))}: choose from {','.join(CONTENDERS)}")
    if "before" in (options.only or "").split(",") and options.before is None:
        parser.error("--only before: name the folder of its sources with --before")
    return options


def main() -> None:
    options = chosen()
    scenario = SCENARIOS[options.scenario]
    scenario = Scenario(
        tuple(options.questions or scenario.questions),
        options.at_once or scenario.at_once,
        scenario.latency if options.latency is None else options.latency,
        tuple(options.only.split(",")) if options.only else scenario.contenders,
    )
    if not all(CONTENDERS[name].here for name in scenario.contenders):
        peer_python()
    for name in scenario.contenders:
        print(f"warming up: {name} …", file=sys.stderr)
        run(name, 0, 1, scenario._replace(latency=0.01), options)
    runs = []
    for number in range(options.rounds):
        for questions in scenario.questions:
            for name in scenario.contenders:
                print(f"round {number + 1}: {name}, {questions} questions …", file=sys.stderr)
                runs.append(run(name, number, questions, scenario, options))
    report(runs, scenario)
    if options.json:
        figures = {"scenario": scenario._asdict(), "runs": [each._asdict() for each in runs]}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
