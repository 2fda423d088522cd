"""Adaptive cost: is a method that pays only where it helps worth it, by a rule stated beforehand.

A gain is claimed in two cases alone. Either a method is right more often than self-consistency that
takes as many tokens in all: its interval is above 0 and its corrected p at most 0.05. Or it takes
fewer tokens than the self-consistency of the study and is, at the lower end of the interval, at
most one point less accurate. In all other cases the report says that no gain is claimed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from moot.analyses.analysis import analysis, check_found
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_interval, format_percent, format_things
from moot.core.events import Noted
from moot.core.results import Difference, Mean
from moot.core.stored import Arm
from moot.core.table import Cell, Report, ResultTable
from moot.debate.agent_config import models_in
from moot.debate.protocol import NOT_DEBATES, kind_of, kind_of_arm
from moot.debate.protocol import registry as protocols
from moot.statistics.accuracies import (
    Key,
    cluster_by_question,
    compare_paired,
    correct_by_holm,
    is_shown,
    mean_over_questions,
)
from moot.statistics.intervals import interval
from moot.studies.equal_budget import PoolDraws, find_pools

NO_SAMPLES = (
    "no method has a self-consistency of its models beside it; equal_budget = true in a study adds "
    "one"
)
NO_GAIN = "no gain claimed"
BETTER, CHEAPER = "better at equal tokens", "as good at fewer tokens"
MATCHED = (
    "Equal tokens: self-consistency with the fewest samples that take as many tokens, over all "
    "questions. p is corrected by Holm for the methods of a dataset."
)
TOO_FEW = (
    "Unknown: a method takes more tokens than all samples that the run has drawn, and is compared "
    "with the self-consistency of the study alone."
)
Margin = Annotated[
    float,
    Meta(ge=0, le=1, description="how much less accurate a cheaper method may be, as a share"),
]


class ScoredDebate(NamedTuple):
    """Whether a debate is right, and its tokens."""

    right: float
    tokens: float


class GateCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What the gate of an arm said.

    Attributes:
        debates: how many it looked at.
        accepted: of these, how many it let end after the first round.
        unread: of these, in how many it had no signal.
        reasons: why it had none.
        fitted_on: where its thresholds come from, the file and its hash; empty for stated ones.
    """

    debates: int
    accepted: int
    unread: int
    reasons: tuple[str, ...]
    fitted_on: tuple[str, ...]


class AdaptiveArm(msgspec.Struct, frozen=True, kw_only=True):
    """A method beside self-consistency.

    Attributes:
        samples: of self-consistency with as many tokens in all, or a few more; None where the
            study has not samples enough.
        equal: the accuracy minus that of these samples; None as above.
        reference: the accuracy minus that of the self-consistency of the study; None without one.
        saved: the tokens that are spared against that one, as a share of its own; below 0 where
            the method takes more.
        claim: what is claimed: ``"no gain claimed"`` where nothing is.
        samples_only: whether it draws samples and holds no debate.
        gate: what its gate said; None without one.
    """

    dataset: str
    arm: str
    accuracy: Mean
    tokens: float
    samples: int | None = None
    equal: Difference | None = None
    reference: Difference | None = None
    saved: Mean | None = None
    claim: str = NO_GAIN
    samples_only: bool = False
    gate: GateCounts | None = None


def _lack_samples(runs: RecordedRuns) -> str:
    return "" if any(_find_compared(runs)) else NO_SAMPLES


@analysis(
    source="rule of our own; arXiv:2504.05047, arXiv:2604.09679, arXiv:2305.11860",
    needs=("accuracy", "prompt-tokens", "completion-tokens"),
    group="price",
    place=12,
    reported=False,
    lacks=_lack_samples,
)
def adaptive(runs: RecordedRuns, *, margin: Margin = 0.01) -> Report:
    """Tell which methods are worth their tokens: against self-consistency, by a rule fixed before.

    A gain is claimed where a method beats self-consistency with as many tokens in all, or takes
    fewer tokens than the study's self-consistency and is at most one point less accurate, each by
    its interval. Each method is compared with samples of its own models.
    """
    scored = _score_debates(runs)
    found = [each for dataset in runs.datasets for each in _measure(runs, scored, dataset, margin)]
    check_found(found, runs, NO_SAMPLES)
    return Report(
        title=f"Adaptive cost: {runs.name}",
        about=f"{runs.key}: methods beside self-consistency",
        tables=[
            _tabulate(dataset, own)
            for dataset, own in group_by(found, lambda each: each.dataset).items()
        ],
        notes=(MATCHED, *([TOO_FEW] if any(each.samples is None for each in found) else [])),
        findings=tuple(_describe(found, margin)),
        data=found,
    )


def _score_debates(runs: RecordedRuns) -> dict[tuple[str, str], dict[Key, ScoredDebate]]:
    """Return the debates of each dataset and arm whose answer and tokens are known."""
    found: defaultdict[tuple[str, str], dict[Key, ScoredDebate]] = defaultdict(dict)
    for each in runs.values:
        right = each.values.get("accuracy")
        prompt, reply = (each.values.get(f"{kind}-tokens") for kind in ("prompt", "completion"))
        if right is not None and prompt is not None and reply is not None:
            key = each.question, each.replicate
            found[each.dataset, each.arm][key] = ScoredDebate(right, prompt + reply)
    return found


def _find_compared(runs: RecordedRuns) -> Iterator[tuple[Arm, str, str]]:
    """Yield each debating method with its pool of samples and its self-consistency."""
    pools = find_pools(runs.arms)
    for arm in runs.arms:
        pool, stated = pools.get(arm.name), _find_samples(runs.arms, arm)
        if kind_of_arm(arm) not in NOT_DEBATES and pool and stated:
            yield arm, pool, stated


def _measure(
    runs: RecordedRuns,
    scored: Mapping[tuple[str, str], Mapping[Key, ScoredDebate]],
    dataset: str,
    margin: float,
) -> list[AdaptiveArm]:
    """Return the methods of a dataset, each with what is claimed of it."""
    found: list[AdaptiveArm] = []
    pools: dict[str, dict[Key, PoolDraws]] = {}
    for arm, pool, stated in _find_compared(runs):
        own = scored.get((dataset, arm.name), {})
        if not own:
            continue
        if pool not in pools:
            pools[pool] = {
                (row.question, row.replicate): PoolDraws(row.transcript)
                for row in runs.debates(pool)
                if row.dataset == dataset and not row.failed
            }
        samples, equal = _match_total(own, pools[pool])
        reference, saved = _compare(own, scored.get((dataset, stated), {}))
        found.append(
            AdaptiveArm(
                dataset=dataset,
                arm=arm.name,
                accuracy=mean_over_questions({key: each.right for key, each in own.items()}),
                tokens=sum(each.tokens for each in own.values()) / len(own),
                samples=samples,
                equal=equal,
                reference=reference,
                saved=saved,
                samples_only=protocols.get(arm.protocol).first_role == "sampler",
                gate=_count_gate(runs, dataset, arm) if "inner" in arm.settings else None,
            )
        )
    corrected = correct_by_holm(found, "equal")
    return [msgspec.structs.replace(each, claim=_claim(each, margin)) for each in corrected]


def _find_samples(arms: Sequence[Arm], arm: Arm) -> str:
    """Return the first self-consistency of an arm's models; empty without one."""
    speaking = set(models_in(arm.settings))
    same = (
        each.name
        for each in arms
        if kind_of(each.protocol) == "samples" and set(models_in(each.settings)) == speaking
    )
    return next(same, "")


def _match_total(
    own: Mapping[Key, ScoredDebate], draws: Mapping[Key, PoolDraws]
) -> tuple[int | None, Difference | None]:
    """Return the fewest samples that take as many tokens in all, and the difference to them.

    Both are None where there are not samples enough, or their tokens are unknown.
    """
    spent = {key: draws[key].spent["tokens"] for key in own if key in draws}
    prices = {key: each for key, each in spent.items() if each}
    total = sum(own[key].tokens for key in prices)
    for samples in range(1, min(map(len, prices.values()), default=0) + 1):
        if sum(each[samples - 1] for each in prices.values()) >= total:
            right = {key: draws[key].right(samples) for key in prices}
            return samples, compare_paired({key: own[key].right for key in prices}, right)
    return None, None


def _compare(
    own: Mapping[Key, ScoredDebate], other: Mapping[Key, ScoredDebate]
) -> tuple[Difference | None, Mean | None]:
    """Return the difference in accuracy to the study's self-consistency, and the tokens spared."""
    both = [key for key in own if key in other]  # in one order: sums depend on it
    usual = sum(other[key].tokens for key in both)
    if not usual:
        return None, None
    usual /= len(both)
    spared = {key: (other[key].tokens - own[key].tokens) / usual for key in both}
    clusters = cluster_by_question(spared)
    ends = min(-1.0, *spared.values()), max(1.0, *spared.values())
    low, high = interval(clusters, bounds=ends) or (None, None)
    gap = compare_paired(
        {key: own[key].right for key in both}, {key: other[key].right for key in both}
    )
    mean = sum(spared.values()) / len(spared)
    return gap, Mean(mean=mean, low=low, high=high, n=len(spared), questions=len(clusters))


def _count_gate(runs: RecordedRuns, dataset: str, arm: Arm) -> GateCounts:
    said = [
        note
        for row in runs.debates(arm.name)
        if row.dataset == dataset
        for note in row.transcript.events
        if isinstance(note, Noted) and note.what == "gate"
    ]
    return GateCounts(
        debates=len(said),
        accepted=sum(note.ends for note in said),
        unread=sum(note.signal is None for note in said),
        reasons=tuple(sorted({note.why for note in said if note.signal is None})),
        fitted_on=tuple(sorted({note.fitted_on for note in said if note.fitted_on})),
    )


def _claim(arm: AdaptiveArm, margin: float) -> str:
    """Return what the rule lets claim."""
    equal, gap, saved = arm.equal, arm.reference, arm.saved
    if equal is not None and is_shown(equal) and (equal.low or 0.0) > 0:
        return BETTER
    if gap is None or saved is None or gap.low is None or saved.low is None:
        return NO_GAIN
    return CHEAPER if gap.low >= -margin and saved.low > 0 else NO_GAIN


def _tabulate(dataset: str, arms: Sequence[AdaptiveArm]) -> ResultTable:
    equal, usual = "self-consistency, equal tokens", "self-consistency of the study"
    return tabulate(
        f"Worth its tokens on {dataset}",
        arms,
        TableField("method", value="arm"),
        TableField("accuracy %", "percent", "accuracy"),
        TableField("tokens", "count"),
        TableField("gate\naccepts %", "percent", _find_accepted),
        TableField("samples", "count", group=equal),
        TableField("difference", "points", "equal", group=equal),
        TableField("difference", "points", "reference", group=usual),
        TableField(
            "tokens\nspared %", "percent", lambda each: _show_savings(each.saved), group=usual
        ),
        TableField("claim"),
        band=lambda each: "samples that stop early" if each.samples_only else "debates",
    )


def _find_accepted(arm: AdaptiveArm) -> float | None:
    gate = arm.gate
    return gate.accepted / gate.debates if gate and gate.debates else None


def _show_savings(saved: Mean | None) -> Cell | None:
    if saved is None or saved.low is None:
        return None
    return Cell(saved.mean, format_interval(saved.low, saved.high, sign=True))


def _describe(arms: Sequence[AdaptiveArm], margin: float) -> Iterator[str]:
    """Yield what is claimed, first of debates and then of samples that stop early."""
    for what, own in (
        ("debate", [each for each in arms if not each.samples_only]),
        ("way to stop sampling", [each for each in arms if each.samples_only]),
    ):
        claimed = [each for each in own if each.claim != NO_GAIN]
        if own and not claimed:
            yield (
                f"No gain claimed for any {what}: none of {len(own)} beats self-consistency at "
                "equal tokens with an interval off zero, or is within "
                f"{format_percent(margin)} points of it at fewer tokens."
            )
        for each in claimed:
            yield _describe_claim(each)
    for each in arms:
        if each.gate and each.gate.unread:
            yield (
                f"{each.arm} on {each.dataset}: in {each.gate.unread} of "
                f"{format_things(each.gate.debates, 'debate')} the gate had no signal "
                f"({', '.join(each.gate.reasons)}); these were debated."
            )


def _describe_claim(arm: AdaptiveArm) -> str:
    gap = arm.equal if arm.claim == BETTER else arm.reference
    assert gap is not None
    points = (
        f"{format_percent(gap.mean, sign=True)} points "
        f"({format_interval(gap.low, gap.high, sign=True)})"
    )
    more = ""
    if arm.claim == CHEAPER and arm.saved is not None:
        more = (
            f" at {format_percent(arm.saved.mean)} % fewer tokens "
            f"({format_interval(arm.saved.low, arm.saved.high)})"
        )
    than = "at equal tokens" if arm.claim == BETTER else "of the study"
    return (
        f"{arm.arm} on {arm.dataset} is {arm.claim}: {points} against self-consistency "
        f"{than}{more}; n = {format_things(gap.questions, 'question')}."
    )
