"""Whether analyses recover what is planted in the values of debates, and show nothing else.

python bench/analyses.py [--repeats 200] [--json FILE]

Where `bench/biases.py` runs studies of a simulated population, here the values of debates are drawn
directly, so that the truth is a number that was chosen:

- networks: the second layer is right more often than the first by a stated share;
- option-bias: wrong replies prefer one place by a stated share, and right answers crowd in another;
- judge-bias: three identities have stated strengths;
- debate-metrics and hopfield: a share of debates, and a mean, that are stated;
- essays: the essays of one arm are better than the baseline's by a stated part of a grade; a judge
  gives whole grades of 1 to 5 that crowd below the top, and prefers the essay shown first by a
  stated share.

Each line says how often the 95 % interval holds the truth, and how often the corrected p is below
0.05, with the exact interval of that share over the repetitions.
"""

import argparse
import asyncio
import json
import time
from collections import Counter, defaultdict
from itertools import permutations
from math import exp, log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec
from truth import ALPHA, share

from moot.analyses.analysis import registry
from moot.analyses.identity_ranking import rank_identities
from moot.analyses.option_bias import PlacedReply, measure_places
from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.assess.essay_grades import EssayGrade, average_grade, collect_values
from moot.contrib.essays.assess.essay_measures import measure_essays, tabulate_differences
from moot.contrib.essays.assess.preference import Comparison, measure_rate, tabulate_orders
from moot.contrib.essays.run_essays import RunEssays
from moot.core.events import Closed, Opened, Transcript, Verdict
from moot.core.questions import Question
from moot.core.stored import Arm, DebateValues, StudyRow
from moot.debate.protocol import registry as protocols
from moot.statistics.paired import holm
from moot.studies.lab import open_lab

QUESTIONS = 60
NODES = [{"name": name} for name in "ABC"]
EDGES = [["A", "C"], ["B", "C"], ["C", "judge"]]
STRENGTHS = {"left": log(2), "right": 0.0, "oak": -log(2)}
EVEN = dict.fromkeys(STRENGTHS, 0.0)


async def analyse(folder, name, arms, rows, **options):
    """Record a run of these values, and analyse it."""
    async with open_lab(folder) as lab:
        study = StudyRow(name="made", arms=tuple(arms), baseline=None)
        run = lab.store.begin_run("made", "made", msgspec.json.encode(study))
        for arm, question, values in rows:
            put = Question(id=question, kind="number", text=question, answer="4")
            opened = Opened(question=put, protocol="single", settings={}, pack="00")
            closed = Closed(verdict=Verdict(answer="4", by="reply"))
            debate = Transcript((opened, closed))
            await lab.store.save_debate(run.id, arm, "made", question, 0, debate, values)
        await lab.store.flush()
    async with open_lab(folder, readonly=True) as lab:
        return registry.get(name).apply(RecordedRuns(lab, ["made"]), options)


async def networks(folder, rng, repeats, gain):
    """Two layers of a network; the second is right more often by ``gain``."""
    arms = [
        Arm(name=str(k), protocol="network", settings={"nodes": NODES, "edges": EDGES})
        for k in range(repeats)
    ]
    rows = []
    for arm in arms:
        for k in range(QUESTIONS):
            easy = rng.random()
            first = [float(rng.random() < 0.2 + 0.6 * easy) for _ in "AB"]
            second = float(rng.random() < 0.2 + 0.6 * easy + gain)
            values = {"accuracy": second, "layer:1": sum(first) / 2, "layer:2": second}
            values |= dict(zip(("node:A", "node:B", "node:C"), (*first, second), strict=True))
            rows.append((arm.name, f"q{k}", values))
    report = await analyse(folder, "networks", arms, rows)
    table = next(table for table in report.tables if "compared" in table.title)
    for row in table.rows:
        if row.cells[0] == "layer 2 − layer 1":
            difference = row.cells[1]
            inside = difference.low <= gain <= difference.high
            yield "layer 2 minus layer 1", gain, difference.mean, inside, row.cells[2] < ALPHA


async def options(_, rng, repeats, preference):
    """Wrong replies that prefer the third place; most right answers are in the first."""
    for _ in range(repeats):
        replies = []
        for k in range(QUESTIONS):
            right = 0 if rng.random() < 0.55 else rng.randrange(4)
            wrong = [place for place in range(4) if place != right]
            tempting = 2 if right != 2 and rng.random() < preference else rng.choice(wrong)
            for _ in range(3):
                chosen = right if rng.random() < 0.5 else tempting
                replies.append(PlacedReply(f"q{k}", chosen, right, 4))
        effects = list(measure_places(replies))
        fixed = holm([effect.p for effect in effects])
        true = preference * 2 / 3
        excess = effects[2].excess
        inside = excess.low <= true <= excess.high
        yield "excess of the third place", true, excess.mean, inside, fixed[2] < ALPHA
        others = min(fixed[place] for place in (0, 1, 3))
        if not preference:
            yield "any other place", None, None, None, others < ALPHA


async def identities(_, rng, repeats, strengths):
    """Three identities, paired each with each, before judges to whom they are worth so much."""
    arms = []
    for pair in permutations(strengths, 2):
        cast = [
            {"role": side, "persona": who}
            for side, who in zip(("affirmative", "negative"), pair, strict=True)
        ]
        settings = protocols.get("debate-moderated").check({"cast": cast})
        arms.append(
            (pair, Arm(name=" ".join(pair), protocol="debate-moderated", settings=settings))
        )
    for _ in range(repeats):
        rows = []
        for (one, other), arm in arms:
            likely = 1 / (1 + exp(strengths[other] - strengths[one]))
            for k in range(QUESTIONS):
                values = {"supports-affirmative": float(rng.random() < likely)}
                rows.append(DebateValues(arm.name, "made", str(k), 0, failed=False, values=values))
        [found] = rank_identities(rows, [arm for _, arm in arms])
        for name, strength in found.strengths.items():
            inside = strength.low <= strengths[name] <= strength.high
            apart = strength.low > 0 or strength.high < 0
            yield f"strength of {name}", strengths[name], strength.mean, inside, apart


async def shares(folder, rng, repeats, agreed):
    """Debates of a network whose nodes agree in a stated share of them."""
    arms = [
        Arm(name=str(k), protocol="hopfield", settings={"nodes": NODES}) for k in range(repeats)
    ]
    rows = []
    for arm in arms:
        for k in range(QUESTIONS):
            values = {"accuracy": 1.0, "node:A": 1.0, "sweep:1": 1.0, "sweeps": 2.0}
            rows.append((arm.name, f"q{k}", values | {"unanimous": float(rng.random() < agreed)}))
    report = await analyse(folder, "hopfield", arms, rows)
    for row in report.tables[0].rows:
        share_of = row.cells[1]
        yield (
            "share that agrees",
            agreed,
            share_of.mean,
            share_of.low <= agreed <= share_of.high,
            None,
        )


async def means(folder, rng, repeats, mean):
    """A metric of debates whose mean is stated: how many debaters changed."""
    arms = [Arm(name=str(k), protocol="single", settings={}) for k in range(repeats)]
    rows = [
        (arm.name, f"q{k}", {"changed": float(sum(rng.random() < mean / 3 for _ in range(3)))})
        for arm in arms
        for k in range(QUESTIONS)
    ]
    report = await analyse(folder, "debate-metrics", arms, rows, metric=["changed"])
    for row in report.tables[0].rows:
        found = row.cells[1]
        yield "mean of changed", mean, found.mean, found.low <= mean <= found.high, None


PROPOSITIONS, EACH = 24, 3
LEVEL, SPREAD, NOISE = 3.7, 0.4, 0.6
"""The mean quality of essays, its spread over propositions, and that of a judge's grades."""


def graded(rng, quality):
    """A judge's grade of an essay."""
    return float(min(5, max(1, round(rng.gauss(quality, NOISE)))))


def mean_grade(gain):
    """The mean of the grades of essays that are better by so much, of many."""
    rng = Random(1)
    return sum(graded(rng, rng.gauss(LEVEL + gain, SPREAD)) for _ in range(400_000)) / 400_000


async def essays(_, rng, repeats, planted):
    """Three arms, the last of which is better than the others; a judge grades and compares."""
    gain, favour = planted
    gains = {"base": 0.0, "same": 0.0, "better": gain}
    means = {arm: mean_grade(own) for arm, own in gains.items()}
    for _ in range(repeats):
        grades, compared = [], []
        for k in range(PROPOSITIONS):
            level = rng.gauss(LEVEL, SPREAD)
            for arm, own in gains.items():
                for replicate in range(EACH):
                    value = graded(rng, level + own)
                    given = {"question": f"q{k}", "arm": arm, "replicate": replicate}
                    grades.append(EssayGrade(**given, aspect="relevance", value=value))
            for one, other in permutations(gains, 2):
                gap = rng.gauss(gains[one] - gains[other], NOISE) + favour
                compared.append(
                    Comparison(
                        question=f"q{k}",
                        aspect="relevance",
                        first_arm=one,
                        second_arm=other,
                        replicate=0,
                        winner="tie" if abs(gap) < 0.1 else "first" if gap > 0 else "second",
                        order=int(one > other),
                    )
                )
        held = RunEssays([], {("made", arm): Counter() for arm in gains})
        arms = measure_essays(held, {}, {}, grades)
        for row in tabulate_differences("made", arms, arms[0]).rows:
            arm, difference, fixed = row.cells[0], row.cells[2], row.cells[4]
            true = means[arm] - means["base"]
            inside = difference.low is not None and difference.low <= true <= difference.high
            yield f"grade of {arm} minus base", true, difference.mean, inside, fixed < ALPHA
        first = average_grade(collect_values(grades)["relevance", "better"].values())
        inside = first.low <= means["better"] <= first.high
        yield "mean grade of better", means["better"], first.mean, inside, None
        fair = [each for each in compared if set(each.arms) == {"base", "better"}]
        rate = measure_rate(fair, "better")
        inside = None if gain else rate.rate.low <= 0.5 <= rate.rate.high
        yield "won by better", 0.5 if not gain else None, rate.rate.mean, inside, rate.p < ALPHA
        order = tabulate_orders("made", compared).rows[0].cells
        inside = None if favour else order[2].low <= 0.5 <= order[2].high
        yield "first preferred", None if favour else 0.5, order[2].mean, inside, order[3] < ALPHA


PLANTED = (
    ("networks: layers alike", networks, 0.0),
    ("networks: a gain of .15", networks, 0.15),
    ("option-bias: none", options, 0.0),
    ("option-bias: .3 to the third", options, 0.3),
    ("judge-bias: identities alike", identities, EVEN),
    ("judge-bias: strengths of ± .69", identities, STRENGTHS),
    ("hopfield: .35 agree", shares, 0.35),
    ("debate-metrics: a mean of 1.2", means, 1.2),
    ("essays: arms alike", essays, (0.0, 0.0)),
    ("essays: better by half a grade", essays, (0.5, 0.0)),
    ("essays: the first is favoured", essays, (0.0, 0.3)),
)


def print_rows(rows):
    heads = f"{'true':>7} {'mean':>7} {'truth in interval':>20} {'shown':>20}"
    print(f"{'planted':32} {'figure':28} {heads}")
    for row in rows:
        ends = [
            "" if part is None else f"{part['share']:.0%} [{part['low']:.0%}, {part['high']:.0%}]"
            for part in (row["inside"], row["shown"])
        ]
        numbers = ["" if row[name] is None else f"{row[name]:.3f}" for name in ("true", "mean")]
        print(
            f"{row['planted']:32} {row['figure']:28} {numbers[0]:>7} {numbers[1]:>7} "
            f"{ends[0]:>20} {ends[1]:>20}"
        )


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows, began = [], time.perf_counter()
    for name, draw, planted in PLANTED:
        found = defaultdict(list)
        with TemporaryDirectory() as folder:
            async for what, *figures in draw(Path(folder), Random(7), given.repeats, planted):
                found[what].append(figures)
        for what, each in found.items():
            true, estimates, inside, shown = zip(*each, strict=True)
            known = [estimate for estimate in estimates if estimate is not None]
            rows.append(
                {
                    "planted": name,
                    "figure": what,
                    "true": true[0],
                    "mean": sum(known) / len(known) if known else None,
                    "inside": None if inside[0] is None else share(list(inside)),
                    "shown": None if shown[0] is None else share(list(shown)),
                }
            )
    took = time.perf_counter() - began
    print(
        f"{given.repeats} repetitions of {QUESTIONS} questions, or {PROPOSITIONS} propositions, "
        f"each; {took:.0f} s"
    )
    print_rows(rows)
    if given.json:
        given.json.write_text(json.dumps({"repeats": given.repeats, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
