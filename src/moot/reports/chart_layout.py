"""Where marks and labels stand: scales that suit their values, and labels that do not overlap."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from moot.core.chart import Axis, AxisKind

Spot = tuple[float, float]

_LOGARITHMIC: tuple[AxisKind, ...] = ("log", "money", "tokens")
FORMATS: dict[AxisKind, str] = {
    "number": ",.4~g",
    "log": ",.3~g",
    "share": "~%",
    "points": "+~%",
    "money": "$,.3~g",
    "tokens": ",.3~s",
}
"""How the numbers of each kind of axis are written, as d3 takes it."""


class Scale(NamedTuple):
    """The numbers of an axis, as places along it.

    Attributes:
        axis: what is read.
        ends: the least and the greatest value on it.
        is_log: whether it is logarithmic.
        ticks: the values that are marked; empty for some that suit it.
    """

    axis: Axis
    ends: tuple[float, float]
    is_log: bool = False
    ticks: tuple[float, ...] = ()

    def place(self, value: float) -> float:
        """Return the place of a value along the axis, from 0 (its start) to 1 (its end)."""
        low, high = self.ends
        if self.is_log:
            return (log10(value) - log10(low)) / (log10(high) - log10(low))
        return (value - low) / (high - low)

    def value(self, place: float) -> float:
        """Return the value at a place."""
        low, high = self.ends
        return float(low * (high / low) ** place) if self.is_log else low + place * (high - low)


def make_scale(axis: Axis, values: Sequence[float], *, from_zero: bool = False) -> Scale:
    """Return the scale on which values are shown.

    Args:
        axis: what is read.
        values: all of them, ends of whiskers too; at least one.
        from_zero: whether it begins at 0, as that of bars.
    """
    least, most = min(values), max(values)
    if axis.ends is not None:
        return Scale(axis, axis.ends)
    if axis.kind in _LOGARITHMIC:
        if least > 0 and most > 20 * least and not from_zero:
            room = (most / least) ** 0.06
            ends = least / room, most * room
            return Scale(axis, ends, is_log=True, ticks=_choose_log_ticks(*ends))
        return Scale(axis, (0.0, most * 1.06 or 1.0))
    if axis.kind == "share":
        return Scale(axis, round_shares(0.0 if from_zero else least, most))
    if axis.kind == "points":
        least, most = min(least, 0.0), max(most, 0.0)
        room = 0.05 * (most - least) or 0.05
        return Scale(axis, (least - room * (least < 0), most + room * (most > 0)))
    few = tuple(sorted(set(values)))
    room = 0.1 * (most - least) or 1.0  # for marks that stand aside, too
    ends = (0.0 if from_zero else least - room, most + room)
    return Scale(axis, ends, ticks=few if len(few) <= 8 else ())


def _choose_log_ticks(low: float, high: float) -> tuple[float, ...]:
    """Return 1, 2 and 5 times the powers of ten between the ends; the powers alone of many."""
    tens = [10.0**power for power in range(floor(log10(low)), ceil(log10(high)) + 1)]
    fine = tuple(k * ten for ten in tens for k in (1, 2, 5) if low <= k * ten <= high)
    return fine if len(fine) <= 8 else tuple(ten for ten in tens if low <= ten <= high)


def round_shares(low: float, high: float) -> tuple[float, float]:
    """Return the part of an axis of shares around these, in whole tenths, two of them or more."""
    first, last = max(0, floor(low * 10 + 1e-9)), min(10, ceil(high * 10 - 1e-9))
    if last - first < 2:
        first, last = (first, first + 2) if first <= 8 else (8, 10)
    return first / 10, last / 10


def measure_text(lines: Iterable[str], size: float) -> float:
    """Return about how wide the longest of some lines of text is, in the unit of its size."""
    return max((sum(_letter_width(letter) for letter in line) for line in lines), default=0) * size


def _letter_width(letter: str) -> float:
    if letter in "ijl.,:;|'!()[] tfrI":
        return 0.3
    return 0.95 if letter in "mwMW%@—" or ord(letter) > 0x2E7F else 0.58


def spread_beside(count: int, room: float, gap: float) -> list[float]:
    """Return offsets around 0 of marks that stand side by side, in ``room`` at most."""
    step = min(gap, room / max(1, count - 1))
    return [step * (k - (count - 1) / 2) for k in range(count)]


_AROUND = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))


def place_labels(
    spots: Sequence[Spot], texts: Sequence[str], radius: float, size: Spot, font: float
) -> list[Spot]:
    """Return the middle of each text, off marks and other texts as far as there is room.

    Args:
        spots: of the marks; those with an empty text are only kept free.
        texts: a few characters each.
        radius: of a mark.
        size: width and height of the area that texts stay in.
        font: the size of the texts.
    """
    line = 0.55 * font
    taken = [(spot, radius, radius) for spot in spots]
    placed: list[Spot] = []
    for (x, y), text in zip(spots, texts, strict=True):
        half = measure_text([text], font) / 2
        found = []
        for further in (1, 9, 18, 30):
            for dx, dy in _AROUND:
                reach = (radius if 0 in (dx, dy) else 0.6 * radius) + further
                found.append((x + dx * (reach + half), y + dy * (reach + line)))
        within = [
            (at_x, at_y)
            for at_x, at_y in found
            if half <= at_x <= size[0] - half and line <= at_y <= size[1] - line
        ]
        best = min(within or found, key=lambda spot: _overlap(spot, half, line, taken))
        if text:
            taken.append((best, half, line))
        placed.append(best)
    return placed


def _overlap(
    spot: Spot, half: float, line: float, taken: Sequence[tuple[Spot, float, float]]
) -> float:
    """Return how much a text would cover of what is placed already, as an area."""
    x, y = spot
    return sum(
        (half + wide - abs(x - ox)) * (line + high - abs(y - oy))
        for (ox, oy), wide, high in taken
        if abs(x - ox) < half + wide and abs(y - oy) < line + high
    )


def find_front(points: Sequence[tuple[float | None, float]]) -> list[int]:
    """Return the places in ``points`` of the best (price, accuracy), from the cheapest up.

    A point is left out where another is at most as dear and at least as accurate, or where its
    price is unknown. Of equal points the first stays.
    """
    known = [(x, -y, k) for k, (x, y) in enumerate(points) if x is not None]
    best, kept = float("-inf"), []
    for _, y, k in sorted(known):
        if -y > best:
            best = -y
            kept.append(k)
    return kept
