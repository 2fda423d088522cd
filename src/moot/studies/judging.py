"""Judging debates: is each better or worse than a vote of as many tokens, equal to it, or open?

The comparison is paired, question by question, and exact. All debates and datasets of a study are
one family: its p are corrected together by Holm, so that in at most 5 of 100 studies without any
difference a single debate is called better or worse. Beside an opponent with fewer tokens a debate
can lose and not win: what it won may be what it was given more.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from moot.core.results import ArmResult, Difference, EqualBudget, Mean, Results
from moot.core.stored import Arm
from moot.core.worth import (
    Estimate,
    MethodVerdict,
    OpponentTokens,
    Unread,
    VerdictClass,
    Vote,
)
from moot.debate.agent_config import models_in
from moot.debate.protocol import DEBATES, kind_of_arm
from moot.statistics.accuracies import SURE, correct_by_holm, find_p, find_smallest, is_shown
from moot.statistics.power import find_questions
from moot.studies.equal_budget import find_remedies

OWN_VOTE = "the vote of its own first round"
"""The opponent of a debate recorded elsewhere: it has some of the debate's replies."""
SHOWS = 0.05
"""The difference for which an open class names the questions that it takes."""
_ROUNDING = 1 + 1e-9


class ArmTraits(NamedTuple):
    """What an arm is in comparisons.

    Attributes:
        protocol: its name.
        kind: of the protocol with the arm's settings.
        models: that speak in it.
        remedy: what a study has to say so that the arm has a vote at its tokens; may be empty.
    """

    protocol: str = ""
    kind: str = "debate"
    models: tuple[str, ...] = ()
    remedy: str = ""

    @property
    def is_debate(self) -> bool:
        """Whether its agents talk with each other."""
        return self.kind in DEBATES


def find_traits(arms: Iterable[Arm]) -> dict[str, ArmTraits]:
    """Return what each arm is, by its name."""
    arms = tuple(arms)
    remedies = find_remedies([arm for arm in arms if "model" in arm.settings and not arm.kind])
    return {
        arm.name: ArmTraits(
            arm.protocol,
            kind_of_arm(arm),
            tuple(dict.fromkeys(models_in(arm.settings))) if "model" in arm.settings else (),
            remedies.get(arm.name, ""),
        )
        for arm in arms
    }


def correct_budgets(arms: Sequence[ArmResult]) -> list[ArmResult]:
    """Return arms whose comparisons at equal budget are corrected for all of a study.

    Those at equal tokens are one family and those at equal cost another: they say nearly the same.
    Debates are apart from controls and votes, which no sentence calls worth it or not.
    """
    families: dict[tuple[str, bool], list[EqualBudget]] = {}
    for arm in arms:
        for each in arm.budget:
            families.setdefault((each.matched, arm.kind in DEBATES), []).append(each)
    fixed = {key: iter(_correct(own)) for key, own in families.items()}

    def fix(arm: ArmResult) -> ArmResult:
        own = (next(fixed[each.matched, arm.kind in DEBATES]) for each in arm.budget)
        return replace(arm, budget=tuple(own))

    return [fix(arm) for arm in arms]


def _correct(family: Sequence[EqualBudget]) -> list[EqualBudget]:
    """Return comparisons with p, and the smallest difference shown, corrected for their number."""
    tests = sum(each.difference.p is not None for each in family)
    return [
        replace(
            each,
            difference=replace(each.difference, smallest=find_smallest(each.difference, tests)),
        )
        for each in correct_by_holm(family, "difference")
    ]


class _Compared(NamedTuple):
    """A debate and its opponent.

    Attributes:
        gap: between them; None where there is no opponent.
        against: the opponent, or the arm whose replies vote.
        opponent: the opponent in words.
        tokens: that the opponent had.
        wanted: samples that the dearest debate could have bought.
        wide: an interval of the difference that holds for all debates together.
        looked: the same at every look, while the study is not complete.
        own: the accuracy of the debates.
        failed: debates without a verdict.
        vote: the opponent's figures.
        taken: tokens of a debate, at the mean; None where unknown.
        short: debates that could have bought more samples.
    """

    arm: ArmResult
    gap: Difference | None = None
    against: str | None = None
    opponent: str = ""
    tokens: OpponentTokens | None = None
    unread: Unread = Unread()
    wanted: int = 0
    wide: tuple[float, float] | None = None
    looked: tuple[float, float] | None = None
    own: Mean = Mean()
    failed: int = 0
    vote: Vote = Vote()
    taken: float | None = None
    short: int = 0

    @property
    def p(self) -> float | None:
        """Uncorrected."""
        return None if self.gap is None else self.gap.p

    @property
    def p_holm(self) -> None:
        """Not yet corrected."""


def judge_methods(
    found: Results, remedies: Mapping[str, str], margin: float | None = None
) -> tuple[MethodVerdict, ...]:
    """Return the verdict on each debate of results, whose right answers are known.

    Args:
        found: of a whole study.
        remedies: by arm, what a study has to say for a vote at its tokens.
        margin: the greatest difference that counts as equal, 0 to 1; None where none does.
    """
    known = {(arm.dataset, arm.arm): arm for arm in found.arms if arm.accuracy.mean is not None}
    every = [_compare(arm, known) for arm in known.values() if arm.kind in DEBATES]
    tested = [each.gap for each in every if each.gap is not None]
    fixed = iter(correct_by_holm([replace(gap, p_holm=None) for gap in tested]))
    tests, verdicts = len(tested), []
    for each in every:
        gap = each.gap and _join(each.gap, next(fixed), tests)
        own, remedy = each._replace(gap=gap), remedies.get(each.arm.arm, "")
        verdicts.append(_judge(own, tests, remedy, margin, complete=found.is_complete))
    return tuple(verdicts)


def _join(own: Difference, fixed: Difference, tests: int) -> Difference:
    """Return a difference whose p is no less than that of its table and that of the family."""
    p = max((p for p in (find_p(own), fixed.p_holm) if p is not None), default=None)
    return replace(own, p_holm=p, smallest=find_smallest(own, tests))


def _compare(arm: ArmResult, known: Mapping[tuple[str, str], ArmResult]) -> _Compared:
    """Compare a debate with a vote at its tokens, else with a baseline that took fewer."""
    budget = next((each for each in arm.budget if each.matched == "tokens"), None)
    if budget is not None and budget.taken is not None:
        more = budget.spent > budget.taken * _ROUNDING
        had: OpponentTokens = "fewer" if budget.short else "more" if more else "equal"
        return _Compared(
            arm,
            budget.difference,
            budget.pool,
            "a vote",
            None if budget.short and more else had,
            budget.unread,
            budget.wanted,
            budget.wide,
            budget.looked or None,
            budget.own,
            budget.failed,
            Vote(accuracy=budget.accuracy.mean, samples=budget.samples, tokens=budget.spent),
            budget.taken,
            budget.short,
        )
    base = known.get((arm.dataset, arm.baseline or ""))
    if base is None or base.kind in DEBATES or arm.difference is None or arm.difference.p is None:
        return _Compared(arm)
    if base.kind != "vote" and not _is_cheaper(base, arm):  # a vote of the debate's own replies is
        return _Compared(arm)
    lost = Unread(method=_count_unread(arm), vote=_count_unread(base))
    votes = {"single": "a single reply", "samples": "a vote", "vote": OWN_VOTE}
    words = votes.get(base.kind, base.arm)
    samples = None if base.kind == "vote" else base.calls / base.n
    vote = Vote(accuracy=base.accuracy.mean, samples=samples, tokens=base.tokens)
    return _Compared(
        arm,
        arm.difference,
        base.arm,
        words,
        "fewer",
        lost,
        own=arm.accuracy,
        failed=arm.failed,
        vote=vote,
        taken=arm.tokens,
    )


def _is_cheaper(base: ArmResult, arm: ArmResult) -> bool:
    if base.tokens is None or arm.tokens is None:
        return False
    return base.tokens * _ROUNDING < arm.tokens


def _count_unread(arm: ArmResult) -> float:
    return (arm.failed + arm.unparsed) / arm.n


def _judge(
    compared: _Compared, tests: int, remedy: str, margin: float | None, *, complete: bool
) -> MethodVerdict:
    gap = compared.gap or Difference()
    found = _classify(compared, margin) if complete else "open"
    estimate = Estimate(estimate=gap.mean, low=gap.low, high=gap.high)
    ends = compared.wide if found == "equal" else None if complete else compared.looked
    if not complete:  # a test once made is not made again after every debate
        gap, estimate = replace(gap, p=None, p_holm=None), Estimate(estimate=gap.mean)
    if ends is not None:
        low, high = ends
        estimate = Estimate(estimate=gap.mean, low=low, high=high, level=1 - SURE / tests)
    advice = remedy if compared.tokens != "equal" else ""
    if not complete:
        advice = "run the study to its end"
    elif found == "open" and not advice:
        advice = _advise(compared, tests, margin)
    own, cost = compared.own, compared.arm.cost
    settled = found == "better" or (found != "open" and compared.tokens == "equal")
    return MethodVerdict(
        dataset=compared.arm.dataset,
        method=compared.arm.protocol,
        arm=compared.arm.arm,
        class_=found,
        questions=gap.questions,
        won=gap.better,
        lost=gap.worse,
        tied=gap.questions - gap.better - gap.worse,
        unread=compared.unread,
        difference=estimate,
        p=find_p(gap),
        against=compared.against,
        opponent=compared.opponent,
        tokens=compared.tokens,
        smallest=gap.smallest,
        margin=margin,
        advice="" if settled else advice,
        failed=compared.failed,
        accuracy=Estimate(estimate=own.mean, low=own.low, high=own.high),
        vote=compared.vote,
        tokens_per_question=compared.taken,
        cost_per_question=cost.mean if cost.known == compared.arm.n else None,
        short=compared.short,
    )


def _classify(compared: _Compared, margin: float | None) -> VerdictClass:
    gap, tokens = compared.gap, compared.tokens
    if gap is None or tokens is None:
        return "open"
    if is_shown(gap) and gap.low is not None:
        if gap.low > 0:
            return "open" if tokens == "fewer" else "better"
        return "open" if tokens == "more" else "worse"
    if margin is None or compared.wide is None or tokens != "equal":
        return "open"
    low, high = compared.wide
    return "equal" if -margin <= low and high <= margin else "open"


def _advise(compared: _Compared, tests: int, margin: float | None) -> str:
    """Return what to type where an open class is not for want of ``equal_budget``."""
    gap = compared.gap
    if gap is None:
        return ""
    if compared.tokens != "equal":
        more = compared.wanted
        return f"add self-consistency with samples = {more}" if more else ""
    target = margin or SHOWS
    if gap.smallest is not None and gap.smallest <= target:
        target = gap.smallest / 2
    if gap.pairs > gap.questions:
        if gap.smallest is None:
            return ""
        times = (gap.smallest / target) ** 2
        return f"n = {round(gap.questions * times)} shows {100 * target:g} points"
    differing = (gap.better + gap.worse) / gap.questions
    n = find_questions(target, round(differing, 3), tests=tests)
    return f"n = {n} shows {round(100 * target, 1):g} points"
