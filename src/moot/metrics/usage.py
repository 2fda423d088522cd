"""What a debate took: calls, tokens, money, retries."""

from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.metrics.views import turns


@metric(unit="calls", range=(0, None), better="lower", total="sum")
def calls(transcript: Transcript) -> float | None:
    """The number of turns, paid for or replayed."""
    return float(len(turns(transcript)))


@metric(unit="calls", range=(0, None), total="sum")
def replayed(transcript: Transcript) -> float | None:
    """The number of turns whose reply came from the ledger."""
    return float(sum(turn.replayed for turn in turns(transcript)))


@metric(unit="attempts", range=(0, None), better="lower", total="sum")
def retries(transcript: Transcript) -> float | None:
    """The number of failed attempts before the replies of all turns."""
    return float(sum(turn.retries for turn in turns(transcript)))


@metric(
    unit="tokens",
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
def prompt_tokens(transcript: Transcript) -> float | None:
    """The sum of prompt tokens over all turns. None where any turn's are unknown."""
    counts = [turn.prompt_tokens for turn in turns(transcript)]
    return None if None in counts else float(sum(filter(None, counts)))


@metric(
    unit="tokens",
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
def completion_tokens(transcript: Transcript) -> float | None:
    """The sum of completion tokens over all turns. None where any turn's are unknown."""
    counts = [turn.completion_tokens for turn in turns(transcript)]
    return None if None in counts else float(sum(filter(None, counts)))


@metric(unit="tokens", range=(0, None), total="sum")
def cached_tokens(transcript: Transcript) -> float | None:
    """The sum over all turns of prompt tokens that the endpoint served from its cache."""
    return float(sum(turn.cached_tokens for turn in turns(transcript)))


@metric(
    unit="US dollars",
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
def cost(transcript: Transcript) -> float | None:
    """The sum of the cost of all turns, replayed ones at what they cost when they were paid for.

    None where any turn's price is unknown: a part of a sum would pass for the whole.
    """
    costs = [turn.cost for turn in turns(transcript)]
    return None if None in costs else float(sum(filter(None, costs)))


@metric(
    unit="messages",
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
def removed_messages(transcript: Transcript) -> float | None:
    """The number of messages taken out of prompts so that they fit the model's context."""
    return float(sum(turn.removed for turn in turns(transcript)))


@metric(unit="replies", range=(0, None), better="lower", total="sum")
def cut_off_replies(transcript: Transcript) -> float | None:
    """The number of replies that ended because they reached the most tokens allowed."""
    return float(sum(turn.finish == "length" for turn in turns(transcript)))
