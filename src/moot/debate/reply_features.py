"""Features of a self-critique, and what a fitted classifier makes of them.

They are counted in the reply alone: the same reply has the same features in any order and on
replay. What no number can be read of has no features at all, and never a made-up one.
"""

import re
from collections.abc import Mapping
from math import exp, log1p

from moot.core.questions import Kind, Question
from moot.debate.stop_rule import Ending, Gate
from moot.debate.views import View, Views
from moot.parsing.same import answer_value, is_same
from moot.parsing.self_critique import SelfCritique

SIGNAL = "probability"
"""What the gate compares with its threshold: how probably the answer is right."""
OFFSET = "offset"
"""The key of a classifier's weight that stands alone."""
DIGITS = 6

TOLD: tuple[Kind, ...] = ("choice", "boolean", "number", "square", "text")
"""The kinds that are features; of others each of these is 0. Fitted classifiers know no others."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE = re.compile(r"[.!?]+(?:\s|\Z)")
_HEDGE = re.compile(
    r"\b(?:perhaps|maybe|may|might|could|possibl[ey]|probabl[ey]|likely|unlikely|presumably|"
    r"seems?|appears?|suggests?|unsure|uncertain|unclear|not sure|i think|i believe|i guess|"
    r"roughly|approximately|about|around|assum(?:e|es|ing))\b",
    re.IGNORECASE,
)
_NAMED: Mapping[Kind, re.Pattern[str]] = {
    "choice": re.compile(r"\(([A-Z])\)|\b(?:option|choice|answer) ([A-Z])\b"),
    "boolean": re.compile(r"\b(true|false)\b", re.IGNORECASE),
    "number": re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)(?!\w)"),
    "square": re.compile(r"\b([a-h][1-8])\b"),
}
"""What reads like an answer in running text; of open questions nothing does."""


def measure_features(view: View, question: Question) -> dict[str, float] | None:
    """Return the features of a self-critique; None where an answer or a confidence is missing.

    Args:
        view: the reply.
        question: what was asked.
    """
    critique = view.get(SelfCritique)
    if critique is None or critique.chance is None or critique.confidence is None:
        return None
    if view.answer is None or critique.draft is None:
        return None
    text = f"{critique.reason}\n{critique.objection}"
    words = _WORD.findall(text)
    many = max(len(words), 1)
    named = {answer_value(each, question.kind) for each in (critique.draft, view.answer)}
    if pattern := _NAMED.get(question.kind):
        found = (each[each.lastindex or 0] for each in pattern.finditer(text))
        named |= {answer_value(each, question.kind) for each in found}
    values = {
        "chance": critique.chance,
        "confidence": critique.confidence,
        "changed": float(not is_same(critique.draft, view.answer, question.kind)),
        "words": log1p(len(words)),
        "objection": log1p(len(_WORD.findall(critique.objection))),
        "hedges": 100 * len(_HEDGE.findall(text)) / many,
        "answers": log1p(len(named)),
        "word length": sum(map(len, words)) / many,
        "sentence length": len(words) / max(len(_SENTENCE.findall(text)), 1),
    }
    values |= {f"kind {kind}": float(question.kind == kind) for kind in TOLD}
    return {name: round(value, DIGITS) for name, value in values.items()}


NAMES = (
    *("chance", "confidence", "changed", "words", "objection", "hedges", "answers"),
    *("word length", "sentence length", *(f"kind {kind}" for kind in TOLD)),
)
"""The names of all features."""


def estimate_probability(values: Mapping[str, float], classifier: Mapping[str, float]) -> float:
    """Return the probability that an answer is right, 0 to 1, from its features.

    Args:
        values: the features, by name.
        classifier: a weight for each feature, and one under ``OFFSET``; what is missing weighs 0.
    """
    log_odds = classifier.get(OFFSET, 0.0)
    log_odds += sum(classifier.get(name, 0.0) * values[name] for name in sorted(values))
    size = exp(-abs(log_odds))
    return round((1.0 if log_odds >= 0 else size) / (1 + size), DIGITS)


def accept_by_features(
    classifier: Mapping[str, float], threshold: float, *, fitted_on: str = ""
) -> Gate:
    """Return a gate that accepts a self-critique whose answer is probably right.

    Args:
        classifier: as for ``estimate_probability``; without weights nothing is accepted.
        threshold: the least probability that is accepted.
        fitted_on: the file that the classifier comes from, and its hash.
    """

    def accept(views: Views, question: Question) -> Ending:
        values = measure_features(views[0], question)
        if not classifier:
            return Ending(why="the features have no classifier", ends=False)
        if values is None:
            return Ending(
                why="the features cannot be read",
                threshold=threshold,
                fitted_on=fitted_on,
                ends=False,
            )
        value = estimate_probability(values, classifier)
        enough = value >= threshold
        why = f"{SIGNAL} is {'not ' * (not enough)}high enough"
        return Ending(why=why, signal=value, threshold=threshold, fitted_on=fitted_on, ends=enough)

    return accept
