"""How long replies are, and how many messages were left out of the prompts they answer.

Each is a mean over a debater's replies first, then over the debaters: an agent that speaks often
has no more weight than another. None without a debater. The debaters of a network are those of all
nodes and, if nodes debate several times, of all sweeps.
"""

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters
from moot.metrics.metric import metric

AGENT = "arXiv:2311.17371, appendix A.4"


def _mean(means: list[float]) -> float | None:
    return sum(means) / len(means) if means else None


@metric(unit="characters", source=f'{AGENT}, "avg response length"')
def characters_per_reply(transcript: Transcript) -> float | None:
    """The characters of a debater's replies / their number; the mean over debaters.

    None also for a secret question: a stored transcript does not have what was said.
    """
    if transcript.question.secret:
        return None
    minds = find_debaters(transcript)
    return _mean([sum([len(turn.text) for turn in mind.turns]) / len(mind.turns) for mind in minds])


@metric(unit="messages", better="lower", source=f'{AGENT}, "avg messages removed"')
def measure_removed_per_reply(transcript: Transcript) -> float | None:
    """Messages left out of a debater's prompts / its replies; the mean over debaters."""
    minds = find_debaters(transcript)
    return _mean([sum([turn.removed for turn in mind.turns]) / len(mind.turns) for mind in minds])
