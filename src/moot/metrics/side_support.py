"""Which of two sides a verdict supports, told by the side's name, its place and its turn.

Of debates between an affirmative and a negative side. A verdict supports the side whose own turn
decided, since a judge who names a side and gives no answer decides for that side's; else the side
that the deciding ruling names; else the one side whose last answer is the verdict's. Where both
sides gave that answer, or neither, and no side is named, the verdict supports none.

Of a secret question the texts of a ruling are not stored: measured again, only turns and answers
tell.
"""

from typing import NamedTuple

from moot.core.events import Transcript, Turn
from moot.debate.sides import TwoSides, headings_of
from moot.metrics.debaters import find_deciding, keep_last, map_values, measure_from, turns
from moot.metrics.metric import metric
from moot.parsing.parser import get_reading
from moot.parsing.ruling import SIDES, Ruling, Side

PAPER = "Prejudice and Fidelity, section 6.1.2, figure 3"


class SupportedSide(NamedTuple):
    """The side that a verdict supports, and which sides were shown and spoke first."""

    side: Side
    shown_first: Side
    speaks_first: Side


@keep_last
def find_supported(transcript: Transcript) -> Side | None:
    """Return the side that the verdict supports; None for neither, or without two sides."""
    verdict = transcript.verdict
    last = {turn.role: turn for turn in turns(transcript) if not turn.node}
    if verdict is None or not last.keys() >= set(SIDES):
        return None
    decided = find_deciding(transcript)
    if decided is not None:
        own = next((side for side in SIDES if decided.role == side), None)
        if side := own or _find_named(decided, transcript):
            return side
    known = map_values(transcript)
    if verdict.answer is None:
        return None
    hold = [side for side in SIDES if known[last[side].answer] == known.get(verdict.answer)]
    return hold[0] if len(hold) == 1 else None


def _find_named(turn: Turn, transcript: Transcript) -> Side | None:
    """Return the side that a ruling names, under any name that the judge was given for it."""
    ruling = get_reading(turn, transcript.question, Ruling, "ruling")
    return None if ruling is None else headings_of(transcript.opened.settings).side(ruling.side)


@keep_last
def find_placed(transcript: Transcript) -> SupportedSide | None:
    """Return the side that the verdict supports, with the places of the sides."""
    side = find_supported(transcript)
    if side is None:
        return None
    places = TwoSides.of(transcript.opened.settings)  # protocols without them have the defaults
    return SupportedSide(side, places.shown_first, places.speaks_first)


@metric(source=PAPER)
@measure_from(find_placed)
def supports_affirmative(support: SupportedSide) -> float:
    """Whether the verdict supports the affirmative side; 0 where it supports the negative.

    None if it supports neither, or without two sides.
    """
    return float(support.side == "affirmative")


@metric()
@measure_from(find_placed)
def supports_shown_first(support: SupportedSide) -> float:
    """Whether the verdict supports the side whose arguments the deciding agent reads first.

    None if it supports neither, or without two sides.
    """
    return float(support.side == support.shown_first)


@metric()
@measure_from(find_placed)
def supports_first_speaker(support: SupportedSide) -> float:
    """Whether the verdict supports the side that spoke first, and took the opening.

    None if it supports neither, or without two sides.
    """
    return float(support.side == support.speaks_first)
