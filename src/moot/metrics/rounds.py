"""How many rounds there were, and in which of them debaters were right.

A debater is right in a round when its last answer in that round is. The rounds of a network are
those of its nodes, each counted from 1. The three metrics of right rounds are means over the
debaters that were right at least once, and None without one, or if no right answer is known.
"""

from itertools import compress

from moot.core.events import Transcript, Verdict
from moot.core.recorded_settings import NetworkSettings, read_settings
from moot.debate.verdicts import INVENTED
from moot.metrics.by_round import Course, find_courses
from moot.metrics.debaters import keep_last, measure_from, nodes, turns
from moot.metrics.metric import metric
from moot.parsing.same import is_same

AGENT = "arXiv:2311.17371, appendix A.4"


@metric(unit="rounds", source='arXiv:2311.17371, appendix A.3, "number of rounds"')
def rounds(transcript: Transcript) -> float | None:
    """The number of rounds that happened: the highest round of any turn, 0 without one."""
    return float(max([turn.round for turn in turns(transcript)], default=0))


@metric(unit="sweeps", source="MAD-Community, section 5")
def sweeps(transcript: Transcript) -> float | None:
    """The number of sweeps in which a node reached a verdict, if nodes debate several times.

    None for every other protocol.
    """
    if not {"sweeps", "nodes"} <= transcript.opened.settings.keys():
        return None
    return float(max((node.sweep for node in nodes(transcript)), default=0))


@metric(source="MAD-Community, section 5")
def nodes_agree(transcript: Transcript) -> float | None:
    """1 when all nodes of a network have the same answer in the last sweep, else 0.

    A node's answer is its verdict's; of a judge that gave an answer of its own, that one, which the
    other nodes read. A debate that failed before all nodes came to a verdict counts as 0. None for
    every other protocol.
    """
    names = set(read_settings(transcript.opened.settings, NetworkSettings).names)
    if not names:
        return None
    ends = [node for node in nodes(transcript) if node.node in names]
    last = max((node.sweep for node in ends), default=0)
    said = [_answer_passed_on(transcript, node.verdict) for node in ends if node.sweep == last]
    kind = transcript.question.kind
    agree = len(said) == len(names) and all(is_same(said[0], each, kind) for each in said)
    return float(agree)


def _answer_passed_on(transcript: Transcript, verdict: Verdict) -> str | None:
    """Return the answer of a node that other nodes read."""
    if verdict.by != INVENTED:
        return verdict.answer
    return next(turn.answer for turn in turns(transcript) if turn.id == verdict.turn)


@keep_last
def _ever_right(transcript: Transcript) -> list[Course] | None:
    """Return the courses of the debaters that were ever right; None without one."""
    courses = find_courses(transcript) or ()
    return [course for course in courses if True in course.values()] or None


@metric(
    unit="rounds",
    range=(1, None),
    better="lower",
    source=f'{AGENT}, "first correct round when correct"',
)
@measure_from(_ever_right)
def first_correct_round(found: list[Course]) -> float:
    """The first round in which a debater was right; the mean over debaters ever right."""
    first = [next(compress(course, course.values())) for course in found]
    return sum(first) / len(first)


@metric(
    unit="rounds",
    range=(1, None),
    better="higher",
    source=f'{AGENT}, "num of correct rounds when correct"',
)
@measure_from(_ever_right)
def correct_rounds(found: list[Course]) -> float:
    """The number of rounds in which a debater was right; the mean over debaters ever right."""
    return sum([sum(course.values()) for course in found]) / len(found)


@metric(better="higher", source=f'{AGENT}, "percentage of correct rounds when correct"')
@measure_from(_ever_right)
def correct_rounds_share(found: list[Course]) -> float:
    """A debater's right rounds / the rounds it spoke in; the mean over debaters ever right."""
    shares = [sum(course.values()) / len(course) for course in found]
    return sum(shares) / len(shares)
