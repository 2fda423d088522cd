"""How an agent can be asked how sure it is: the scales, and the check of an answer."""

from typing import Literal

ConfidenceScale = Literal["unit", "percent", "ten", "words"]

P_TRUE = "p-true"
"""The source of a confidence that asks whether an answer is right, and the step that does so."""

TOPS = {"unit": 1.0, "percent": 100.0, "ten": 10.0}
"""The scales of numbers, by their highest number; the lowest is 0."""

WORDS = {
    "almost certain": 0.95,
    "very likely": 0.9,
    "likely": 0.75,
    "more likely than not": 0.6,
    "even": 0.5,
    "unlikely": 0.25,
    "very unlikely": 0.1,
}
"""The scale of words, ours, with the confidence that each stands for."""


def state_confidence(confidence: float, scale: ConfidenceScale) -> str:
    """Return a confidence from 0 to 1 as a reply states it on a scale; the nearest of its values.

    Numbers have two decimals, or are whole ones where the scale goes beyond 1.
    """
    match scale:
        case "unit":
            return f"{confidence:.2f}"
        case "percent":
            return f"{confidence:.0%}"
        case "ten":
            return f"{confidence * 10:.0f}"
        case "words":
            return min(WORDS, key=lambda words: abs(WORDS[words] - confidence))
