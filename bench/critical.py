"""Whether a debate takes no longer than the longest chain of its calls that depend on one another.

    python bench/critical.py                      256 questions, 64 at once, 200 ms a call
    python bench/critical.py --rounds 1 --only chateval network
    python bench/critical.py --latency 1          as long as a real model takes

A debate's **critical path** is the most calls of which each depends on the one before. A call B
depends on an earlier call A if, had A been answered otherwise, B might have been put otherwise or
not at all. Three things make it so:

1. B reads A: its prompt shows what A said. This is the transcript's ``reads``.
2. The same agent said A before: its conversation, or its memory of it, goes on from there. So an
   agent never speaks twice at once, even where its prompts would allow it; but for one that is
   asked one thing of several texts in a round, as a reviewer is.
3. A decided whether there is a B, though B may not read it: a judge, moderator, consultant or
   evaluator who might have ended the debate decides about all that is asked after it; the agents
   whose words or answers end an exchange of thought when they are alike decide about all later
   rounds; what a hopfield network's nodes come to decides about all later sweeps; a role assigner
   decides who the critics are, and who organises a team of writers decides who they are; a rater
   decides which draft is read by all that are asked after it.

The path is taken from every transcript and has to be the one written down by hand in ``courses``.
The server never lets a debate end early, so that the longest course is what is measured.

A debate's wall time is what its transcript says, from its opening to its verdict, over a real
store: each reply is durable before it is used. The median of a round's debates may be 1.1 times
path x latency. The lowest round counts, since whatever else runs on the machine can only add. Above
that, or with another path or number of calls than expected, the exit code is 1.

There are more questions than debates at once, so that most debates begin, as in any study of some
size, while others are under way and over connections that are open. With ``--questions 64`` all
begin at the same instant, over connections yet to be made: what is then above the path is the CPU
that such a burst takes this process, and the ratio is the machine's rather than the protocol's.
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from courses import COURSES
from overhead import server

import moot
from moot.core.events import Closed, Noted, Transcript, Turn
from moot.debate.protocol import registry
from moot.ledger.store import Store

AT_ONCE = 64
MOST = 1.1
"""The wall time of a debate over its critical path's."""
WIDEST = 32
"""More calls than any debate here makes at once, so that none waits for a place."""
ENDS = {
    "agentverse": "evaluator",
    "consultancy": "consultant",
    "debate-moderated": "moderator",
    "debate-to-write": "organiser",
    "feature-gate": "judge",
    "multi-persona": "judge",
    "multi-persona-proposals": "judge",
    "oversight-consultancy": "rater",
    "oversight-debate": "rater",
}
"""By protocol, the role of whoever may end the debate, or says who takes part in it."""


def decides(transcript: Transcript, earlier: Turn, later: Turn) -> bool:
    """Whether the later turn might not have been there, had the earlier one been another."""
    opened = transcript.opened
    if any(note.after in range(earlier.id, later.id) for note in find_checks(transcript)):
        return True
    if opened.protocol == "exchange-of-thought":
        all_count = opened.settings["stop"] == "consensus"
        return earlier.round < later.round and (all_count or earlier.role != "ben")
    if opened.protocol == "hopfield":
        return _sweep(earlier) < _sweep(later)
    if earlier.role == "role-assigner":
        return later.role == "critic"
    is_one_step = (earlier.step, earlier.round) == (later.step, later.round)
    return earlier.role == ENDS.get(opened.protocol) and not is_one_step


def find_checks(transcript: Transcript) -> list[Noted]:
    """What gates and stops said: those asked before them might have ended the debate."""
    notes = (event for event in transcript.events if isinstance(event, Noted))
    return [note for note in notes if note.what in {"gate", "stop"}]


def _sweep(turn: Turn) -> int:
    return int(turn.node.partition(".")[2] or 1)


def follows(earlier: Turn, later: Turn) -> bool:
    """Whether an agent's turn goes on from an earlier one of its own."""
    same = (earlier.step, earlier.round) == (later.step, later.round)
    return earlier.seat == later.seat and not same


def critical_path(transcript: Transcript) -> int:
    """The longest chain of turns of which each depends on the one before."""
    lengths: dict[int, int] = {}
    said: list[Turn] = []
    for turn in transcript.turns:  # in the order in which they were asked for
        before = set(turn.reads)
        before |= {one.id for one in said if follows(one, turn) or decides(transcript, one, turn)}
        lengths[turn.id] = 1 + max((lengths[one] for one in before), default=0)
        said.append(turn)
    return max(lengths.values())


class Held(NamedTuple):
    """What one run came to; times in seconds.

    Attributes:
        calls: by debate.
        paths: by debate.
        walls: by debate, from its opening to its verdict.
        whole: the whole run, from opening the store to its results.
    """

    calls: set[int]
    paths: set[int]
    walls: list[float]
    whole: float


def make_study(name: str, address: str, questions: int, folder: Path) -> dict[str, object]:
    """Return a study of one course, on sums, or on motions that are written to the folder."""
    protocol = name.partition(":")[0]
    dataset: dict[str, object] = {"name": "arithmetic", "difficulty": 4, "n": questions}
    if protocol == "debate-match":
        motions = folder / "motions.jsonl"
        lines = [f'{{"question": "Town {n} should close its centre"}}\n' for n in range(questions)]
        motions.write_text("".join(lines), encoding="utf-8")
        dataset = {"name": "file", "path": str(motions), "kind": "text"}
    return {
        "name": "bench",
        "datasets": [dataset],
        "arms": [
            {
                "protocol": protocol,
                "style": "simple",
                "model": f"{address}/v1/bench?concurrency={AT_ONCE * WIDEST}",
                **COURSES[name].settings,
            }
        ],
        "at_once": AT_ONCE,
    }


async def hold(name: str, address: str, questions: int) -> Held:
    """Hold debates, 64 at once, over a fresh store and read their transcripts back from it."""
    with TemporaryDirectory() as place:
        store = Path(place) / "store"
        study = make_study(name, address, questions, Path(place))
        began = perf_counter()
        outcome = await moot.run(study, store=store)
        whole = perf_counter() - began
        assert not outcome.failed, outcome.reasons
        async with Store.open(store, readonly=True) as opened:
            rows = opened.debates(opened.find_run(outcome.run).id)
            transcripts = [row.transcript for row in rows]
    return Held(
        {len(each.turns) for each in transcripts},
        {critical_path(each) for each in transcripts},
        [each.events[-1].seconds for each in transcripts if isinstance(each.events[-1], Closed)],
        whole,
    )


class Row(NamedTuple):
    """What a course took, over all rounds."""

    name: str
    calls: int
    held: list[Held]
    latency: float
    questions: int

    @property
    def ideal(self) -> float:
        """What a debate takes when only the server takes time."""
        return COURSES[self.name].longest * self.latency

    @property
    def medians(self) -> list[float]:
        """The median wall time of a debate over its critical path's, by round, the lowest first."""
        return sorted(median(held.walls) / self.ideal for held in self.held)

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
        waves = -(-self.questions // AT_ONCE)
        low, *_, high = [*self.medians, self.medians[-1]]
        return (
            self.name,
            str(self.calls),
            str(COURSES[self.name].longest),
            f"{low * self.ideal:.3f}",
            f"{low:.3f} [-{high:.3f}]",
            f"{min(max(held.walls) for held in self.held) / self.ideal:.2f}",
            f"{min(held.whole for held in self.held) / self.ideal / waves:.2f}",
        )

    def faults(self) -> Iterator[str]:
        """What is not as it should be."""
        for what, expected, found in (
            ("calls", self.calls, [held.calls for held in self.held]),
            ("critical path", COURSES[self.name].longest, [held.paths for held in self.held]),
        ):
            if (seen := set().union(*found)) != {expected}:
                yield f"{self.name}: {what}: expected {expected}, found {sorted(seen)}"
        if self.medians[0] > MOST:
            yield f"{self.name}: a debate took {self.medians[0]:.3f} of its critical path"


HEAD = ("protocol", "calls", "path", "wall s", "wall/path", "slowest", "whole run")


def show(rows: list[Row], *, markdown: bool) -> None:
    """Print the table."""
    lines = [HEAD, *(row.cells() for row in rows)]
    if markdown:
        lines.insert(1, ("---",) * len(HEAD))
        print("\n".join(f"| {' | '.join(cells)} |" for cells in lines))
        return
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *figures in lines:
        cells = [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
        print("  ".join([name.ljust(widths[0]), *cells]))


def measure(names: list[str], *, rounds: int, latency: float, questions: int) -> list[Row]:
    """Every course in turn, round by round, against one server."""
    held: dict[str, list[Held]] = {name: [] for name in names}
    with server(latency, rate_limits=False, forms=True) as address:
        asyncio.run(hold(names[0], address, 1))  # unmeasured: it imports what is imported at use
        for number in range(rounds):
            for name in names:
                print(f"round {number + 1}: {name} …", file=sys.stderr)
                held[name].append(asyncio.run(hold(name, address, questions)))
    rows = []
    for name in names:
        protocol = registry.get(name.partition(":")[0])
        calls = protocol.count(protocol.check(COURSES[name].settings))[1]
        rows.append(Row(name, calls, held[name], latency, questions))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=float, default=0.2, help="of the server, in s (0.2)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds over all protocols (3)")
    parser.add_argument("--questions", type=int, default=256, help="of each protocol (256)")
    parser.add_argument("--only", nargs="+", default=[], help="protocols, or lines of the table")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    options = parser.parse_args()
    ours = {
        each.name
        for each in registry
        if each.algorithm.__module__.startswith("moot.") and not each.needs
    }
    known = {name.partition(":")[0] for name in COURSES}
    if ours != known:
        sys.exit(f"COURSES and the protocols differ in {sorted(ours ^ known)}")
    chosen = set(options.only or known)
    if wrong := chosen - known - set(COURSES):
        parser.error(f"--only: no {sorted(wrong)}; choose from {', '.join(COURSES)}")
    names = [name for name in COURSES if chosen & {name, name.partition(":")[0]}]
    rows = measure(
        names, rounds=options.rounds, latency=options.latency, questions=options.questions
    )
    print(
        f"{options.questions} questions, {AT_ONCE} debates at once, "
        f"{options.latency * 1000:.0f} ms a call; "
        f"median debate of the best of {options.rounds} rounds [of the worst]"
    )
    show(rows, markdown=options.markdown)
    if faults := [fault for row in rows for fault in row.faults()]:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
