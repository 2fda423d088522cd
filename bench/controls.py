"""Whether the controls of a debate find what is planted, and nothing else.

python bench/controls.py [--repeats 40] [--questions 50] [--only PLANTED] [--json FILE]

In each population one reason to change an answer is planted alone, all but one, none, or all: being
unsure (`revise`), following bare answers (`bare_conformity`), following whatever looks like a
reason (`placebo`), and following reasons (`persuasion`). In two further populations agents count
answers, or follow the majority. A society of three agents revises once, beside three of its
controls, by `moot.run`. A population's questions are independent of each other, so one run of many
questions is cut into the repetitions. What is planted is recovered by the analyses `flip-sources`,
`contrasts` and `predictors`: of the last, how well the first round tells what happens; where no
agent follows another, that is nothing (0.5). Truths that are stated are exact, of the population's
definition. That something is said to be there means p at most 0.05 after Holm.
"""

import argparse
import asyncio
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlencode

from truth import ALPHA, share

import moot
from moot.analyses.contrasts import compare_set
from moot.analyses.control_debates import measure_sets
from moot.analyses.predictors import OUTCOMES, measure_predictors
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.revised_answers import measure_flips
from moot.studies.lab import open_lab

RIGHT, WRONG = 0.5, 4  # the belief in the right answer, and how many wrong ones share the rest
SAME = RIGHT**2 + WRONG * ((1 - RIGHT) / WRONG) ** 2  # two draws of the belief are the same
STABLE = {"accuracy": RIGHT, "concentration": 1e6}  # all believe alike, and reading moves nothing
UNSURE, SIZE = 0.3, 0.3
FLAT_FOR_ALL = ("nothing", "instability")  # where the first round tells nothing
FLAT = {"harmful conformity": (*FLAT_FOR_ALL, "conformity")}  # which answer is right, it may tell
NETS = ("conformity", "placebo", "persuasion", "content of reasons")
PARTS = ("reflection", "seeing answers", "look of a reason", "content of reasons")


class Planted(NamedTuple):
    """A population: its knobs, and what is true of it; a figure that is not named is not known."""

    name: str
    knobs: dict
    true: dict


def plant(name, *, unsure=0.0, **sizes):
    """A population in which agents follow others with these probabilities, and its truths.

    Without a reason its net figure is 0, also where chance changes answers. Where chance changes
    none, a net figure is the probability itself; persuasion by whole replies has the look of a
    reason in it.
    """
    conforms, looks, reasons = (
        sizes.get(knob, 0.0) for knob in ("bare_conformity", "placebo", "persuasion")
    )
    persuades = 1 - (1 - looks) * (1 - reasons)
    followed = dict(
        zip(NETS, (conforms, looks, persuades, round(persuades - looks, 12)), strict=True)
    )
    if conforms or unsure:  # resistant agents may follow bare answers, too, and chance overlaps
        followed = {what: size for what, size in followed.items() if not size or not unsure}
    if conforms:
        followed = {
            what: size for what, size in followed.items() if what == "conformity" or not size
        }
    shown = zip(PARTS, (0.0, conforms, looks, reasons), strict=True)
    nulls = {f"accuracy: {what}": 0.0 for what, size in shown if not size}
    true = {"instability": unsure * (1 - SAME)} | followed | nulls
    return Planted(name, STABLE | {"revise": unsure - 1} | sizes, true)


FOLLOWS = {"accuracy": RIGHT, "concentration": 1e6, "revise": -0.5, "conformity": 0.9}
COUNTS = dict.fromkeys(("placebo", "persuasion", "content of reasons"), 0.0)
POPULATIONS = (
    plant("nothing"),
    plant("instability", unsure=UNSURE),
    plant("conformity", bare_conformity=SIZE),
    plant("placebo", placebo=SIZE),
    plant("persuasion", persuasion=SIZE),
    plant("all but conformity", unsure=UNSURE, placebo=SIZE, persuasion=SIZE),
    plant("all but placebo", unsure=UNSURE, bare_conformity=SIZE, persuasion=SIZE),
    plant("all but persuasion", unsure=UNSURE, bare_conformity=SIZE, placebo=SIZE),
    plant("all", unsure=UNSURE, bare_conformity=SIZE, placebo=SIZE, persuasion=SIZE),
    Planted("counts answers", {"accuracy": RIGHT, "concentration": 1.0}, COUNTS),
    Planted("follows the majority", FOLLOWS, {}),
)


async def hold(planted, repeats, questions, folder):
    """The control set of all repetitions as one."""
    model = f"simulated/people?{urlencode(planted.knobs)}"
    study = {
        "name": "controls",
        "settings": {"model": model},
        "datasets": [{"name": "arithmetic", "difficulty": 4, "n": repeats * questions}],
        "arms": [
            {"protocol": "exposure", "name": way, "shows": way, "repeats": way in TWICE}
            for way in ("nothing", "stances", "vacuous", "reasons")
        ],
    }
    outcome = await moot.run(study, store=folder)
    assert outcome.results.simulated
    assert not outcome.failed
    async with open_lab(folder, readonly=True) as lab:
        [found] = measure_sets(RecordedRuns(lab, [outcome.run]))
    return found


TWICE = ("nothing", "stances")


def cut(found, repeats):
    """The control set of each repetition."""
    every = found.pair(*found.debates)
    for number in range(repeats):
        keys = set(every[number::repeats])
        yield found._replace(
            debates={
                way: {key: each for key, each in own.items() if key in keys}
                for way, own in found.debates.items()
            }
        )


def figures(own):
    """Every figure of one repetition: its estimate, its interval, and whether it is shown."""
    flips = measure_flips(own)
    for each in flips.sources:
        if each.name == "instability":
            yield each.name, each.gross, None
        else:
            yield each.name, each.net, each.net.p_holm is not None and each.net.p_holm <= ALPHA
    for each in compare_set(own).contrasts:
        if each.name in PARTS:
            yield f"accuracy: {each.name}", each.gap, each.gap.p_holm <= ALPHA
    for each in measure_predictors(own).predictors:
        if each.p_holm is not None:
            yield f"{each.outcome}: {each.fact}", each.auroc, each.p_holm <= ALPHA


def recover(planted, repeats, questions):
    """The rows of a population: each figure over all repetitions."""
    with TemporaryDirectory() as folder:
        found = asyncio.run(hold(planted, repeats, questions, Path(folder)))
    rows = {}
    for own in cut(found, repeats):
        for what, figure, shown in figures(own):
            rows.setdefault(what, []).append((figure, shown))
    made = []
    for what, every in rows.items():
        outcome = what.partition(": ")[0]
        flat = outcome in OUTCOMES and planted.name in FLAT.get(outcome, FLAT_FOR_ALL)
        true = planted.true.get(what, 0.5 if flat else None)
        known = [figure for figure, _ in every if figure.low is not None]
        hits = [figure.low <= true <= figure.high for figure in known if true is not None]
        said = [shown for _, shown in every if shown is not None]
        made.append(
            {
                "planted": planted.name,
                "figure": what,
                "true": true,
                "mean_estimate": fmean(figure.mean for figure in known),
                "inside": share(hits) if hits else None,
                "shown": share(said) if said else None,
            }
        )
    return made


def told(part):
    return "" if part is None else f"{part['share']:.0%} [{part['low']:.0%}, {part['high']:.0%}]"


def number(value):
    return "" if value is None else f"{value:+.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--only", default="", help="a part of what is planted")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    began = time.perf_counter()
    chosen = [each for each in POPULATIONS if given.only in each.name]
    with ProcessPoolExecutor(2) as pool:
        sizes = [given.repeats] * len(chosen), [given.questions] * len(chosen)
        rows = [row for own in pool.map(recover, chosen, *sizes) for row in own]
    took = time.perf_counter() - began
    print(
        f"{given.repeats} repetitions of {given.questions} questions; simulated; {took:.0f} s\n"
        f"{'planted':20} {'figure':54} {'true':>7} {'mean':>7} "
        f"{'truth in interval':>18} {'said to be there':>18}"
    )
    for row in rows:
        print(
            f"{row['planted']:20} {row['figure']:54} {number(row['true']):>7} "
            f"{number(row['mean_estimate']):>7} {told(row['inside']):>18} {told(row['shown']):>18}"
        )
    if given.json:
        about = {"repeats": given.repeats, "questions": given.questions, "seconds": took}
        given.json.write_text(json.dumps(about | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
