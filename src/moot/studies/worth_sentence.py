"""The sentence of a sequential study, for readers who know no statistics.

It has the answer, how far the vote and each method may lie apart, after how many questions, and
what it takes to know more.
"""

from collections.abc import Callable, Iterator, Sequence

from moot.core.display_text import format_dollars, format_things, on_one_line
from moot.core.worth import AskedQuestions, MethodVerdict, Rest, Statement

HEADS = {"better": "Yes", "worse": "No", "equal": "Equal", "open": "Open"}
"""The answers by class, in the order in which a sentence has them."""
_NAMED = 3
"""The most methods of a class that a sentence names one by one."""
_ENDS = {
    "cap": ", where the cap ended the study",
    "interrupted": ", where the study was interrupted",
}


def describe_statement(found: Statement) -> str:
    """Return the sentence of a statement."""
    counted = [each for each in found.methods if each.questions]
    if not counted:
        why = _ENDS.get(found.stopped or "", "").removeprefix(", where ")
        return f"Open: no question has been compared yet{'; ' * bool(why)}{why}."
    groups = {
        name: own for name in HEADS if (own := [each for each in counted if each.class_ == name])
    }
    clauses = list(_say_groups(groups, several=len({each.dataset for each in counted}) > 1))
    first = next(iter(groups))
    head = HEADS[first]
    if len(groups) > 1:
        head += f" for {len(groups[first])} of {format_things(len(counted), 'method')}"
    end = _say_questions(found, counted)
    more = [_say_rest(found.rest, found.questions)] if found.rest and "open" in groups else []
    return f"{head}: {'; '.join([f'{clauses[0]}{end}', *clauses[1:], *more])}."


def _say_groups(groups: dict[str, list[MethodVerdict]], *, several: bool) -> Iterator[str]:
    """Yield a clause for each class; the first says that the vote had as many tokens."""
    voter = "a vote of as many tokens"
    for name, own in groups.items():
        say = _RANGES.get(name, _name_nothing)
        who = _name_methods(own, say, several=several)
        by = f", {say(*_widest(own))}" if len(own) == 1 or len(own) > _NAMED else ""
        yield _CLAUSES[name](own, who, voter, by)
        voter = "the vote"


def _name_methods(
    verdicts: Sequence[MethodVerdict], say: Callable[[float, float], str], *, several: bool
) -> str:
    """Name methods, with their datasets where there are several; many by their number.

    Where a few are named, each has its own range in brackets.
    """
    if len(verdicts) > _NAMED:
        return f"{len(verdicts)} methods"
    names = [
        on_one_line(f"{each.arm} on {each.dataset}" if several else each.arm, 60)
        for each in verdicts
    ]
    if len(names) > 1:
        ranges = (say(*_widest([each])) for each in verdicts)
        names = [
            f"{name} ({told})" if told else name for name, told in zip(names, ranges, strict=True)
        ]
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), *names[-1:]])


def _name_nothing(low: float, high: float) -> str:
    """Return nothing: the margin says how far both lie apart."""
    del low, high
    return ""


def _name_gain(low: float, high: float) -> str:
    """Return by how much the debate is ahead."""
    return f"by {_name_span(low, high)}"


def _name_loss(low: float, high: float) -> str:
    """Return by how much the vote is ahead."""
    return f"by {_name_span(-high, -low)}"


def _name_either(low: float, high: float) -> str:
    """Return the range in which each may be ahead."""
    return f"{_name_points(-low)} worse to {_name_points(high)} better"


def _say_better(verdicts: Sequence[MethodVerdict], who: str, voter: str, by: str) -> str:
    be = "are" if len(verdicts) > 1 else "is"
    return f"{who} {be} right more often than {voter}{by}"


def _say_worse(verdicts: Sequence[MethodVerdict], who: str, voter: str, by: str) -> str:
    del verdicts
    return f"{voter} is right more often than {who}{by}"


def _say_equal(verdicts: Sequence[MethodVerdict], who: str, voter: str, by: str) -> str:
    del by
    be = "are" if len(verdicts) > 1 else "is"
    margin = _name_points(verdicts[0].margin or 0.0)
    return f"{who} {be} right as often as {voter}, give or take {margin}"


def _say_open(verdicts: Sequence[MethodVerdict], who: str, voter: str, by: str) -> str:
    if len(verdicts) > 1:
        return f"it is not settled whether {who} are better or worse than {voter}{by}"
    low, high = _widest(verdicts)
    return (
        f"{who} is between {_name_points(-low)} worse and {_name_points(high)} better than {voter}"
    )


_RANGES = {"better": _name_gain, "worse": _name_loss, "open": _name_either}
_CLAUSES = {"better": _say_better, "worse": _say_worse, "equal": _say_equal, "open": _say_open}


def _widest(verdicts: Sequence[MethodVerdict]) -> tuple[float, float]:
    """Return the lowest and the highest end of the intervals."""
    gaps = [each.difference for each in verdicts]
    lows = [-1.0 if gap.low is None else gap.low for gap in gaps]
    return min(lows), max(1.0 if gap.high is None else gap.high for gap in gaps)


def _say_questions(found: Statement, counted: Sequence[MethodVerdict]) -> str:
    """Return after how many questions it is said, and why there are no more."""
    used = [each.questions for each in counted]
    if found.stopped == "questions" and min(used) == max(used):
        count = ""
        if len(counted) == 1:
            [own] = counted
            count = f", of which it won {own.won:,} and lost {own.lost:,}"
        return f", after all {format_things(found.questions.unique, 'question')}{count}"
    least, most = min(used), format_things(max(used), "question")
    told = most if least == max(used) else f"{least:,} to {most}"
    return f", after {told}{_ENDS.get(found.stopped or '', '')}"


def _say_rest(rest: Rest, asked: AskedQuestions) -> str:
    """Return the questions that would settle the open methods, and those left if fewer."""
    if rest.questions is None:
        return "more questions than one would pay for might not settle what is open"
    cost = f" at {format_dollars(rest.cost)}" if rest.cost else ""
    more = format_things(rest.questions, "more question")
    told = f"{more}{cost} would settle it with a chance of {100 * rest.power:.0f}\u00a0%"
    left = asked.unique - asked.used
    if left >= rest.questions:
        return told
    return f"{told}; {f'only {left:,} are' if left else 'none is'} left here"


def _name_span(low: float, high: float) -> str:
    """Return a range of shares in points, from 0 on."""
    first, last = (f"{100 * max(0.0, end):.0f}" for end in (low, high))
    if first == "0":
        return f"up to {_name_points(high)}"
    return _name_points(high) if first == last else f"{first} to {last} points"


def _name_points(share: float) -> str:
    """Return a share in points, whole ones where it has any."""
    points = max(0.0, 100 * share)
    told = f"{points:.0f}" if points >= 1 or points == 0 else f"{points:.1f}"
    return f"{told} point{'s' * (told != '1')}"
