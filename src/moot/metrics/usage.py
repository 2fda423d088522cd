"""What a debate took: calls, tokens, money, retries."""

from collections.abc import Iterable
from functools import partial

from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.metrics.views import turns

paid = partial(
    metric,
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
"""What the paper counts the price of a debate in."""


def _sum(values: Iterable[float | None]) -> float | None:
    """Their sum; None where any is unknown: a part of a sum would pass for the whole."""
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


@metric(unit="calls", range=(0, None), better="lower", total="sum")
def calls(transcript: Transcript) -> float | None:
    """The number of turns, paid for or replayed."""
    return float(len(turns(transcript)))


@metric(unit="calls", range=(0, None), total="sum")
def replayed(transcript: Transcript) -> float | None:
    """The number of turns whose reply came from the ledger."""
    return _sum(turn.replayed for turn in turns(transcript))


@metric(unit="attempts", range=(0, None), better="lower", total="sum")
def retries(transcript: Transcript) -> float | None:
    """The number of attempts after the first, of all turns and of calls that failed for good."""
    failed = transcript.failed
    spent = [failed.retries] if failed else []
    return _sum([*(turn.retries for turn in turns(transcript)), *spent])


@paid(unit="tokens")
def prompt_tokens(transcript: Transcript) -> float | None:
    """The sum of prompt tokens over all turns. None where any turn's are unknown."""
    return _sum(turn.prompt_tokens for turn in turns(transcript))


@paid(unit="tokens")
def completion_tokens(transcript: Transcript) -> float | None:
    """The sum of completion tokens over all turns. None where any turn's are unknown."""
    return _sum(turn.completion_tokens for turn in turns(transcript))


@metric(unit="tokens", range=(0, None), total="sum")
def cached_tokens(transcript: Transcript) -> float | None:
    """The sum over all turns of prompt tokens that the endpoint served from its cache."""
    return _sum(turn.cached_tokens for turn in turns(transcript))


@paid(unit="US dollars")
def cost(transcript: Transcript) -> float | None:
    """The sum of the cost of all turns, replayed ones at what they cost when they were paid for.

    None where any turn's price is unknown.
    """
    return _sum(turn.cost for turn in turns(transcript))


@metric(unit="replies", range=(0, None), better="lower", total="sum")
def cut_off_replies(transcript: Transcript) -> float | None:
    """The number of replies that ended because they reached the most tokens allowed."""
    return _sum(turn.finish == "length" for turn in turns(transcript))


@metric(
    unit="messages",
    range=(0, None),
    better="lower",
    source="arXiv:2311.17371, appendix A.4",
)
def removed(transcript: Transcript) -> float | None:
    """The sum over all turns of messages left out because the context window was too small."""
    return _sum(turn.removed for turn in turns(transcript))
