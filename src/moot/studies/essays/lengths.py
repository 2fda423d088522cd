"""How long essays are, and how much they repeat: see ``moot.metrics.lengths``.

They stand there since they are metrics of a single essay, too.
"""

from moot.metrics.lengths import distinct, repetition, sentences, words

__all__ = ["distinct", "repetition", "sentences", "words"]
