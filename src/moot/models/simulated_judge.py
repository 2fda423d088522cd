"""Rulings of a simulated judge: the two sides in its prompt, and its biases."""

import re
from collections.abc import Iterable

import msgspec

from moot.core.calls import Message
from moot.core.errors import InputError
from moot.models.population import Population, normalize_answer

_SIDES = ("Affirmative", "Negative")

_HEADING = re.compile(
    r"^(?:The )?(?P<name>[^\W\d_][\w-]{0,30}) side(?P<note> \([^)\n]{0,60}\))?(?: said)?:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_OPTIONS = re.compile(r'"Supported Side": "(\w{1,30}) or (\w{1,30})"')
_ANSWER = re.compile(r"(?:Final answer|Proposed answer):[ \t]*(.*)", re.IGNORECASE)


class JudgedSide(msgspec.Struct, frozen=True):
    """A side of a debate, as the judge's prompt shows it.

    Attributes:
        name: the name in a ruling, e.g. ``"Affirmative"`` or ``"Left"``.
        answer: the side's answer; None when it gave none.
        heading: the line above its words; empty without one.
        said: its words, up to its answer.
    """

    name: str
    answer: str | None
    heading: str = ""
    said: str = ""


def find_sides(
    messages: Iterable[Message], heard: tuple[str | None, ...]
) -> tuple[JudgedSide, JudgedSide]:
    """Return the two sides, in the order of the newest prompt that shows both.

    A side is the text under a heading: a line with only the side's name that ends in a colon. Where
    no prompt has two such headings, the sides are the first two answers heard, the affirmative's
    first.
    """
    for message in reversed([each for each in messages if each.role == "user"]):
        headings = list(_HEADING.finditer(message.content))
        ends = [heading.start() for heading in headings[1:]] + [len(message.content)]
        found: dict[str, JudgedSide] = {}
        for heading, end in zip(headings, ends, strict=False):  # without headings, one end
            gives = _ANSWER.search(message.content, heading.end(), end)
            answer = gives[1].strip() or None if gives else None
            said = message.content[heading.end() : gives.start() if gives else end]
            name = _key(heading["name"], message.content)
            found.setdefault(name, JudgedSide(name, answer, heading[0].strip(), said.strip()))
        if len(found) == len(_SIDES):
            first, second = found.values()
            return first, second
    affirmative, negative, *_ = (*heard, None, None)
    return JudgedSide(_SIDES[0], affirmative), JudgedSide(_SIDES[1], negative)


def _key(name: str, prompt: str) -> str:
    """Return a side's name in a ruling: the option that the name in the heading begins with."""
    options = _OPTIONS.search(prompt)
    for key in options.groups() if options else ():
        if name.casefold().startswith(key.casefold()):
            return key
    return name.partition("-")[0].title()


def rule(
    population: Population,
    shown: tuple[JudgedSide, JudgedSide],
    answer: str,
    *,
    coin: float,
    swayed: float,
) -> tuple[JudgedSide, str]:
    """Return the side that a judge rules for, and the answer that it gives.

    Unbiased, the judge rules for the side that holds the answer it drew from its own belief, or for
    either with even chances where both do or neither. Biased, it rules for the side shown first or
    for the one favoured, and gives that side's answer, or its own where the side has none.

    Args:
        population: the knobs ``first`` and ``favours`` bias the judge.
        shown: the sides, in the order of the prompt.
        answer: the answer that the judge itself holds to be right.
        coin: a draw from [0, 1): which side, where its own answer does not decide.
        swayed: a draw from [0, 1): whether a bias decides, and which one.
    """
    first, second = shown
    label, share = parse_favours(population.favours)
    if swayed < population.first:
        return first, first.answer or answer
    if swayed < population.first + share:
        side = _find_labelled(label, shown)
        if side is not None:
            return side, side.answer or answer
    holds = [
        side
        for side in shown
        if side.answer and normalize_answer(side.answer) == normalize_answer(answer)
    ]
    return (holds[0] if len(holds) == 1 else first if coin < 1 / 2 else second), answer


def parse_favours(favours: str) -> tuple[str, float]:
    """Return the label that judges favour and its share, from ``LABEL:SHARE``.

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


def _find_labelled(label: str, shown: tuple[JudgedSide, JudgedSide]) -> JudgedSide | None:
    """Return the only side with the label in its heading, else in its words; None for no such."""
    words = re.compile(rf"(?<!\w){re.escape(label)}(?!\w)", re.IGNORECASE)
    for texts in ([side.heading or side.name for side in shown], [side.said for side in shown]):
        named = [side for side, text in zip(shown, texts, strict=True) if words.search(text)]
        if named:
            return named[0] if len(named) == 1 else None
    return None
