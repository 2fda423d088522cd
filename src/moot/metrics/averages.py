"""What a debater uses per debate, per round and per reply, as a mean over the debaters.

A figure is computed for each debater first and then averaged: an agent that speaks often has no
more weight than another. Agents that do not debate, such as judges, are left out; their tokens and
cost are in the debate's sums (``usage``). The debaters of a network are those of all its nodes; if
nodes debate several times, of all sweeps. All are None without a debater; tokens and cost also if
those of any debater's turn are unknown.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from moot.core.events import Transcript, Turn
from moot.metrics.debaters import find_debaters, keep_last, measure_from
from moot.metrics.metric import metric
from moot.metrics.usage import thought_tokens

TAKEN: tuple[tuple[str, str, str, Callable[[Turn], Any]], ...] = (
    ("prompt-tokens", "tokens", "prompt tokens", attrgetter("prompt_tokens")),
    ("completion-tokens", "tokens", "completion tokens", attrgetter("completion_tokens")),
    ("reasoning-tokens", "tokens", "tokens of hidden thought", thought_tokens),
    ("cost", "US dollars", "cost, replayed turns included", attrgetter("cost")),
    ("seconds", "seconds", "seconds that replies took", attrgetter("seconds")),
)
"""What is averaged: the metrics' name, the unit, the words for it, and a turn's number or None."""

OVER = (
    ("agent", "of all of a debater's turns"),
    ("round", "of a debater's turns / the rounds it spoke in"),
    ("reply", "of a debater's turns / its replies"),
)
"""Over what it is averaged: the end of the metric's name, and the formula."""

_NAMED = tuple(
    (f"{what}-per-agent", f"{what}-per-round", f"{what}-per-reply", amount_of)
    for what, _, _, amount_of in TAKEN
)
"""The metrics' names, by agent, round and reply, and what they average."""


@keep_last
def average(transcript: Transcript) -> dict[str, float] | None:
    """Return the known means over the debaters by metric; None without a debater."""
    minds = [
        (mind.turns, len({turn.round for turn in mind.turns}), len(mind.turns))
        for mind in find_debaters(transcript)
    ]
    if not minds:
        return None
    count = len(minds)
    found: dict[str, float] = {}
    for of_agent, of_round, of_reply, amount_of in _NAMED:
        agent = by_round = by_reply = 0.0
        try:
            for turns, rounds, replies in minds:
                total = sum(map(amount_of, turns))
                agent += total
                by_round += total / rounds
                by_reply += total / replies
        except TypeError:  # None: the amount of a turn is unknown
            continue
        found[of_agent] = agent / count
        found[of_round] = by_round / count
        found[of_reply] = by_reply / count
    return found


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


def _register_mean(name: str, unit: str, formula: str) -> None:
    """Register the metric of one mean."""

    @measure_from(average)
    def measure_mean(means: dict[str, float]) -> float | None:
        return means.get(name)

    measure_mean.__doc__ = f"The {formula}; the mean over debaters."
    called = IN_PAPER.get(name)
    source = "moot" if called is None else f'arXiv:2311.17371, appendix A.4, "{called}"'
    metric(unit=unit, better="lower", source=source, name=name)(measure_mean)


for _what, _unit, _words, _ in TAKEN:
    for _end, _formula in OVER:
        _register_mean(f"{_what}-per-{_end}", _unit, f"{_words} {_formula}")
