"""The threshold of a gate, fitted on debates that all took place.

Each debate was held in full, so that for any threshold it is known what the gate would have said,
what it would have cost, and whether the answer would have been right.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from moot import Transcript, Turn, Views, majority, views_of
from moot.extend.analyses import (
    Difference,
    Key,
    Mean,
    ScoredConfidence,
    compare_paired,
    measure_confidence,
)
from moot.extend.protocols import is_correct
from moot.extend.records import Noted
from moot.extend.studies import ReplyClassifier

FEWEST = 50
"""The fewest first rounds that are right, and the fewest that are wrong, for a fit."""
MARGIN = 0.01
"""How much accuracy a gate may cost."""
CHANCE = 0.5
"""The AUROC of a signal that tells nothing."""


class GatedDebate(NamedTuple):
    """A debate behind a gate that accepted nothing.

    Attributes:
        key: dataset and question, and the replicate.
        signal: what the gate looked at; None where it could not be read.
        first: whether the majority of the first round was right.
        last: whether the debate's verdict is.
        spent: the tokens of the first round, or its calls where tokens are unknown.
        total: of the whole debate.
        features: of the first reply; None where the gate counts none, or none could be read.
    """

    key: Key
    signal: float | None
    first: bool
    last: bool
    spent: float
    total: float
    features: Mapping[str, float] | None = None


class ThresholdChoice(NamedTuple):
    """A threshold, and what a gate with it would have done.

    Attributes:
        threshold: what the signal has to be above.
        difference: the accuracy with the gate minus that of always debating.
        accepted: the share of debates that would have been spared.
        share: of what always debating takes, the share that the gate would have taken.
    """

    threshold: float
    difference: Difference
    accepted: float
    share: float


class ThresholdFit(NamedTuple):
    """The outcome of a fit.

    Attributes:
        n: the debates.
        right: those whose first round is right.
        unread: those whose signal could not be read.
        auroc: how well the signal tells right first rounds from wrong ones.
        chosen: the threshold; None where the fit is refused.
        why: why this one, or why none.
        classifier: what makes a signal of features; None for a gate that has a signal of its own.
    """

    n: int
    right: int
    unread: int
    auroc: Mean = Mean()
    chosen: ThresholdChoice | None = None
    why: str = ""
    classifier: ReplyClassifier | None = None


def read_debate(transcript: Transcript, key: Key) -> GatedDebate | None:
    """Return what a gate's transcript says for a fit; None where the debate failed.

    Args:
        transcript: of a gate that accepted nothing.
        key: dataset and question, and the replicate.
    """
    notes = (each for each in transcript.events if isinstance(each, Noted) and each.what == "gate")
    gate = next(notes, None)
    if gate is None or transcript.failed is not None or transcript.verdict is None:
        return None
    turns, question = transcript.turns, transcript.question
    before = [turn for turn in turns if turn.id <= gate.after]
    first = majority(Views([*views_of(transcript)][: len(before)]), question)
    spent, total = _sum_tokens(before), _sum_tokens(turns)
    return GatedDebate(
        key=key,
        signal=gate.signal,
        first=is_correct(first.answer, question),
        last=is_correct(transcript.verdict.answer, question),
        spent=len(before) if spent is None or total is None else spent,
        total=len(turns) if spent is None or total is None else total,
        features=ReplyClassifier.read_features(transcript),
    )


def _sum_tokens(turns: Iterable[Turn]) -> int | None:
    """Return the tokens of prompts and replies; None where any is unknown."""
    taken = [each for turn in turns for each in (turn.prompt_tokens, turn.completion_tokens)]
    known = [each for each in taken if each is not None]
    return sum(known) if len(known) == len(taken) else None


def fit_threshold(debates: Sequence[GatedDebate], signal: str, margin: float) -> ThresholdFit:
    """Return the cheapest threshold that costs no accuracy, or why there is none.

    Of all signals that were seen, it is the threshold with the least spent whose accuracy is, at
    the lower end of the 95 % interval, at most ``margin`` below that of always debating.

    Args:
        debates: all of them held in full.
        signal: its name, for the reasons.
        margin: from 0 to 1.
    """
    read = [each for each in debates if each.signal is not None]
    right = sum(each.first for each in read)
    scored = [ScoredConfidence(each.key[0], each.signal or 0.0, each.first) for each in read]
    auroc = measure_confidence("auroc", scored)
    chosen = None
    why = refuse_counts(right, len(read) - right, signal) or refuse_auroc(signal, auroc)
    if not why:
        able = [each for each in _try_all(read, debates) if _is_harmless(each, margin)]
        chosen = min(able, key=lambda each: (each.share, each.threshold), default=None)
        why = (
            f"the cheapest whose accuracy is at most {margin:.1%} below that of always debating, "
            "at the lower end of the interval"
            if chosen
            else f"refused: with no threshold is it shown on {len(debates)} debates that the "
            f"accuracy is at most {margin:.1%} below that of always debating; take more questions"
        )
    return ThresholdFit(len(debates), right, len(debates) - len(read), auroc, chosen, why)


def refuse_counts(right: int, wrong: int, signal: str) -> str:
    """Return why nothing can be fitted on so many first rounds; empty where it can."""
    if min(right, wrong) < FEWEST:
        return (
            f"refused: of the first rounds whose {signal} can be read {right} are right and "
            f"{wrong} wrong; a fit needs {FEWEST} of each"
        )
    return ""


def refuse_auroc(signal: str, auroc: Mean) -> str:
    """Return why a signal is no use for a gate; empty where it is."""
    if auroc.mean is None or auroc.low is None or auroc.high is None:
        return f"refused: the AUROC of {signal} has no interval"
    shown = f"the AUROC is {auroc.mean:.2f} ({auroc.low:.2f} to {auroc.high:.2f})"
    if auroc.high < CHANCE:
        return f"refused: {signal} is higher where the first round is wrong: {shown}"
    if auroc.low <= CHANCE:
        return f"refused: {signal} does not tell right first rounds from wrong ones: {shown}"
    return ""


def _try_all(
    read: Sequence[GatedDebate], debates: Sequence[GatedDebate]
) -> Iterator[ThresholdChoice]:
    """Yield each signal that was seen as a threshold, with what comes of it."""
    for threshold in sorted({each.signal for each in read if each.signal is not None}):
        spared = {each.key for each in read if (each.signal or 0.0) > threshold}
        yield weigh_threshold(threshold, spared, debates)


def weigh_threshold(
    threshold: float, spared: Collection[Key], debates: Sequence[GatedDebate]
) -> ThresholdChoice:
    """Return what comes of a threshold.

    Args:
        threshold: the threshold.
        spared: the debates that a gate with it spares.
        debates: all of them held in full; at least one.
    """
    gated = {each.key: float(each.first if each.key in spared else each.last) for each in debates}
    spent = sum(each.spent if each.key in spared else each.total for each in debates)
    return ThresholdChoice(
        threshold=threshold,
        difference=compare_paired(gated, {each.key: float(each.last) for each in debates}),
        accepted=len(spared) / len(debates),
        share=spent / sum(each.total for each in debates),
    )


def _is_harmless(choice: ThresholdChoice, margin: float) -> bool:
    low = choice.difference.low
    return choice.accepted > 0 and low is not None and low >= -margin
