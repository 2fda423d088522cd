"""Where marks stand: axes that suit their values, and labels that do not cover one another."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10
from typing import Literal

Spot = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis across whose ends are known, so that labels can be put beside marks.

    Attributes:
        kind: linear from 0, or logarithmic.
        ends: the least and the greatest value on it.
    """

    kind: Literal["linear", "log"]
    ends: tuple[float, float]

    @classmethod
    def around(cls, values: Sequence[float]) -> "Axis":
        """Make a logarithmic axis where the greatest is over 20 times the least and none is 0."""
        least, most = min(values), max(values)
        if least > 0 and most > 20 * least:
            room = (most / least) ** 0.06
            return cls("log", (least / room, most * room))
        return cls("linear", (0.0, most * 1.06 or 1.0))

    def at(self, value: float) -> float:
        """Return the place of a value along the axis, from 0 (its start) to 1 (its end)."""
        low, high = self.ends
        if self.kind == "log":
            return (log10(value) - log10(low)) / (log10(high) - log10(low))
        return (value - low) / (high - low)

    def back(self, part: float) -> float:
        """Return the value so far along the axis."""
        low, high = self.ends
        if self.kind == "log":
            return float(low * (high / low) ** part)
        return low + part * (high - low)


_AROUND = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))
_HALF_LETTER, _HALF_LINE = 3.2, 6.0


def place_labels(
    spots: Sequence[Spot], texts: Sequence[str], radii: Sequence[float], size: Spot
) -> list[Spot]:
    """The middle of each text beside its mark, off marks and other texts as far as there is room.

    Args:
        spots: of the marks, in pixels.
        texts: a few characters each.
        radii: of the marks, in pixels.
        size: of the area they stay in, in pixels.
    """
    taken = [(spot, radius, radius) for spot, radius in zip(spots, radii, strict=True)]
    placed: list[Spot] = []
    for (x, y), text, radius in zip(spots, texts, radii, strict=True):
        half = _HALF_LETTER * len(text)
        found = []
        for further in (1, 9, 18):
            for dx, dy in _AROUND:
                reach = (radius if 0 in (dx, dy) else 0.6 * radius) + further
                found.append((x + dx * (reach + half), y + dy * (reach + _HALF_LINE)))
        within = [
            (at_x, at_y)
            for at_x, at_y in found
            if half <= at_x <= size[0] - half and _HALF_LINE <= at_y <= size[1] - _HALF_LINE
        ]
        best = min(within or found, key=lambda spot: _overlap(spot, half, taken))
        taken.append((best, half, _HALF_LINE))
        placed.append(best)
    return placed


def _overlap(spot: Spot, half: float, taken: Sequence[tuple[Spot, float, float]]) -> float:
    """Return how much a text would cover of what is placed already, in square pixels."""
    x, y = spot
    return sum(
        (half + wide - abs(x - ox)) * (_HALF_LINE + high - abs(y - oy))
        for (ox, oy), wide, high in taken
        if abs(x - ox) < half + wide and abs(y - oy) < _HALF_LINE + high
    )


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Heights as near as they were with at least ``gap`` between any two, in the same order."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    groups: list[list[float]] = []  # the middle of a group of touching labels, and their number
    for k in order:
        groups.append([heights[k], 1])
        while len(groups) > 1:
            (one, n), (other, m) = groups[-2:]
            if one + gap * (n - 1) / 2 + gap <= other - gap * (m - 1) / 2 + 1e-12:
                break
            groups[-2:] = [[(one * n + other * m) / (n + m), n + m]]
    spread = [middle + gap * (k - (n - 1) / 2) for middle, n in groups for k in range(int(n))]
    result = [0.0] * len(heights)
    for k, height in zip(order, spread, strict=True):
        result[k] = height
    return result
