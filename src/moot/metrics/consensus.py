"""How far a debate went, and how far its debaters agree in the end."""

from collections import Counter

from moot.answers.same import value
from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.metrics.views import at_the_end, debaters, turns


@metric(unit="share", range=(0, 1), source="arXiv:2311.17371, appendix A.3")
def consensus(transcript: Transcript) -> float | None:
    """The largest number of debaters with the same last answer, divided by the number of debaters.

    An unparsed answer agrees with none, not even another unparsed one. None where fewer than two
    debaters spoke. Of a network whose nodes debate several times, the last sweep's count.
    """
    minds = at_the_end(transcript)
    if len(minds) < 2:
        return None
    kind = transcript.question.kind
    groups = Counter(value(mind.last, kind) for mind in minds if mind.last is not None)
    return max(groups.values(), default=0) / len(minds)


@metric(unit="rounds", range=(0, None), source="arXiv:2311.17371, appendix A.3")
def rounds(transcript: Transcript) -> float | None:
    """The number of rounds that happened: the highest round of any turn, 0 without one."""
    return float(max((turn.round for turn in turns(transcript)), default=0))


@metric(unit="sweeps", range=(0, None), source="MAD-Community, section 5")
def sweeps(transcript: Transcript) -> float | None:
    """The number of sweeps in which a node came to a verdict, where nodes debate several times.

    None for every other protocol.
    """
    if not {"sweeps", "nodes"} <= transcript.opened.settings.keys():
        return None
    return float(max((node.sweep for node in transcript.nodes), default=0))


@metric(unit="replies", range=(0, None), better="lower", total="sum")
def unparsed_replies(transcript: Transcript) -> float | None:
    """The number of debaters' turns that commit to no answer."""
    return float(sum(turn.answer is None for mind in debaters(transcript) for turn in mind.turns))
