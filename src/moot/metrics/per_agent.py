"""The debaters one by one: what each answered, as a mean over them.

All are None without a debater. The debaters of a network are those of all nodes and, if nodes
debate several times, of all sweeps.
"""

from collections.abc import Hashable

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, list_values, measure_from
from moot.metrics.metric import metric

AGENT = "arXiv:2311.17371, appendix A.4"


@metric(better="higher", source=f'{AGENT}, "answered correctly"')
def agent_accuracy(transcript: Transcript) -> float | None:
    """The share of debaters whose last answer is right. None if no right answer is known."""
    known, minds = find_right(transcript), find_debaters(transcript)
    if known is None or not minds:
        return None
    return sum([known[mind.last_answer] for mind in minds]) / len(minds)


@metric(better="lower", source=f'{AGENT}, "any incorrectly parsed answer"')
@measure_from(list_values)
def agent_any_unparsed(found: list[list[Hashable]]) -> float | None:
    """The share of debaters with at least one unparsed answer."""
    return sum([None in answers for answers in found]) / len(found) if found else None


@metric(better="lower", source=f'{AGENT}, "incorrectly parsed final answer"')
@measure_from(list_values)
def agent_last_unparsed(found: list[list[Hashable]]) -> float | None:
    """The share of debaters whose last answer is unparsed."""
    return sum([answers[-1] is None for answers in found]) / len(found) if found else None


@metric(unit="answers", source=f'{AGENT}, "number of answers"')
@measure_from(list_values)
def answers_per_agent(found: list[list[Hashable]]) -> float | None:
    """The number of different answers a debater gave, unparsed ones left out; the mean."""
    return sum([len({*answers} - {None}) for answers in found]) / len(found) if found else None


@metric(unit="replies", better="lower", total="sum")
@measure_from(list_values)
def measure_unparsed_replies(found: list[list[Hashable]]) -> float | None:
    """The number of debaters' turns that commit to no answer; 0 without a debater."""
    return float(sum([answers.count(None) for answers in found]))
