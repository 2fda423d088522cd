"""What a debate used: calls, tokens, money, retries."""

from functools import partial
from typing import NamedTuple

from moot.core.events import Transcript, Turn
from moot.metrics.debaters import keep_last, turns
from moot.metrics.metric import metric

paid = partial(
    metric,
    range=(0, None),
    better="lower",
    total="sum",
    source="arXiv:2311.17371, appendix A.4",
)
"""What the paper counts the price of a debate in."""


class UsageSums(NamedTuple):
    """Sums over all turns; None if any turn's figure is unknown: a part is no sum."""

    replayed: int
    retries: int
    prompt_tokens: float | None
    completion_tokens: float | None
    cached_tokens: float | None
    cost: float | None
    cut_off: int
    removed: int
    reasoning_tokens: float | None
    thought_only: int
    repeated: float | None
    batched: int
    batch_saving: float | None


@keep_last
def add_up(transcript: Transcript) -> UsageSums:
    """Return the sums over all turns."""
    replayed = retries = cut_off = removed = thought_only = batched = 0
    saving: float | None = 0.0
    thought: float | None = 0.0
    prompt: float | None = 0.0
    completion: float | None = 0.0
    cached: float | None = 0.0
    cost: float | None = 0.0
    repeated: float | None = 0.0
    for turn in turns(transcript):
        replayed += turn.replayed
        retries += turn.retries
        cut_off += turn.finish == "length"
        removed += turn.removed
        if turn.thought or turn.reasoning_tokens:
            thought_only += turn.is_thought_only
            thought = _plus(thought, turn.reasoning_tokens)
        prompt = _plus(prompt, turn.prompt_tokens)
        completion = _plus(completion, turn.completion_tokens)
        cached = _plus(cached, turn.cached_tokens)
        cost = _plus(cost, turn.cost)
        repeated = _plus(repeated, _count_repeated(turn))
        if turn.batch is not None:
            batched += 1
            saving = _plus(saving, _find_saving(turn.cost, turn.batch))
    sums = (replayed, retries, prompt, completion, cached, cost, cut_off, removed, thought)
    return UsageSums(*sums, thought_only, repeated, batched, saving)


def _find_saving(cost: float | None, share: float) -> float | None:
    """Return how much less a reply cost than at the usual price; None where that is unknown."""
    return None if cost is None or not share else cost / share - cost


def thought_tokens(turn: Turn) -> int | None:
    """Return the tokens of hidden thought in a turn; None if it has thought but no count.

    A turn without thought and without a count has none.
    """
    return turn.reasoning_tokens if turn.thought else turn.reasoning_tokens or 0


def _count_repeated(turn: Turn) -> float | None:
    """Return the prompt tokens that repeat the beginning of an earlier prompt; None: unknown."""
    if turn.prompt_tokens is None or turn.prefix_share is None:
        return None
    return turn.prompt_tokens * turn.prefix_share


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more


@metric(unit="calls", better="lower", total="sum")
def calls(transcript: Transcript) -> float | None:
    """The number of replies, paid for or replayed."""
    return float(sum(not turn.is_given for turn in turns(transcript)))


@metric(unit="calls", total="sum")
def measure_replayed(transcript: Transcript) -> float | None:
    """The number of turns whose reply came from the ledger."""
    return float(add_up(transcript).replayed)


@metric(unit="calls", total="sum")
def measure_batched(transcript: Transcript) -> float | None:
    """The number of turns whose reply came in a batch."""
    return float(add_up(transcript).batched)


@metric(unit="US dollars", better="higher", total="sum")
def measure_batch_saving(transcript: Transcript) -> float | None:
    """The sum over all turns of what they cost less because their reply came in a batch.

    None if the usual price of any such turn is unknown.
    """
    return add_up(transcript).batch_saving


@metric(unit="attempts", better="lower", total="sum")
def retries(transcript: Transcript) -> float | None:
    """The number of attempts after the first, of all turns and of calls that failed for good."""
    failed = transcript.failed
    return float(add_up(transcript).retries + (failed.retries if failed else 0))


@paid(unit="tokens")
def prompt_tokens(transcript: Transcript) -> float | None:
    """The sum of prompt tokens over all turns. None if any turn's are unknown."""
    return add_up(transcript).prompt_tokens


@paid(unit="tokens")
def completion_tokens(transcript: Transcript) -> float | None:
    """The sum of completion tokens over all turns. None if any turn's are unknown."""
    return add_up(transcript).completion_tokens


@metric(unit="tokens", better="lower", total="sum")
def reasoning_tokens(transcript: Transcript) -> float | None:
    """The sum over all turns of completion tokens that are hidden thought.

    None if a turn shows thought without a count of its tokens. Thought that an endpoint does not
    report at all cannot be counted.
    """
    return add_up(transcript).reasoning_tokens


@metric(unit="tokens", total="sum")
def measure_cached_tokens(transcript: Transcript) -> float | None:
    """The sum over all turns of prompt tokens that the endpoint served from its cache."""
    return add_up(transcript).cached_tokens


@metric(better="higher")
def measure_cached(transcript: Transcript) -> float | None:
    """The share of all prompt tokens that the endpoint served from its cache, as it reports.

    0 also where it reports nothing. None if any turn's prompt tokens are unknown, or if there are
    none.
    """
    sums = add_up(transcript)
    return (sums.cached_tokens or 0) / sums.prompt_tokens if sums.prompt_tokens else None


@metric(better="higher", source="RadixAttention: arXiv:2312.07104, section 3")
def measure_cacheable(transcript: Transcript) -> float | None:
    """The share of all prompt tokens that repeat the beginning of an earlier prompt of the debate.

    An endpoint that keeps all it computed for this debate, and nothing of others, would serve them
    from its cache. Of a turn they are its prompt tokens times the share of its characters. None if
    any turn's prompt tokens or that share are unknown, or there are no prompt tokens.
    """
    sums = add_up(transcript)
    if sums.repeated is None or not sums.prompt_tokens:
        return None
    return min(1.0, sums.repeated / sums.prompt_tokens)


@paid(unit="US dollars")
def cost(transcript: Transcript) -> float | None:
    """The sum of the cost of all turns, replayed ones at what they cost when they were paid for.

    None if any turn's price is unknown.
    """
    return add_up(transcript).cost


@metric(unit="replies", better="lower", total="sum")
def measure_cut_off_replies(transcript: Transcript) -> float | None:
    """The number of replies that ended because they reached the most tokens allowed."""
    return float(add_up(transcript).cut_off)


@metric(unit="replies", better="lower", total="sum")
def thought_only_replies(transcript: Transcript) -> float | None:
    """The number of replies whose allowed tokens all went into hidden thought: they say nothing."""
    return float(add_up(transcript).thought_only)


@metric(unit="messages", better="lower", source="arXiv:2311.17371, appendix A.4")
def measure_removed(transcript: Transcript) -> float | None:
    """The sum over all turns of messages left out because the context window was too small."""
    return float(add_up(transcript).removed)
