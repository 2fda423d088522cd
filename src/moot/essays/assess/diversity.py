"""How alike several essays on one proposition are: in words, in meaning, in perspectives.

Source: "Debate-to-Write", section 3.3 and appendix B.1: a model writes M essays on each proposition
(7 there), and each measure compares every one of them with the other M - 1. All three rise with
likeness, so that a lower figure is more diversity. Each is the same for the essays in any order,
and identical essays have exactly 100, 1 and 1.
"""

from collections.abc import Sequence
from functools import cache
from math import fsum
from typing import TYPE_CHECKING

from moot import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sacrebleu.metrics.bleu import BLEU

    Matrix = NDArray[np.floating]
    Counts = NDArray[np.int64]

ORDERS = 4
"""N-grams of 1 to so many words count in BLEU."""
_DIGITS = 12
"""Decimals of a cosine. The last bits depend on the order of rows and on the processor."""


def self_bleu(texts: Sequence[str]) -> float | None:
    """Return the mean BLEU of each text against all others as its references (Zhu et al. 2018).

    sacrebleu's BLEU of one text, with the settings of ``bleu_signature``: its tokens, its clipped
    n-gram counts, its brevity penalty and smoothing. What sacrebleu would count again for each text
    and each reference is counted once here; the figures are the same to the last bit, but for a
    perfect match, where sacrebleu's rounding gives 100.00000000000004 and this 100.

    Args:
        texts: the essays on one proposition. One without a word scores 0.

    Returns:
        0 (no word in common) to 100 (identical essays); None for fewer than two.

    Raises:
        InputError: when the extra ``essays`` is not installed.
    """
    if len(texts) < 2:
        return None
    return fsum(bleus(texts)) / len(texts)


def bleus(texts: Sequence[str]) -> list[float]:
    """Return the BLEU of each of two texts or more against all others, 0 to 100."""
    bleu = _bleu()
    tokens = [bleu.tokenizer(text.rstrip()).split() for text in texts]
    lengths = [len(each) for each in tokens]
    correct, total = _matches(tokens)
    scores = []
    for place, length in enumerate(lengths):
        others = lengths[:place] + lengths[place + 1 :]
        closest = min(others, key=lambda other: (abs(other - length), other))
        own, whole = correct[:, place].tolist(), total[:, place].tolist()
        score = bleu.compute_bleu(
            own, whole, length, closest, smooth_method="exp", effective_order=True
        ).score
        scores.append(min(100.0, float(score)))
    return scores


def bleu_signature() -> str:
    """Return sacrebleu's name for the settings and the version that ``self_bleu`` uses.

    ``nrefs`` stands there as ``var``: the references of a text are the other essays there are.
    """
    import sacrebleu

    bleu = _bleu()
    return (
        f"nrefs:var|case:mixed|eff:yes|tok:{bleu.tokenizer_signature}|smooth:exp"
        f"|version:{sacrebleu.__version__}"
    )


@cache
def _bleu() -> "BLEU":
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise InputError(
            "self-BLEU needs sacrebleu, which is not installed; pip install 'moot[essays]'"
        ) from None
    return BLEU(effective_order=True)  # a text may be shorter than the longest n-gram


def _matches(tokens: Sequence[Sequence[str]]) -> "tuple[Counts, Counts]":
    """Count the n-grams of each order and text that others have, and all of them.

    An n-gram counts as often as it is found in that one of the other texts where it is most
    frequent, which for all texts but one is the most frequent of all.
    """
    import numpy as np

    n, known = len(tokens), dict[str, int]()
    words = np.fromiter(
        (known.setdefault(word, len(known)) for text in tokens for word in text), dtype=np.int64
    )
    owner = np.repeat(np.arange(n), [len(text) for text in tokens])
    correct, total = np.zeros((ORDERS, n), dtype=np.int64), np.zeros((ORDERS, n), dtype=np.int64)
    codes = np.zeros(len(words), dtype=np.int64)
    for order in range(min(ORDERS, len(words))):
        # An n-gram is the one shorter by a word and the word after it, both of one text.
        end = len(words) - order
        whole = owner[:end] == owner[order:]
        distinct, codes = np.unique(codes[:end] * len(known) + words[order:], return_inverse=True)
        width = len(distinct)
        cells = owner[:end][whole] * width + codes[whole]
        counts = np.bincount(cells, minlength=n * width).reshape(n, width)
        highest = np.partition(counts, n - 2, axis=0)
        most, second = highest[n - 1], highest[n - 2]
        correct[order] = np.minimum(counts, np.where(counts == most, second, most)).sum(axis=1)
        total[order] = counts.sum(axis=1)
    return correct, total


def self_embedding(vectors: "Matrix | Sequence[Sequence[float]]") -> float | None:
    """Return the mean cosine of all unordered pairs of essays (appendix B.1, self-Emb).

    Args:
        vectors: a row for each essay, of any length. A row of zeros is at a right angle to all.

    Returns:
        -1 to 1, 1 for identical essays; None for fewer than two.
    """
    import numpy as np

    if len(vectors) < 2:
        return None
    cosines = _cosines(_unit(vectors))[np.triu_indices(len(vectors), 1)]
    return fsum(cosines.tolist()) / len(cosines)


def perspective(points: "Sequence[Matrix | Sequence[Sequence[float]]]") -> float | None:
    """Return how far the main points of essays are also made by the others (appendix B.1).

    The likeness of a point is the highest of its cosines with the points of all other essays; that
    of an essay is the mean over its points; this is the mean over essays. An essay of which no
    point was read is left out, as if it had not been written: it has nothing to be compared, and
    ``pointless`` counts such essays, to be said beside the figure.

    Args:
        points: for each essay, a row for each of its points.

    Returns:
        -1 to 1, 1 where all essays make the same points; None for fewer than two with points.
    """
    made = [each for each in points if len(each)]
    if len(made) < 2:
        return None
    return fsum(likenesses(made)) / len(made)


def likenesses(points: "Sequence[Matrix | Sequence[Sequence[float]]]") -> list[float]:
    """Return for each of two essays or more the mean likeness of its points, from -1 to 1."""
    import numpy as np

    rows = [_unit(each) for each in points]
    every = np.concatenate(rows)
    owner = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    cosines = _cosines(every)
    cosines[owner[:, None] == owner] = -np.inf
    highest = cosines.max(axis=1)
    means = []
    for place in range(len(rows)):
        own = highest[owner == place].tolist()
        means.append(fsum(own) / len(own))
    return means


def pointless(points: "Sequence[Matrix | Sequence[Sequence[float]]]") -> int:
    """Count the essays that ``perspective`` leaves out: those without a point."""
    return sum(not len(each) for each in points)


def _unit(vectors: "Matrix | Sequence[Sequence[float]]") -> "Matrix":
    """Return the rows as doubles, scaled to length 1; zeros stay."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


def _cosines(rows: "Matrix") -> "Matrix":
    """Return the cosine of each row with each; rows have length 1 or 0."""
    import numpy as np

    # Not a product of matrices, which starts threads for tables as small as these: with others at
    # work on the same processor that took a hundred times as long.
    cosines: Matrix = np.einsum("id,jd->ij", rows, rows).round(_DIGITS)
    return np.clip(cosines, -1.0, 1.0)
