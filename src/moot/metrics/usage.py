"""What a debate used: calls, tokens, money, retries."""

from functools import partial
from typing import NamedTuple

from moot.core.events import Transcript, Turn
from moot.metrics.debaters import keep_last, measure_from, turns
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

    calls: int
    replayed: int
    retries: int
    prompt_tokens: float | None
    completion_tokens: float | None
    cached_tokens: float
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
    calls = replayed = retries = cut_off = removed = thought_only = batched = 0
    saving: float | None = 0.0
    thought: float | None = 0.0
    prompt: float | None = 0.0
    completion: float | None = 0.0
    cached = 0.0
    cost: float | None = 0.0
    repeated: float | None = 0.0
    for turn in turns(transcript):
        calls += not turn.is_given
        replayed += turn.replayed
        retries += turn.retries
        cut_off += turn.finish == "length"
        removed += turn.removed
        if turn.thought or turn.reasoning_tokens:
            thought_only += turn.is_thought_only
            thought = _plus(thought, turn.reasoning_tokens)
        prompt = _plus(prompt, turn.prompt_tokens)
        completion = _plus(completion, turn.completion_tokens)
        cached += turn.cached_tokens
        cost = _plus(cost, turn.cost)
        repeated = _plus(repeated, _count_repeated(turn))
        if turn.batch is not None:
            batched += 1
            saving = _plus(saving, _find_saving(turn.cost, turn.batch))
    sums = (calls, replayed, retries, prompt, completion, cached, cost, cut_off, removed, thought)
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
@measure_from(add_up)
def calls(sums: UsageSums) -> float | None:
    """The number of replies, paid for or replayed."""
    return float(sums.calls)


@metric(unit="calls", total="sum")
@measure_from(add_up)
def measure_replayed(sums: UsageSums) -> float | None:
    """The number of turns whose reply came from the ledger."""
    return float(sums.replayed)


@metric(unit="calls", total="sum")
@measure_from(add_up)
def measure_batched(sums: UsageSums) -> float | None:
    """The number of turns whose reply came in a batch."""
    return float(sums.batched)


@metric(unit="US dollars", better="higher", total="sum")
@measure_from(add_up)
def measure_batch_saving(sums: UsageSums) -> float | None:
    """The sum over all turns of what they cost less because their reply came in a batch.

    None if the usual price of any such turn is unknown.
    """
    return sums.batch_saving


@metric(unit="attempts", better="lower", total="sum")
def retries(transcript: Transcript) -> float | None:
    """The number of attempts after the first, of all turns and of calls that failed for good."""
    failed = transcript.failed
    return float(add_up(transcript).retries + (failed.retries if failed else 0))


@paid(unit="tokens")
@measure_from(add_up)
def prompt_tokens(sums: UsageSums) -> float | None:
    """The sum of prompt tokens over all turns. None if any turn's are unknown."""
    return sums.prompt_tokens


@paid(unit="tokens")
@measure_from(add_up)
def completion_tokens(sums: UsageSums) -> float | None:
    """The sum of completion tokens over all turns. None if any turn's are unknown."""
    return sums.completion_tokens


@metric(unit="tokens", better="lower", total="sum")
@measure_from(add_up)
def reasoning_tokens(sums: UsageSums) -> float | None:
    """The sum over all turns of completion tokens that are hidden thought.

    None if a turn shows thought without a count of its tokens. Thought that an endpoint does not
    report at all cannot be counted.
    """
    return sums.reasoning_tokens


@metric(unit="tokens", total="sum")
@measure_from(add_up)
def measure_cached_tokens(sums: UsageSums) -> float | None:
    """The sum over all turns of prompt tokens that the endpoint served from its cache."""
    return sums.cached_tokens


@metric(better="higher")
@measure_from(add_up)
def measure_cached(sums: UsageSums) -> float | None:
    """The share of all prompt tokens that the endpoint served from its cache, as it reports.

    0 also where it reports nothing. None if any turn's prompt tokens are unknown, or if there are
    none.
    """
    return sums.cached_tokens / sums.prompt_tokens if sums.prompt_tokens else None


@metric(better="higher", source="RadixAttention: arXiv:2312.07104, section 3")
@measure_from(add_up)
def measure_cacheable(sums: UsageSums) -> float | None:
    """The share of all prompt tokens that repeat the beginning of an earlier prompt of the debate.

    An endpoint that keeps all it computed for this debate, and nothing of others, would serve them
    from its cache. Of a turn they are its prompt tokens times the share of its characters. None if
    any turn's prompt tokens or that share are unknown, or there are no prompt tokens.
    """
    if sums.repeated is None or not sums.prompt_tokens:
        return None
    return min(1.0, sums.repeated / sums.prompt_tokens)


@paid(unit="US dollars")
@measure_from(add_up)
def cost(sums: UsageSums) -> float | None:
    """The sum of the cost of all turns, replayed ones at what they cost when they were paid for.

    None if any turn's price is unknown.
    """
    return sums.cost


@metric(unit="replies", better="lower", total="sum")
@measure_from(add_up)
def measure_cut_off_replies(sums: UsageSums) -> float | None:
    """The number of replies that ended because they reached the most tokens allowed."""
    return float(sums.cut_off)


@metric(unit="replies", better="lower", total="sum")
@measure_from(add_up)
def thought_only_replies(sums: UsageSums) -> float | None:
    """The number of replies whose allowed tokens all went into hidden thought: they say nothing."""
    return float(sums.thought_only)


@metric(unit="messages", better="lower", source="arXiv:2311.17371, appendix A.4")
@measure_from(add_up)
def measure_removed(sums: UsageSums) -> float | None:
    """The sum over all turns of messages left out because the context window was too small."""
    return float(sums.removed)
