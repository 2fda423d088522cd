"""What a run found, in a few plain sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence

from moot.analyses.sentences import SURE, explain_unshown, is_shown
from moot.core.display_text import (
    format_count,
    format_dollars,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    on_one_line,
)
from moot.core.results import ArmResult, Difference, EqualBudget, Results


def describe_run(results: Results) -> str:
    """Say in a sentence what was run."""
    arms = len({arm.arm for arm in results.arms})
    debates = sum(arm.n for arm in results.arms)
    on = ", ".join(on_one_line(name, 40) for name in results.datasets) or "no dataset yet"
    return f"{format_things(arms, 'arm')} on {on}: {format_things(debates, 'debate')}."


def describe_savings(results: Results) -> str:
    """Say in a sentence what the ledger saved; empty where no debate used anything."""
    saved = results.saved
    if saved is None or not saved.calls:
        return ""
    reused = max(0, saved.calls - saved.paid)
    told = f"{format_count(reused)} of {format_things(saved.calls, 'call')} came from the ledger"
    if not reused:
        return f"{told}."
    money = "" if saved.cost == 0 else f"{format_dollars(saved.cost)} not paid again"
    if saved.cost is None:
        money = "what that saved is unknown, as a price is"
    tokens = (
        ""
        if saved.tokens is None
        else f"{format_things(saved.tokens, 'token')} not asked for again"
    )
    return f"{told}: {', '.join(filter(None, (money, tokens)))}."


def summarise_results(found: Results) -> Iterator[str]:
    """Yield whether debating was worth its price, then for each dataset what its best arm is.

    Results that can show nothing say so first. Each sentence has its n, its interval, and what so
    many questions could have shown.
    """
    if not found.arms:
        yield "No debate has ended yet."
        return
    if all(arm.accuracy.mean is None for arm in found.arms):
        yield "No right answers are known here, so there is no accuracy."
        return
    yield judge_worth(found.arms)
    for dataset, arms in found.datasets.items():
        for baseline in dict.fromkeys(arm.baseline for arm in arms):
            text = _summarise_arms([arm for arm in arms if arm.baseline == baseline])
            several = len(found.datasets) > 1
            yield f"{on_one_line(dataset, 60)}: {text}" if several else text


def judge_worth(every: Sequence[ArmResult]) -> str:
    """Answer in a sentence whether debates were worth their price."""
    compared = [arm for arm in every if arm.difference and arm.difference.mean is not None]
    gaps = [gap for arm in compared if (gap := arm.difference)]
    tests = Counter(arm.dataset for arm in compared)
    if not gaps:
        return (
            "No arm is compared with a baseline, so nothing tells whether one is worth its price."
        )
    if not any(_can_show(gap, tests[arm.dataset]) for arm, gap in zip(compared, gaps, strict=True)):
        n = max(gap.questions for gap in gaps)
        return (
            f"This can show nothing: on {format_things(n, 'question')}, even an arm that is right "
            f"on all of them where the baseline is on none has p {format_p_equals(_least_p(n))}"
            f"{' before the correction' * (len(gaps) > 1)}."
        )
    better = sum(difference_kind(gap) == "higher" for gap in gaps)
    on = "comparison" if len({arm.dataset for arm in every}) > 1 else "arm"
    be = "is" if len(gaps) == 1 else "are"
    than = f"{better} of {format_things(len(gaps), on)} {be} clearly better than the baseline"
    fair = [arm for arm in every if arm.budget and all(each.is_equal for each in arm.budget)]
    worth = sum(_budget_kind(arm) == "higher" for arm in fair)
    if fair:
        than += f", and {worth} of {len(fair)} than self-consistency at the same price"
    elif any(arm.budget for arm in every):
        than += "; the study made too few draws for self-consistency at the same price"
    else:
        than += "; self-consistency at the same price was not measured"
    dearer = "Better, but not shown to be worth the price" if better else "No gain is shown"
    return f"{'Worth the price' if worth else dearer}: {than}."


def _least_p(questions: int) -> float:
    """Return the least p that the exact test can give on so many questions."""
    return float(min(1.0, 2 * 0.5**questions))


def _can_show(gap: Difference, tests: int) -> bool:
    """Whether any outcome on these questions could be called a difference, after Holm."""
    return gap.questions > 1 and _least_p(gap.questions) * tests <= SURE


def _summarise_arms(arms: Sequence[ArmResult]) -> str:
    """Say which of these arms is best, how it does against the baseline, and at what price."""
    known = [arm for arm in arms if arm.accuracy.mean is not None]
    if not known:
        return "no right answers are known, so there is no accuracy."
    best = max(known, key=lambda arm: arm.accuracy.mean or 0.0)
    base = next((arm for arm in arms if arm.arm == arm.baseline), None)
    got = best.accuracy
    ends = "" if got.low is None else f"; 95\u00a0% interval {format_interval(got.low, got.high)}"
    among = f", {rank_among(best, known)}" if len(known) > 1 else ""
    on = f"{format_things(got.n, 'debate')} ({format_things(got.questions, 'question')}{ends})"
    lead = f"{best.label} is right on {format_percent(got.mean)}\u00a0% of {on}{among}."
    return " ".join(filter(None, (lead, _verdict(best, base), describe_power(best.difference))))


def rank_among(best: ArmResult, arms: Sequence[ArmResult]) -> str:
    """Say of how many arms this is the highest, and how many others are as high."""
    equal = sum(arm.accuracy.mean == best.accuracy.mean for arm in arms) - 1
    others = format_things(equal, "other")
    shared = f" (as high as {others})" if equal else ""
    return f"the highest of {format_things(len(arms), 'arm')}{shared}"


def difference_kind(gap: Difference) -> str:
    """Whether a difference is one: its interval leaves out zero and its corrected p is small."""
    if gap.low is None:
        return "unknown"
    if not is_shown(gap):
        return "even"
    return "higher" if gap.low > 0 else "lower"


def _verdict(best: ArmResult, base: ArmResult | None) -> str:
    said = []
    if base is best:
        said.append("It is the baseline.")
    elif base is not None and (gap := best.difference) and gap.mean is not None:
        words = {"higher": "It beats", "unknown": "Too few questions tell it from"}
        beats = words.get(difference_kind(gap), "It does not clearly beat")
        said.append(
            f"{beats} the baseline {base.label}: {_describe_gap(gap)}, {_price(best, base)}."
        )
        said.append(explain_unshown(gap))
    if best.budget:
        words = {"higher": "It beats", "lower": "It is worse than"}
        beats = words.get(_budget_kind(best), "It does not clearly beat")
        equal = all(each.is_equal for each in best.budget)
        price = "at the same price" if equal else "that was given less"
        told = (
            f"{_describe_gap(each.difference)} against {format_count(each.samples)} samples "
            f"{_describe_price(each)}"
            for each in best.budget
        )
        said.append(f"{beats} self-consistency {price}: {'; '.join(told)}.")
        said.extend(dict.fromkeys(explain_unshown(each.difference) for each in best.budget))
    return " ".join(filter(None, said))


def describe_power(gap: Difference | None) -> str:
    """Say which difference so many questions would have shown, where this one is not shown."""
    if gap is None or gap.smallest is None or difference_kind(gap) != "even":
        return ""
    return (
        f"So many questions show a difference of {format_percent(gap.smallest)} points in "
        "80\u00a0% of "
        "studies, a smaller one less often."
    )


def _budget_kind(arm: ArmResult) -> str:
    """Return how an arm differs from self-consistency, by tokens and by money alike."""
    kinds = {difference_kind(each.difference) for each in arm.budget}
    return kinds.pop() if len(kinds) == 1 else "even"


def _describe_price(budget: EqualBudget) -> str:
    """Return whether draws took as much as the debates, and if not, why."""
    money = budget.matched == "cost"
    if budget.is_equal:
        return f"for the same {'money' if money else 'tokens'}"
    show = format_dollars if money else format_count
    than = "" if budget.taken is None else f", {show(budget.spent)} against {show(budget.taken)}"
    return (
        f"for {'less money' if money else 'fewer tokens'}{than}: "
        f"{format_things(budget.short, 'debate')} could have bought more than there are"
    )


def _describe_gap(gap: Difference) -> str:
    """Return a difference with its interval and its p."""
    corrected = gap.p_holm is not None
    p = f"{'Holm-corrected ' * corrected}p {format_p_equals(gap.p_holm if corrected else gap.p)}"
    points = f"{format_percent(gap.mean, sign=True)} points"
    return f"{points} ({format_interval(gap.low, gap.high, sign=True)}; {p})"


def format_ratio(ratio: float) -> str:
    """Return how many times as much, short also where it is far below one."""
    return format_count(ratio) if ratio >= 0.1 else f"{ratio:.1g}"


def _price(arm: ArmResult, base: ArmResult) -> str:
    """What an arm takes in multiples of the baseline: money where it is known, else tokens."""
    if arm.cost.known == arm.n and base.cost.known == base.n and base.cost.mean:
        ratio = (arm.cost.mean or 0.0) / base.cost.mean
        return (
            f"at {format_ratio(ratio)} times the cost ({format_dollars(arm.cost.mean)} per debate)"
        )
    if arm.tokens is not None and base.tokens:
        return f"at {format_ratio(arm.tokens / base.tokens)} times the tokens"
    calls = base.calls / base.n
    return (
        f"at {format_ratio(arm.calls / arm.n / calls)} times the calls"
        if calls
        else "calls unknown"
    )
