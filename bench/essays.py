"""Whether essays are written and judged as fast as their calls allow; what measuring them takes.

    python bench/essays.py                      3 propositions, 1 s a call, 3 rounds: three minutes
    python bench/essays.py --only measures      self-BLEU beside sacrebleu called directly
    python bench/essays.py --latency 5 --propositions 8

**writing**: the six arms of the study ``essays``, seven essays of each on every proposition, all
at once against one server of a fixed latency, which lets no debate end early. The critical path is
that of the longest arm, ten rounds of a team and its critic: everything else has to fit beside it.
The ratio is the whole run's wall time, from opening the store to its results, over path x latency.

**judging**: ``moot essays --judge`` on these essays: points, comparisons, every measure. Nothing of
it waits for anything else, so that its critical path is a single call, or as many waves of calls as
the endpoint takes at once (``--at-once``) make necessary. The ratio is that of the whole
assessment, from opening the store. Calls take this process time as well, which no latency hides in
the first wave: with few waves and a short latency the ratio is the machine's.

**measures**: self-BLEU over texts of 400 words, seven on each proposition, by
``moot.contrib.essays.assess.diversity`` and by sacrebleu's ``sentence_score``: seconds, and the
greatest difference between the two.

The lowest round counts, since whatever else runs on the machine can only add; the highest is shown
beside it. The exit code is 1 where a ratio is above 1.15, or a figure is not sacrebleu's.
"""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from critical import critical_path
from overhead import server

import moot
from moot.contrib.essays.assess.assessment import assess
from moot.contrib.essays.assess.diversity import bleus
from moot.contrib.essays.assess.model_judge import Judging
from moot.contrib.essays.run_essays import read_essays
from moot.extend.studies import Embedder
from moot.ledger.store import Store
from moot.studies.lab import open_lab
from moot.studies.study import Study, load

MOST = 1.15
"""The wall time over the critical path's."""
PLACES = 4096
"""Calls that the server takes at once: more than there are."""
TALK = 10 * (3 + 1)
"""The calls of a discussion: ten rounds of three members and their critic."""
CALLS = {
    "essay-direct": 1,
    "essay-plan": 2,
    "americano": 4 + 8,
    "debate-to-write": 2 + TALK + 2,
    "debate-to-write, no personas": TALK + 2,
    "debate-to-write, authors' code": 5,
}
"""The calls of an essay of each arm of the study. All but americano's wait for each other."""
LONGEST = max(CALLS.values())


def study(place: Path, address: str, propositions: int) -> Study:
    """The shipped study over so many propositions of this benchmark."""
    path = place / "propositions.jsonl"
    lines = [{"id": f"p{k}", "question": f"Place {k} is the best"} for k in range(propositions)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    given = {
        "name": "bench",
        "extends": "essays",
        "drop_datasets": ["*"],
        "datasets": [{"name": "file", "path": str(path), "kind": "text"}],
    }
    return load(given, model=f"{address}/v1/bench?concurrency={PLACES}")


async def written(place: Path, address: str, propositions: int) -> tuple[float, str]:
    """Write all essays; the seconds that took, and the run."""
    asked = study(place, address, propositions)
    began = perf_counter()
    outcome = await moot.run(asked, store=place / "store")
    whole = perf_counter() - began
    assert not outcome.failed, outcome.reasons
    async with Store.open(place / "store", readonly=True) as store:
        rows = list(store.debates(store.find_run(outcome.run).id))
        paths = {row.arm: critical_path(row.transcript) for row in rows}
        calls = {row.arm: len(row.transcript.turns) for row in rows}
    assert max(paths.values()) == LONGEST, paths
    assert calls == CALLS, calls
    return whole, outcome.run


async def judged(place: Path, address: str, run: str, at_once: int) -> tuple[float, int]:
    """Assess the essays; the seconds that took, and the calls."""
    judge = f"{address}/v1/judge?concurrency={at_once}"
    began = perf_counter()
    async with open_lab(place / "store") as lab:
        runs = moot.RecordedRuns(lab, [run])
        judging = Judging(runs.rows[0], read_essays(runs).essays, judge)
        found = await assess(runs, embed=Embedder.find("embedded"), judging=judging)
        calls = lab.store.sum_spent(lab.store.find_run(judging.key).id).calls
    whole = perf_counter() - began
    assert not found.failed, found.report.notes
    return whole, calls


def texts(number: int, seed: int) -> list[str]:
    """Seven texts of 400 words that have much in common."""
    draw = random.Random(seed)
    words = [f"word{k}" for k in range(60)]
    return [" ".join(draw.choices(words, k=400)) + "." for _ in range(number)]


def measures(propositions: int) -> list[str]:
    """Self-BLEU beside sacrebleu; what is not as it should be."""
    from sacrebleu.metrics.bleu import BLEU

    groups = [texts(7, seed) for seed in range(propositions)]
    bleus(groups[0])  # unmeasured: it imports what is imported at use
    began = perf_counter()
    ours = [bleus(group) for group in groups]
    taken = perf_counter() - began
    bleu = BLEU(effective_order=True)
    began = perf_counter()
    theirs = [
        [
            bleu.sentence_score(text, group[:k] + group[k + 1 :]).score
            for k, text in enumerate(group)
        ]
        for group in groups
    ]
    direct = perf_counter() - began
    apart = max(
        abs(one - other)
        for own, direct_own in zip(ours, theirs, strict=True)
        for one, other in zip(own, direct_own, strict=True)
    )
    essays = 7 * propositions
    print(
        f"self-BLEU of {essays} essays: {taken:.3f} s, {1e3 * taken / essays:.2f} ms each; "
        f"sacrebleu directly {direct:.3f} s; ratio {taken / direct:.2f}; apart by {apart:.1e}"
    )
    return [] if apart < 1e-9 else [f"self-BLEU differs from sacrebleu's by {apart}"]


def told(what: str, ratios: list[float], ideal: float, calls: str) -> list[str]:
    """Print a ratio with its spread; what is wrong with it."""
    low, high = min(ratios), max(ratios)
    print(f"{what}: {calls}; path {ideal:.2f} s; wall/path {low:.3f} [-{high:.3f}]")
    return [f"{what}: {low:.3f} of its critical path"] if low > MOST else []


def timed(options: argparse.Namespace) -> list[str]:
    """Write and judge, round by round; what is not as it should be."""
    path = LONGEST * options.latency
    wrote: list[float] = []
    ruled: list[float] = []
    judge = waves = calls = 0
    with server(options.latency, rate_limits=False, forms=True) as address:
        for number in range(options.rounds + 1):
            print(f"round {number} …", file=sys.stderr)
            count = options.propositions if number else 1  # unmeasured: imports, connections
            with TemporaryDirectory() as folder:
                place = Path(folder)
                whole, run = asyncio.run(written(place, address, count))
                took, judge = asyncio.run(judged(place, address, run, options.at_once))
            waves = -(-judge // options.at_once)
            if number:
                wrote.append(whole / path)
                ruled.append(took / (waves * options.latency))
    calls = sum(CALLS.values()) * 7 * options.propositions
    essays = 7 * len(CALLS) * options.propositions
    return told("writing", wrote, path, f"{essays} essays, {calls} calls") + told(
        "judging", ruled, waves * options.latency, f"{judge} calls, {options.at_once} at once"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=float, default=1.0, help="of the server, in s (1)")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (3)")
    parser.add_argument("--propositions", type=int, default=3, help="how many (3)")
    parser.add_argument("--at-once", type=int, default=64, help="calls of the judge at once (64)")
    parser.add_argument("--only", choices=("calls", "measures"), help="one part")
    options = parser.parse_args()
    faults: list[str] = []
    if options.only != "calls":
        faults += measures(32)
    if options.only != "measures":
        faults += timed(options)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
