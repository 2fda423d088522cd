"""Ceiling and null: the most that any debate of these agents can gain, and what reading gives.

Where no agent's first answer is right, a rule that outputs one of them is wrong. The share of such
questions bounds every vote, and what a debate must find by itself to do better. And an agent that
only counts the answers that it reads is as often right after a round as before it: the share of
right agents then does not drift, while the vote may move.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import fmean

import msgspec

from moot.analyses.analysis import analysis, check_found
from moot.analyses.described_tables import TERMS, TableField, mark_known, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.display_text import format_percent, format_things
from moot.core.results import Difference, Mean
from moot.core.table import Report, ResultTable
from moot.metrics.first_pool import PooledAnswers, read_pool
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.statistics.effective_votes import effective_votes, mean_correlation
from moot.statistics.intervals import lower_bound

NO_POOL = "no debate of two or more agents has a known right answer"
FEW_ROUNDS = 12
"""Rounds of an arm whose drift is shown; later ones are rare."""


class RoundDrift(msgspec.Struct, frozen=True, kw_only=True):
    """What a round changes.

    Attributes:
        number: of the round, from 2.
        share: of right debaters, minus that of the round before; 0 in the null model.
        vote: of right votes, the same.
    """

    number: int
    share: Difference
    vote: Difference


class ArmCeiling(msgspec.Struct, frozen=True, kw_only=True):
    """The ceiling of an arm on a dataset.

    Attributes:
        all_wrong: the share of debates in which no first answer is right: co-failure.
        lower: the one-sided 95 % lower bound of it, over questions in their first replicate.
        best: the share of right first answers of the best seat.
        headroom: 1 minus ``lower`` minus ``best``: no rule that outputs a first answer gains more.
        accuracy: of verdicts.
        oracle_gap: 1 minus ``all_wrong`` minus ``accuracy``.
        escape: of debates in which no first answer is right, the share with a right verdict.
        lost: of all others, the share with a wrong one.
        correlation: of errors of two seats, the mean over pairs; None where it is undefined.
        votes: so many independent votes the seats are worth; None where that is undefined.
        seats: how many debaters there are at least.
        drifts: round by round.
    """

    dataset: str
    arm: str
    all_wrong: Mean
    lower: float
    best: float
    headroom: float
    accuracy: Mean
    oracle_gap: float
    escape: Mean
    lost: Mean
    correlation: float | None
    votes: float | None
    seats: int
    drifts: tuple[RoundDrift, ...]


def _lack_pools(runs: RecordedRuns) -> str:
    known = any(not row.failed and read_pool(row.transcript) for row in runs.examples)
    return "" if known else NO_POOL


@analysis(
    source="arXiv:2606.27288, arXiv:2605.29800, arXiv:2508.17536",
    group="debate",
    place=15,
    reported=False,
    lacks=_lack_pools,
)
def ceiling(runs: RecordedRuns) -> Report:
    """Tell the most that any rule can gain from the first answers, and how rounds drift.

    Of methods of two or more debaters. Drift is 0, but for chance, where agents only count the
    answers that they read.
    """
    found, failed = [], 0
    for arm in runs.arms:
        if arm.kind == "vote":  # its replies are those of a debate
            continue
        read: dict[str, dict[Key, PooledAnswers]] = {}
        known: dict[bytes, PooledAnswers] = {}  # of many debates most are right and wrong alike
        for row in runs.debates(arm.name):
            failed += row.failed
            if not row.failed and (pooled := read_pool(row.transcript)) is not None:
                pooled = known.setdefault(msgspec.msgpack.encode(pooled), pooled)
                read.setdefault(row.dataset, {})[row.question, row.replicate] = pooled
        found += [measure_ceiling(dataset, arm.name, own) for dataset, own in read.items()]
    check_found(found, runs, NO_POOL)
    found = _correct(found)
    tables = []
    for dataset, own in group_by(found, lambda each: each.dataset).items():
        tables.append(_tabulate(dataset, own))
        if any(each.drifts for each in own):
            tables.append(_tabulate_drifts(dataset, own))
    return Report(
        title=f"Ceiling and null: {runs.name}",
        about=f"{runs.key}: first answers, and what rounds change",
        tables=tables,
        notes=(
            "p (Holm): corrected for the drifts of all methods of a dataset.",
            *([f"{format_things(failed, 'failed debate')} left out."] if failed else []),
        ),
        findings=tuple(_describe(found)),
        data=found,
    )


def measure_ceiling(dataset: str, arm: str, debates: dict[Key, PooledAnswers]) -> ArmCeiling:
    """Return the ceiling of an arm.

    Args:
        dataset: the dataset's label.
        arm: its name.
        debates: at least one.
    """
    wrong = {key: float(each.is_all_wrong) for key, each in debates.items()}
    right = {key: float(each.right) for key, each in debates.items()}
    once = {question: wrong[question, repeat] for question, repeat in sorted(wrong, reverse=True)}
    lower = lower_bound(round(sum(once.values())), len(once))
    seats = min(len(each.first) for each in debates.values())
    best = max(fmean(each.first[seat] for each in debates.values()) for seat in range(seats))
    errors = [[not good for good in each.first[:seats]] for each in debates.values()]
    correlation = mean_correlation(errors)
    all_wrong, accuracy = mean_over_questions(wrong), mean_over_questions(right)
    return ArmCeiling(
        dataset=dataset,
        arm=arm,
        all_wrong=all_wrong,
        lower=lower,
        best=best,
        headroom=1 - lower - best,
        accuracy=accuracy,
        oracle_gap=1 - (all_wrong.mean or 0.0) - (accuracy.mean or 0.0),
        escape=mean_over_questions({key: value for key, value in right.items() if wrong[key]}),
        lost=mean_over_questions(
            {key: 1 - value for key, value in right.items() if not wrong[key]}
        ),
        correlation=correlation,
        votes=effective_votes(seats, correlation),
        seats=seats,
        drifts=tuple(_measure_drifts(debates)),
    )


def _measure_drifts(debates: dict[Key, PooledAnswers]) -> Iterator[RoundDrift]:
    last = max(number for each in debates.values() for number in each.shares)
    for number in range(2, min(last, FEW_ROUNDS) + 1):
        both = {
            key: each
            for key, each in debates.items()
            if number in each.shares and number - 1 in each.shares
        }
        if both:
            yield RoundDrift(
                number=number,
                share=compare_paired(
                    {key: each.shares[number] for key, each in both.items()},
                    {key: each.shares[number - 1] for key, each in both.items()},
                ),
                vote=compare_paired(
                    {key: each.votes[number] for key, each in both.items()},
                    {key: each.votes[number - 1] for key, each in both.items()},
                ),
            )


def _correct(found: Sequence[ArmCeiling]) -> list[ArmCeiling]:
    """Return the arms with the p of their drifts corrected for all of a dataset."""
    done = []
    for own in group_by(found, lambda each: each.dataset).values():
        drifts = iter(correct_by_holm((d for each in own for d in each.drifts), "share"))
        for each in own:
            fixed = tuple(islice(drifts, len(each.drifts)))
            done.append(msgspec.structs.replace(each, drifts=fixed))
    return done


def _tabulate(dataset: str, own: Sequence[ArmCeiling]) -> ResultTable:
    return tabulate(
        f"{dataset}: ceiling",
        own,
        TableField("arm", head="method"),
        TableField("all wrong %", "percent", "all_wrong"),
        TableField("at\nleast %", "percent", "lower"),
        TableField("best\nseat %", "percent", "best", head="best\nagent %"),
        TableField("most\ngain", "points", "headroom"),
        TableField("accuracy %", "percent", "accuracy"),
        TableField(
            "oracle\ngap",
            "points",
            "oracle_gap",
            head=TERMS["oracle gap"].head.replace(", ", ",\n"),
            about=TERMS["oracle gap"].about,
        ),
        TableField("escape %", "percent", lambda each: mark_known(each.escape, each.all_wrong.n)),
        TableField("lost %", "percent", lambda each: mark_known(each.lost, each.all_wrong.n)),
        TableField("errors'\ncorrelation", "signed", "correlation", 2),
        TableField("effective\nvotes", "number", "votes", 1),
        TableField("questions", "count", "all_wrong.questions"),
        note="All wrong: no first answer is right. At least: its one-sided 95 % lower bound. Most "
        "gain: 100 − at least − best agent. Escape: all first answers wrong, the verdict right. "
        "Lost: a first answer right, the verdict wrong. n: the debates that one of these can be "
        "of, where those are not all.",
    )


def _tabulate_drifts(dataset: str, own: Sequence[ArmCeiling]) -> ResultTable:
    return tabulate(
        f"{dataset}: drift",
        [(each.arm, drift) for each in own for drift in each.drifts],
        TableField("arm", value=lambda row: row[0], head="method"),
        TableField("round", "count", lambda row: row[1].number),
        TableField("drift", "points", lambda row: row[1].share),
        TableField("p", "p", lambda row: row[1].share.p),
        TableField("p (Holm)", "p", lambda row: row[1].share.p_holm),
        TableField("vote", "points", lambda row: row[1].vote),
        TableField("questions", "count", lambda row: row[1].share.questions),
        note="Drift: the share of right agents minus that of the round before, of the debates that "
        "came to the round; 0 where agents only count the answers that they read. Vote: the same "
        "of the most frequent answer.",
    )


def _describe(found: Sequence[ArmCeiling]) -> Iterator[str]:
    for dataset, own in group_by(found, lambda each: each.dataset).items():
        most = max(own, key=lambda each: each.headroom)
        yield (
            f"{dataset}: a rule that outputs a first answer gains at most "
            f"{format_percent(most.headroom)} points over the best single agent ({most.arm}; "
            f"n = {format_things(most.all_wrong.questions, 'question')})."
        )
        escaped = [each for each in own if each.escape.mean]
        for each in escaped:
            yield (
                f"{dataset}, {each.arm}: right in {format_percent(each.escape.mean)} % of the "
                f"{format_things(each.escape.n, 'debate')} in which all first answers were wrong."
            )
    yield from describe_comparisons(
        NamedDifference(f"{each.dataset}, {each.arm}: drift in round {d.number}", d.share)
        for each in found
        for d in each.drifts
    )
