"""Folder index: the passages of a folder, found by their words, by their meaning, or by both."""

import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from moot import InputError
from moot.contrib.documents.documents import UnnumberedPassage, read_folder
from moot.contrib.documents.search_words import guess_language, split_words
from moot.contrib.documents.settings import SearchMethod
from moot.extend.protocols import embedding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SMOOTHING = 60
"""Added to each rank before rankings are fused: k of Cormack, Clarke and Buettcher (2009)."""
HEADS = 0.25
"""The weight of words that a passage shares with others below the same headings."""
FUSED = 1000
"""Passages of each ranking that are fused."""


class WordIndex(NamedTuple):
    """Passages by their words.

    Attributes:
        ranks: a ``bm25s.BM25`` over them; None where they have no words that it knows.
        languages: those of the passages in Latin script, by which words are stemmed.
        below: the same over passages with the headings above them; None where none has any.
    """

    ranks: Any
    languages: tuple[str, ...]
    below: Any = None

    def rank(self, query: str) -> "NDArray[np.intp]":
        """Return the places of the passages that share a word with a query, best first."""
        import numpy as np

        words = split_words(query, *self.languages)
        scores = None
        for ranks, weight in ((self.ranks, 1.0), (self.below, HEADS)):
            known = [word for word in words if ranks and word in ranks.vocab_dict]
            if known:
                own = ranks.get_scores(known)
                own = own if weight == 1 else own * weight
                scores = own if scores is None else scores + own
        return np.empty(0, dtype=np.intp) if scores is None else _rank(scores)


class FolderIndex(NamedTuple):
    """The index that a folder is searched with.

    Attributes:
        pieces: all its passages, by document and line.
        words: by their words; None where they are not searched by these.
        rows: an embedding of each; None likewise.
    """

    pieces: tuple[UnnumberedPassage, ...]
    words: WordIndex | None
    rows: "NDArray[np.float32] | None"

    def best(self, query: str, most: int) -> list[int]:
        """Return the places of at most so many pieces for a query, best first, ties in order.

        By words a piece has one in common with the query; by embeddings its cosine is above 0.
        """
        found = []
        if self.words is not None:
            found.append(self.words.rank(query))
        if self.rows is not None:
            found.append(_rank(self.rows @ embedding.embed([query])[0]))
        return _fuse(found)[:most] if len(found) > 1 else found[0][:most].tolist()


def _rank(scores: "NDArray[np.float32]") -> "NDArray[np.intp]":
    """Return the places of the scores above 0, highest first, ties in order."""
    ranked = (-scores).argsort(kind="stable")
    return ranked[: int((scores > 0).sum())]


def _fuse(rankings: "Sequence[NDArray[np.intp]]") -> list[int]:
    """Return the places of all rankings by the sum of 1 / (60 + rank), highest first.

    Source: Cormack, Clarke and Buettcher 2009, "Reciprocal rank fusion outperforms Condorcet and
    individual rank learning methods".
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, place in enumerate(ranking[:FUSED].tolist(), 1):
            scores[place] = scores.get(place, 0.0) + 1 / (SMOOTHING + rank)
    return sorted(scores, key=lambda place: (-scores[place], place))


def check_folder(folder: str, by: SearchMethod) -> tuple[UnnumberedPassage, ...]:
    """Check that a folder can be searched, and return its passages.

    Raises:
        InputError: it cannot be read, see ``documents.read_folder``; or what it is searched with is
            not installed.
    """
    if by != "embeddings" and find_spec("bm25s") is None:
        raise InputError(
            "documents are searched with bm25s, which is not installed: pip install 'moot[essays]'"
        )
    if by != "words":
        embedding.check_installed()
    return read_folder(folder)


def index_folder(folder: str, by: SearchMethod) -> FolderIndex:
    """Return the index of a folder: made once, and anew when a document changes.

    It takes seconds for a large folder. Threads that want the same wait for the first. Raises
    ``InputError`` as ``check_folder`` does.
    """
    pieces = check_folder(folder, by)
    with _indexing:
        words = None if by == "embeddings" else _index_words(pieces)
        rows = None if by == "words" else _embed_passages(pieces)
        return FolderIndex(pieces, words, rows)


_indexing = threading.Lock()


@lru_cache(maxsize=8)
def _index_words(pieces: tuple[UnnumberedPassage, ...]) -> WordIndex:
    from bm25s import BM25

    usual = guess_language(piece.text for piece in pieces)
    guessed = [guess_language([piece.text], usual) for piece in pieces]
    each = [*zip(pieces, guessed, strict=True)]
    words = [split_words(piece.text[piece.heads :], own) for piece, own in each]
    languages = tuple(dict.fromkeys([usual, *guessed]))
    if not any(words):
        return WordIndex(None, languages)
    ranks = BM25()
    ranks.index(words, show_progress=False)
    if not any(piece.heads for piece in pieces):
        return WordIndex(ranks, languages)
    below = BM25()
    below.index([split_words(piece.text, own) for piece, own in each], show_progress=False)
    return WordIndex(ranks, languages, below)


@lru_cache(maxsize=8)
def _embed_passages(pieces: tuple[UnnumberedPassage, ...]) -> "NDArray[np.float32]":
    return embedding.embed([piece.text for piece in pieces])
