"""Whether what ways to debate claim is there where it is planted, and not where it is not.

    python bench/effects.py                 10 repetitions of 200 questions, 100 of the reviews
    python bench/effects.py --repeat 2 --reviews 10

Each effect is a difference of two arms on the same questions, in simulated populations:

- marks: `confidence-debate`, less the same with shuffled marks. Agents heed the marks. Planted:
  right answers are surer (`insight`). Null: confidences are drawn at random (`guessed`).
- oracle: the same with `oracle`, less shuffled marks. It is there in both.
- proposals: `mixture-of-agents`, less one agent. Planted: who reads answers comes nearer to the
  truth (`truth_drift`). Null: it does not.
- news: `selective-debate`, less `society-of-minds`. It is to cost no accuracy; the tokens that it
  spares are shown where agents mostly agree, and where they mostly do not.
- reviews: `peer-review` with judges weighed, less plain means. Planted: two of four judges score at
  random. Null: all four are equal.

An effect is shown where its interval leaves out 0. The exit code is 1 where a planted effect is
shown in fewer than 80 % of the repetitions, or a null one in more than 15 %.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Iterable, Mapping
from itertools import product
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import NamedTuple

import moot
from moot.contrib.review.review_weights import ReviewedAnswers, weigh_reviews
from moot.core.results import Difference
from moot.parsing.same import is_correct
from moot.statistics.accuracies import Key, compare_paired
from moot.studies.lab import open_lab

WORLDS = {
    "planted": "accuracy=0.5&concentration=1&heed=0.8&insight=0.8&truth_drift=0.4",
    "null": "accuracy=0.5&concentration=1&heed=0.8&insight=0.8&guessed=1",
}
NEWS = {"agree": "accuracy=0.92&concentration=0.15", "differ": "accuracy=0.3&concentration=5"}
TWO = {"agents": 3, "rounds": 2}
ARMS = [
    {"protocol": "confidence-debate", "name": "told", **TWO},
    {"protocol": "confidence-debate", "name": "shuffled", "shuffled": True, **TWO},
    {"protocol": "confidence-debate", "name": "oracle", "oracle": True, **TWO},
    {"protocol": "mixture-of-agents", "name": "mixture", "agents": 4, "layers": 2},
    {"protocol": "single", "name": "single"},
]
PAIRS = {
    "marks": ("told", "shuffled"),
    "oracle": ("oracle", "shuffled"),
    "proposals": ("mixture", "single"),
}
FULL = {"agents": 5, "rounds": 3}
SPARING = [
    {"protocol": "selective-debate", "name": "news", **FULL},
    {"protocol": "society-of-minds", "name": "all", **FULL},
]
SKILLS = {"planted": (1, 1, 0, 0), "null": (1, 1, 1, 1)}
LEAST, MOST = 0.8, 0.15


class Measured(NamedTuple):
    """The debates of an arm: whether each is right, and its tokens."""

    right: dict[Key, float]
    tokens: int


async def measure(
    knobs: str, arms: Iterable[Mapping[str, object]], seed: int, questions: int
) -> dict[str, Measured]:
    """Run arms on the same questions and return what came of each."""
    study = {
        "name": "effects",
        "settings": {"model": f"simulated/world?seed={seed}&{knobs}"},
        "datasets": [{"name": "arithmetic", "difficulty": 2, "n": questions, "seed": seed}],
        "arms": [*arms],
    }
    found: dict[str, Measured] = {}
    with TemporaryDirectory() as folder:
        await moot.run(study, store=folder)
        async with open_lab(folder, readonly=True) as lab:
            for row in lab.store.debates(lab.store.runs()[0].id):
                own = found.setdefault(row.arm, Measured({}, 0))
                verdict = row.transcript.verdict
                answer = verdict.answer if verdict else None
                right = is_correct(answer, row.transcript.question)
                own.right[row.question, row.replicate] = float(right)
                used = sum(
                    (turn.prompt_tokens or 0) + (turn.completion_tokens or 0)
                    for turn in row.transcript.turns
                )
                found[row.arm] = own._replace(tokens=own.tokens + used)
    return found


def draw_reviews(questions: int, skills: Iterable[float], seed: int) -> list[ReviewedAnswers]:
    """Return reviews of four answers by judges that score by what is right, or evenly."""
    rng = random.Random(seed)
    found = []
    for place in range(questions):
        right = {f"member-{seat}": rng.random() < 0.5 for seat in range(4)}
        marks: dict[str, dict[str, float]] = {author: {} for author in right}
        for author, (judge, skill) in product(right, enumerate(skills)):
            sure = min(max(round(rng.gauss(4 if right[author] else 2, 1)), 1), 5)
            mark = sure if rng.random() < skill else rng.randint(1, 5)
            marks[author][f"judge-{judge}"] = float(mark)
        chosen = max(right, key=lambda author: fmean(marks[author].values()))
        found.append(ReviewedAnswers((f"q{place}", 0), marks, right, chosen))
    return found


def show(effect: str, world: str, gaps: list[Difference]) -> float:
    """Print an effect over all repetitions and return how often it is shown."""
    shown = [gap for gap in gaps if gap.low is not None and (gap.low > 0 or (gap.high or 0) < 0)]
    mean = fmean(gap.mean or 0.0 for gap in gaps)
    print(f"{effect:<10} {world:<8} {100 * mean:+6.1f} points, shown {len(shown)} of {len(gaps)}")
    return len(shown) / len(gaps)


async def main() -> int:
    """Measure all effects in their worlds and say whether they are where they should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--reviews", type=int, default=100)
    parser.add_argument("--questions", type=int, default=200)
    given = parser.parse_args()
    holds = True
    for world, knobs in WORLDS.items():
        runs = [await measure(knobs, ARMS, seed, given.questions) for seed in range(given.repeat)]
        for effect, (one, other) in PAIRS.items():
            gaps = [compare_paired(run[one].right, run[other].right) for run in runs]
            share = show(effect, world, gaps)
            there = world == "planted" or effect == "oracle"
            holds = holds and (share >= LEAST if there else share <= MOST)
    for world, knobs in NEWS.items():
        runs = [
            await measure(knobs, SPARING, seed, given.questions) for seed in range(given.repeat)
        ]
        gaps = [compare_paired(run["news"].right, run["all"].right) for run in runs]
        holds = holds and show("news", world, gaps) <= MOST
        spared = 1 - fmean(run["news"].tokens / run["all"].tokens for run in runs)
        print(f"{'news':<10} {world:<8} {spared:.0%} of the tokens spared")
    for world, skills in SKILLS.items():
        gaps = [
            weigh_reviews(draw_reviews(200, skills, seed), 5, 0.5).difference
            for seed in range(given.reviews)
        ]
        share = show("reviews", world, gaps)
        holds = holds and (share >= LEAST if world == "planted" else share <= MOST)
    print("all where they should be" if holds else "not all where they should be")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
