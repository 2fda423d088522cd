"""The classifier of a feature gate, fitted on debates that all took place.

The questions of the fit are in two parts. On the larger one the weights are fitted. On the other,
which they have not seen, it is measured how well they tell right answers from wrong ones, and the
probability is calibrated. The test of the gate is on questions of neither.
"""

from collections.abc import Sequence
from hashlib import blake2b

from moot.contrib.tuning.threshold_fit import (
    GatedDebate,
    ThresholdFit,
    refuse_auroc,
    refuse_counts,
    weigh_threshold,
)
from moot.extend.analyses import ScoredConfidence, measure_confidence
from moot.extend.studies import ReplyClassifier

SIGNAL = "probability"
APART = 3
"""One question of so many is kept apart, for the map; the others fit the weights."""


def fit_classifier(debates: Sequence[GatedDebate], threshold: float) -> ThresholdFit:
    """Return a classifier and what a gate with it would have done, or why there is none.

    What it would have done is of the questions that were kept apart.

    Args:
        debates: all of them held in full.
        threshold: the least probability that the gate accepts.
    """
    read = [each for each in debates if each.features is not None]
    right = sum(each.first for each in read)
    made = ThresholdFit(n=len(debates), right=right, unread=len(debates) - len(read))
    if why := refuse_counts(right, len(read) - right, SIGNAL):
        return made._replace(why=why)
    questions = sorted({each.key[0] for each in debates}, key=_rank)
    apart = set(questions[::APART])
    seen = [each for each in read if each.key[0] not in apart]
    fitted = ReplyClassifier.fit(
        [each.features or {} for each in seen], [each.first for each in seen]
    )
    scored = [
        ScoredConfidence(each.key[0], fitted.estimate(each.features or {}), each.first)
        for each in read
        if each.key[0] in apart
    ]
    auroc = measure_confidence("auroc", scored)
    made = made._replace(auroc=auroc)
    if why := refuse_auroc(SIGNAL, auroc):
        return made._replace(why=why)
    classifier = fitted.calibrate(scored)
    unseen = [each for each in debates if each.key[0] in apart]
    spared = {
        each.key
        for each in unseen
        if each.features is not None and classifier.estimate(each.features) >= threshold
    }
    return made._replace(
        chosen=weigh_threshold(threshold, spared, unseen),
        classifier=classifier,
        why=f"weights fitted on {len(seen)} answers; AUROC, calibration and what is spared are of "
        f"{len(scored)} others",
    )


def _rank(question: str) -> bytes:
    return blake2b(question.encode("utf-8", "surrogatepass"), digest_size=8).digest()
