"""How a simulated judge rules: the two sides as its prompt shows them, and its biases."""

import re
from collections.abc import Iterable

import msgspec

from moot.core.calls import Message
from moot.core.errors import InputError
from moot.models.population import Population, plain

_SIDES = ("Affirmative", "Negative")

_HEADING = re.compile(
    r"^[^\n:]{0,80}\b(affirmative|negative)\b[^\n:]{0,80}:[ \t]*$", re.IGNORECASE | re.MULTILINE
)
_ANSWER = re.compile(r"(?:Final answer|Proposed answer):[ \t]*(.*)", re.IGNORECASE)


class Side(msgspec.Struct, frozen=True):
    """A side of a debate, as it is put to the judge.

    Attributes:
        name: ``"Affirmative"`` or ``"Negative"``.
        answer: what it stands for; None when it gave no answer.
        heading: the line that it stands under; empty when it stands under none.
    """

    name: str
    answer: str | None
    heading: str = ""


def sides(messages: Iterable[Message], heard: tuple[str | None, ...]) -> tuple[Side, Side]:
    """The two sides, in the order in which the newest prompt that shows both shows them.

    A side is what stands under a line that has its name and ends in a colon. Where no prompt shows
    them so, they are the first two answers heard, the affirmative's first.
    """
    for message in reversed([each for each in messages if each.role == "user"]):
        headings = list(_HEADING.finditer(message.content))
        ends = [heading.start() for heading in headings[1:]] + [len(message.content)]
        found: dict[str, Side] = {}
        for heading, end in zip(headings, ends, strict=False):  # without headings, one end
            said = _ANSWER.search(message.content, heading.end(), end)
            answer = said[1].strip() or None if said else None
            name = heading[1].title()
            found.setdefault(name, Side(name, answer, heading[0].strip()))
        if len(found) == len(_SIDES):
            first, second = found.values()
            return first, second
    affirmative, negative, *_ = (*heard, None, None)
    return Side(_SIDES[0], affirmative), Side(_SIDES[1], negative)


def ruled(
    population: Population, shown: tuple[Side, Side], answer: str, *, coin: float, swayed: float
) -> tuple[Side, str]:
    """The side that a judge rules for, and the answer it gives.

    Unbiased, the judge rules for the side that holds the answer it drew from its own belief, or for
    either with even chances where both do or neither. Biased, it rules for the side shown first or
    for the one favoured, and gives that side's answer.

    Args:
        population: its knobs ``first`` and ``favours`` bias the judge.
        shown: the sides, in their order.
        answer: what the judge itself holds to be right.
        coin: uniform from [0, 1): which side, where its own answer does not tell.
        swayed: uniform from [0, 1): whether a bias decides, and which.
    """
    first, second = shown
    label, share = favoured(population.favours)
    if swayed < population.first:
        return first, first.answer or answer
    if swayed < population.first + share:
        named = [side for side in shown if _called(side, label)]
        if len(named) == 1:
            return named[0], named[0].answer or answer
    holds = [side for side in shown if side.answer and plain(side.answer) == plain(answer)]
    return (holds[0] if len(holds) == 1 else first if coin < 1 / 2 else second), answer


def favoured(favours: str) -> tuple[str, float]:
    """The label that judges favour and how often, of ``LABEL:SHARE``; empty is none.

    Raises:
        InputError: it is not written so, or the share is not within 0 and 1.
    """
    if not favours:
        return "", 0.0
    label, _, text = favours.rpartition(":")
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not label.strip() or not 0 <= share <= 1:
        raise InputError(f"favours={favours}: expected LABEL:SHARE, as in affirmative:0.2")
    return label.strip(), share


def _called(side: Side, label: str) -> bool:
    """Whether a label is a side's name, or words of the line it stands under."""
    words = rf"(?<!\w){re.escape(label)}(?!\w)"
    return re.search(words, side.heading or side.name, re.IGNORECASE) is not None
