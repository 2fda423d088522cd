"""Whether the sentence of a study is right where the truth is known: better, worse, or neither.

python bench/verdicts.py [--seeds 100] [--only "NAME;…"] [--runs 30] [--points -10 0 10]

Each study has three debates and a vote at equal tokens out of the study's own draws. A draw is
right in 40, 50 or 60 % of cases, by question; a debate is right as often as the majority of the
draws that its tokens buy, plus or minus so many points. What debates and draws answered is planted;
from there on all is moot's: transcripts, votes at equal tokens, tests, correction, class, sentence.
The power beside the share found is computed here, by other code, for the least p of the study (the
first step of Holm's correction) and for a p that needs none.

In the studies called `run` only the model is planted: `moot.run` holds every debate.
"""

import argparse
import asyncio
import json
from collections import Counter
from math import comb, exp, lgamma, log
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter

import msgspec

import moot
from moot.analyses.worth import describe_worth
from moot.core.events import Closed, Opened, Transcript, Turn, Verdict
from moot.core.questions import Question
from moot.core.stored import DebateRow, DebateValues
from moot.studies.judging import ArmTraits
from moot.studies.run_results import summarise

SHARES = 0.4, 0.5, 0.6
BUYS = 7, 13, 19  # draws that the tokens of each debate buy
DRAWS, FEW = 21, 6
TOKENS = 70, 30  # of a draw: prompt and reply
RIGHT, WRONG = "4", "5"
LEVEL = 0.05
EFFECT = 0.1


def majority(share, draws):
    """The chance that more than half of an odd number of draws are right."""
    return sum(
        comb(draws, k) * share**k * (1 - share) ** (draws - k)
        for k in range(draws // 2 + 1, draws + 1)
    )


class World:
    """What is planted.

    Attributes:
        points: of each debate above a vote at its tokens, by dataset and model.
        draws: in the pool of each question.
        lost: the debate that fails, and how often.
    """

    def __init__(self, points, *, draws=DRAWS, lost=("", 0.0)):
        self.points, self.draws, self.lost = points, draws, lost


ALIKE = {("sums", ""): 0.0}
WORLDS = {
    "harms": World({("sums", ""): -EFFECT}),
    "nothing": World(ALIKE),
    "helps": World({("sums", ""): EFFECT}),
    "few draws, harms": World({("sums", ""): -EFFECT}, draws=FEW),
    "few draws, nothing": World(ALIKE, draws=FEW),
    "few draws, helps": World({("sums", ""): EFFECT}, draws=FEW),
    "datasets disagree": World({("sums", ""): EFFECT, ("words", ""): -EFFECT}),
    "models disagree": World({("sums", "a"): EFFECT, ("sums", "b"): -EFFECT}),
    "nothing, 2 datasets": World({("sums", ""): 0.0, ("words", ""): 0.0}),
    "nothing, 2 models": World({("sums", "a"): 0.0, ("sums", "b"): 0.0}),
    "nothing, one arm failed": World(ALIKE, lost=("debate 13", 1.0)),
    "nothing, one arm fails in 30 %": World(ALIKE, lost=("debate 13", 0.3)),
}


def plant(world, seed, questions):
    """Return the results of a study of this world."""
    values, pools = [], {}
    for (dataset, model), points in world.points.items():
        chance = Random(f"{dataset} {model} {points} {seed} {questions}")
        for number in range(questions):
            key, share = f"q{number}", chance.choice(SHARES)
            drawn = [RIGHT if chance.random() < share else WRONG for _ in range(world.draws)]
            pools.setdefault((dataset, name("vote", model)), []).append(
                pooled(dataset, name("vote", model), key, drawn)
            )
            for buys in BUYS:
                arm = name(f"debate {buys}", model)
                right = chance.random() < majority(share, buys) + points
                failed = arm == world.lost[0] and chance.random() < world.lost[1]
                values.append(held(dataset, arm, key, right=right, buys=buys, failed=failed))
    for (dataset, arm), rows in pools.items():
        values += [measured(dataset, arm, row) for row in rows]
    return summarise(
        sorted(values, key=lambda each: (each.dataset, each.arm)),
        run="planted",
        name="planted",
        pools={arm: name("vote", model) for arm, model in debates(world)},
        draws=lambda dataset, arm: pools[dataset, arm],
        traits={
            **{
                arm: ArmTraits("society-of-minds", models=(model,)) for arm, model in debates(world)
            },
            **{arm: ArmTraits("self-consistency", "samples") for _, arm in pools},
        },
    )


def name(arm, model):
    return f"{arm} {model}".strip()


def debates(world):
    models = dict.fromkeys(model for _, model in world.points)
    return [(name(f"debate {buys}", model), model) for model in models for buys in BUYS]


def held(dataset, arm, key, *, right, buys, failed):
    tokens = 0 if failed else buys
    given = {
        "accuracy": float(right and not failed),
        "failed": float(failed),
        "unparsed": 0.0,
        "prompt-tokens": float(tokens * TOKENS[0]),
        "completion-tokens": float(tokens * TOKENS[1]),
        "cost": 0.0,
    }
    return row_of(dataset, arm, key, given, failed=failed)


def row_of(dataset, arm, key, values, *, failed=False):
    known = {"dataset": dataset, "arm": arm, "question": key, "replicate": 0}
    known |= {"failed": failed, "values": values}
    return DebateValues(**{field: known.get(field) for field in DebateValues._fields})


def measured(dataset, arm, row):
    """A vote over all draws of a question, as an arm of its own."""
    right = row.transcript.verdict.answer == RIGHT
    return row_of(dataset, arm, row.question, {"accuracy": float(right)})


def pooled(dataset, arm, key, drawn):
    """A recorded self-consistency with these answers."""
    asked = Question(id=key, kind="number", text="2 + 2?", answer=RIGHT)
    turns = [
        Turn(
            id=place + 1,
            agent=f"sampler {place + 1}",
            seat=place,
            role="sampler",
            step="answer",
            round=1,
            model="m",
            text="",
            answer=answer,
            reads=(),
            call="00",
            prompt_tokens=TOKENS[0],
            completion_tokens=TOKENS[1],
            cost=0.0,
        )
        for place, answer in enumerate(drawn)
    ]
    answer = Counter(drawn).most_common(1)[0][0]
    opened = Opened(question=asked, protocol="self-consistency", settings={}, pack="")
    events = (opened, *turns, Closed(verdict=Verdict(answer=answer, by="vote")))
    return DebateRow(
        run=1,
        arm=arm,
        dataset=dataset,
        question=key,
        replicate=0,
        failed=False,
        values={},
        encoded=msgspec.json.encode(Transcript(events)),
    )


def chance_of(k, n, share):
    if share in (0.0, 1.0):
        return float(k == n * share)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log(1 - share))


def power(questions, points, buys, level):
    """The chance that the exact paired test at a level finds these points, with their sign."""
    won = fmean((v + points) * (1 - v) for v in (majority(share, buys) for share in SHARES))
    lost = fmean((1 - v - points) * v for v in (majority(share, buys) for share in SHARES))
    found = 0.0
    for differing in range(questions + 1):
        here = chance_of(differing, questions, won + lost)
        if here < 1e-9:
            continue
        tail, reach = 0.0, -1  # the most questions the other way that are still significant
        while reach < differing and 2 * (tail + comb(differing, reach + 1) / 2**differing) <= level:
            reach += 1
            tail += comb(differing, reach) / 2**differing
        few = min(won, lost) / (won + lost)
        found += here * sum(chance_of(k, differing, few) for k in range(reach + 1))
    return found


def try_world(world, seeds, questions):
    """Return what was said of every study of a world."""
    rows = []
    for seed in range(seeds):
        found = plant(world, seed, questions)
        first, *_ = describe_worth(found)
        rows.append(
            {"sentence": first, "verdicts": [flatten(each, world) for each in found.verdicts]}
        )
    return rows


def flatten(verdict, world):
    model = verdict.arm.split()[2] if len(verdict.arm.split()) > 2 else ""
    return {
        "class": verdict.class_,
        "points": world.points[verdict.dataset, model],
        "buys": int(verdict.arm.split()[1]),
        "lost": verdict.arm == world.lost[0] and world.lost[1] > 0,
        "p": verdict.p,
    }


def count(rows, questions, world):
    """Return the figures of each planted difference, and the studies with a false class."""
    tests = len(rows[0]["verdicts"])
    for points in sorted({each["points"] for row in rows for each in row["verdicts"]}):
        own = [
            [each for each in row["verdicts"] if each["points"] == points and not each["lost"]]
            for row in rows
        ]
        every = [each for one in own for each in one]
        found = Counter(each["class"] for each in every)
        false = [name for name, wrong in (("better", points <= 0), ("worse", points >= 0)) if wrong]
        yield {
            "points": points,
            "questions": questions,
            "debates": len(every),
            **{kind: found[kind] for kind in ("better", "worse", "open")},
            "power": [
                fmean(power(questions, points, buys, level) for buys in BUYS)
                for level in (LEVEL / tests, LEVEL)
            ]
            if points and world.draws == DRAWS
            else None,
            "studies": len(rows),
            "false_studies": sum(any(each["class"] in false for each in one) for one in own),
        }


def show(world, row):
    stated = "" if row["power"] is None else " to ".join(f"{each:.0%}" for each in row["power"])
    shares = (f"{row[kind] / row['debates']:.1%}" for kind in ("better", "worse", "open"))
    print(
        f"| {world} | {row['questions']} | {100 * row['points']:+.0f} | {' | '.join(shares)} | "
        f"{stated or '–'} | {row['false_studies']} of {row['studies']} |",
        flush=True,
    )


# Studies that moot.run holds: only the model is planted.


def make_study(folder, seed, questions):
    file = folder / f"claims-{seed}.jsonl"
    rows = ({"id": f"{seed}-{i}", "question": f"Claim {i}?", "answer": 4} for i in range(questions))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {
        "name": f"run-{seed}",
        "equal_budget": True,
        "settings": {"model": f"scripted/world-{seed}"},
        "datasets": [{"name": "file", "label": "sums", "path": str(file)}],
        "arms": [{"protocol": "single"}, {"protocol": "society-of-minds"}],
    }


def make_model(seed, points, buys):
    """A model whose first answers are draws; the revised ones are right so much more often."""

    def reply(call):
        key = call.scene.question.id
        share = Random(f"share {key}").choice(SHARES)
        if call.scene.step == "revise":
            share, spoken = majority(share, buys) + points, Random(f"debate {key}")
        else:
            spoken = Random(f"draw {key} {call.draw}")
        return f"Final answer: {RIGHT if spoken.random() < share else WRONG}"

    return moot.Scripted(reply, name=f"world-{seed}")


async def run_once(seed, points, questions, buys):
    with TemporaryDirectory() as folder:
        study = make_study(Path(folder), seed, questions)
        return await moot.run(study, store=Path(folder), models=[make_model(seed, points, buys)])


def try_runs(seeds, questions, planted=(-EFFECT, 0.0, EFFECT)):
    """Yield what studies say that `moot.run` holds, at each planted difference."""
    pilot = asyncio.run(run_once(-1, 0.0, 8, 1)).results
    [budget] = [each for arm in pilot.arms for each in arm.budget if each.matched == "tokens"]
    buys = round(budget.samples)
    assert buys == budget.samples
    assert buys % 2, buys
    for points in planted:
        found = []
        for seed in range(seeds):
            results = asyncio.run(run_once(seed, points, questions, buys)).results
            [verdict] = results.verdicts
            assert verdict.tokens == "equal"
            found.append(verdict.class_)
        false = {"better"} if points < 0 else {"worse"} if points > 0 else {"better", "worse"}
        yield {
            "points": points,
            "questions": questions,
            "debates": seeds,
            **{kind: found.count(kind) for kind in ("better", "worse", "open")},
            "power": [power(questions, points, buys, LEVEL)] if points else None,
            "studies": seeds,
            "false_studies": sum(each in false for each in found),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--questions", type=int, nargs="+", default=[200, 400])
    parser.add_argument("--only", default=";".join(WORLDS))
    parser.add_argument("--runs", type=int, default=30, help="studies of each kind by moot.run")
    parser.add_argument("--points", type=float, nargs="+", default=[-10.0, 0.0, 10.0])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print("| world | questions | points | better | worse | open | power | false studies |")
    print("|---|---|---|---|---|---|---|---|")
    found, began = [], perf_counter()
    for world in filter(None, given.only.split(";")):
        for questions in given.questions:
            rows = try_world(WORLDS[world], given.seeds, questions)
            for row in count(rows, questions, WORLDS[world]):
                found.append({"world": world, **row})
                show(world, row)
    planted = [points / 100 for points in given.points]
    for row in try_runs(given.runs, given.questions[0], planted) if given.runs else ():
        found.append({"world": "run", **row})
        show("run", row)
    print(f"{perf_counter() - began:.0f} s")
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
