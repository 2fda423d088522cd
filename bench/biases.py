"""Whether the reports on prejudice and fidelity recover what was planted, and show nothing else.

python bench/biases.py [--repeats 30] [--only PLANTED] [--json FILE]

Each repetition is a study run by `moot.run` on true-or-false questions, put to a simulated
population with a seed of its own; the reports are made from its store. Planted are

- anchoring (`anchor`): who is asked whether a value is right says so, or avoids it;
- a judge's bias for the side that is shown first (`first`), and for a persona (`favours`);
- a saturation point (`saturate`): reading more than so many answers does not help;
- obedience to agreement (`obedience`): an agent that is told to agree does as it is told;
- rankers who put the reply shown first first (`first`), or their own (`own`).

What each comes to in a study is worked out from the population's definition, without a draw.
"""

import argparse
import asyncio
import json
import time
from itertools import product
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urlencode

from truth import AGENTS, ALPHA, AT_ONCE, WEIGHT, claims, majority, share

import moot
from moot.analyses.anchoring import read_outcomes
from moot.analyses.fidelity import measure_fidelity
from moot.analyses.judge_bias import measure_judge_bias
from moot.analyses.prejudice import measure_prejudice
from moot.contrib.review.ranker_bias import OWN, RankedReplies
from moot.core.stored import decode_study
from moot.studies.lab import open_lab
from moot.studies.study_run import compute_results

ACCURACY, ANCHOR, BIAS = 0.5, 0.4, 0.3
SIDES = "affirmative", "negative"
OBEYS, SURE = 0.8, 0.75
LOW, DRIFT, STOPS, SIZES, MARGIN = 0.2, 0.9, 3, (1, 2, 3, 4, 5, 6), 0.1


class Found(NamedTuple):
    """One figure of one report: the truth, the estimate and what the report says of it.

    Attributes:
        true: None where the report is only asked whether there is anything.
        inside: whether the interval holds the truth; None where it is only asked that.
        shown: whether the report says that there is something; None where it does not say.
    """

    what: str
    true: float | None
    estimate: float | None
    inside: bool | None
    shown: bool | None


def gap(what, true, difference):
    """A difference with its interval and the p that the report corrects, where it does."""
    inside = difference.low <= true <= difference.high
    p = difference.p if difference.p_holm is None else difference.p_holm
    return Found(what, true, difference.mean, inside, p <= ALPHA)


def asked(belief, anchor):
    """How likely an agent says a value that it is asked about."""
    return (1 - abs(anchor)) * belief + max(anchor, 0.0)


def swayed(anchor, protocol, steps=400):
    """How much likelier the verdict is a value because the first agent was asked about it.

    The belief b in the value is drawn from Beta(2, 2). In a society of minds the first agent says
    it as it is anchored, the others by their belief; after k of three the belief is (4b + k) / 7.
    Integrated over b by the midpoint rule.
    """
    total = 0.0
    for step in range(steps):
        belief = (step + 0.5) / steps
        density = 6 * belief * (1 - belief) / steps
        first = asked(belief, anchor)
        if protocol == "single":
            total += density * (first - belief)
            continue
        for said in product((0, 1), repeat=AGENTS - 1):
            chance = density * belief ** sum(said) * (1 - belief) ** (AGENTS - 1 - sum(said))
            wins = [majority((WEIGHT * belief + k + sum(said)) / (WEIGHT + AGENTS)) for k in (0, 1)]
            total += chance * (first - belief) * (wins[1] - wins[0])
    return total


def people(seed, **knobs):
    given = {"accuracy": ACCURACY, "concentration": WEIGHT, "seed": seed} | knobs
    return f"simulated/people?{urlencode(given)}"


def openings(protocol, **given):
    return [
        {"name": f"{protocol}-{opening}", "protocol": protocol, "opening": opening} | given
        for opening in ("open", "control-right", "control-wrong")
    ]


async def held(folder, seed, questions, arms, **knobs):
    """A study held, the store it is in, and the key of its run."""
    study = {
        "name": f"planted-{seed}",
        "settings": {"model": people(seed, **knobs)},
        "datasets": [
            {"name": "file", "label": "claims", "path": str(claims(folder, seed, questions))}
        ],
        "arms": arms,
    }
    outcome = await moot.run(study, store=folder / str(seed))
    assert outcome.results.simulated
    assert not outcome.failed
    assert not outcome.stopped
    return outcome.run


async def anchoring(folder, seed, questions, anchor):
    """Sway, by protocol and opening, with its truth; whether the openings are said to vary."""
    arms = [*openings("single"), *openings("society-of-minds", agents=AGENTS, rounds=2)]
    run = await held(folder, seed, questions, arms, anchor=anchor)
    async with open_lab(folder / str(seed), readonly=True) as lab:
        row = lab.store.find_run(run)
        report = measure_prejudice(
            read_outcomes(lab.store.debates(row.id)), arms=decode_study(row).arms
        )
    for group in report.groups:
        true = swayed(anchor, group.protocol)
        for column in group.columns:
            if column.sway:
                what = f"{group.protocol}: sway by {column.opening}"
                yield gap(what, true, column.sway.difference)
        varies = group.variation
        what = f"{group.protocol}: variation"
        yield Found(what, None, varies.range.mean, None, varies.p_holm <= ALPHA)


def scaled(size, drift):
    """The accuracy of an aggregator that has read so many samples, whatever these say.

    Reading leaves the expected belief where it was; the drift then moves it.
    """
    return LOW + (1 - LOW) * drift * min(size, STOPS) / STOPS


async def scaling(folder, seed, questions, drift):
    """What reading more samples brings, and where it is said to bring no more."""
    name = "self-consistency"
    arms = [
        {"name": f"{name}-{size}", "protocol": name, "samples": size, "aggregate": True}
        for size in SIZES
    ]
    knobs = {"accuracy": LOW, "truth_drift": drift, "saturate": STOPS}
    run = await held(folder, seed, questions, arms, **knobs)
    async with open_lab(folder / str(seed), readonly=True) as lab:
        row = lab.store.find_run(run)
        report = measure_fidelity(lab.store.values(row.id), decode_study(row), margin=MARGIN)
    [curve] = report.curves
    yield gap(
        "last accuracy minus first", scaled(SIZES[-1], drift) - scaled(1, drift), curve.change
    )
    stops = curve.saturation
    ends = stops.low or 0, stops.high or float("inf")
    inside = stops.at is not None and ends[0] <= STOPS <= ends[1]
    shown = stops.kind != "flat"
    yield Found(
        "saturation point", STOPS if drift else None, stops.at, inside if drift else None, shown
    )


async def judging(folder, seed, questions, planted):
    """What each kind of side is worth in verdicts, over all seatings of two personas.

    Where a judge rules for one side with probability s whatever it believes, this side gets
    1/2 + s/2 of the verdicts: sides are alike but for that, since beliefs are exchangeable.
    """
    arms = [
        {
            "name": f"{pro}-{speaks}-{shown}",
            "protocol": "multi-persona",
            "rounds": 1,
            "tells_personas": True,
            "speaks_first": speaks,
            "shown_first": shown,
            "agents": [
                {"role": "affirmative", "persona": pro},
                {"role": "negative", "persona": con},
            ],
        }
        for (pro, con), speaks, shown in product(
            (("left", "right"), ("right", "left")), SIDES, SIDES
        )
    ]
    run = await held(folder, seed, questions, arms, **planted)
    favoured, _, favour = planted.get("favours", "").partition(":")
    true = {"shown first": planted.get("first", 0.0) / 2, favoured: float(favour or 0) / 2}
    async with open_lab(folder / str(seed), readonly=True) as lab:
        row = lab.store.find_run(run)
        report = measure_judge_bias(lab.store.values(row.id), arms=decode_study(row).arms)
    for effect in report.effects:
        [(first, second)] = effect.names
        truth, size = true.get(first, 0.0) - true.get(second, 0.0), effect.size
        inside = size.low <= truth <= size.high
        what = f"effect, {first} against {second}"
        yield Found(what, truth, size.mean, inside, effect.p_holm <= ALPHA)


def agreeing(percent, obedience):
    """The accuracy of multi-persona in one round: that of a judge who has read both personas.

    The judge's own belief weighs ``WEIGHT`` answers. The angel is right with probability m; the
    devil who obeys is right with x m + (1 - x)(1 - m), told to agree with a share x.
    """
    x = percent / 100
    devil = (1 - obedience) * SURE + obedience * (x * SURE + (1 - x) * (1 - SURE))
    return (WEIGHT * SURE + SURE + devil) / (WEIGHT + 2)


async def agreement(folder, seed, questions, obedience):
    """What more agreement brings in accuracy (arXiv:2311.17371, figure 6), against none at all."""
    arms = [
        {"name": f"told-{x}", "protocol": "multi-persona", "rounds": 1, "agreement": x}
        for x in (0, 50, 100)
    ]
    knobs = {"accuracy": SURE, "obedience": obedience, "temperature": 0}
    run = await held(folder, seed, questions, arms, **knobs)
    async with open_lab(folder / str(seed), readonly=True) as lab:
        results = compute_results(lab, run)
    for arm, percent in zip(results.arms[1:], (50, 100), strict=True):
        true = agreeing(percent, obedience) - agreeing(0, obedience)
        yield gap(f"accuracy told {percent} % less told 0 %", true, arm.difference)


async def ranking(folder, seed, questions, planted):
    """What a council's reviewers give the reply in each place, and their own, beyond the others.

    A reply that is put first has 1 where an even order gives 1/2 on average. The others then share
    what is left, (n - 2) / (2 (n - 1)) on average.
    """
    first, own = planted.get("first", 0.0), planted.get("own", 0.0)
    seats = 4
    arms = [{"protocol": "council", "agents": seats, "chair": False}]
    run = await held(folder, seed, questions, arms, **planted)
    replies = RankedReplies()
    async with open_lab(folder / str(seed), readonly=True) as lab:
        for row in lab.store.debates(lab.store.find_run(run).id):
            replies.read(row.transcript)
    effects = {each.what: each for each in replies.measure()}
    gain, loss = 1 / 2, (seats - 2) / (2 * (seats - 1)) - 1 / 2
    truth = {"place 1": first * gain, OWN: own * (gain - loss)}
    for what, true in truth.items():
        found = effects[what]
        inside = found.excess.low <= true <= found.excess.high
        yield Found(what, true, found.excess.mean, inside, found.p <= ALPHA)


STUDIES = (  # what is planted, how it is looked for, with how many questions
    ("no anchoring", anchoring, 60, 0.0),
    (f"anchor {ANCHOR:+}", anchoring, 60, ANCHOR),
    (f"anchor {-ANCHOR:+}", anchoring, 60, -ANCHOR),
    ("even-handed judges", judging, 40, {}),
    ("first and right favoured", judging, 40, {"first": BIAS, "favours": f"right:{BIAS}"}),
    ("affirmative favoured", judging, 40, {"favours": f"affirmative:{BIAS}"}),
    ("nothing is learnt", scaling, 120, 0.0),
    (f"saturation at {STOPS}", scaling, 120, DRIFT),
    ("even-handed rankers", ranking, 40, {}),
    ("first and own favoured", ranking, 40, {"first": BIAS, "own": BIAS}),
    ("own reply favoured", ranking, 40, {"own": BIAS}),
    ("agreement is ignored", agreement, 120, 0.0),
    ("agreement is obeyed", agreement, 120, OBEYS),
)


async def repeated(study, repeats, questions, planted):
    """Every figure of a study in all repetitions, by what it is of."""
    found = {}
    free = asyncio.Semaphore(AT_ONCE)

    async def one(folder, seed):
        async with free:
            return [each async for each in study(folder, seed, questions, planted)]

    with TemporaryDirectory() as folder:
        for rows in await asyncio.gather(*(one(Path(folder), seed) for seed in range(repeats))):
            for each in rows:
                found.setdefault(each.what, []).append(each)
    return found


def counted(hits):
    known = [hit for hit in hits if hit is not None]
    return share(known) if known else None


def figures(name, found):
    for what, each in found.items():
        estimates = [one.estimate for one in each if one.estimate is not None]
        yield {
            "planted": name,
            "figure": what,
            "true": each[0].true,
            "mean_estimate": fmean(estimates) if estimates else None,
            "inside": counted(one.inside for one in each),
            "shown": counted(one.shown for one in each),
        }
    if all(one.true in {0.0, None} for each in found.values() for one in each[:1]):
        together = zip(*found.values(), strict=True)
        shown = counted(any(one.shown for one in rows) for rows in together)
        yield {"planted": name, "figure": "anything at all", "shown": shown}


def told(part):
    return "" if part is None else f"{part['share']:.0%} [{part['low']:.0%}, {part['high']:.0%}]"


def number(value):
    return "" if value is None else f"{value:.3f}"


def table(rows):
    print(
        f"{'planted':24} {'figure':44} {'true':>7} {'mean':>7} "
        f"{'truth in interval':>18} {'said to be there':>18}"
    )
    for row in rows:
        print(
            f"{row['planted']:24} {row['figure']:44} {number(row.get('true')):>7} "
            f"{number(row.get('mean_estimate')):>7} {told(row.get('inside')):>18} "
            f"{told(row.get('shown')):>18}"
        )


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--only", default="", help="a part of what is planted")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows, took = [], time.perf_counter()
    for name, study, times, planted in STUDIES:
        if given.only in name:
            rows += figures(name, await repeated(study, given.repeats, times, planted))
    took = time.perf_counter() - took
    print(f"{given.repeats} repetitions of each study; simulated; {took:.0f} s")
    table(rows)
    if given.json:
        told_of = {"repeats": given.repeats, "seconds": took}
        given.json.write_text(json.dumps(told_of | {"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
