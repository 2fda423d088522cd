"""The claims of a paper's text, tested in one's own runs: shown, not shown, or the opposite."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from statistics import fmean
from typing import NamedTuple

from moot import RecordedRuns, ResultTable
from moot.contrib.papers.published import Claim
from moot.extend.analyses import (
    Difference,
    Key,
    TableField,
    compare_paired,
    correct_by_holm,
    tabulate,
)

_SURE = 0.05
_Values = dict[Key, list[float]]


class ClaimResult(NamedTuple):
    """A claim, and what the runs say of it.

    Attributes:
        claim: what the paper says.
        gap: by how much what is said to be better is so; its p is corrected for all claims.
    """

    claim: Claim
    gap: Difference

    @property
    def verdict(self) -> str:
        """``shown``, ``opposite``, ``not shown``, or ``not measured``."""
        gap = self.gap
        p = gap.p if gap.p_holm is None else gap.p_holm
        if gap.mean is None:
            return "not measured"
        if p is None or p > _SURE or gap.low is None or gap.high is None:
            return "not shown"
        if gap.low > 0:
            return "shown"
        return "opposite" if gap.high < 0 else "not shown"


def measure_claim(claim: Claim, runs: RecordedRuns, labels: Mapping[str, str]) -> ClaimResult:
    """Compare what a claim compares, question by question; of several arms the mean counts.

    Args:
        claim: what the paper says.
        runs: the runs of its studies.
        labels: what the runs call each dataset, by the paper's names.
    """
    datasets = {labels[name] for name in claim.datasets if name in labels}
    sides: list[_Values] = []
    for patterns in (claim.more, claim.less):
        named = {
            arm.name
            for arm in runs.arms
            if any(fnmatchcase(arm.name, pattern) for pattern in patterns)
        }
        found: _Values = {}
        for each in runs.values:
            value = each.values.get(claim.measure)
            if (
                each.arm in named
                and value is not None
                and (not claim.datasets or each.dataset in datasets)
            ):
                key = f"{each.dataset}\n{each.question}", each.replicate
                found.setdefault(key, []).append(value)
        sides.append(found)
    more, less = ({key: fmean(values) for key, values in side.items()} for side in sides)
    return ClaimResult(claim, compare_paired(more, less))


def correct_together(measured: Sequence[ClaimResult]) -> list[ClaimResult]:
    """Return claims with their p corrected for all of them, by Holm."""
    return correct_by_holm(measured, "gap")


def tabulate_claims(tested: Sequence[ClaimResult]) -> ResultTable:
    """Return the claims with their verdicts as a table."""
    return tabulate(
        "What the text claims",
        tested,
        TableField("claim", "text", lambda each: f"{each.claim.claim} ({each.claim.place})"),
        TableField("here", "text", "verdict"),
        TableField("difference", "points", "gap"),
        TableField("published", "points", "claim.published"),
        TableField("p (Holm)", "p", "gap.p_holm"),
        TableField("questions", "count", "gap.questions"),
        TableField.of_smallest("smallest"),
        note="Differences in points, what is said to be better minus the other, paired by "
        "question, with 95 % intervals; where several methods are compared, the mean of each side "
        "counts. Shown and opposite: the interval leaves out 0 and p, corrected by Holm for all "
        "claims here, is at most 0.05.",
        findings=tuple(
            f"{each.claim.claim}: {each.claim.note}" for each in tested if each.claim.note
        ),
    )
