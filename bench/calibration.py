"""How often intervals of calibration hold the truth, and how often more is claimed than is so.

    python bench/calibration.py [STUDIES] [QUESTIONS]

Each study draws questions with a confidence and three answers that are right together or wrong
together. The true ECE, overconfidence and AUROC are those of 400,000 questions.
"""

import sys

import numpy as np

from moot.statistics.calibration import (
    ScoredConfidence,
    measure_auroc,
    measure_change,
    measure_confidence,
    measure_ece,
)

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


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
