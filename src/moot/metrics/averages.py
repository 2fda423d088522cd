"""What a debater uses per debate, per round and per reply, as a mean over the debaters.

A figure is computed for each debater first and then averaged: an agent that speaks often has no
more weight than another. Agents that do not debate, such as judges, are left out; their tokens and
cost are in the debate's sums (``usage``). The debaters of a network are those of all its nodes; if
nodes debate several times, of all sweeps. All are None without a debater; tokens and cost also if
those of any debater's turn are unknown.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, keep_last
from moot.metrics.metric import metric
from moot.metrics.usage import thought_tokens


class Means(NamedTuple):
    """Means over the debaters; None if the figure of any of them is unknown."""

    debate: float | None = None
    by_round: float | None = None
    by_reply: float | None = None


class Averages(NamedTuple):
    """The means of everything that is averaged."""

    prompt_tokens: Means = Means()
    completion_tokens: Means = Means()
    reasoning_tokens: Means = Means()
    cost: Means = Means()
    seconds: Means = Means()


@keep_last
def average(transcript: Transcript) -> Averages:
    """Return tokens, cost and seconds as means over the debaters; all None without a debater."""
    minds = [mind.turns for mind in find_debaters(transcript)]
    if not minds:
        return Averages()
    rounds = [len({turn.round for turn in turns}) for turns in minds]
    return Averages(
        _means([[turn.prompt_tokens for turn in turns] for turns in minds], rounds),
        _means([[turn.completion_tokens for turn in turns] for turns in minds], rounds),
        _means([[thought_tokens(turn) for turn in turns] for turns in minds], rounds),
        _means([[turn.cost for turn in turns] for turns in minds], rounds),
        _means([[turn.seconds for turn in turns] for turns in minds], rounds),
    )


def _means(amounts: Iterable[Sequence[float | None]], rounds: list[int]) -> Means:
    """Return the means of one figure, from its amounts in each debater's replies."""
    debate = by_round = by_reply = 0.0
    for each, spoken in zip(amounts, rounds, strict=True):
        total = 0.0
        for amount in each:
            if amount is None:
                return Means()
            total += amount
        debate += total
        by_round += total / spoken
        by_reply += total / len(each)
    n = len(rounds)
    return Means(debate / n, by_round / n, by_reply / n)


TAKEN = (
    ("prompt-tokens", "prompt_tokens", "tokens", "prompt tokens"),
    ("completion-tokens", "completion_tokens", "tokens", "completion tokens"),
    ("reasoning-tokens", "reasoning_tokens", "tokens", "tokens of hidden thought"),
    ("cost", "cost", "US dollars", "cost, replayed turns included"),
    ("seconds", "seconds", "seconds", "seconds that replies took"),
)
"""What is averaged: its metrics' name, its field, its unit, and what it is in words."""

OVER = (
    ("agent", "debate", "of all of a debater's turns"),
    ("round", "by_round", "of a debater's turns / the rounds it spoke in"),
    ("reply", "by_reply", "of a debater's turns / its replies"),
)
"""Over what it is averaged: the end of the metric's name, the mean's field, and the formula."""

IN_PAPER = {
    "prompt-tokens-per-agent": "total prompt tokens",
    "prompt-tokens-per-reply": "avg prompt tokens",
    "completion-tokens-per-agent": "total response tokens",
    "completion-tokens-per-reply": "avg response tokens",
    "cost-per-agent": "cost per question",
    "cost-per-round": "avg round cost",
    "seconds-per-agent": "time per question",
}
"""What arXiv:2311.17371, appendix A.4, calls them."""


def _register_mean(what: str, over: str, *, name: str, unit: str, formula: str) -> None:
    """Register the metric of one mean."""

    def measure_mean(transcript: Transcript) -> float | None:
        mean: float | None = getattr(getattr(average(transcript), what), over)
        return mean

    measure_mean.__doc__ = f"The {formula}; the mean over debaters."
    called = IN_PAPER.get(name)
    source = "moot" if called is None else f'arXiv:2311.17371, appendix A.4, "{called}"'
    metric(unit=unit, range=(0, None), better="lower", source=source, name=name)(measure_mean)


for _name, _what, _unit, _words in TAKEN:
    for _end, _over, _formula in OVER:
        _register_mean(
            _what,
            _over,
            name=f"{_name}-per-{_end}",
            unit=_unit,
            formula=f"{_words} {_formula}",
        )
