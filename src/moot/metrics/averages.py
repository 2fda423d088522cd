"""What a debater takes per debate, per round and per reply, as a mean over the debaters.

Each is worked out for every debater first and then averaged, so that one who speaks often weighs no
more than another. Judges, summarisers and the like are left out: what they take is in the debate's
sums (``usage``). The debaters of a network are those of all nodes and, where nodes debate several
times, of all sweeps. All are None where nobody debated; tokens and cost also where those of any
debater's turn are unknown.
"""

from functools import partial
from operator import truediv
from typing import Literal, NamedTuple

from moot.core.events import Transcript, Turn
from moot.metrics.metric import metric
from moot.metrics.views import debaters, once

AGENT = "arXiv:2311.17371, appendix A.4"
paid = partial(metric, range=(0, None), better="lower")


class Share(NamedTuple):
    """What one debater took, and in how many replies and rounds."""

    replies: int
    rounds: int
    prompt_tokens: float | None
    completion_tokens: float | None
    cost: float | None
    seconds: float


Took = Literal["prompt_tokens", "completion_tokens", "cost", "seconds"]
By = Literal["debate", "rounds", "replies"]
TAKEN: tuple[Took, ...] = ("prompt_tokens", "completion_tokens", "cost", "seconds")
"""The fields of ``Share`` from the third on."""


def _share(turns: list[Turn]) -> Share:
    prompt = completion = cost = 0.0
    unpriced = uncounted = unsized = False
    seconds = 0.0
    for turn in turns:
        seconds += turn.seconds
        prompt += turn.prompt_tokens or 0
        unsized |= turn.prompt_tokens is None
        completion += turn.completion_tokens or 0
        uncounted |= turn.completion_tokens is None
        cost += turn.cost or 0.0
        unpriced |= turn.cost is None
    return Share(
        replies=len(turns),
        rounds=len({turn.round for turn in turns}),
        prompt_tokens=None if unsized else prompt,
        completion_tokens=None if uncounted else completion,
        cost=None if unpriced else cost,
        seconds=seconds,
    )


@once
def shares(transcript: Transcript) -> list[Share]:
    """What each debater took."""
    return [_share(mind.turns) for mind in debaters(transcript)]


@once
def means(transcript: Transcript) -> dict[tuple[Took, By], float | None]:
    """The means over debaters of what each took, divided by its rounds, its replies or nothing."""
    found = shares(transcript)
    rounds = [share.rounds for share in found]
    replies = [share.replies for share in found]
    values: dict[tuple[Took, By], float | None] = {}
    for place, took in enumerate(TAKEN, 2):
        amounts: list[float | None] = [share[place] for share in found]
        known = [amount for amount in amounts if amount is not None]
        if not found or len(known) < len(found):
            values[took, "debate"] = values[took, "rounds"] = values[took, "replies"] = None
            continue
        values[took, "debate"] = sum(known) / len(found)
        values[took, "rounds"] = sum(map(truediv, known, rounds)) / len(found)
        values[took, "replies"] = sum(map(truediv, known, replies)) / len(found)
    return values


def _mean(transcript: Transcript, took: Took, by: By) -> float | None:
    return means(transcript)[took, by]


@paid(unit="tokens", source=f'{AGENT}, "total prompt tokens"')
def prompt_tokens_per_agent(transcript: Transcript) -> float | None:
    """The prompt tokens of all of a debater's turns; the mean over debaters."""
    return _mean(transcript, "prompt_tokens", "debate")


@paid(unit="tokens")
def prompt_tokens_per_round(transcript: Transcript) -> float | None:
    """A debater's prompt tokens / the rounds it spoke in; the mean over debaters."""
    return _mean(transcript, "prompt_tokens", "rounds")


@paid(unit="tokens", source=f'{AGENT}, "avg prompt tokens"')
def prompt_tokens_per_reply(transcript: Transcript) -> float | None:
    """A debater's prompt tokens / its replies; the mean over debaters."""
    return _mean(transcript, "prompt_tokens", "replies")


@paid(unit="tokens", source=f'{AGENT}, "total response tokens"')
def completion_tokens_per_agent(transcript: Transcript) -> float | None:
    """The completion tokens of all of a debater's turns; the mean over debaters."""
    return _mean(transcript, "completion_tokens", "debate")


@paid(unit="tokens")
def completion_tokens_per_round(transcript: Transcript) -> float | None:
    """A debater's completion tokens / the rounds it spoke in; the mean over debaters."""
    return _mean(transcript, "completion_tokens", "rounds")


@paid(unit="tokens", source=f'{AGENT}, "avg response tokens"')
def completion_tokens_per_reply(transcript: Transcript) -> float | None:
    """A debater's completion tokens / its replies; the mean over debaters."""
    return _mean(transcript, "completion_tokens", "replies")


@paid(unit="US dollars", source=f'{AGENT}, "cost per question"')
def cost_per_agent(transcript: Transcript) -> float | None:
    """The cost of all of a debater's turns, replayed ones too; the mean over debaters."""
    return _mean(transcript, "cost", "debate")


@paid(unit="US dollars", source=f'{AGENT}, "avg round cost"')
def cost_per_round(transcript: Transcript) -> float | None:
    """The cost of a debater's turns / the rounds it spoke in; the mean over debaters."""
    return _mean(transcript, "cost", "rounds")


@paid(unit="US dollars")
def cost_per_reply(transcript: Transcript) -> float | None:
    """The cost of a debater's turns / its replies; the mean over debaters."""
    return _mean(transcript, "cost", "replies")


@paid(unit="seconds", source=f'{AGENT}, "time per question"')
def seconds_per_agent(transcript: Transcript) -> float | None:
    """The seconds that all of a debater's replies took; the mean over debaters."""
    return _mean(transcript, "seconds", "debate")


@paid(unit="seconds")
def seconds_per_round(transcript: Transcript) -> float | None:
    """The seconds of a debater's replies / the rounds it spoke in; the mean over debaters."""
    return _mean(transcript, "seconds", "rounds")


@paid(unit="seconds")
def seconds_per_reply(transcript: Transcript) -> float | None:
    """The seconds of a debater's replies / its replies; the mean over debaters."""
    return _mean(transcript, "seconds", "replies")
