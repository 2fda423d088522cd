"""How alike several essays on one proposition are: in words, in meaning, in perspectives.

Source: "Debate-to-Write", section 3.3 and appendix B.1: a model writes M essays on each proposition
(7 there), and each measure compares every one of them with the other M - 1. All three rise with
likeness, so that a lower figure is more diversity. Each is the same for the essays in any order,
and identical essays have exactly 100, 1 and 1.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from moot import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sacrebleu.metrics.bleu import BLEU

    Matrix = NDArray[np.floating]

Ngram: TypeAlias = tuple[str, ...]
ORDERS = 4
"""N-grams of 1 to so many words count in BLEU."""
_DIGITS = 12
"""Decimals of a cosine. The last bits depend on the order of rows and on the processor."""


def self_bleu(texts: Sequence[str]) -> float | None:
    """Return the mean BLEU of each text against all others as its references (Zhu et al. 2018).

    sacrebleu's BLEU of one text, with the settings of ``bleu_signature``. What sacrebleu would
    count again for each text and each reference is counted once here; the figures are the same to
    the last bit, but for a perfect match, where its rounding gives 100.00000000000004 and this 100.

    Args:
        texts: the essays on one proposition. One without a word scores 0.

    Returns:
        0 (no word in common) to 100 (identical essays); None for fewer than two.

    Raises:
        InputError: when the extra ``essays`` is not installed.
    """
    return fsum(bleus(texts)) / len(texts) if len(texts) > 1 else None


def bleus(texts: Sequence[str]) -> list[float]:
    """Return the BLEU of each of two texts or more against all others, 0 to 100."""
    bleu = _bleu()
    tokens = [bleu.tokenizer(text.rstrip()).split() for text in texts]
    counts = [_count_ngrams(each) for each in tokens]
    most, second = Counter[Ngram](), Counter[Ngram]()  # the two greatest counts among the texts
    for own in counts:
        for ngram, times in own.items():
            second[ngram] = max(second[ngram], min(times, most[ngram]))
            most[ngram] = max(most[ngram], times)
    scores = []
    for place, own in enumerate(counts):
        correct, total = [0] * ORDERS, [0] * ORDERS
        for ngram, times in own.items():
            others = second if times == most[ngram] else most
            correct[len(ngram) - 1] += min(times, others[ngram])
            total[len(ngram) - 1] += times
        length = len(tokens[place])
        rest = [len(each) for each in tokens[:place] + tokens[place + 1 :]]
        closest = min(rest, key=lambda other: (abs(other - length), other))
        score = bleu.compute_bleu(
            correct, total, length, closest, smooth_method="exp", effective_order=True
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


def _count_ngrams(tokens: Sequence[str]) -> Counter[Ngram]:
    orders = range(1, ORDERS + 1)
    runs = (zip(*(tokens[k:] for k in range(n)), strict=False) for n in orders)
    return Counter(chain.from_iterable(runs))


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
    point was read is left out, as if it had not been written: it has nothing to be compared.

    Args:
        points: for each essay, a row for each of its points.

    Returns:
        -1 to 1, 1 where all essays make the same points; None for fewer than two with points.
    """
    import numpy as np

    rows = [_unit(each) for each in points if len(each)]
    if len(rows) < 2:
        return None
    owner = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    cosines = _cosines(np.concatenate(rows))
    cosines[owner[:, None] == owner] = -np.inf
    highest = cosines.max(axis=1)
    own = [highest[owner == place].tolist() for place in range(len(rows))]
    return fsum(fsum(each) / len(each) for each in own) / len(rows)


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
