"""How often intervals of calibration hold the truth, and how often more is claimed than is so.

    python bench/calibration.py [STUDIES] [QUESTIONS]
    python bench/calibration.py claims [STUDIES] [QUESTIONS]

Each study draws questions with a confidence and three answers that are right together or wrong
together. The true ECE, overconfidence and AUROC are those of 400,000 questions.

With ``claims`` it only counts how often miscalibration is claimed of a calibrated source, which
should be in 5 % of studies: by the interval that moot reports, and by plain percentiles of the same
resamples. The three answers are then also drawn apart. The interval of a rate is the exact one.
"""

import sys

import numpy as np

from moot.statistics.accuracies import cluster_by_question
from moot.statistics.calibration import (
    ScoredConfidence,
    measure_auroc,
    measure_change,
    measure_confidence,
    measure_ece,
)
from moot.statistics.intervals import clopper_pearson, interval

LEVELS = np.array([0.25, 0.5, 0.6, 0.75, 0.9, 0.95])
SOURCES = {
    "calibrated": lambda stated, _: stated,
    "overconfident by 0.2": lambda stated, _: stated - 0.2,
    "uninformative": lambda stated, _: np.full(len(stated), 0.6),
}


def draw_answers(chance, n, draw):
    stated = draw.choice(LEVELS, n)
    return stated, (draw.random(n) < chance(stated, draw)).astype(float)


def find_truth(chance):
    stated, right = draw_answers(chance, 400_000, np.random.default_rng(0))
    one = np.ones((1, len(stated)))
    measures = {"ece": measure_ece, "auroc": measure_auroc}
    found = {name: float(measure(stated, right, one)[0]) for name, measure in measures.items()}
    over = float((stated - chance(stated, None)).mean())
    exact = sum(abs(level - chance(np.array([level]), None)[0]) for level in LEVELS) / len(LEVELS)
    return found | {"overconfidence": over, "ece": exact}


def score(stated, right):
    return [
        ScoredConfidence(str(place), float(sure), bool(good))
        for place, (sure, good) in enumerate(zip(stated, right, strict=True))
        for _ in range(3)
    ]


def main(studies=200, n=50):
    print(f"{studies} studies of {n} questions, three answers each")
    for source, chance in SOURCES.items():
        truth, draw = find_truth(chance), np.random.default_rng(1)
        held, claims, bold = dict.fromkeys(truth, 0), 0, 0
        for _ in range(studies):
            stated, right = draw_answers(chance, n, draw)
            answers = score(stated, right)
            for name, true in truth.items():
                found = measure_confidence(name, answers)
                held[name] += found.low - 1e-9 <= true <= found.high + 1e-9
                claims += name == "overconfidence" and not found.low <= 0 <= found.high
            again, _ = draw_answers(chance, n, draw)
            change = measure_change("confidence", answers, score(again, right))
            bold += change.low > 0
        shares = ", ".join(f"{name} {times / studies:.1%}" for name, times in held.items())
        print(
            f"{source}: intervals hold the truth: {shares}; miscalibration claimed in "
            f"{claims / studies:.1%}; a rise of confidence where none is in {bold / studies:.1%}"
        )


def count_claims(studies=400, n=50):
    draw = np.random.default_rng(2)
    for kind in ("together", "apart"):
        claims = {"percentiles": 0, "reported": 0}
        for _ in range(studies):
            stated = draw.choice(LEVELS, n)
            chances = draw.random((n, 1 if kind == "together" else 3))
            rights = np.broadcast_to(chances < stated[:, None], (n, 3))
            answers = [
                ScoredConfidence(str(place), float(stated[place]), bool(good))
                for place in range(n)
                for good in rights[place]
            ]
            gaps = {
                (each.question, number): each.confidence - each.right
                for number, each in enumerate(answers)
            }
            ends = interval(cluster_by_question(gaps), bounds=(-1.0, 1.0))
            found = measure_confidence("overconfidence", answers)
            claims["percentiles"] += not ends[0] <= 0 <= ends[1]
            claims["reported"] += not found.low <= 0 <= found.high
        for name, times in claims.items():
            low, high = clopper_pearson(times, studies)
            print(
                f"{n} questions, answers right {kind}, {name}: miscalibration claimed in {times} "
                f"of {studies} studies, {times / studies:.1%} ({low:.1%} to {high:.1%})"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["claims"]:
        count_claims(*map(int, sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:]))
