"""Debaters that changed their answer at any time, right or wrong.

A debater changed when two of its answers differ in value, even if it came back to the first. An
unparsed answer differs from every parsed one, and not from another unparsed one. The debaters of a
network are those of all nodes and, where nodes debate several times, of all sweeps.

Each is there twice. Only debaters that spoke at least twice had the chance: what counts these alone
is None if no debater that counts spoke twice, so that its mean is one over debates that went on.
What ends in ``of-all`` counts every debater, one that spoke once as unchanged, as the paper does:
its mean is one over all debates, and a debate that ends early is no reason to leave it out.
"""

from moot.core.events import Transcript
from moot.metrics.debaters import keep_last, list_values, measure_from
from moot.metrics.metric import metric

ChangeCount = tuple[int, int]  # changed, of how many
ChangeCounts = tuple[ChangeCount, ChangeCount]  # of all, of those always parsed

IN_DEBATES = 'arXiv:2311.17371, appendix A.3, "how many agents changed'
OF_AGENTS = 'arXiv:2311.17371, appendix A.4, "changed answer"'
WENT_ON = ", where debates went on"


def _tally(changes: list[bool]) -> ChangeCount:
    return sum(changes), len(changes)


@keep_last
def count_changes(transcript: Transcript) -> ChangeCounts:
    """Return how many debaters that spoke twice changed: of all, and of those always parsed."""
    spoke = [answers for answers in list_values(transcript) if len(answers) > 1]
    changes = [len(set(answers)) > 1 for answers in spoke]
    parsed = [change for answers, change in zip(spoke, changes, strict=True) if None not in answers]
    return _tally(changes), _tally(parsed)


@metric(unit="debaters", source=f'{IN_DEBATES}"{WENT_ON}')
@measure_from(count_changes)
def measure_changed(changes: ChangeCounts) -> float | None:
    """The number of debaters that changed their answer during the debate."""
    (number, of), _ = changes
    return float(number) if of else None


@metric(unit="debaters", source=f'{IN_DEBATES} when correctly parsed"{WENT_ON}')
@measure_from(count_changes)
def measure_parsed_changed(changes: ChangeCounts) -> float | None:
    """The number of debaters that changed their answer and never gave an unparsed one."""
    _, (number, of) = changes
    return float(number) if of else None


@metric(source=f"{OF_AGENTS}{WENT_ON}")
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


@metric(unit="debaters", source=f'{IN_DEBATES}"')
def changed_of_all(transcript: Transcript) -> float | None:
    """The number of debaters that changed their answer; 0 where each spoke once.

    None without a debater that is asked for answers.
    """
    (number, _), _ = count_changes(transcript)
    return float(number) if list_values(transcript) else None


@metric(unit="debaters", source=f'{IN_DEBATES} when correctly parsed"')
def parsed_changed_of_all(transcript: Transcript) -> float | None:
    """The number of debaters that changed and never gave an unparsed answer, maybe 0.

    None without a debater that is asked for answers.
    """
    _, (number, _) = count_changes(transcript)
    return float(number) if list_values(transcript) else None


@metric(source=f"{OF_AGENTS}, figure 7")
def change_rate_of_all(transcript: Transcript) -> float | None:
    """The number of debaters that changed, divided by that of all debaters; None without one."""
    (number, _), _ = count_changes(transcript)
    found = list_values(transcript)
    return number / len(found) if found else None
