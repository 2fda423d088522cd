"""Whether `moot analyse decisions` finds a rule that is planted to be better, and no other.

python bench/rules.py [--repeats 100] [--questions 60] [--only PLANTED] [--speed DEBATES]

Each repetition is a study run by `moot.run` with a simulated population and seeds of its own, and
then one analysis of its store. The worlds:

- `nothing`: true-or-false claims and beliefs that lie evenly around one half, so that every rule
  that always answers is right on half of all claims, whichever round or ballot it counts;
- `rankings`: questions with four options, on which ballots rank the right answer first among those
  that are not the agent's own with a stated probability (`discernment`): rules over rankings gain;
- `confidences`: the same questions, with agents that state confidences, higher in right answers
  than in wrong ones (`insight`): rules that weigh by confidence gain;
- `guesses`: the same with confidences that are drawn evenly: nothing to gain from;
- `no rankings`: the same with an even order of the others: they have nothing to gain from.

`--speed` times the analysis, in CPU seconds, on a store of so many debates.
"""

import argparse
import asyncio
import json
import time
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from truth import ALPHA, AT_ONCE, WEIGHT, claims, share

import moot

RANKED = ("borda", "condorcet", "schulze", "instant-runoff", "cumulative", "scores")
ROUNDS = ("first-round", "any-round", "last-k", "locked", "trajectory", "votes")
OPTIONS = "ABCD"
WEIGHED = ("weighted", "weighted?weights=log-odds", "fusion")
DISCERNS, SEES = 0.8, 0.3
SURE = {"protocol": "self-consistency", "samples": 7, "confidence": "percent"}
BALLOT = {"protocol": "ballot", "agents": 5, "rounds": 3}
ALONE = {"protocol": "ballot", "agents": 7, "alone": True}


def options(folder, seed, questions):
    """A file of questions with four options; each place is right as often."""
    file = folder / f"options-{seed}.jsonl"
    rows = (
        {
            "id": f"{seed}-{number}",
            "question": f"Item {number} of study {seed}?",
            "choices": list("wxyz"),
            "answer": OPTIONS[number % 4],
        }
        for number in range(questions)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


WORLDS = {
    "nothing": (claims, BALLOT, "accuracy=0.5", (*RANKED, *ROUNDS)),
    "rankings": (options, ALONE, f"accuracy=0.35&discernment={DISCERNS}", RANKED),
    "confidences": (options, SURE, f"accuracy=0.35&insight={SEES}", WEIGHED),
    "guesses": (options, SURE, "accuracy=0.35&guessed=1", WEIGHED),
    "no rankings": (options, ALONE, "accuracy=0.35", RANKED),
}


async def compare(folder, world, seed, questions):
    """Return what the analysis says of each rule: its gain, and whether it is found."""
    make, arm, knobs, rules = WORLDS[world]
    file = make(folder, seed, questions)
    study = {
        "name": f"rules-{seed}",
        "settings": {"model": f"simulated/people?{knobs}&concentration={WEIGHT}&seed={seed}"},
        "datasets": [{"name": "file", "label": "own", "path": str(file)}],
        "arms": [arm],
    }
    await moot.run(study, store=folder / str(seed))
    report = await moot.analyse(
        "decisions", study["name"], store=folder / str(seed), rules=list(rules)
    )
    found = {}
    for row in report.tables[0].records:
        if row["rule"] != "plurality":
            p, gain = row["p Holm"], row["gain"]
            found[row["rule"]] = gain, p is not None and p <= ALPHA
    return found


async def repeat(world, repeats, questions):
    free = asyncio.Semaphore(AT_ONCE)

    async def one(folder, seed):
        async with free:
            return await compare(folder, world, seed, questions)

    with TemporaryDirectory() as folder:
        return await asyncio.gather(*(one(Path(folder), seed) for seed in range(repeats)))


def table(world, rows):
    def show(hits):
        part = share(hits)
        return f"{part['share']:.0%} [{part['low']:.0%}, {part['high']:.0%}]"

    for rule in rows[0]:
        gain = fmean(row[rule][0] for row in rows)
        better = show(row[rule][1] and row[rule][0] > 0 for row in rows)
        worse = show(row[rule][1] and row[rule][0] < 0 for row in rows)
        print(f"{world:12} {rule:26} {gain:+7.3f} {better:>16} {worse:>16}")
    anything = show(any(found for _, found in row.values()) for row in rows)
    print(f"{world:12} {'any rule':26} {'':7} {anything:>16}")


async def time_analysis(debates):
    """Print how long the analysis of one arm takes with all rules."""
    with TemporaryDirectory() as folder:
        study = {
            "name": "speed",
            "settings": {"model": "simulated/people"},
            "datasets": [{"name": "file", "path": str(claims(Path(folder), 0, debates))}],
            "arms": [{**BALLOT, "agents": 3, "rounds": 1}],
        }
        await moot.run(study, store=Path(folder) / "store")
        wall, cpu = time.perf_counter(), time.process_time()
        report = await moot.analyse("decisions", "speed", store=Path(folder) / "store")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"{debates} debates, {len(report.tables[0].rows)} rules: {cpu:.1f} s CPU, {wall:.1f} s")


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--speed", type=int, default=0)
    given = parser.parse_args()
    if given.speed:
        await time_analysis(given.speed)
        return
    print(f"{given.repeats} repetitions of {given.questions} questions; simulated")
    print(f"{'world':12} {'rule':26} {'gain':>7} {'said to be better':>16} {'worse':>16}")
    for world in WORLDS:
        if given.only in world:
            table(world, await repeat(world, given.repeats, given.questions))


if __name__ == "__main__":
    asyncio.run(main())
