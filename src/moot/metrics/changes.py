"""Debaters that changed their answer at any time, right or wrong.

A debater changed when two of its answers differ in value, even if it came back to the first. Only
debaters that spoke at least twice had the chance. An unparsed answer differs from every parsed one,
and not from another unparsed one. All are None if no debater that counts spoke twice. The
debaters of a network are those of all nodes and, where nodes debate several times, of all sweeps.
"""

from moot.core.events import Transcript
from moot.metrics.debaters import keep_last, list_values, measure_from
from moot.metrics.metric import metric

ChangeCount = tuple[int, int]  # changed, of how many
ChangeCounts = tuple[ChangeCount, ChangeCount]  # of all, of those always parsed


def _tally(changes: list[bool]) -> ChangeCount:
    return sum(changes), len(changes)


@keep_last
def count_changes(transcript: Transcript) -> ChangeCounts:
    """Return how many debaters that spoke twice changed: of all, and of those always parsed."""
    spoke = [answers for answers in list_values(transcript) if len(answers) > 1]
    changes = [len(set(answers)) > 1 for answers in spoke]
    parsed = [change for answers, change in zip(spoke, changes, strict=True) if None not in answers]
    return _tally(changes), _tally(parsed)


@metric(unit="debaters", source='arXiv:2311.17371, appendix A.3, "how many agents changed"')
@measure_from(count_changes)
def measure_changed(changes: ChangeCounts) -> float | None:
    """The number of debaters that changed their answer during the debate."""
    (number, of), _ = changes
    return float(number) if of else None


@metric(
    unit="debaters",
    source='arXiv:2311.17371, appendix A.3, "how many agents changed when correctly parsed"',
)
@measure_from(count_changes)
def measure_parsed_changed(changes: ChangeCounts) -> float | None:
    """The number of debaters that changed their answer and never gave an unparsed one."""
    _, (number, of) = changes
    return float(number) if of else None


@metric(source='arXiv:2311.17371, appendix A.4, "changed answer", figure 7')
@measure_from(count_changes)
def change_rate(changes: ChangeCounts) -> float | None:
    """The number of debaters that changed, divided by that of debaters that spoke twice."""
    (number, of), _ = changes
    return number / of if of else None


@metric()
@measure_from(count_changes)
def measure_parsed_change_rate(changes: ChangeCounts) -> float | None:
    """The share that changed of the debaters that spoke twice, every time with a parsed answer."""
    _, (number, of) = changes
    return number / of if of else None
